"""What the browser shows, as PNG."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from tests.browser import chromium

#: Width of the window in which a picture is taken that is to be read on a phone too [px], and how much larger the picture is.
NARROW, ENLARGED = 640, 1.25


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


def make_narrow(browser) -> None:
    """A window in which text stays readable when the picture is 400 px wide; no buttons on the figures."""
    metrics = {"width": NARROW, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def narrow(browser, first: str, last: str) -> bytes:
    """As `between`, of a window that was made narrow."""
    hide = "const s = document.createElement('style'); s.textContent = '.modebar { display: none !important }'; document.head.append(s)"
    browser.execute_script(hide)
    return between(browser, first, last, width=NARROW, scale=ENLARGED)


def figure(browser, work: Path, drawn: Any) -> bytes:
    """A figure of Plotly's."""
    page = work / "figure.html"
    drawn.update_layout(width=NARROW, template="plotly_white", margin={"l": 60, "r": 15, "t": 45, "b": 50})
    drawn.write_html(page, config={"displayModeBar": False})
    browser.get(page.resolve().as_uri())
    chromium.wait(
        lambda: browser.execute_script("return !!document.querySelector('.js-plotly-plot .plot-container')"), "the figure is drawn"
    )
    return narrow(browser, ".plot-container", ".plot-container")
