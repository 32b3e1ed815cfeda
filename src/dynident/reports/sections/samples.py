"""What the data leave open, as models: how far sampled links spread, and how little or much of it shows in the torques."""

from __future__ import annotations

from collections.abc import Iterator

from dynident.feasibility.sampling import AGREEMENT
from dynident.reports.blocks import Block, Heading, Section, Text, grid
from dynident.runs import Run, Stage


def _blocks(run: Run) -> Iterator[Block]:
    samples = run.samples
    assert samples is not None  # noqa: S101 (the section's stage)
    yield Text(
        f"{len(samples)} parameter sets, friction included, drawn from what data, prior and constraints leave open; every one is "
        f"consistent. Their total mass is {samples.total_mass.mean():.2f} ± {samples.total_mass.std():.2f} kg. The chains agree: "
        f"R̂ is {samples.agreement:.3f} at most (limit {AGREEMENT}), and they are worth {samples.effective:.0f} independent draws at least."
    )
    for table in samples.tables().tables:
        yield grid(table)
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
    yield grid(spread.table())
    yield spread.figure()


SECTION = Section(key="samples", title="What the data leave open", stage=Stage.SAMPLES, blocks=_blocks)
