"""Torque per ampere: right where something fixes the scale, ratios where nothing does, and deviations that are true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dynident import load_robot
from dynident.data import Dataset, EffortKind
from dynident.errors import InputError, UnknownNameError, ValueRangeError
from dynident.robots import Robot
from dynident.routes.drives import GainStatus, KnownMasses, KnownPayload, KnownValue, Trust, identify_gains
from tests.current_logs import PAYLOAD, UR10, current_log, draw_gains
from tests.facts import about, carries, raises


@pytest.fixture(scope="module")
def ur10() -> Robot:
    return load_robot(UR10)


@pytest.fixture(scope="module")
def two_logs() -> tuple[Dataset, Dataset]:
    """Of a small arm, without a payload of 0.5 kg at (0.1, 0.04, 0) m and with it."""
    robot, true, payload = load_robot("spatial_3r"), draw_gains(3, 1), np.array([0.5, 0.05, 0.02, 0.0, 0.01, 0.0, 0.0, 0.012, 0.0, 0.01])
    return current_log(robot, true, 1, noise=0.001), current_log(robot, true, 1, payload=payload, noise=0.001)


class TestPayload:
    KNOWN = KnownPayload(mass=KnownValue.of(2.8))

    @pytest.mark.parametrize("seed", [0, 1])
    def test_gains_of_a_ur10_are_within_two_percent(self, ur10: Robot, seed: int) -> None:
        true = draw_gains(6, seed)
        logs = (current_log(ur10, true, seed), current_log(ur10, true, seed, payload=PAYLOAD))
        found = identify_gains(ur10, logs[0], loaded=logs[1], payload=self.KNOWN)
        np.testing.assert_allclose(found.gains, true, rtol=0.02)
        assert found.status is GainStatus.ABSOLUTE
        assert found.trust == (Trust.GOOD,) * 6
        assert np.all(np.abs(found.gains - true) < 4.0 * found.std)

    def test_without_noise_they_are_exact_and_a_reversed_motor_has_a_negative_one(self, ur10: Robot) -> None:
        true = draw_gains(6, 2) * np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])
        logs = (current_log(ur10, true, 2, noise=0.0), current_log(ur10, true, 2, payload=PAYLOAD, noise=0.0))
        found = identify_gains(ur10, logs[0], loaded=logs[1], payload=self.KNOWN)
        np.testing.assert_allclose(found.gains, true, rtol=1e-4)  # rounding of the fits alone leaves 1.4e-5 with some numbers of threads
        assert about(found.notes, "shoulder_lift_joint, wrist_2_joint", "sign")
        centre = found.payload_parameters[1:4] / found.payload_parameters[0]
        np.testing.assert_allclose(centre, [0.05, -0.02, 0.06], atol=1e-5)

    def test_a_mass_that_is_wrong_makes_all_gains_wrong_by_as_much(self, ur10: Robot) -> None:
        true = draw_gains(6, 3)
        logs = (current_log(ur10, true, 3), current_log(ur10, true, 3, payload=PAYLOAD))
        right, twice = (identify_gains(ur10, logs[0], loaded=logs[1], payload=KnownPayload(mass=KnownValue.of(kg))) for kg in (2.8, 5.6))
        np.testing.assert_allclose(twice.gains, 2.0 * right.gains, rtol=1e-3)

    def test_the_doubt_about_the_mass_is_the_doubt_about_the_gains(self, ur10: Robot) -> None:
        true = draw_gains(6, 3)
        logs = (current_log(ur10, true, 3), current_log(ur10, true, 3, payload=PAYLOAD))
        found = identify_gains(ur10, logs[0], loaded=logs[1], payload=KnownPayload(mass=KnownValue.of("2.8±10%")))
        assert np.all(found.relative_std > 0.09)
        assert np.all(found.relative_std < 0.12)

    def test_torques_that_are_wrong_by_a_factor_get_that_factor(self, ur10: Robot) -> None:
        true = draw_gains(6, 4)
        logs = (current_log(ur10, true, 4), current_log(ur10, true, 4, payload=PAYLOAD))
        torques = [replace(log, effort_kind=EffortKind.TORQUE) for log in logs]
        found = identify_gains(ur10, torques[0], loaded=torques[1], payload=self.KNOWN)
        np.testing.assert_allclose(found.gains, true, rtol=0.02)
        assert found.records()[0]["unit"] == "1"

    def test_a_centre_of_mass_that_the_data_contradict_is_said_and_no_gain_trusted(self, two_logs: tuple[Dataset, Dataset]) -> None:
        right, wrong = (
            identify_gains(
                load_robot("spatial_3r"), two_logs[0], loaded=two_logs[1], payload=KnownPayload(mass=KnownValue.of(0.5), com=com)
            )
            for com in ((KnownValue(x, 5e-3), KnownValue(y, 5e-3), KnownValue(0.0, 5e-3)) for x, y in ((0.1, 0.04), (0.1, 0.1)))
        )
        assert right.trust == (Trust.GOOD,) * 3
        assert not about(right.notes, 0.005)
        assert wrong.trust == (Trust.OPEN,) * 3
        assert about(wrong.notes, "centre", "0.1 ± 0.005, 0.1 ± 0.005")

    def test_a_scale_that_is_open_is_not_laid_on_friction(self, two_logs: tuple[Dataset, Dataset]) -> None:
        payload = KnownPayload(mass=KnownValue.of("0.5±50%"))
        found = identify_gains(load_robot("spatial_3r"), two_logs[0], loaded=two_logs[1], payload=payload)
        assert found.trust == (Trust.OPEN,) * 3
        assert about(found.notes, "payload", "0.5 ± 0.25 kg", "all", "open")
        assert not about(found.notes, "rotor")


def test_deviations_cover_the_truth() -> None:
    """Of 3 joints in 20 arms about 95 % lie within 1.96 deviations; fewer than 85 % has a chance of 0.2 % if the deviations are true."""
    robot, inside = load_robot("spatial_3r"), list[bool]()
    payload = np.array([0.5, 0.05, 0.02, 0.0, 0.01, 0.0, 0.0, 0.012, 0.0, 0.01])
    for seed in range(20):
        true = draw_gains(3, seed)
        logs = (current_log(robot, true, seed, noise=0.02), current_log(robot, true, seed, payload=payload, noise=0.02))
        found = identify_gains(robot, logs[0], loaded=logs[1], payload=KnownPayload(mass=KnownValue.of(0.5)))
        inside += (np.abs(found.gains - true) < 1.96 * found.std).tolist()
    assert np.mean(inside) > 0.85


class TestMasses:
    @pytest.mark.parametrize(("seed", "stated"), [(0, 1.05), (1, 0.95)])
    def test_a_total_mass_known_to_five_percent_gives_gains_within_six(self, ur10: Robot, seed: int, stated: float) -> None:
        """Of the joints that carry the arm's own weight; the wrist of this description has its centres of mass on its axes."""
        true, mass = draw_gains(6, seed), stated * float(ur10.parameters[:, 0].sum())
        log = current_log(ur10, true, seed, seconds=60.0)
        found = identify_gains(ur10, log, masses=KnownMasses(total=KnownValue.of(f"{mass}±5%")))
        np.testing.assert_allclose(found.gains[:3], true[:3], rtol=0.06)
        assert all(trust is not Trust.OPEN for trust in found.trust[:3])
        assert found.trust[4:] == (Trust.OPEN, Trust.OPEN)
        assert about(found.notes, "wrist_2_joint, wrist_3_joint", "friction", "rotor")
        assert found.likeness == pytest.approx(1.01, abs=0.011)

    def test_a_description_that_is_wrong_makes_the_deviations_larger(self, ur10: Robot) -> None:
        from dynident.motions.simulation.payload import vary_links

        true, links = draw_gains(6, 1), vary_links(ur10, spread=0.08, seed=1)
        log = current_log(ur10, true, 1, links=links)
        found = identify_gains(ur10, log, masses=KnownMasses(total=KnownValue.of(float(links[:, 0].sum()))))
        assert found.likeness >= 1.05
        assert np.all(np.abs(np.log(found.gains / true))[:3] < 3.0 * found.relative_std[:3])

    def test_the_mass_of_a_link_fixes_the_scale_too(self, ur10: Robot) -> None:
        true = draw_gains(6, 5)
        found = identify_gains(ur10, current_log(ur10, true, 5), masses=KnownMasses(single={"m2": KnownValue.of("12.93±3%")}))
        np.testing.assert_allclose(found.gains[:3], true[:3], rtol=0.04)
        assert np.all(found.relative_std[:3] > 0.03)

    def test_masses_that_no_link_has_are_refused(self, ur10: Robot) -> None:
        with raises(UnknownNameError, "m1", "m6", kind="mass of a link", name="m9"):
            identify_gains(ur10, current_log(ur10, np.ones(6), 0, seconds=10.0), masses=KnownMasses(single={"m9": KnownValue.of(3.0)}))
        with raises(ValueRangeError, -3, name="the total mass"):
            KnownMasses(total=KnownValue.of(-3.0))
        with raises(ValueRangeError, "total", "link", name="masses"):
            KnownMasses()


