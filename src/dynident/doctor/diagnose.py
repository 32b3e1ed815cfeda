"""From a robot and a log to what is wrong with them: signals first, then the log against the robot, then the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dynident.data import Dataset
from dynident.data.signals.faulty_samples import leave_out_faults
from dynident.doctor.case import Case
from dynident.doctor.checks.registry import CHECKS
from dynident.doctor.competition import compete, merge
from dynident.doctor.correction import Correction
from dynident.doctor.diagnosis import Diagnosis
from dynident.doctor.finding import Check, CheckStage, Confidence, Finding
from dynident.regression.prepare import match_log
from dynident.robots.robot import Robot


def diagnose(
    robot: Robot, data: Dataset, *, checks: Iterable[str] | None = None, progress: Callable[[str], None] | None = None
) -> Diagnosis:
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
    """
    say = progress or _keep_silent
    matched = match_log(robot, data)
    chosen = [check for check in CHECKS.values() if checks is None or check.name in set(checks)]
    case = Case(robot=robot, data=leave_out_faults(matched, robot.effort_limits)[0], recorded=matched)
    whole, findings = Correction(), list[Finding]()
    for stage in CheckStage:
        say(_SAID[stage])
        now = case.correct(whole) if not whole.nothing else case
        for finding in _examine(now, [check for check in chosen if check.stage is stage], stage, chosen):
            findings.append(finding)
            if finding.sure and finding.correction is not None:
                whole = whole.then(finding.correction)
    kept = [data.joint_names.index(name) for name in matched.joint_names]
    return Diagnosis(
        robot=robot,
        data=matched,
        findings=tuple(sorted(findings, key=lambda finding: list(Confidence).index(finding.confidence))),
        correction=whole,
        in_file=whole.in_file(kept, data.n),
        columns=tuple(kept),
        width=data.n,
    )


def _keep_silent(sentence: str) -> None:
    pass


_SAID = {
    CheckStage.SIGNALS: "Comparing signals with each other",
    CheckStage.MODEL: "Comparing the log with the robot",
    CheckStage.REST: "Looking at what is left",
}


def _examine(case: Case, checks: Sequence[Check], stage: CheckStage, everything: Sequence[Check]) -> Iterable[Finding]:
    """The findings of a stage, each made on a log with the sure ones before it corrected."""
    if stage is CheckStage.MODEL:
        if case.excerpt is None:
            return
        yield from _gather(compete(case, everything))
        return
    for check in checks:
        if check.look is None:
            continue
        for finding in check.look(case):
            yield finding
            if finding.sure and finding.correction is not None:
                case = case.correct(finding.correction)


def _gather(findings: Sequence[Finding]) -> list[Finding]:
    """Findings of one check as one, where they are all as sure; the strongest first."""
    gathered: list[Finding] = []
    for finding in findings:
        place = next((k for k, other in enumerate(gathered) if other.name == finding.name and other.sure == finding.sure), None)
        if place is None:
            gathered.append(finding)
        else:
            gathered[place] = merge(gathered[place], finding)
    return gathered
