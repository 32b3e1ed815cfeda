"""What is in a wheel and in a source archive, and what must not be."""

from __future__ import annotations

import tarfile
import zipfile
from email.parser import HeaderParser
from pathlib import Path

#: Each must be in the wheel.
NEEDED = ("dynident/__init__.py", "dynident/py.typed", "dynident/cli/__init__.py")
#: Folders of files that are no code; what the sources have in them the wheel must have too.
DATA = ("robots/library", "data/presets", "reports/templates")
#: Endings of what nobody should get.
UNWANTED = (".pyc", ".nbi", ".nbc", ".npz", ".orig", ".log", ".TXT")
#: Lines of the metadata that must be there, by name.
METADATA = ("Name", "Version", "Summary", "License-Expression", "License-File", "Requires-Python", "Description-Content-Type")


def check_wheel(wheel: Path, sources: Path) -> list[str]:
    """What is wrong with a wheel; sources : the folder src/dynident."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = next((name.partition("/")[0] for name in names if name.endswith(".dist-info/METADATA")), "")
        told = HeaderParser().parsestr(archive.read(f"{info}/METADATA").decode())
        scripts = archive.read(f"{info}/entry_points.txt").decode()
    written = {f"dynident/{path.relative_to(sources).as_posix()}" for path in sources.rglob("*") if _is_source(path)}
    problems = [f"{name} is missing" for name in sorted({*NEEDED, *written}.difference(names))]
    problems += [f"{name} is there, and not in the sources" for name in names if not name.startswith(f"{info}/") and name not in written]
    problems += [f"{name} does not belong there" for name in names if name.endswith(UNWANTED) or "tests/" in name]
    problems += [f"no file of {folder} is there" for folder in DATA if not any(name.startswith(f"dynident/{folder}/") for name in names)]
    problems += [f"the metadata lack {key}" for key in METADATA if key not in told]
    if not any(name.startswith(f"{info}/") and name.endswith("LICENSE") for name in names):
        problems.append("the LICENSE is missing")
    if "dynident = dynident.cli:main" not in scripts:
        problems.append("the command dynident is missing")
    return problems


def check_sdist(sdist: Path) -> list[str]:
    """What is wrong with a source archive: it must have all that a wheel is built from, and that tests it."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = ("pyproject.toml", "README.md", "LICENSE", "constraints.txt", "src/dynident/py.typed", "tests/conftest.py", "Makefile")
    return [f"{name} is missing" for name in needed if name not in names] + [
        f"{name} does not belong there" for name in sorted(names) if name.endswith(UNWANTED[:3]) or name.startswith((".venv", "site/"))
    ]


def _is_source(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and not path.name.endswith(UNWANTED)
