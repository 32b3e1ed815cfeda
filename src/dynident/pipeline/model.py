"""What a fit gives: the estimate, links, their errors on other data, and a verdict in five lines with what to do next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from dynident.core.documents import Document
from dynident.core.results import Result
from dynident.core.texts import short_number
from dynident.errors import DynidentError, InputError
from dynident.exports import EXPORTERS, Exported, export
from dynident.exports.registry import find_original
from dynident.links.result import LinkParameters
from dynident.regression.estimate import Estimate
from dynident.reports import Page, report
from dynident.reports.figures import Figure
from dynident.reports.sections.verdict import find_doubts
from dynident.reports.sections.verdict import headline as held_out_sentence
from dynident.reports.tables import Report
from dynident.routes.signs.confidence import SignVerdict
from dynident.routes.signs.result import SignRecovery
from dynident.runs import Run, load_run, run_in_memory
from dynident.validation.folds import CrossValidation
from dynident.validation.result import WORSE_THAN_FIT, Validation


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How good a model is, in plain words.

    Attributes
    ----------
    lines : tuple of str
        Its error on other data, its links, what not to trust, and what is wrong with the data.
    next : tuple of str
        What to do next, the most useful first.
    """

    lines: tuple[str, ...]
    next: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([*self.lines, *(f"Next: {step}" for step in self.next)])


