"""The dynamic coefficients with their standard deviations; dropped ones are marked and keep the numbers at which they were dropped."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.regression.tables import SOURCE_HEADINGS, Coefficient, coefficients, constants_table, percent_text, std_text, value_text
from dynident.reports.blocks import Block, Cell, Grid, Heading, Section, Text, grid
from dynident.runs import Run, Stage

_WORST = 100.0


def _blocks(run: Run) -> Iterator[Block]:
    estimate = run.estimate
    kept = int(estimate.kept.sum())
    limit = estimate.summary.drop_above_percent
    rule = f" Those above {limit:g} % were dropped, one at a time, and the others estimated again." if limit is not None else ""
    yield Text(
        f"Torques depend on {estimate.base.rank} combinations of the links' parameters and friction; {kept} of them are part of the model. "
        f"The bar behind a standard deviation is its share of the value.{rule} Click a heading to sort."
    )
    rows = tuple((_row(number, item), not item.kept) for number, item in enumerate(coefficients(estimate), start=1))
    headings = ("no.", "coefficient", "value ± std", "std [%]", *SOURCE_HEADINGS, "unit", "state")
    yield Grid(title="Dynamic coefficients", headings=headings, rows=rows, left=frozenset({1, 6, 7}))
    constants = constants_table(estimate.base)
    if constants is not None:
        yield grid(constants)
    if estimate.vendor_model is not None:
        yield Heading("The vendor's model, tested")
        yield Text(estimate.vendor_model.sentence)
        yield grid(estimate.vendor_model.table())


SECTION = Section(key="coefficients", title="Coefficients", stage=Stage.ESTIMATE, blocks=_blocks)


def _row(number: int, item: Coefficient) -> tuple[Cell, ...]:
    relative = item.relative_std_percent
    state = "kept" if item.kept else "undetermined" if item.std is None else "dropped"
    return (
        Cell(text=str(number), sort=number),
        Cell(text=item.expression, math=True),
        Cell(text=value_text(item.value, item.std), sort=item.value, math=True),
        Cell(
            text=percent_text(relative),
            sort=float("1e300") if relative is None else relative,
            share=min(1.0, (relative or _WORST) / _WORST),
        ),
        *(Cell(text=std_text(std), sort=std) for std in (item.noise_std, item.block_std)),
        Cell(text=item.unit),
        Cell(text=state, badge=state),
    )
