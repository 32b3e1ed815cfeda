"""The page that shows a robot: it draws, its sliders move the arm as our kinematics do, and a motion plays."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dynident.data import Dataset
from dynident.errors import InputError
from dynident.reports.view import view
from dynident.robots import load_robot
from tests.browser import chromium
from tests.browser.arm import arm
from tests.browser.test_report import HARMLESS

needs_browser = pytest.mark.skipif(chromium.BROWSER is None or chromium.DRIVER is None, reason=chromium.MISSING)


def motion(n: int) -> Dataset:
    time = np.linspace(0.0, 2.0, 101)
    q = 0.5 * np.sin(np.pi * time)[:, None] * np.linspace(0.5, 1.0, n)
    return Dataset(time=time, q=q, source="swing.csv")


def test_the_page_is_whole_and_escapes_names(tmp_path: Path) -> None:
    robot = arm()
    html = view(robot, parameters=robot.parameters, motion=motion(robot.n)).html
    assert "http" not in html.replace("http://www.w3.org", "")
    content = json.loads(html.split('id="content">')[1].split("</script>")[0])
    assert [joint["name"] for joint in content["joints"]] == list(robot.joint_names)
    assert content["motion"]["reserve"]["position"][1] == pytest.approx((1.0 - 0.5 * 0.6) / 1.45, abs=1e-3)
    hostile = tmp_path / "x.urdf"
    name = "&lt;/script>&lt;script>alert(1)&lt;/script>"
    hostile.write_text(
        f'<robot name="{name}"><link name="a"/><link name="b"/><joint name="{name}" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    assert "<script>alert" not in view(load_robot(hostile)).html


def test_a_motion_of_another_robot_is_refused() -> None:
    with pytest.raises(InputError, match="the motion has 3 joints and robot"):
        view(arm(), motion=motion(3))


def test_solids_are_shown_when_they_are_asked_for() -> None:
    kuka = load_robot("kuka_lwr4")

    def content(**options: bool) -> dict:
        return json.loads(view(kuka, **options).html.split('id="content">')[1].split("</script>")[0])

    assert content()["solids"] == []
    assert [solid["body"] for solid in content(solids=True)["solids"]] == list(range(-1, 7))
    assert "solids are capsules of the description" in content(solids=True)["notes"]
    assert content()["floor"] == -0.3105


@needs_browser
@pytest.mark.browser
def test_it_draws_and_plays(tmp_path: Path) -> None:
    robot = arm()
    page = view(robot, parameters=robot.parameters, motion=motion(robot.n)).save(tmp_path / "view.html")
    browser = chromium.start(tmp_path / "profile")
    try:
        browser.get(page.resolve().as_uri())
        chromium.wait(lambda: browser.execute_script("return document.documentElement.dataset.ready") == "yes", "the robot is drawn")
        ink = (
            "const c = document.getElementById('scene'), g = c.getContext('webgl'), p = new Uint8Array(4 * c.width * c.height);"
            "g.readPixels(0, 0, c.width, c.height, g.RGBA, g.UNSIGNED_BYTE, p);"
            "let n = 0; for (let k = 0; k < p.length; k += 4) if (Math.min(p[k], p[k + 1], p[k + 2]) < 200) n += 1; return n;"
        )
        assert browser.execute_script(ink) > 2000
        shown = "return [...document.querySelectorAll('#joints tbody td:nth-child(3)')].map((c) => c.textContent)"
        browser.execute_script("window.showMotionAt(0.5)")
        expected = [f"{np.degrees(0.5 * share):.1f}°" for share in np.linspace(0.5, 1.0, robot.n)]
        assert browser.execute_script(shown) == expected
        slider = "const s = document.querySelector('#joints input'); s.value = 0.25; s.dispatchEvent(new Event('input'))"
        browser.execute_script(slider)
        assert browser.execute_script(shown)[0] == "14.3°"
        browser.execute_script("document.getElementById('theme').click(); document.getElementById('play').click()")
        chromium.wait(lambda: float(browser.execute_script("return document.getElementById('time').value")) > 0.6, "the motion plays")
        said = [entry for entry in browser.get_log("browser") if not any(word in entry["message"] for word in HARMLESS)]
        assert said == []
    finally:
        browser.quit()