class TestNothingFixesTheScale:
    def test_ratios_of_the_joints_that_carry_weight_are_right(self, ur10: Robot) -> None:
        true = draw_gains(6, 0)
        found = identify_gains(ur10, current_log(ur10, true, 0))
        reference = int(np.flatnonzero(found.gains == 1.0)[0])
        np.testing.assert_allclose(found.gains[:3], true[:3] / true[reference], rtol=0.05)
        assert found.relative_std[reference] == pytest.approx(0.0, abs=1e-6)

    def test_it_is_said_and_nothing_can_be_written(self, ur10: Robot) -> None:
        found = identify_gains(ur10, current_log(ur10, draw_gains(6, 0), 0))
        assert found.status is GainStatus.RELATIVE
        assert carries(str(found), "nothing", "scale", "gains", "masses")
        with raises(InputError, "scale", "ratios", "payload", "masses"):
            found.recipe()


class TestVendor:
    def test_the_vendors_gains_fix_the_scale_and_the_data_the_ratios(self, ur10: Robot) -> None:
        true = draw_gains(6, 0)
        told = [KnownValue.of(gain * factor, share=0.05) for gain, factor in zip(true, (1.0, 1.3, 1.0, 1.0, 1.0, 1.0), strict=True)]
        found = identify_gains(ur10, current_log(ur10, true, 0), vendor=told)
        assert abs(found.gains[1] / found.gains[0] - true[1] / true[0]) < 0.05 * true[1] / true[0]
        assert about(found.notes, "shoulder_lift_joint", "vendor's")

    def test_one_per_joint(self, ur10: Robot) -> None:
        with raises(ValueRangeError, 2, "ur10", 6, name="vendor"):
            identify_gains(ur10, current_log(ur10, np.ones(6), 0, seconds=10.0), vendor=[KnownValue.of(1.0)] * 2)


