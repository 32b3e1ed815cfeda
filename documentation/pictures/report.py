"""Parts of the report of a made-up log."""

from __future__ import annotations

from pathlib import Path

from documentation.pictures.shots import between, set_theme
from dynident.reports import report
from dynident.runs import load_run
from tests.browser import chromium
from tests.browser.arm import complete_run

#: File, theme, and the elements that it begins and ends with; of an ordinary log, and of one without signs.
PICTURES = (("report-verdict.png", "light", "body", "#verdict"), ("report-robot.png", "dark", "#robot", "#robot"))
UNSIGNED = (("report-signs.png", "light", "#signs", "#signs .row figure:nth-child(4)"),)


def make(work: Path, browser) -> dict[str, bytes]:
    made: dict[str, bytes] = {}
    for name, pictures in (("run", PICTURES), ("unsigned", UNSIGNED)):
        unsigned = pictures is UNSIGNED
        run = complete_run(work / name, seconds=14.0 if unsigned else 60.0, unsigned=unsigned)
        chromium.open_page(browser, report(load_run(run)).save(run / "report.html"))
        for file, theme, first, last in pictures:
            set_theme(browser, theme)
            made[file] = between(browser, first, last)
    return made
