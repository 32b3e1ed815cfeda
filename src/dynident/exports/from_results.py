"""The model that an estimate, link parameters or a run folder make, ready to be exported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dynident.exports.export_model import ExportModel
from dynident.feasibility.result import LinkParameters
from dynident.regression.equations.base import BaseParameters
from dynident.regression.estimate import Estimate
from dynident.regression.tables import coefficients
from dynident.runs import read_estimate, read_parameters


def model_from_run(folder: str | Path, *, from_coefficients: bool = False) -> ExportModel:
    """The link parameters of a run folder, or, when asked for, the coefficients of its estimate.

    FileError says which command makes what is missing.
    """
    estimate = read_estimate(folder)
    if from_coefficients:
        return model_from_estimate(estimate)
    model = model_from_parameters(read_parameters(folder))
    return replace(model, provenance=f"{model.provenance}, {_source(estimate)}")


def model_from_parameters(links: LinkParameters) -> ExportModel:
    """A model of bodies, with the friction that was retrieved with them."""
    return ExportModel(
        robot=links.base.robot,
        parameters=links.parameters,
        friction=links.base.friction,
        friction_parameters=links.friction_parameters,
        provenance=f"link parameters by solver {links.solver}",
        violations=tuple(item.name for item in links.violations),
        notes=_left_out(links.base),
    )


def model_from_estimate(estimate: Estimate) -> ExportModel:
    """A model that moves as the dynamic coefficients say; its parameters are not bodies."""
    return ExportModel(
        robot=estimate.base.robot,
        parameters=estimate.link_part,
        friction=estimate.base.friction,
        friction_parameters=estimate.friction_parameters,
        provenance=f"dynamic coefficients, {_source(estimate)}",
        coefficients=coefficients(estimate),
        notes=_left_out(estimate.base),
    )


def _source(estimate: Estimate) -> str:
    """Without folders, which mean nothing elsewhere."""
    return f"identified from {', '.join(Path(word.strip()).name for word in estimate.summary.source.split(','))}"


def _left_out(base: BaseParameters) -> tuple[str, ...]:
    extra = [column.name for column in base.columns.of_extra]
    return (f"the estimate's extra columns are not part of the exported model: {', '.join(extra)}",) if extra else ()