def test_the_recipe_is_read_as_effort_gains(ur10: Robot, tmp_path) -> None:
    from dynident.data.reading.reading import read_reading

    true = draw_gains(6, 1)
    logs = (current_log(ur10, true, 1), current_log(ur10, true, 1, payload=PAYLOAD))
    found = identify_gains(ur10, logs[0], loaded=logs[1], payload=KnownPayload(mass=KnownValue.of(2.8)))
    file = tmp_path / "gains.yaml"
    file.write_text(found.recipe(), encoding="utf-8")
    np.testing.assert_allclose(read_reading(file).effort_gains, found.gains, rtol=1e-5)
    assert carries(file.read_text(encoding="utf-8"), "payload", "2.8 ± 0.0056 kg")


def test_a_loaded_log_and_its_payload_go_together(ur10: Robot) -> None:
    log = current_log(ur10, np.ones(6), 0, seconds=10.0)
    with raises(InputError, "both", "payload"):
        identify_gains(ur10, log, loaded=log)


def test_two_logs_that_don_t_differ_by_a_payload_are_refused(ur10: Robot) -> None:
    log = current_log(ur10, draw_gains(6, 0), 0)
    with raises(InputError, 2.8, "payload", "same"):
        identify_gains(ur10, log, loaded=log, payload=KnownPayload(mass=KnownValue.of(2.8)))


def test_an_effort_of_zero_has_no_gain(ur10: Robot) -> None:
    log = current_log(ur10, np.ones(6), 0, seconds=10.0)
    dead = replace(log, effort=log.effort * np.array([1, 1, 1, 1, 0, 1]))
    with raises(InputError, "wrist_2_joint", "zero", "gain"):
        identify_gains(ur10, dead)
