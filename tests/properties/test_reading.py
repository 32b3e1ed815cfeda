"""The law of readings: the meaning of a.then(b) is to read like a, then like b; over all pairs of options, and of their combinations."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dynident.data import Dataset, EffortKind, Reading, low_pass
from dynident.data.reading.reading import BY_RECORDING
from dynident.data.reading.transform import SIGNALS, Transform
from dynident.errors import InputError

N, n = 160, 3
#: Powers of two, so that stamps, delays and intervals have no rounding errors and fall on samples at all rates that occur.
PERIOD, STEP = 1.0 / 64.0, 1.0 / 16.0


def log(*steps: Reading) -> Dataset:
    """Values are linear in time, so that a delay of any number of samples is exact; each column is another.

    Samples are masked where efforts move once at most, for each step leaves out what it would be made of.
    """
    time = 5.0 + PERIOD * np.arange(N)
    columns = {name: np.outer(1.0 + time, [1.0, 2.0, 4.0]) + k for k, name in enumerate(SIGNALS)}
    columns["effort"] *= [1.0, -1.0, 1.0]
    mask = np.ones((N, n), dtype=bool)
    masked = sum(reading.delay is not None for reading in steps) < 2
    mask[3, 0] = mask[100:104, 2] = False
    temperature = np.outer(np.ones(N), [20.0, 30.0, 40.0])
    return Dataset(
        time=time, **columns, mask=mask if masked else None, temperature=temperature, effort_kind=EffortKind.TORQUE, starts=(0, 80)
    )


def interval(start: float) -> tuple[float, float]:
    return start + PERIOD / 16.0, start + 12.0 * PERIOD + PERIOD / 16.0


signs = st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)
gains = st.lists(st.sampled_from([0.25, 0.5, 2.0, -4.0]), min_size=n, max_size=n)
orders = st.permutations([f"joint{j + 1}" for j in range(n)])
FIELDS = {
    "units": st.sampled_from([{"q": "deg", "dq": "deg/s"}, {"effort": "mNm"}, {"q": ["deg", "rad", "mm"], "dq": "rpm", "ddq": "rad/s^2"}]),
    "effort_gains": gains,
    "effort_signs": signs,
    "signs": signs,
    "gears": gains | st.just([[2.0, 0.0, 0.0], [0.5, 4.0, 0.0], [0.0, 0.0, 8.0]]),
    "offsets": st.lists(st.sampled_from([0.0, 0.5, -1.25]), min_size=n, max_size=n),
    "joints": orders,
    "effort_joints": orders,
    "columns": st.sampled_from([{"ddq": "none"}, {"dq": "none"}]),
    "effort_kind": st.just("magnitude"),
    "delay": st.sampled_from([STEP, 2.0 * STEP]) | st.lists(st.sampled_from([0.0, STEP]), min_size=n, max_size=n),
    "sampling_rate": st.sampled_from([32.0, 128.0]),
    "clock": st.sampled_from([0.5, 2.0]),
    "without": st.lists(st.sampled_from([interval(s) for s in (0.25, 1.0, 5.25, 6.5)]), min_size=1, max_size=2),
}


@st.composite
def readings(draw, names=tuple(FIELDS), most: int = 3) -> Reading:
    chosen = draw(st.lists(st.sampled_from(names), unique=True, max_size=most))
    assume(not {"sampling_rate", "clock"} <= set(chosen))
    return Reading(**{name: draw(FIELDS[name]) for name in chosen})


def allowed(*steps: Reading) -> bool:
    """Coupled gears need torques with signs, and the same delay of all joints before them."""
    coupled = [i for i, reading in enumerate(steps) if reading.gears is not None and np.count_nonzero(reading.gears) > n]
    delayed = [i for i, reading in enumerate(steps) if len(set(np.ravel(reading.delay if reading.delay is not None else 0.0))) > 1]
    unsigned = any(reading.effort_kind for reading in steps)
    return not (coupled and (unsigned or (delayed and delayed[0] < coupled[-1])))


def same(one: Dataset, other: Dataset, *, masks: bool = True, signs_of_gears: bool = True) -> None:
    assert one.joint_names == other.joint_names
    assert one.effort_kind == other.effort_kind
    assert one.starts == other.starts
    np.testing.assert_allclose(one.time, other.time, rtol=1e-13)
    for name in (*SIGNALS, "temperature", "gears"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        if a is not None:
            a, b = (np.abs(a), np.abs(b)) if name == "gears" and not signs_of_gears else (a, b)
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=name)
    if masks:
        np.testing.assert_array_equal(used(one), used(other))


def used(data: Dataset) -> np.ndarray:
    return data.in_use


def masks_follow(*steps: Reading) -> bool:
    """Whether a mask that a delay has moved is not followed by another order of the efforts, which masks don't know."""
    first = next((i for i, reading in enumerate(steps) if reading.delay is not None), len(steps))
    return not any(reading.effort_joints or reading.gears is not None for reading in steps[first + 1 :])


