"""What became of a fleet: a table of all robots with what failed, and the files in which it is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from dynident.core.documents import Document, Number
from dynident.core.files import json_text, make_folder, read_json, write_atomically
from dynident.core.texts import short_number
from dynident.errors import FileError, InputError
from dynident.pipeline.fleet.robots import DIAGNOSIS, RobotOutcome
from dynident.reports.comparison import fleet_page
from dynident.reports.tables import Column, Report, Table, csv_text
from dynident.runs.comparison import RunComparison, compare_runs
from dynident.runs.comparison.documents import ComparisonDocument

PAGE, DOCUMENT, VALUES = "fleet.html", "fleet.json", "fleet.csv"


@dataclass(frozen=True, kw_only=True)
class RobotDocument:
    """A robot of a fleet."""

    robot: str
    done: Annotated[tuple[str, ...], "steps"]
    failures: Annotated[Mapping[str, str], "step to sentence"]
    findings: Annotated[tuple[str, ...], "that the doctor is sure of"]
    training_percent: Number
    validation_percent: Number


@dataclass(frozen=True, kw_only=True)
class FleetDocument(Document):
    """fleet.json, which `dynident fleet --json` prints too."""

    FILE = "fleet.json"
    SCHEMA = "dynident/fleet/1"

    robot: str
    robots: tuple[RobotDocument, ...]
    facts: tuple[str, ...]
    comparison: ComparisonDocument | None


@dataclass(frozen=True, kw_only=True)
class FleetSummary:
    """What was done for a fleet.

    Attributes
    ----------
    robot : str
        Name of the model.
    folder : Path
        Of the run folders.
    outcomes : tuple of RobotOutcome
        In the order of the data.
    comparison : RunComparison or None
        Of all that were identified; None of fewer than two.
    why : str
        Why there is no comparison; empty where there is one.
    facts : tuple of str
        Sentences for a reader.
    """

    robot: str
    folder: Path
    outcomes: tuple[RobotOutcome, ...]
    comparison: RunComparison | None
    why: str = ""
    facts: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[RobotOutcome, ...]:
        return tuple(outcome for outcome in self.outcomes if _failures(outcome))

    @property
    def headline(self) -> str:
        again = sum(bool(outcome.repeated) for outcome in self.outcomes)
        return f"{self.robot}: {len(self.outcomes)} robots, {again} worked on now, {len(self.failed)} with a step that failed"

    def report(self) -> Report:
        """For the terminal."""
        failures = self.failure_table()
        compared = None if self.comparison is None else self.comparison.tables()
        return Report(
            header=(self.headline, *(() if compared is None else compared.header)),
            tables=(*((failures,) if failures.rows else ()), *(() if compared is None else compared.tables)),
            facts=(*self.facts, *(() if compared is None else compared.facts), *((self.why,) if self.why else ())),
            notes=() if compared is None else compared.notes,
        )

    def failure_table(self) -> Table:
        rows = ({"robot": item.name, "step": step, "text": text} for item in self.failed for step, text in _failures(item).items())
        return Table("Failures", tuple(rows), (Column("robot"), Column("step"), Column("text", "what it said")))

    def robot_table(self) -> Table:
        """All robots: what was done, what the doctor is sure of, and how well the model predicts."""
        columns = (
            Column("robot", of=lambda outcome: outcome.name),
            Column("done", of=lambda outcome: ", ".join(outcome.done)),
            Column("fit", "fit [%]", short_number, of=lambda item: None if item.run is None else item.run.training_percent),
            Column("validation", "validation [%]", short_number, of=lambda item: None if item.run is None else item.run.validation_percent),
            Column("findings", "the doctor is sure of", of=lambda outcome: "; ".join(findings(self.folder / outcome.name))),
        )
        return Table("Robots", self.outcomes, columns, dimmed=lambda outcome: outcome in self.failed)

    def document(self) -> FleetDocument:
        robots = (
            RobotDocument(
                robot=outcome.name,
                done=tuple(outcome.done),
                failures=outcome.failures,
                findings=tuple(findings(self.folder / outcome.name)),
                training_percent=None if outcome.run is None else outcome.run.training_percent,
                validation_percent=None if outcome.run is None else outcome.run.validation_percent,
            )
            for outcome in self.outcomes
        )
        compared = None if self.comparison is None else ComparisonDocument.of(self.comparison)
        return FleetDocument(robot=self.robot, robots=tuple(robots), facts=self.facts, comparison=compared)

    def write(self) -> FleetDocument:
        """fleet.html, fleet.json and fleet.csv; the document is returned."""
        make_folder(self.folder)  # which no robot has made where all of them failed
        document = self.document()
        tables = [("Failures", self.failure_table())] if self.failed else []
        page = fleet_page(self.robot, self.headline, self.comparison, [*tables, ("Robots", self.robot_table())], self.facts)
        page.save(self.folder / PAGE)
        write_atomically(self.folder / DOCUMENT, json_text(document))
        write_atomically(self.folder / VALUES, csv_text([] if self.comparison is None else self.comparison.records()))
        return document


def findings(folder: Path) -> list[str]:
    """What the doctor is sure of, by name."""
    try:
        content = read_json(folder / DIAGNOSIS)
        return [str(item["name"]) for item in content["findings"] if item["confidence"] == "high"]
    except (FileError, KeyError, TypeError):
        return []


def summarise(robot: str, folder: Path, outcomes: Sequence[RobotOutcome], facts: Sequence[str] = ()) -> FleetSummary:
    """With the comparison of all robots that were identified, where there is one."""
    runs = [outcome.run for outcome in outcomes if outcome.run is not None]
    comparison, why = None, ""
    try:
        comparison = compare_runs(runs)
    except InputError as error:
        why = f"There is no comparison: {error.message}."
    return FleetSummary(robot=robot, folder=folder, outcomes=tuple(outcomes), comparison=comparison, why=why, facts=tuple(facts))


def _failures(outcome: RobotOutcome) -> dict[str, str]:
    """Without the doctor's: what it can't look at, the identification takes, or refuses in the same words."""
    return {step: text for step, text in outcome.failures.items() if step != "doctor"}
