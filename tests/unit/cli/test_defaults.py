"""Where a help text tells a default in words, because the option itself is None, its number is that of the library."""

from __future__ import annotations

import re

import pytest

from dynident.cli.app import load_verb
from dynident.cli.overview import VERBS
from dynident.motions.design.experiment import LONGEST
from dynident.motions.design.problem import DURATION
from dynident.motions.formats.registry import FORMATS
from dynident.motions.limits.limits import CLEARANCE
from dynident.motions.limits.torque import FACTOR
from dynident.motions.recording.plan import MOVE_SPEED
from dynident.regression.prepare import DEFAULT_CUTOFF
from dynident.validation.monitoring.calibrate import CONFIRMATION, FALSE_ALARMS, GAIN

#: Numbers that stand in the code itself, beside no constant.
_WRITTEN = {("demo", "--budget"), ("excite", "--starts"), ("fleet", "--rate"), ("identify", "--rate"), ("retrieve", "--starts")}
_NUMBERS = {
    ("excite", "--duration"): (DURATION,),
    ("excite", "--torque-factor"): (FACTOR,),
    ("excite", "--clearance"): (CLEARANCE,),
    ("excite", "--longest"): (LONGEST,),
    ("excite", "--rate"): (FORMATS["csv"].rate,),
    ("record", "--speed"): (1.0, MOVE_SPEED),
    ("monitor", "--gain"): (GAIN,),
    ("monitor", "--false-alarms"): (FALSE_ALARMS,),
    ("monitor", "--confirmation"): (CONFIRMATION,),
    **{(verb, "--filter"): (DEFAULT_CUTOFF,) for verb in ("fit", "fleet", "gains", "identify", "signs")},
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_number_in_the_words_of_a_default_is_that_of_the_library(verb):
    for word in load_verb(verb).words:
        shown, key = word.option.shown, (verb, word.option.flag)
        if re.match(r"\d", shown) and key not in _WRITTEN:
            assert tuple(map(float, re.findall(r"\d+\.?\d*", shown))) == _NUMBERS[key], key


@pytest.mark.parametrize("verb", VERBS)
def test_a_default_stands_in_no_sentence(verb):
    for word in load_verb(verb).words:
        assert not re.search(r"Default:", word.option.help), word.option.flag
