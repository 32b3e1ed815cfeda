"""Makes the pictures anew: python -m documentation.pictures [MODULE...]"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import tempfile
from pathlib import Path

from documentation import pictures
from tests.browser import chromium

IMAGES = Path(__file__).parents[2] / "docs" / "images"
#: Modules that help the others.
_HELPERS = {"__main__", "shots", "tutorial"}


def main(names: list[str]) -> None:
    there = sorted(module.name for module in pkgutil.iter_modules(pictures.__path__) if module.name not in _HELPERS)
    for name in names or there:
        if name not in there:
            sys.exit(f"there are no pictures called {name}: {', '.join(there)}")
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder, "work")
            work.mkdir()
            browser = chromium.start(Path(folder, "profile"))
            try:
                made = importlib.import_module(f"documentation.pictures.{name}").make(work, browser)
            finally:
                browser.quit()
        for file, content in made.items():
            (IMAGES / file).write_bytes(content)
            print(f"{file}  {len(content) / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
