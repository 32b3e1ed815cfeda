"""Measured and predicted torque of every joint, what is left over, and its spectrum (Figs. 3 and 5 of the Panda paper)."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.errors import require
from dynident.reports.blocks import Block, Heading, Key, Section, Text
from dynident.reports.validation import fold_tables, joint_table, model_table, worst_table
from dynident.reports.validation_figures import CURVES, band_model, is_shown, spectrum_figure, validation_figures
from dynident.runs import Run, Stage
from dynident.validation.result import Validation


def _blocks(run: Run) -> Iterator[Block]:
    validation = require(run.validation, "the validation")
    yield Text(
        "Drag over a figure to zoom, double-click to see all of it again. The narrow panel below each joint is what the prediction leaves "
        "over. Both sides went through the same filter, so no delay or damping is hidden in the comparison."
    )
    yield _key(validation)
    yield from validation_figures(validation)
    yield Heading("How large the errors are")
    yield joint_table(validation)
    yield model_table(validation)
    yield worst_table(validation, 3)
    yield from fold_tables(validation.folds)
    yield Heading("Spectrum of what is left over")
    yield spectrum_figure(validation)


SECTION = Section(key="torques", title="Measured and predicted torques", stage=Stage.VALIDATION, blocks=_blocks)


def _key(validation: Validation) -> Key:
    entries = [("measured", "measured", "measured", True)]
    model = band_model(validation)
    drawn = [curve for curve in CURVES if curve[0] in validation.series[0].predicted]
    entries += [(trace, label, colour[1:], is_shown(trace, model)) for trace, label, colour, _ in drawn]
    without = "" if model in validation.band.noise else ", without noise"
    entries.append(("band", f"95 % band of the {model}{without}", "band", True))
    return Key(entries=tuple(entries))
