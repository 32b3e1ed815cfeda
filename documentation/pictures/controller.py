"""The tutorial of the controls engineer: torques with and without friction, and two contacts."""

from __future__ import annotations

from pathlib import Path

from documentation.pictures.shots import make_narrow, narrow
from documentation.pictures.tutorial import run, run_tutorial
from tests.browser import chromium


def make(work: Path, browser) -> dict[str, bytes]:
    make_narrow(browser)
    run_tutorial("controller", work)
    return {"controller-torque.png": _torque(work, browser), "controller-contacts.png": _contacts(work, browser)}


def _torque(work: Path, browser) -> bytes:
    run(work, "dynident report run")
    chromium.open_page(browser, work / "run" / "report.html")
    for label in ("predicted by the link parameters", "95 % band of the links"):
        click = "[...document.querySelectorAll('#torques .key button')].find((b) => b.textContent.trim() === arguments[0]).click()"
        browser.execute_script(click, label)
    browser.execute_script("[...document.querySelectorAll('#torques figure')].slice(0, 2).forEach((f) => f.remove())")
    return narrow(browser, "#torques .key", "#torques figure")


def _contacts(work: Path, browser) -> bytes:
    chromium.open_page(browser, work / "run" / "contacts.html")
    others = "[...document.querySelectorAll('#residuals figure')].slice(0, -2).forEach((f) => f.remove())"
    browser.execute_script(others)  # joint 1 turns about the force
    return narrow(browser, "#residuals", "#residuals .row")
