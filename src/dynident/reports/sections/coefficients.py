"""The dynamic coefficients with their standard deviations; dropped ones are marked and keep the numbers at which they were dropped."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.reports.blocks import Block, Heading, Section, Text
from dynident.reports.regression import coefficient_table, constants_table, vendor_table
from dynident.runs import Run, Stage


def _blocks(run: Run) -> Iterator[Block]:
    estimate = run.estimate
    kept = int(estimate.kept.sum())
    limit = estimate.summary.drop_above_percent
    rule = f" Those above {limit:g} % were dropped, one at a time, and the others estimated again." if limit is not None else ""
    yield Text(
        f"Torques depend on {estimate.base.rank} combinations of the links' parameters and friction; {kept} of them are part of the model. "
        f"The bar behind a standard deviation is its share of the value.{rule} Click a heading to sort."
    )
    yield coefficient_table(estimate, states=True)
    constants = constants_table(estimate.base)
    if constants is not None:
        yield constants
    if estimate.vendor_model is not None:
        yield Heading("The vendor's model, tested")
        yield Text(estimate.vendor_model.sentence)
        yield vendor_table(estimate.vendor_model)


SECTION = Section(key="coefficients", title="Coefficients", stage=Stage.ESTIMATE, blocks=_blocks)
