"""What can be chosen of an identification: how data become equations, and how these are fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

from dynident.core.kinds import Hertz, Part, Seed, kind_of, number, only, pairs, parse_number, span, worded
from dynident.core.options import Options, option

if TYPE_CHECKING:
    from dynident.dynamics.friction.model import FrictionModel

#: Whole periods of a log, counted from 1; all : also the way there and back.
Periods: TypeAlias = Annotated[tuple[int, float], span(low=1, whole_numbers=True, example="2:4")] | Literal["all"]


class DropRule(NamedTuple):
    """Coefficients that are not fitted: those with a larger relative standard deviation [%], or those of these numbers."""

    percent: float | None = None
    numbers: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.percent:g}%" if self.percent is not None else ",".join(map(str, self.numbers))


def _parse_drop(text: str) -> DropRule | None:
    """Of "30%" or "8,24"."""
    if text.endswith("%"):
        percent = parse_number(text[:-1])
        return DropRule(percent=percent) if percent is not None and 0.0 < percent < float("inf") else None
    words = text.split(",")
    return DropRule(numbers=tuple(map(int, words))) if all(word.strip().isdecimal() for word in words) else None


DROPPED = replace(
    worded(_parse_drop, "a percentage such as 30% or numbers of coefficients such as 8,24", "PERCENT%|N,N", types=DropRule), show=str
)
_PERCENT = replace(only(DROPPED, lambda dropped: dropped.percent is not None, "a percentage such as 30%"), metavar="PERCENT%")
_KNOWN = pairs(kind_of(str), number(), example="m7=0.73")


@dataclass(frozen=True, kw_only=True)
class DataPart(Options):
    """Which part of the data is used."""

    part: Part = option((0.0, 1.0), "Use only this part of the data, as fractions: 0.7:1.", shown="all")


@dataclass(frozen=True, kw_only=True)
class TrainingPart(Options):
    """Which part of the data a model is identified from."""

    train: Part = option((0.0, 1.0), "Use only this part of the data, as fractions: 0:0.7.", shown="all")


@dataclass(frozen=True, kw_only=True)
class PeriodChoice(Options):
    """Which periods of a log are used."""

    periods: Periods | None = option(
        None,
        "Of a log with a column period, use these whole periods, counted from 1: 2:4; all takes approach and return too.",
        shown="all whole periods",
        group="Advanced",
    )


@dataclass(frozen=True, kw_only=True)
class AverageChoice(Options):
    """Whether the mean of the periods is used."""

    average_periods: bool = option(
        False,
        "Fit the mean of the periods, sample by sample: N of them have 1/√N of the noise, in the positions too. Standard deviations "
        "follow from the residuals of the mean.",
        group="Advanced",
    )


@dataclass(frozen=True, kw_only=True)
class FrictionOption(Options):
    """Which friction is identified."""

    friction: str | None = option(
        "default",
        "Friction model such as viscous+coulomb, or none; auto chooses one per joint by what it predicts.",
        shown="linear for a log, with rotors (armature) where it shows them",
    )

    @property
    def model(self) -> FrictionModel | Literal["default", "auto"] | None:
        """The friction model; "default" and "auto" are settled by the data."""
        return read_friction(self.friction)


@dataclass(frozen=True, kw_only=True)
class FilterChoice(Options):
    """The filter that both sides of the equations go through."""

    cutoff: Hertz | Literal["auto"] | None = option(
        "auto", "Cutoff of the parallel filter, or none.", flag="--filter", shown="5, less for slow logs"
    )
    rate: Hertz | None = option(None, "Samples per second to keep after filtering.", shown="4 x the cutoff")


@dataclass(frozen=True, kw_only=True)
class SameFilter(Options):
    """The same where an earlier identification says what is usual."""

    cutoff: Hertz | Literal["auto"] | None = option(
        "auto", "Cutoff of the parallel filter, or none.", flag="--filter", shown="as in the identification"
    )
    rate: Hertz | None = option(None, "Samples per second to keep after filtering.", shown="as in the identification")


@dataclass(frozen=True, kw_only=True)
class ProblemChoice(FilterChoice, FrictionOption):
    """How data become equations."""

    equations: Literal["inertia", "gravity"] | None = option(
        None, "Only inertia or gravity of controller samples; gravity of a log: its holds.", metavar="KIND", group="Advanced"
    )
    known: Annotated[Mapping[str, float], _KNOWN] = option({}, "Declare a parameter known, such as m7=0.73.", group="Advanced")
    seed: Seed = option(0, "Seed of the random samples that tell the base parameters.", group="Advanced")

    def building(self) -> dict[str, Any]:
        """The arguments of `build_problem`."""
        names = ("cutoff", "rate", "equations", "known", "seed")
        return {"friction": self.model, **{name: getattr(self, name) for name in names}}


@dataclass(frozen=True, kw_only=True)
class FitChoice(Options):
    """How equations are fitted."""

    title: ClassVar[str] = "Advanced"

    noise: Literal["per_group", "uniform"] | None = option(
        None,
        "Noise of each joint and each element of M and g by itself, or uniform.",
        flag="--noise-model",
        metavar="NAME",
        shown="per_group",
    )
    loss: Literal["squared", "huber", "tukey"] | None = option(
        None, "squared, huber or tukey.", metavar="NAME", shown="squared, or huber where residuals are far beyond noise"
    )
    drop: Annotated[DropRule, _PERCENT] | None = option(
        None, "Drop coefficients with a larger relative std. deviation, as the papers do: 30%."
    )

    def fitting(self) -> dict[str, Any]:
        """The arguments of `fit`, as far as something was chosen."""
        from dynident.regression.uncertainty.losses import loss_by_name

        loss = None if self.loss is None else loss_by_name(self.loss)
        chosen = {"noise": self.noise, "loss": loss, "drop_above_percent": self.drop and self.drop.percent}
        return {name: value for name, value in chosen.items() if value is not None}


def read_friction(name: str | None) -> FrictionModel | Literal["default", "auto"] | None:
    """The friction model of a name; "default" and "auto" stay as they are."""
    from dynident.dynamics.friction import friction_model

    return name if name in (None, "default", "auto") else friction_model(name)  # pyright: ignore[reportReturnType] (of three words)
