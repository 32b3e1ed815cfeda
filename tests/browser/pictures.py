"""The pictures of the documentation, made anew: python -m tests.browser.pictures docs/images"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

from dynident.reports import report
from dynident.runs import load_run
from tests.browser import chromium
from tests.browser.arm import complete_run

#: File, theme, and the elements that it begins and ends with; of an ordinary log, and of one without signs.
PICTURES = (("report-verdict.png", "light", "body", "#verdict"), ("report-robot.png", "dark", "#robot", "#robot"))
UNSIGNED = (("report-signs.png", "light", "#signs", "#signs .row figure:nth-child(4)"),)


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as work:
        browser = chromium.start(Path(work) / "profile")
        try:
            for name, pictures in (("run", PICTURES), ("unsigned", UNSIGNED)):
                unsigned = pictures is UNSIGNED
                run = complete_run(Path(work) / name, seconds=14.0 if unsigned else 60.0, unsigned=unsigned)
                chromium.open_page(browser, report(load_run(run)).save(run / "report.html"))
                for file, theme, first, last in pictures:
                    (folder / file).write_bytes(_picture(browser, theme, first, last))
        finally:
            browser.quit()


def _picture(browser, theme: str, first: str, last: str) -> bytes:
    current = "return document.documentElement.dataset.theme"
    if browser.execute_script(current) != theme:
        browser.execute_script("document.getElementById('theme').click()")
        drawn = "return [...document.querySelectorAll('.plot')].every((p) => p._fullLayout)"
        chromium.wait(lambda: browser.execute_script(drawn), "the figures are drawn again")
    top = max(0, browser.execute_script("return document.querySelector(arguments[0]).getBoundingClientRect().top + scrollY", first))
    bottom = browser.execute_script("return document.querySelector(arguments[0]).getBoundingClientRect().bottom + scrollY", last)
    clip = {"x": 0, "y": top, "width": 1265, "height": bottom - top, "scale": 0.8}
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip})
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