def check_pair(a: Reading, b: Reading) -> None:
    one, two = a.transform(n), b.transform(n)
    same(one.then(two).apply(log(a, b)), b.apply(a.apply(log(a, b))), masks=masks_follow(a, b))


@settings(max_examples=8)
@given(st.data())
@pytest.mark.parametrize(("first", "second"), list(product(FIELDS, FIELDS)))
def test_two_options_one_after_the_other(first, second, data):
    a, b = Reading(**{first: data.draw(FIELDS[first])}), Reading(**{second: data.draw(FIELDS[second])})
    assume(allowed(a, b))
    check_pair(a, b)


@given(readings(), readings())
@example(Reading(effort_gains=[2.0, 4.0, 0.5]), Reading(joints=["joint2", "joint3", "joint1"]))
@example(Reading(signs=[1.0, -1.0, 1.0]), Reading(joints=["joint2", "joint3", "joint1"]))
@example(Reading(without=[interval(5.25)]), Reading(delay=STEP))
@example(Reading(without=[interval(5.25)]), Reading(sampling_rate=128.0))
@example(Reading(delay=STEP), Reading(sampling_rate=128.0))
def test_several_options(a, b):
    assume(allowed(a, b))
    check_pair(a, b)


@given(readings(), readings(), readings())
def test_composition_is_associative(a, b, c):
    assume(allowed(a, b, c))
    x, y, z = (reading.transform(n) for reading in (a, b, c))
    left, right = x.then(y).then(z), x.then(y.then(z))
    same(left.apply(log(a, b, c)), right.apply(log(a, b, c)), masks=masks_follow(a, b, c))


@given(readings())
def test_the_identity_is_neutral(a):
    identity = Transform.identity(n)
    assert identity.is_identity
    assert Reading().transform(n).is_identity
    assert a.transform(n).is_identity == (identity.then(a.transform(n)).is_identity)
    for transform in (identity.then(a.transform(n)), a.transform(n).then(identity)):
        if allowed(a):
            same(transform.apply(log()), a.apply(log()))


INVERTIBLE = ("units", "effort_signs", "signs", "offsets", "joints", "effort_joints", "clock")


@given(readings(INVERTIBLE))
def test_an_inverse_undoes(a):
    there = a.transform(n)
    back = there.inverse()
    same(back.apply(there.apply(log())), log())
    same(there.then(back).apply(log()), log())
    same(back.then(there).apply(log()), log())


@given(readings((*INVERTIBLE, "delay")))
def test_a_delay_and_its_inverse_cancel(a):
    there = a.transform(n)
    same(there.then(there.inverse()).apply(log()), log())
    inner = there.inverse().apply(there.apply(log()))
    rows = np.searchsorted(log().time, inner.time - 1e-9)
    np.testing.assert_allclose(inner.effort, log().effort[rows], rtol=1e-9)


@pytest.mark.parametrize("name", ["effort_gains", "gears", "columns", "effort_kind", "sampling_rate", "without"])
@given(data=st.data())
def test_what_cannot_be_undone(name, data):
    with pytest.raises(InputError):
        Reading(**{name: data.draw(FIELDS[name])}).transform(n).inverse()


@given(readings(), readings())
def test_one_reading_says_both(a, b):
    """What is left out of one joint can only be said of all; coupled joints with gains of their own cannot be said."""
    assume(allowed(a, b))
    recorded = log(a, b)
    first = a.apply(recorded)
    both = b.apply(first)
    try:
        one = a.then(b, first)
    except InputError:
        assume(any(reading.gears is not None and np.count_nonzero(reading.gears) > n for reading in (a, b)) or a.units or b.units)
        return
    said = one.apply(recorded)
    same(said, both, masks=False, signs_of_gears=False)
    assert np.all(used(said) <= used(both)) or not masks_follow(a, b)
    if not (a.without and b.delay is not None) and masks_follow(a, b):
        np.testing.assert_array_equal(used(said), used(both))


@given(st.permutations(range(5)).map(lambda order: order[:n]), readings(tuple(set(FIELDS) - {"sampling_rate", "clock"})))
def test_a_reading_of_some_columns_of_a_file(columns, a):
    assume(allowed(a))
    time = log().time
    wide = Dataset(time=time, q=np.outer(time, range(1, 6)), effort=np.outer(time, range(2, 7)), effort_kind="torque")
    transform = a.transform(n)
    chosen = [int(column) for column in columns]
    whole, part = transform.embed(chosen, 5).apply(wide).select(chosen), transform.apply(wide.select(chosen))
    np.testing.assert_allclose(whole.q, part.q)
    np.testing.assert_allclose(whole.effort, part.effort)


