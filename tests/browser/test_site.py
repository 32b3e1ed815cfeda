"""The site of the documentation in a browser, from the file system: every page opens cleanly, the search finds, and a phone can show it."""

from __future__ import annotations

import json

import pytest

from tests.browser import chromium

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.BROWSER is None or chromium.DRIVER is None, reason=chromium.MISSING),
]

#: Width of a phone [px].
PHONE = 400
#: Pages of the packages are made by one program and large; these stand for all.
PACKAGES = ("index.html", "motions.html")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = chromium.start(tmp_path_factory.mktemp("profile"))
    yield found
    found.quit()


def set_width(browser, width: int) -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def test_every_page_opens_on_a_phone_without_a_word_a_request_or_sideways_scrolling(browser, site):
    set_width(browser, PHONE)
    pages = sorted(
        path for path in site.rglob("*.html") if path.name != "404.html" and (path.parent.name != "api" or path.name in PACKAGES)
    )
    assert len(pages) > 50
    wide: dict[str, list[str]] = {}
    for page in pages:
        browser.get(page.resolve().as_uri())
        # What is cut off can't be read, even where the page itself does not scroll.
        found = browser.execute_script(
            "const scrolls = (e) => e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));"
            "const wide = [...document.querySelectorAll('.md-content *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1);"
            "const names = wide.filter((e) => !scrolls(e.parentElement)).map((e) => e.tagName + ' ' + e.textContent.slice(0, 40));"
            "return document.documentElement.scrollWidth > innerWidth ? ['the page', ...names] : names;"
        )
        if found:
            wide[page.name] = found[:3]
    assert wide == {}
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    asked = {params["request"]["url"] for params in sent if params["documentURL"].startswith(site.resolve().as_uri())}
    assert {page.resolve().as_uri() for page in pages} <= asked
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_the_search_finds_a_word_from_the_file_system(browser, site):
    set_width(browser, 1280)
    browser.get((site / "how-to" / "check.html").resolve().as_uri())
    browser.execute_script("document.querySelector('.md-search__button').click()")
    shadow = "[...document.querySelectorAll('*')].find((e) => e.shadowRoot)?.shadowRoot"
    chromium.wait(lambda: browser.execute_script(f"return {shadow}?.querySelector('input')"), "the search opens")
    field = browser.execute_script(f"return {shadow}.querySelector('input')")
    field.send_keys("pseudo-inertia")
    links = f"return [...{shadow}.querySelectorAll('a')].map((a) => a.href)"
    chromium.wait(lambda: browser.execute_script(links), "the search finds")
    found = browser.execute_script(links)
    assert field.get_attribute("value") == "pseudo-inertia"
    assert any(link.startswith((site / "conventions.html").resolve().as_uri()) for link in found)
    assert browser.get_log("browser") == []
    browser.get(found[0])
    assert "seudo-inertia" in browser.execute_script("return document.querySelector('article').textContent")


def test_dark_pages_can_be_chosen_and_stay(browser, site):
    scheme = "return document.body.dataset.mdColorScheme"
    browser.get((site / "index.html").resolve().as_uri())
    before = browser.execute_script(scheme)
    browser.execute_script("document.querySelector('[data-md-component=palette] label:not([hidden])').click()")
    chromium.wait(lambda: browser.execute_script(scheme) != before, "the other colours")
    browser.get((site / "glossary.html").resolve().as_uri())
    assert {before, browser.execute_script(scheme)} == {"default", "slate"}
