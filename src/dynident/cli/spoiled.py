"""Corrections of the doctor in the words of the command line, and the refusal of logs that would spoil what is identified from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dynident.cli.options import option_text
from dynident.errors import InputError

if TYPE_CHECKING:
    from dynident.data import ControllerSamples, Dataset
    from dynident.doctor import Correction
    from dynident.robots import Robot


def refuse_spoiled(robot: Robot, data: Dataset | ControllerSamples) -> None:
    """An error with the doctor's finding and its remedy where a log has a fault that makes any result meaningless."""
    from dynident.doctor.quick import find_spoiling
    from dynident.doctor.tables import finding_evidence

    found = find_spoiling(robot, data)
    if found is None:
        return
    first = found.spoiling[0]
    mended = "" if found.in_file.nothing else f"give {tell_correction(found.in_file)}"
    remedy = "; ".join(filter(None, (mended, first.advice)))
    others = " and ".join(finding.sentence for finding in found.spoiling[1:])
    sentence = f"{first.sentence}{others and ', and '}{others} ({finding_evidence(first)})"
    raise InputError(sentence, remedy=f"{remedy}; see dynident doctor, or identify all the same with --ignore-doctor")


def tell_correction(correction: Correction) -> str:
    """A correction as options, and lines of the YAML where there is no option."""
    from dynident.doctor.tables import value_text

    recipe, arguments = correction.recipe, correction.arguments
    options = [option_text(name, value) for name, value in arguments.items() if recipe.get(name, value) == value]
    lines = [f"{name}: {value_text(value)}" for name, value in recipe.items() if arguments.get(name) != value]
    beside = f"{'and ' if options else ''}in the YAML beside the data: {'; '.join(lines)}" if lines else ""
    return " ".join(filter(None, (*options, beside)))
