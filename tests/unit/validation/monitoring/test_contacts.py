"""Contacts in a log: when, which joint, which link; and what the tables and pictures say of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import ControllerSamples, Dataset
from dynident.errors import InputError
from dynident.motions.simulation.push import Push
from dynident.validation.monitoring import ContactMonitor, Contacts, WatchedModel, find_contacts
from tests.facts import about, carries, raises
from tests.unit.validation.monitoring.free_motion import swing, touch


@pytest.fixture(scope="module")
def monitor() -> ContactMonitor:
    robot = load_robot("panda")
    model = WatchedModel(robot=robot, parameters=robot.parameters)
    return ContactMonitor(model=model, gain=25.0, level=0.05, blur=0.0, confirmation=0.005)


def pushed(monitor: ContactMonitor, *pushes: Push, seconds: float = 1.0) -> Dataset:
    robot = monitor.model.robot

    def outside(t: float, q: np.ndarray) -> np.ndarray:
        return sum((push.effort(robot, q) for push in pushes if push.acts_at(t)), np.zeros(robot.n))

    return touch(monitor.model, swing(robot, seconds=seconds, rate=500.0), outside)


@pytest.mark.parametrize("body", range(7))
def test_a_push_on_a_link_shows_in_the_joints_that_carry_it_and_in_none_beyond(monitor, body):
    """The force is across the last joint's axis, at a distance from it, so that this joint feels it."""
    robot = monitor.model.robot
    push = Push(start=0.3, duration=0.4, force=(14.0, 9.0, -11.0), link=robot.link_names[body], point=(0.11, -0.13, 0.07))
    found = find_contacts(monitor, pushed(monitor, push))
    (event,) = found.events
    assert event.link == robot.link_names[body]
    assert 0.3 < event.time < 0.33
    assert event.duration == pytest.approx(0.4, abs=0.3)
    during = (found.time > 0.3) & (found.time < 0.7)
    assert np.all(np.abs(found.residual[during][:, body + 1 :]) < 0.01)
    assert np.abs(found.residual[during][:, body]).max() > 0.05


def test_the_residual_is_the_torque_of_the_push(monitor):
    push = Push(start=0.2, duration=0.7, force=(0.0, 6.0, -8.0))
    log = pushed(monitor, push)
    found = find_contacts(monitor, log)
    k = 440  # 17 time constants after it began, while it changes slowly
    np.testing.assert_allclose(found.residual[k], push.effort(monitor.model.robot, log.q[k - 20]), atol=0.02)


def test_events_are_apart_and_free_motion_has_none(monitor):
    push = Push(start=0.2, duration=0.2, force=(10.0, 0.0, 0.0))
    again = replace(push, start=0.75)
    assert find_contacts(monitor, pushed(monitor)).events == ()
    found = find_contacts(monitor, pushed(monitor, push, again))
    assert [round(event.time, 1) for event in found.events] == [0.2, 0.8]
    assert [found.time[row] for row in found.rows] == [event.time for event in found.events]
    assert carries(found.headline, "2 contacts", "1 s", "panda")
    shorter = replace(push, start=0.41, duration=0.1)
    assert len(find_contacts(monitor, pushed(monitor, push, shorter)).events) == 1


def test_levels_that_are_infinite_find_nothing(monitor):
    log = pushed(monitor, Push(start=0.2, duration=0.5, force=(0.0, 0.0, -100.0)))
    assert find_contacts(monitor.with_level(np.inf), log).events == ()


def test_tables_and_pictures_tell_the_events(monitor):
    found = find_contacts(monitor, pushed(monitor, Push(start=0.2, duration=0.3, force=(0.0, 0.0, -20.0))))
    (event,), (record,) = found.events, found.records()
    assert record["joint"] == event.joint
    assert f"{event.time:.3f}" in str(found)
    assert carries(str(found), "One contact")
    assert carries(str(find_contacts(monitor, pushed(monitor))), "Nothing")
    figures = found.figures()
    assert len(figures) == 7
    (stripe,) = figures[0].layout["shapes"]
    assert (stripe["x0"], stripe["x1"] - stripe["x0"]) == pytest.approx((event.time, event.duration))


def test_stripes_of_a_second_segment_are_where_its_samples_are_drawn(monitor):
    push = Push(start=0.6, duration=0.2, force=(0.0, 0.0, -20.0))
    log = pushed(monitor, push)
    time = np.where(np.arange(log.samples) < 250, log.time, log.time - 0.5)
    cut = find_contacts(monitor, replace(log, time=time, starts=(0, 250)))
    (event,) = cut.events
    assert event.time == pytest.approx(0.11, abs=0.02)
    (stripe,) = cut.figures()[0].layout["shapes"]
    assert stripe["x0"] == pytest.approx(event.time + 0.998, abs=3e-3)  # half a second of motion, and a pause of as much


def test_a_long_picture_keeps_its_peaks(monitor):
    log = pushed(monitor, seconds=6.0)
    found = find_contacts(monitor, log)
    residual = np.zeros_like(found.residual)
    residual[1234, 2] = 9.0
    spiked: Contacts = replace(found, residual=residual)
    drawn = spiked.figures()[2].data[0]["y"]
    assert max(drawn) == 9.0
    assert len(drawn) <= 2000


def test_logs_that_can_not_be_watched_are_refused(monitor):
    log = pushed(monitor)
    with raises(InputError, "no", "effort"):
        find_contacts(monitor, replace(log, effort=None, effort_kind=None))
    with raises(InputError, "magnitude"):
        find_contacts(monitor, replace(log, effort=np.abs(log.effort), effort_kind="magnitude"))
    with raises(InputError, 10, 20):
        find_contacts(monitor, log.take(slice(None, None, 50), starts=(0,)))
    with raises(InputError, "M", "g"):
        find_contacts(monitor, ControllerSamples(q=np.zeros((3, 7)), M=np.tile(np.eye(7), (3, 1, 1)), g=np.zeros((3, 7))))


def test_without_velocities_differences_do(monitor):
    log = replace(pushed(monitor, Push(start=0.4, duration=0.3, force=(0.0, 0.0, -20.0))), dq=None, ddq=None)
    found = find_contacts(monitor, log)
    assert len(found.events) == 1
    assert about(found.notes, "velocities")
