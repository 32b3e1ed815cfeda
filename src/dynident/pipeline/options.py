"""What can be chosen of each step of the pipeline, beside the data: the declared options of the rooms below, put together step by step.

A run remembers a step by its name here and by the options that were given, so that it can be repeated.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from dynident.core.kinds import Count, Seed, whole
from dynident.core.options import Options, option, typed_words
from dynident.links.options import RetrievalChoice, SolverChoice
from dynident.regression.options import (
    AverageChoice,
    DataPart,
    FitChoice,
    PeriodChoice,
    ProblemChoice,
    SameFilter,
    TrainingPart,
)
from dynident.routes.payload.options import PayloadChoice
from dynident.routes.signs.options import SignChoice
from dynident.validation.monitoring.options import ObserverChoice


@dataclass(frozen=True, kw_only=True)
class IdentifyChoice(FitChoice, AverageChoice, PeriodChoice, TrainingPart, ProblemChoice):
    """How dynamic coefficients are identified."""

    ignore_doctor: bool = option(False, "Identify also from a log with a fault that makes the result meaningless.", group="Advanced")


@dataclass(frozen=True, kw_only=True)
class SignRecoveryChoice(PeriodChoice, TrainingPart, SignChoice):
    """How the signs of magnitudes are recovered."""

    seed: Seed = option(0, "Seed of the random numbers.", group="Advanced")


@dataclass(frozen=True, kw_only=True)
class RetrieveChoice(SolverChoice, RetrievalChoice):
    """Which links are retrieved, and how."""

    ranges: bool = option(True, "Compute how far each parameter can move.", group="Advanced")


@dataclass(frozen=True, kw_only=True)
class ValidateChoice(SameFilter, DataPart):
    """How a model is validated."""

    folds: Annotated[int, whole(2, metavar="K")] | None = option(
        None, "Also fit K times on these data, each time without one part of them."
    )


@dataclass(frozen=True, kw_only=True)
class FrictionRefitChoice(SameFilter, DataPart):
    """How friction is fitted to a new log."""

    model: str | None = option(None, "A friction model such as linear, or auto.", metavar="NAME", shown="that of RUN")
    seed: Seed = option(0, "Seed of the random numbers.", group="Advanced")


@dataclass(frozen=True, kw_only=True)
class PayloadFitChoice(SameFilter, DataPart, PayloadChoice):
    """How a payload is identified."""


@dataclass(frozen=True, kw_only=True)
class SampleChoice(Options):
    """How many models are drawn."""

    count: Count = option(200, "How many parameter sets.", short="-n")
    seed: Seed = option(0, "Seed of the random numbers.", group="Advanced")


#: The options of the steps, by the names of their commands.
STEPS: Mapping[str, type[Options]] = {
    "identify": IdentifyChoice,
    "signs": SignRecoveryChoice,
    "retrieve": RetrieveChoice,
    "validate": ValidateChoice,
    "sample": SampleChoice,
    "payload": PayloadFitChoice,
    "friction": FrictionRefitChoice,
    "monitor": ObserverChoice,
}


def inputs_of(step: str) -> list[str]:
    """The words of a step's command for its inputs: ROBOT, RUN, SOURCE (another run) and DATA."""
    from dynident.runs.stages import Stage  # here, because help texts have no use for it

    return next(stage.value.command.split()[2:] for stage in Stage if stage.verb == step)


def command_of(step: str, *options: Options, data: Sequence[object] = (), robot: str = "", run: object = "", source: object = "") -> str:
    """What a user would type to do a step."""
    places = {"ROBOT": [robot], "RUN": [str(run)], "SOURCE": [str(source)], "DATA": list(map(str, data))}
    words: list[str] = []
    for word in inputs_of(step):
        if words[-1:] == ["--free"]:
            words[-1:] = [part for name in places[word] for part in ("--free", name)]
        else:
            words += places.get(word, [word])
    return shlex.join(["dynident", step, *words, *typed_words(*options)])
