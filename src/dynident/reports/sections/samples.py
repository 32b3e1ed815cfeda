"""What the data leave open, as models: how far sampled links spread, and how little or much of it shows in the torques."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.errors import require
from dynident.feasibility.sampling import AGREEMENT
from dynident.reports.blocks import Block, Heading, Section, Text
from dynident.reports.feasibility import spread_table
from dynident.reports.validation import torque_table
from dynident.reports.validation_figures import spread_figure
from dynident.runs import Run, Stage


def _blocks(run: Run) -> Iterator[Block]:
    samples = require(run.samples, "the drawn parameter sets")
    yield Text(
        f"{len(samples)} parameter sets, friction included, drawn from what data, prior and constraints leave open; every one is "
        f"consistent. Their total mass is {samples.total_mass.mean():.2f} ± {samples.total_mass.std():.2f} kg. The chains agree: "
        f"R̂ is {samples.agreement:.3f} at most (limit {AGREEMENT}), and they are worth {samples.effective:.0f} independent draws at least."
    )
    yield spread_table(samples)
    yield from samples.figures()
    yield Heading("How different their torques are")
    spread = run.torque_spread
    if spread is None:
        yield Text("There is no validation whose motion the sampled models could be compared on.")
        return
    yield Text(
        "The RMS difference between the torques of a sample and the mean of all, on the motion of the validation. Links can differ much "
        "and torques little: what the torques don't depend on is what the data can't tell."
    )
    yield torque_table(spread)
    yield spread_figure(spread)


SECTION = Section(key="samples", title="What the data leave open", stage=Stage.SAMPLES, blocks=_blocks)
