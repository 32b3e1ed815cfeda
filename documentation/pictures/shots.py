"""What the browser shows, as PNG."""

from __future__ import annotations

import base64

from tests.browser import chromium


def set_theme(browser, theme: str) -> None:
    """light or dark, on a page of ours that has the switch."""
    current = "return document.documentElement.dataset.theme"
    if browser.execute_script(current) != theme:
        browser.execute_script("document.getElementById('theme').click()")
        drawn = "return [...document.querySelectorAll('.plot')].every((p) => p._fullLayout)"
        chromium.wait(lambda: browser.execute_script(drawn), "the figures are drawn again")


def between(browser, first: str, last: str, *, width: int = 1265, scale: float = 0.8) -> bytes:
    """The page from the top of one element (a CSS selector) to the bottom of another."""
    edge = "return document.querySelector(arguments[0]).getBoundingClientRect()[arguments[1]] + scrollY"
    top, bottom = max(0, browser.execute_script(edge, first, "top")), browser.execute_script(edge, last, "bottom")
    clip = {"x": 0, "y": top, "width": width, "height": bottom - top, "scale": scale}
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True, "clip": clip})
    return base64.b64decode(shot["data"])