@dataclass(frozen=True, kw_only=True)
class FitDocument(Document):
    """What `dynident fit --json` prints."""

    FILE = "fit.json"

    robot: str
    verdict: Annotated[tuple[str, ...], "its error on other data, its links, what not to trust, and what is wrong with the data"]
    next: Annotated[tuple[str, ...], "what to do next, the most useful first"]
    failures: Annotated[Mapping[str, str], "steps that failed, with the reason"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Model(Result):
    """The result of `dynident.fit`.

    Attributes
    ----------
    estimate : Estimate
        Dynamic coefficients and friction with their uncertainty.
    links : LinkParameters or None
        Physically consistent link parameters with their certificate; None where there are none, and `failures` says why.
    validation : Validation or None
        Errors on the test logs; None where none was given.
    cross_validation : CrossValidation or None
        Errors on parts of the training logs, each predicted by a fit to the others; None where that can't be done.
    signs : SignRecovery or None
        The signs of the torque, where only its magnitude was recorded.
    failures : mapping of str to DynidentError
        Steps that failed, with the error that says why.
    folder : Path or None
        The run folder, where one was asked for.
    """

    estimate: Estimate
    links: LinkParameters | None = None
    validation: Validation | None = None
    cross_validation: CrossValidation | None = None
    signs: SignRecovery | None = None
    failures: Mapping[str, DynidentError] = field(default_factory=dict[str, DynidentError])
    folder: Path | None = None

    @cached_property
    def run(self) -> Run:
        """All stages, as a run folder holds them."""
        if self.folder is not None:
            return load_run(self.folder)
        return run_in_memory(self.estimate, signs=self.signs, parameters=self.links, validation=self.validation)

    @property
    def trusted(self) -> bool:
        """Whether there are links, and no stage has a doubt about them or about the data."""
        return self.links is not None and not self.links.doubts and not self.estimate.doubts

    @cached_property
    def verdict(self) -> Verdict:
        """How good the model is, and what to do next."""
        return judge(self)

    def export(self, path: str | Path, target: str = "", **options: object) -> Exported:
        """Write the model for another program, after its torques were compared with dynident's in another engine.

        Parameters
        ----------
        path
            File or, for code in several files, folder to write.
        target
            What to write, such as "urdf", "mjcf" or "c"; by default what the suffix says.
        **options
            The target's own options.
        """
        suffixes = {".urdf": "urdf", ".xml": "mjcf", ".yaml": "yaml", ".py": "python", ".csv": "csv", "": "c"}
        chosen = target or suffixes.get(Path(path).suffix.lower(), "")
        if chosen not in EXPORTERS:
            raise InputError(f"{path}: name what to export as target, one of {', '.join(EXPORTERS)}")
        if self.links is None and EXPORTERS[chosen].bodies:
            raise InputError(f"there are no links to export: {self.failures.get('retrieve', 'they have not been retrieved')}")
        model = self.estimate if self.links is None else self.links
        original = find_original(EXPORTERS[chosen], self.estimate.base.robot)
        return export(model, chosen, path=path, original=original, options=options or None)

    def report(self) -> Page:
        """Everything about the model as one page; `report().save("report.html")` writes it."""
        return report(self.run)

    @property
    def headline(self) -> str:
        parts = [self.estimate.base.robot.name, f"{int(self.estimate.kept.sum())} coefficients"]
        parts += [] if self.links is None else [f"{self.links.total_mass:.1f} kg"]
        return ", ".join(parts)

    def tables(self) -> Report:
        """The verdict, and the links where there are some."""
        tables = () if self.links is None else self.links.tables().tables[:1]
        return Report(header=self.verdict.lines, tables=tables, facts=tuple(f"Next: {step}" for step in self.verdict.next), notes=())

    def records(self) -> list[dict[str, Any]]:
        """One row per link, or per coefficient where there are no links."""
        return self.estimate.records() if self.links is None else self.links.records()

    def figures(self) -> tuple[Figure, ...]:
        """Those of the best result that there is: the validation, the links, or the estimate."""
        best = self.validation or self.links or self.estimate
        return best.figures()


def judge(model: Model, say: Callable[[DynidentError], str] = str) -> Verdict:
    """The verdict on a model. say : the sentence of an error, in the words of the interface."""
    failures = {step: say(error).removesuffix(".") for step, error in model.failures.items()}
    return Verdict(lines=tuple(_lines(model, failures)), next=tuple(_next_steps(model, failures)))


def _lines(model: Model, failures: Mapping[str, str]) -> Iterator[str]:
    yield _error_line(model)
    yield _link_line(model, failures)
    known_doubts = model.estimate.doubts if model.validation is not None else ()  # with the error on the test log
    doubts = [
        doubt.sentence for doubt in find_doubts(model.run) if not doubt.general and not any(item in doubt.sentence for item in known_doubts)
    ]
    if doubts:
        yield f"Don't trust: {doubts[0]}"
    if model.signs is not None and model.signs.verdict is SignVerdict.CERTAIN:
        yield f"Signs: {model.signs.sentence}"
    first, *others = (*model.estimate.notes, "nothing is wrong with them that would show")
    more = f" ({len(others) - 1} more notes in the report)" if len(others) > 1 else ""
    yield f"About the data: {first.removesuffix('.')}.{more}"


def _error_line(model: Model) -> str:
    crossed = model.cross_validation
    if model.validation is not None:
        sentence = f"On the test log: {held_out_sentence(model.run)}"
        if crossed is None or crossed.mean_percent <= WORSE_THAN_FIT * model.validation.recommended.overall_percent:
            return sentence
        parts = "Parts of the training log, each predicted by a fit to the others, have"
        return f"{sentence} {parts} {crossed.percent_text}: expect that of other motions."
    if crossed is not None:
        return (
            f"Prediction: of parts of the log, each predicted by a fit to the others, {crossed.percent_text} is unexplained; "
            "other motions may have more."
        )
    residuals = model.estimate.residuals
    return f"Fit: {short_number(residuals.relative_percent)} % of the data is unexplained; the error on other motions is not known."


def _link_line(model: Model, failures: Mapping[str, str]) -> str:
    links = model.links
    if links is None:
        return f"Links: none; {failures.get('retrieve', 'they were not asked for')}."
    known = sum(item.determined_by == "data" for item in links.ranges)
    consistent = "physically consistent" if links.feasible else "NOT feasible"
    share = (
        f"; {known} of {len(links.ranges)} parameters known from the data alone, the others from prior knowledge" if links.ranges else ""
    )
    link_doubts = [doubt for doubt in links.doubts if doubt not in model.estimate.doubts]
    doubt = f" But they are doubtful: {'; '.join(link_doubts) or 'so is the estimate'}." if links.doubts else ""
    return f"Links: {len(links.base.robot.links)} of {links.total_mass:.3g} kg in all, {consistent}{share}.{doubt}"


def _next_steps(model: Model, failures: Mapping[str, str]) -> Iterator[str]:
    if model.estimate.doubts:
        yield "settle what these efforts are: ask dynident doctor, check units and gears, and what the description's masses come from."
    yield from (f"{step}: {sentence}." for step, sentence in failures.items() if step != "retrieve")
    if model.validation is None:
        yield "record another motion and give it as a test log, to know the error there."
    elif model.validation.on_new_data is False:
        yield "give a test log that was not used for the fit."
    if model.estimate.dropped:
        yield f"excite the {len(model.estimate.dropped)} coefficients that this log doesn't determine, with a motion of dynident excite."
