"""The pictures of the documentation, made anew: python -m tests.browser.pictures docs/images"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

from dynident.reports import report_html
from dynident.runs import load_run
from tests.browser import chromium
from tests.browser.arm import complete_run

#: File, theme, and the elements that it begins and ends with.
PICTURES = (("report-verdict.png", "light", "body", "#verdict"), ("report-robot.png", "dark", "#robot", "#robot"))


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as work:
        run = complete_run(Path(work) / "run", seconds=60.0)
        page = run / "report.html"
        page.write_text(report_html(load_run(run)), encoding="utf-8")
        browser = chromium.start(Path(work) / "profile")
        try:
            chromium.open_page(browser, page)
            for name, theme, first, last in PICTURES:
                (folder / name).write_bytes(_picture(browser, theme, first, last))
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
