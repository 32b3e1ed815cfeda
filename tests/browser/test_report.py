"""The report in a browser: it opens cleanly, needs no network, every figure is there, and what can be clicked works."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dynident.reports import SECTIONS, report
from dynident.runs import load_run
from tests.browser import chromium
from tests.browser.arm import arm, complete_run, identified, log

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.BROWSER is None or chromium.DRIVER is None, reason=chromium.MISSING),
]

TOGGLE = "document.getElementById('theme').click()"
#: Performance advice that a browser without a graphics card gives to any page with WebGL.
HARMLESS = ("GPU stall due to ReadPixels", "willReadFrequently")


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    run = complete_run(tmp_path_factory.mktemp("run"), unsigned=True)
    report(load_run(run), beside=load_run(run)).save(run / "report.html")
    return run / "report.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = chromium.start(tmp_path_factory.mktemp("profile"))
    yield found
    found.quit()


@pytest.fixture(scope="module")
def opened(browser, page):
    """Opened once, because that takes seconds; a test leaves the page as it found it."""
    chromium.open_page(browser, page)
    return browser


def test_it_opens_without_a_word_on_the_console(opened):
    said = [entry for entry in opened.get_log("browser") if not any(word in entry["message"] for word in HARMLESS)]
    assert said == []


def test_it_asks_the_network_for_nothing(opened, page):
    events = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
    asked = [params["request"]["url"] for params in sent if params["documentURL"] == page.resolve().as_uri()]  # not the browser's own pages
    assert page.resolve().as_uri() in asked
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_every_section_and_every_figure_is_drawn(opened):
    shown = opened.execute_script("return [...document.querySelectorAll('section')].map((s) => s.id)")
    assert shown == list(SECTIONS)
    sizes = opened.execute_script(
        "return [...document.querySelectorAll('.plot')].map((p) => {"
        "  const ink = p.querySelectorAll('.scatterlayer path, .barlayer path, .gl-container canvas');"
        "  return [p.getAttribute('aria-label'), ink.length, p.clientHeight, p._fullData.length]; })"
    )
    assert len(sizes) > 15
    for label, ink, height, traces in sizes:
        assert ink > 0, label
        assert height > 100, label
        assert traces > 0, label


def test_a_figure_can_not_be_uploaded(opened):
    titles = opened.execute_script("return [...document.querySelectorAll('.modebar-btn')].map((b) => b.dataset.title)")
    assert titles
    assert not any("cloud" in (title or "").lower() or "share" in (title or "").lower() for title in titles)


def test_segments_of_recovered_signs_are_shown_and_hidden_together(opened):
    shown = (
        "return [...document.querySelectorAll('#signs .plot')].map((p) => "
        "p._fullData.filter((t) => t.meta === 'segments').map((t) => t.visible))"
    )
    states = opened.execute_script(shown)
    assert len(states) == arm().n
    assert all(state == [True, True] for state in states)  # those with a positive sign, and those with a negative one
    button = opened.find_element("css selector", "#signs .key button[data-trace='segments']")
    opened.execute_script("arguments[0].click()", button)
    chromium.wait(lambda: not any(visible is True for state in opened.execute_script(shown) for visible in state), "they are hidden")
    opened.execute_script("arguments[0].click()", button)
    chromium.wait(lambda: opened.execute_script(shown) == states, "they are back")


def test_tables_sort_both_ways(opened):
    column = "return [...document.querySelectorAll('#coefficients tbody tr')].map((r) => Number(r.cells[3].dataset.sort))"
    before = opened.execute_script(column)
    heading = opened.find_elements("css selector", "#coefficients th button")[3]
    opened.execute_script("arguments[0].click()", heading)
    assert opened.execute_script(column) == sorted(before) != before
    opened.execute_script("arguments[0].click()", heading)
    assert opened.execute_script(column) == sorted(before, reverse=True)
    marks = opened.execute_script("return [...document.querySelectorAll('#coefficients th')].map((h) => h.getAttribute('aria-sort'))")
    assert marks == [None, None, None, "descending", *[None] * (len(marks) - 4)]


def test_the_robot_turns_when_it_is_dragged(opened):
    from selenium.webdriver import ActionChains

    plot = opened.find_element("css selector", "#robot .plot")
    opened.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", plot)
    camera = "const s = arguments[0]._fullLayout.scene._scene; return s.getCamera().eye"
    before = opened.execute_script(camera, plot)
    ActionChains(opened).move_to_element(plot).click_and_hold().move_by_offset(120, 40).move_by_offset(60, 20).release().perform()
    chromium.wait(lambda: opened.execute_script(camera, plot) != before, "the camera moves")
    # and it stays where it is when the theme changes
    turned = opened.execute_script(camera, plot)
    opened.execute_script(TOGGLE)
    after = opened.execute_script(camera, plot)
    assert after == pytest.approx(turned, abs=1e-3)
    opened.execute_script(TOGGLE)


def test_dark_and_light(opened):
    ground = "return getComputedStyle(document.body).backgroundColor"
    line = "return document.querySelector('#torques .plot')._fullData.find((t) => t.meta === 'measured').line.color"
    first, drawn = opened.execute_script(ground), opened.execute_script(line)
    opened.execute_script(TOGGLE)
    chromium.wait(lambda: opened.execute_script(line) != drawn, "the figures change their colours")
    assert opened.execute_script(ground) != first
    opened.execute_script(TOGGLE)
    chromium.wait(lambda: opened.execute_script(line) == drawn, "the figures change back")
    assert opened.execute_script(ground) == first


def test_the_key_shows_and_hides_a_curve_in_every_figure(opened):
    shown = (
        "return [...document.querySelectorAll('#torques .plot')].flatMap((p) => p._fullData)"
        ".filter((t) => t.meta === 'links').map((t) => t.visible)"
    )
    assert set(opened.execute_script(shown)) == {"legendonly"}
    opened.execute_script("document.querySelector('.key button[data-trace=links]').click()")
    chromium.wait(lambda: set(opened.execute_script(shown)) == {True}, "the link parameters' curves are shown")


def test_it_prints(opened):
    import base64

    printed = base64.b64decode(opened.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert printed.startswith(b"%PDF")
    assert len(printed) > 300_000  # the figures are in it


def test_the_system_s_preference_is_followed(browser, page):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    chromium.open_page(browser, page)
    browser.execute_script("localStorage.removeItem('dynident-theme')")
    chromium.open_page(browser, page)
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_names_from_files_stay_text(browser, tmp_path):
    """A joint's name can't become markup, neither in the page nor in a figure."""
    from dataclasses import replace

    bad = "</script><img src=x onerror='window.broken=1'><b>"
    robot = arm()
    robot = replace(robot, name=bad, joints=(replace(robot.joints[0], name=bad), *robot.joints[1:]))
    data = replace(log(robot, seconds=12.0), joint_names=robot.joint_names, source=bad)
    identified(tmp_path, robot, data)
    (tmp_path / "report.html").write_text(report(load_run(tmp_path)).html, encoding="utf-8")
    chromium.open_page(browser, tmp_path / "report.html")
    assert browser.execute_script("return window.broken") is None
    assert browser.execute_script("return document.querySelectorAll('main img, header img').length") == 0
    assert browser.find_element("tag name", "h1").text == bad
    assert bad in browser.execute_script("return document.querySelector('#friction .plot').textContent")
    assert "dynident retrieve" in browser.find_element("id", "links").text
