"""The site in site/, built from docs/ and mkdocs.yml by Zensical, and what its strict mode does not see: python -m documentation.site

Zensical refuses links from page to page that lead nowhere. A page that no menu has, a menu with no page, and a picture or an anchor that is
not there are found here, in what was built.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from documentation.reference.schemas import write_schemas

REPOSITORY = Path(__file__).parents[1]
#: What the site is made from, beside the folder docs and the docstrings in src.
_FILES = ("mkdocs.yml", "CHANGELOG.md")


class BuildError(Exception):
    """The site could not be built; the message is what Zensical said."""


def build(source: Path) -> Path:
    """Build the site of a folder with docs/ and mkdocs.yml from nothing, without a network, into its folder site, which is returned."""
    for old in ("site", ".cache"):
        shutil.rmtree(source / old, ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(done.stdout + done.stderr)
    schemas = source / "site" / "reference" / "schemas"
    if schemas.is_dir():
        write_schemas(schemas)
    return source / "site"


def build_copy(folder: Path, repository: Path = REPOSITORY) -> Path:
    """The same from a copy of what the repository has; folder : is made."""
    shutil.copytree(repository / "docs", folder / "docs")
    for name in _FILES:
        shutil.copy(repository / name, folder / name)
    for name in ("src", "documentation"):  # docstrings, and how they are read
        (folder / name).symlink_to(repository / name)
    return build(folder)


def menu_problems(source: Path) -> list[str]:
    """Pages that the menu lacks, and entries of the menu without a page."""
    named = list(_pages(yaml.load((source / "mkdocs.yml").read_text(encoding="utf-8"), Loader=_Settings)["nav"]))  # noqa: S506
    there = {path.relative_to(source / "docs").as_posix() for path in (source / "docs").rglob("*.md")}
    problems = [f"{page} is in the menu, and not there" for page in sorted(set(named) - there)]
    problems += [f"{page} is not in the menu" for page in sorted(there.difference(named))]
    return problems + [f"{page} is twice in the menu" for page in sorted({page for page in named if named.count(page) > 1})]


def link_problems(site: Path) -> list[str]:
    """Links, pictures and scripts of the built pages that lead nowhere within the site. What is in the network is not asked."""
    pages = {path.resolve(): _Page(path) for path in site.rglob("*.html") if path.name != "404.html"}  # 404.html is for servers
    problems: list[str] = []
    for path, page in sorted(pages.items()):
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = f"{path.relative_to(site.resolve()).as_posix()}: {link}"
            if not target.is_file():
                problems.append(f"{place} is not there")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                problems.append(f"{place} has no such anchor")
    return problems


class _Page(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name in ("href", "src") and tag != "base":
                self.links.add(value)
            elif name in ("id", "name"):
                self.anchors.add(value)


class _Settings(yaml.SafeLoader):
    """Reads mkdocs.yml; what comes from the environment is left out."""


_Settings.add_constructor("!ENV", lambda loader, node: None)


def _pages(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for target in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(target, list):
                yield from _pages(target)
            elif not urlsplit(target).scheme:
                yield target


if __name__ == "__main__":
    try:
        site = build(REPOSITORY)
    except BuildError as error:
        sys.exit(str(error))
    problems = menu_problems(REPOSITORY) + link_problems(site)
    sys.exit("\n".join(problems) if problems else 0)
