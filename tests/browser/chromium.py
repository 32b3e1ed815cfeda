"""Headless Chromium through Selenium, with the driver that Debian ships; nothing is downloaded."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
MISSING = "no Chromium with its driver here (Debian: apt-get install chromium chromium-driver)"
_FLAGS = (
    "--headless=new",
    "--no-sandbox",  # a container's root has no other way
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",  # WebGL in software, for the 3D view
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=1280,900",
)


def start(profile: Path):
    """A browser with a fresh profile that records its console and every request."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(DRIVER))


def open_page(browser, page: Path, *, seconds: float = 90.0) -> None:
    """Open a report and wait until every figure is drawn."""
    browser.get(page.resolve().as_uri())
    wait(lambda: browser.execute_script("return document.documentElement.dataset.drawn") == "all", "every figure is drawn", seconds)


def wait(condition, what: str, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds:g} s: {what}"
        time.sleep(0.1)
