"""From a robot and a log to what is wrong with them: signals first, then the log against the robot, then the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dynident.data import Dataset
from dynident.data.signals.faulty_samples import leave_out_faults
from dynident.diagnosis.case import Case
from dynident.diagnosis.checks.dead_channel import silence
from dynident.diagnosis.checks.registry import CHECKS, GENERATORS
from dynident.diagnosis.correction import Correction
from dynident.diagnosis.diagnosis import Diagnosis
from dynident.diagnosis.finding import Check, CheckStage, Confidence, Finding
from dynident.diagnosis.search import Search
from dynident.diagnosis.verdict import judge
from dynident.errors import UnknownNameError
from dynident.regression.prepare import match_log
from dynident.robots.robot import Robot


def doctor(robot: Robot, data: Dataset, *, checks: Iterable[str] | None = None, progress: Callable[[str], None] | None = None) -> Diagnosis:
    """What is wrong with a log, or with what was said about it, and what mends it.

    Parameters
    ----------
    robot
        The robot.
    data
        The log.
    checks
        Names of those that look; all of them by default.
    progress
        Told one sentence now and then.

    Returns
    -------
    Diagnosis
        What is wrong with it, the sure findings first, each with its correction.

    Examples
    --------
    >>> from dynident import doctor, load_dataset, load_robot
    >>> robot = load_robot("arm.urdf")  # doctest: +SKIP
    >>> diagnosis = doctor(robot, load_dataset("log.csv"))  # doctest: +SKIP
    >>> robot, mended = diagnosis.corrected()  # doctest: +SKIP
    """
    matched = match_log(robot, data)
    names = list(CHECKS if checks is None else checks)
    for name in names:
        if name not in CHECKS:
            raise UnknownNameError("check", name, CHECKS)
    chosen = [CHECKS[name] for name in CHECKS if name in names]
    case = Case(robot=robot, data=leave_out_faults(silence(matched), robot.effort_limits)[0], recorded=matched)
    whole, findings = Correction.of(matched.n), list[Finding]()
    for stage in CheckStage:
        if progress is not None:
            progress(_SAID[stage])
        now = case.correct(whole) if not whole.nothing else case
        for finding in _examine(now, [check for check in chosen if check.stage is stage], stage):
            findings.append(finding)
            if finding.sure and finding.correction is not None:
                whole = whole.then(finding.correction)
    kept = [data.joint_names.index(name) for name in matched.joint_names]
    return Diagnosis(
        robot=robot,
        data=matched,
        findings=tuple(sorted(findings, key=lambda finding: list(Confidence).index(finding.confidence))),
        correction=whole.spell(matched),
        columns=tuple(kept),
        width=data.n,
    )


_SAID = {
    CheckStage.SIGNALS: "Comparing signals with each other",
    CheckStage.MODEL: "Comparing the log with the robot",
    CheckStage.REST: "Looking at what is left",
}


def _examine(case: Case, checks: Sequence[Check], stage: CheckStage) -> Iterable[Finding]:
    """The findings of a stage, each made on a log with the sure ones before it corrected."""
    if stage is CheckStage.MODEL:
        names = {check.name for check in checks}
        if case.excerpt is not None and names:
            yield from judge(Search(case, GENERATORS, names), {check.name: check for check in checks})
        return
    for check in checks:
        if check.look is None:
            continue
        for finding in check.look(case):
            yield finding
            if finding.sure and finding.correction is not None:
                case = case.correct(finding.correction)