def test_clock_delay_and_intervals_of_one_recording():
    first, second = log(), log()
    shifted = second.after("", q=second.q + 1.0, provenance=Dataset(time=second.time, q=second.q + 1.0).provenance)
    both = Dataset.concatenate([first, shifted])
    assert both.recording_names == ("#1", "#2")
    a = Reading(without={"#2": [interval(5.25)]}, delay={"*": STEP, "#1": 0.0})
    b = Reading(sampling_rate={"#2": 128.0})
    composed = a.transform(n).then(b.transform(n)).apply(both)
    same(composed, b.apply(a.apply(both)))
    parts = dict(composed.by_recording())
    np.testing.assert_array_equal(parts[0].time, first.time)
    np.testing.assert_array_equal(used(parts[0]), first.mask)
    assert parts[1].rate == 128.0
    assert np.flatnonzero(~used(parts[1])[:, 1]).tolist() == list(range(17, 29))


# ------------------------------------------------------------------------------------------------- options of single recordings


def two_recordings(*steps: Reading) -> Dataset:
    """The log, and another after it that is shorter, has other values and begins later."""
    one = log(*steps)
    mask = None if one.mask is None else one.mask[20:]
    values = {name: 3.0 * getattr(one, name)[20:] for name in SIGNALS}
    time, temperature = one.time[:-20] + 2.0, one.temperature[20:]
    kind = one.effort_kind
    other = Dataset(time=time, **values, mask=mask, temperature=temperature, effort_kind=kind, starts=(0, 60))
    return Dataset.concatenate([one, other])


@st.composite
def readings_by_recording(draw) -> Reading:
    """Readings whose clock, delay, rate and intervals are of all recordings or of some."""
    reading = draw(readings())
    changed = {}
    for name in BY_RECORDING:
        if getattr(reading, name) not in (None, ()) and draw(st.booleans()):
            keys = draw(st.lists(st.sampled_from(["*", "#1", "#2"]), unique=True, min_size=1))
            changed[name] = {key: draw(FIELDS[name]) for key in keys}
    return replace(reading, **changed)


def allowed_in_each(*steps: Reading) -> bool:
    return all(allowed(*(reading.of_recording(name) for reading in steps)) for name in ("#1", "#2"))


@given(readings_by_recording())
def test_a_log_of_two_recordings_is_read_like_each_of_them(a):
    assume(allowed_in_each(a))
    data = two_recordings(a)
    parts = [a.of_recording(data.recording_names[i]).apply(part) for i, part in data.by_recording()]
    same(a.apply(data), Dataset.concatenate(parts))


@given(readings_by_recording(), readings_by_recording(), readings_by_recording())
def test_the_law_holds_for_each_recording(a, b, c):
    assume(allowed_in_each(a, b, c))
    data, masks = two_recordings(a, b, c), masks_follow(a, b, c)
    x, y, z = (reading.transform(n) for reading in (a, b, c))
    one_by_one = c.apply(b.apply(a.apply(data)))
    same(x.then(y).then(z).apply(data), one_by_one, masks=masks)
    same(x.then(y.then(z)).apply(data), one_by_one, masks=masks)


@given(readings_by_recording(), readings_by_recording())
@example(Reading(), Reading(delay={"*": STEP, "#1": 0.0}))
@example(Reading(delay=STEP), Reading(delay={"#1": STEP}))
@example(Reading(clock={"#2": 2.0}), Reading(clock={"*": 0.5, "#1": 2.0}))
def test_one_reading_says_both_of_each_recording(a, b):
    assume(allowed_in_each(a, b))
    recorded = two_recordings(a, b)
    first = a.apply(recorded)
    both = b.apply(first)
    try:
        one = a.then(b, first)
    except InputError:
        assume(any(reading.gears is not None and np.count_nonzero(reading.gears) > n for reading in (a, b)) or a.units or b.units)
        return
    same(one.apply(recorded), both, masks=False, signs_of_gears=False)


@given(readings_by_recording())
def test_the_inverse_undoes_each_recording(a):
    lost = dict.fromkeys(("effort_gains", "gears", "effort_kind", "sampling_rate", "delay"))
    a = replace(a, **lost, without=(), columns={})
    there = a.transform(n)
    data = two_recordings()
    same(there.inverse().apply(there.apply(data)), data)
    same(there.then(there.inverse()).apply(data), data)


def test_samples_to_skip_and_low_passes_are_of_a_reading_too():
    data = replace(two_recordings(), mask=None)
    a = Reading(skip=7, low_pass={"q": [1.0, 2.0, 4.0]}, joints=["joint3", "joint1", "joint2"])
    parts = [part.take(slice(7, None), starts=[0, start]) for (_, part), start in zip(data.by_recording(), (73, 53), strict=True)]
    plain = Dataset.concatenate(parts)
    expected = low_pass(plain.after("", q=plain.q[:, [2, 0, 1]]), {"q": [1.0, 2.0, 4.0]})
    np.testing.assert_allclose(a.apply(data).q, expected.q, rtol=1e-12)
    b = Reading(joints=["joint2", "joint3", "joint1"])
    both = b.apply(a.apply(data))
    np.testing.assert_allclose(a.then(b, both).apply(data).q, both.q, rtol=1e-12)
    for lost in (Reading(skip=1), Reading(low_pass={"q": 1.0})):
        with pytest.raises(InputError):
            a.then(lost, both)
