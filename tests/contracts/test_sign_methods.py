"""What every search for signs must do, whatever it does inside: right signs where they are plain, ranked, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from benchmarks.sign_cases import Case, make_case, score
from dynident.core.options import Options, declared_options, option
from dynident.data import write_dataset
from dynident.errors import UnknownNameError
from dynident.routes.signs import (
    METHODS,
    Magnitudes,
    SearchSettings,
    SignHypotheses,
    SignMethod,
    SignRecovery,
    prepare_magnitudes,
    recover_signs,
    search_signs,
)
from dynident.routes.signs.sign_cost import search_levels, sign_cost

EVERY = pytest.mark.parametrize("method", METHODS)


@cache
def case() -> Case:
    """A pendulum without friction for six seconds: few segments, each of which is plain."""
    return make_case("1r", 3, friction=False, noise=0.005, trajectories=1, seconds=6.0, base=0.15)


@cache
def magnitudes() -> Magnitudes:
    return prepare_magnitudes(case().described, case().log, friction=None)


@cache
def hypotheses(method: str) -> SignHypotheses:
    return search_signs(magnitudes(), method=method, settings=SearchSettings(seed=4))


@cache
def recovery(method: str) -> SignRecovery:
    return recover_signs(case().described, case().log, method=method, friction=None)


@EVERY
def test_hypotheses_are_signs_of_segments_in_ascending_order_of_cost(method):
    found = hypotheses(method)
    assert found.signs.shape == (len(found.costs), len(found.segments))
    assert np.all(np.abs(found.signs) == 1.0)
    assert np.all(np.diff(found.costs) >= 0.0)
    assert len({tuple(row * row[0] if found.mirrored else row) for row in found.signs}) == len(found.costs)


@EVERY
def test_segments_lie_in_the_log_and_don_t_overlap(method):
    taken = np.zeros(magnitudes().b.shape, dtype=int)
    for segment in hypotheses(method).segments:
        assert 0 <= segment.start < segment.stop <= len(taken)
        taken[segment.samples, segment.joint] += 1
    assert taken.max() == 1


@EVERY
def test_the_same_seed_gives_the_same_answer(method):
    again = search_signs(magnitudes(), method=method, settings=SearchSettings(seed=4))
    np.testing.assert_array_equal(again.signs, hypotheses(method).signs)
    np.testing.assert_array_equal(again.costs, hypotheses(method).costs)


@EVERY
def test_what_a_method_says_of_itself_is_true(method):
    if not METHODS[method].seeded:
        other = search_signs(magnitudes(), method=method, settings=SearchSettings(seed=5))
        np.testing.assert_array_equal(other.signs, hypotheses(method).signs)
    found = hypotheses(method)
    assert found.bound <= found.costs[0]
    if found.proven:
        everything = sign_cost(magnitudes(), search_levels(magnitudes()))
        assert len(found.segments) <= 16
        every = np.array(list(product((1.0, -1.0), repeat=len(found.segments))))
        assert everything.cost(every).min() == pytest.approx(found.costs[0], rel=1e-4)


@EVERY
def test_plain_signs_are_right_and_give_the_coefficients_of_signed_torque(method):
    found = recovery(method)
    assert score(case(), found.signs).percent == 100.0 if METHODS[method].refined else score(case(), found.signs).percent > 85.0
    np.testing.assert_allclose(found.estimate.values, case().coefficients, rtol=0.02, atol=0.01)
    assert found.links is not None
    assert found.links.feasible


@EVERY
def test_it_says_what_it_is_good_for_and_explains_its_options(method):
    found = METHODS[method]
    assert found.name == method
    assert found.summary
    assert all(item.help for item in declared_options(found.options))


def test_an_unknown_method_or_option_is_named():
    with pytest.raises(UnknownNameError, match=r"no method named 'guess'; known: .*em"):
        recover_signs(case().described, case().log, method="guess")
    with pytest.raises(UnknownNameError, match="no option of method em named 'width'"):
        recover_signs(case().described, case().log, options={"width": 3})


@dataclass(frozen=True, kw_only=True)
class GravityOptions(Options):
    turned: bool = option(False, "Take the other sign.")


@pytest.fixture
def by_gravity(monkeypatch: pytest.MonkeyPatch) -> None:
    """A method that nobody but this test knows, registered as a new line would: a pendulum's sign is mostly that of sin q."""

    def search(prepared: Magnitudes, settings: SearchSettings, own: GravityOptions) -> SignHypotheses:
        weights = [np.sin(prepared.motion.q[segment.samples, segment.joint]).sum() for segment in prepared.segments]
        signs = np.where(np.array([weights]) < 0.0, -1.0, 1.0) * (-1.0 if own.turned else 1.0)
        settings.say("looked at gravity")
        return SignHypotheses(segments=prepared.segments, signs=signs, costs=sign_cost(prepared, search_levels(prepared)).cost(signs))

    new = SignMethod(name="gravity", summary="looks at gravity", search=search, options=GravityOptions, seeded=False)
    monkeypatch.setitem(METHODS, "gravity", new)


@pytest.mark.usefixtures("by_gravity")
def test_a_new_method_is_known_everywhere(command: Callable[..., tuple[int, str]], tmp_path: Path):
    _, text = command("signs", "--help")
    assert "gravity: looks at gravity." in text
    assert "Of gravity: turned, take the other sign (False)." in text
    with pytest.raises(UnknownNameError, match="known: em, exact, gravity, tree"):
        recover_signs(case().described, case().log, method="gravit")
    write_dataset(case().log, tmp_path / "log.npz")
    words = ("signs", "pendulum_1r", tmp_path / "log.npz", "-o", tmp_path / "run", "--friction", "none", "--method", "gravity")
    code, said = command(*words)
    assert code == 0, said
    assert '"method": "gravity"' in (tmp_path / "run" / "signs.json").read_text()
    assert command("report", tmp_path / "run")[0] == 0
    assert "method gravity" in (tmp_path / "run" / "report.html").read_text()
    assert command(*words, "--method-option", "turned=yes")[0] == 0  # physics turns it back
    assert command(*words, "--method-option", "turned=perhaps")[0] == 2
