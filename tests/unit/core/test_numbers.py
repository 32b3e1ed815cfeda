"""What passes as numbers: real ones, of any type that holds nothing else; what is beneath a mask is not data."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dynident.core.arrays import as_numbers, check_array, freeze_arrays, per_joint
from dynident.data import ControllerSamples, Dataset
from dynident.errors import ValueRangeError
from tests.facts import raises

TIME = np.arange(5.0)
GOOD = np.linspace(0.0, 1.0, 10).reshape(5, 2)
MASKED = np.ma.masked_array(GOOD, mask=np.arange(10).reshape(5, 2) == 3)
WRONG = {
    "masked": (MASKED, "1 masked value"),
    "complex": (GOOD + 0j, "complex numbers"),
    "texts": (GOOD.astype(str), "texts"),
    "bytes": (GOOD.astype("S8"), "texts"),
    "dates": (GOOD.astype("datetime64[s]"), "dates"),
    "objects": (np.array([["1", 2.0]] * 5, dtype=object), "not numbers"),
    "ragged": ([[0.0, 1.0], [2.0]], "different lengths"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("field", ["time", "q", "dq", "ddq", "effort", "temperature", "mask"])
def test_a_log_takes_real_numbers_only(field, name):
    values, told = WRONG[name]
    if field == "time" and name not in ("ragged", "objects"):
        values = values[:, 0] if name != "masked" else MASKED[:, 1]
    arrays = {"time": TIME, "q": GOOD, field: values}
    with pytest.raises(ValueRangeError, match=told) as error:
        Dataset(**arrays, effort_kind="torque" if field == "effort" else None)
    assert field in str(error.value)


@pytest.mark.parametrize("name", WRONG)
def test_controller_samples_and_other_arrays_do_too(name):
    values, told = WRONG[name]
    with pytest.raises(ValueRangeError, match=told):
        ControllerSamples(q=GOOD, g=values)
    with pytest.raises(ValueRangeError, match=told):
        check_array("a", values, (None, None))
    with pytest.raises(ValueRangeError):
        per_joint("a", values, 2)


def test_what_is_a_number_is_taken():
    plain = np.ma.masked_array(GOOD)
    assert as_numbers("a", GOOD) is GOOD
    np.testing.assert_array_equal(as_numbers("a", plain), GOOD)
    np.testing.assert_array_equal(as_numbers("a", [[1, 2], [True, 4.5]]), [[1.0, 2.0], [1.0, 4.5]])
    np.testing.assert_array_equal(as_numbers("a", [Fraction(1, 2), 2]), [0.5, 2.0])
    np.testing.assert_array_equal(as_numbers("a", np.float32([0.5])), [0.5])
    log = Dataset(time=TIME, q=plain, mask=np.ones((5, 2), dtype=int))
    assert type(log.q) is np.ndarray
    assert log.mask is not None
    assert log.mask.all()


def test_a_mask_is_true_and_false():
    with raises(ValueRangeError, "true", "false", name="mask"):
        Dataset(time=TIME, q=GOOD, mask=np.full((5, 2), 0.5))


def test_freezing_leaves_the_callers_array_alone():
    array = np.zeros(3)
    frozen = freeze_arrays({"a": (array, [array, "text"])})
    assert not frozen["a"][0].flags.writeable
    assert not frozen["a"][1][0].flags.writeable
    array[0] = 1.0
    assert frozen["a"][0][0] == 1.0, "a view, not a copy"
