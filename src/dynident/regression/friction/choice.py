"""Which friction models were tried for each joint, how well each predicted what it had not seen, and which one was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from dynident.core.arrays import Array
from dynident.core.documents import Number, to_json
from dynident.core.records import Shape
from dynident.dynamics.friction.model import FrictionModel
from dynident.dynamics.friction.shapes import shape_constants


@dataclass(frozen=True, kw_only=True, eq=False)
class Trial:
    """A friction model of one joint.

    model : FrictionModel     With the shapes that the whole log gives it.
    parameters : {name: value} Of the fit to the whole log.
    errors : (blocks,)        Mean squared error on each block, by a fit to the others [(N·m)² | N²].
    squares : float           Sum of the squared residuals of the fit to the whole log, in units of the noise.
    noise : float             By how much one number more lowers it where it explains nothing: variance times rows that say the same.
    independent : float       Stretches of independent noise.
    impossible : str          Why such friction can't be; empty where it can.
    chosen : bool
    """

    joint: str
    unit: str
    model: FrictionModel
    parameters: Mapping[str, float]
    errors: Annotated[Array, Shape("h")]
    squares: float = 0.0
    noise: float = 1.0
    independent: float = np.inf
    impossible: str = ""
    chosen: bool = False

    @property
    def size(self) -> int:
        """How many numbers the model has: its parameters and the shapes that are fitted."""
        return len(self.model.parameters) + len(shape_constants(self.model))

    @property
    def rms(self) -> float:
        """Held-out error [N·m | N]."""
        return float(np.sqrt(self.errors.mean()))

    def change(self, other: Trial) -> tuple[float, float]:
        """By how much its mean squared error differs from that of another, and the standard error of that over the blocks, both as
        shares of the other's."""
        differences = self.errors - other.errors
        size = max(float(other.errors.mean()), np.finfo(float).tiny)
        return float(differences.mean()) / size, float(differences.std(ddof=1)) / np.sqrt(len(differences)) / size

    def chance(self, other: Trial) -> float:
        """How probable a fit to the whole log is that explains as much more than a simpler one, where it's noise: the F-test."""
        from scipy.special import fdtrc  # here, because importing SciPy takes longer than all of dynident

        more = max(self.size - other.size, 1)
        ratio = (other.squares - self.squares) / (more * max(self.noise, np.finfo(float).tiny))
        return float(fdtrc(more, max(min(self.independent, 1e9) - self.size, 1.0), max(ratio, 0.0)))


@dataclass(frozen=True, kw_only=True)
class TriedModel:
    """A friction model that was tried for a joint."""

    joint: str
    model: str
    numbers: Annotated[int, "that are fitted"]
    held_out_rms: Number
    change_percent: Annotated[Number, "of the error, against the first"]
    standard_error_percent: Number
    chance: Annotated[Number, "how probable a fit that explains as much more is where it is noise"]
    chosen: bool
    impossible: Annotated[str, "why no friction can be so; empty where it can"]


@dataclass(frozen=True, kw_only=True, eq=False)
class FrictionChoice:
    """All trials, joint by joint.

    parts : text per block      What was held out.
    before, after : (n,)        Held-out RMS error per joint with linear friction and with the chosen models, all joints at once.
    """

    parts: tuple[str, ...]
    trials: tuple[Trial, ...]
    before: Annotated[Array, Shape("n")]
    after: Annotated[Array, Shape("n")]

    def of_joint(self, joint: str) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.joint == joint)

    @property
    def chosen(self) -> tuple[Trial, ...]:
        """(n,) one per joint."""
        return tuple(trial for trial in self.trials if trial.chosen)

    @property
    def sentence(self) -> str:
        """What was chosen, in words."""
        names = dict.fromkeys(trial.model.name for trial in self.chosen)
        groups = [f"{name} ({', '.join(trial.joint for trial in self.chosen if trial.model.name == name)})" for name in names]
        what = "for all joints " + next(iter(names)) if len(names) == 1 else "; ".join(groups)
        gain = 100.0 * (1.0 - float(np.sqrt(np.sum(self.after**2) / max(float(np.sum(self.before**2)), np.finfo(float).tiny))))
        return (
            f"Friction chosen per joint by {len(self.parts)} held-out parts: {what}. All joints together, the held-out error is "
            f"{gain:.1f} % less than with linear friction."
            if gain > 0.05
            else f"Friction chosen per joint by {len(self.parts)} held-out parts: {what}; nothing predicts better by more than the noise."
        )

    @property
    def tried(self) -> tuple[TriedModel, ...]:
        """One row per joint and candidate."""
        rows: list[TriedModel] = []
        for trial in self.trials:
            first = self.of_joint(trial.joint)[0]
            share, error = trial.change(first)
            rows.append(
                TriedModel(
                    joint=trial.joint,
                    model=trial.model.name,
                    numbers=trial.size,
                    held_out_rms=trial.rms,
                    change_percent=100.0 * share,
                    standard_error_percent=100.0 * error,
                    chance=trial.chance(first),
                    chosen=trial.chosen,
                    impossible=trial.impossible,
                )
            )
        return tuple(rows)

    def records(self) -> list[dict[str, Any]]:
        """The same in rows of plain values."""
        return to_json(self.tried)
