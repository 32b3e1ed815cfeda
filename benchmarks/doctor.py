"""Whether the doctor names what is wrong with a log, alone and in pairs, says nothing of logs that are right, and mends what it names.

A fault is found where the corrections of the findings, sure or not, give back the channel that was made wrong, or, of what no reader of a
log can give back, where a finding of that kind names its joint, its time or its size (`benchmarks.doctor_judge`, with what was changed).
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import dynident.doctor
from benchmarks.doctor_judge import CLOCK, TIME_SCALE, is_about, is_named, mend
from benchmarks.doctor_logs import CONDITIONS, Conditions, Log, recorded_bases, recorded_logs, virtual_log
from benchmarks.faults import FAULTS, Fault, apply_faults
from dynident import Robot
from dynident.data import Dataset
from dynident.doctor import diagnose
from dynident.errors import DynidentError
from dynident.friction import linear
from dynident.regression import build_problem, identify, residuals

#: Logs with seeds below this were looked at while the doctor was made, all of the first five robots; the recorded logs were too.
FIRST_SEED = 1000
ROBOTS = ("panda", "kuka_lwr4", "ur5", "spatial_3r", "dh_arm", "ur10", "xarm7")
PAIRS = 40
#: The fixed log's model may predict a log without faults this much worse than the model of the log without the fault does.
RESTORED = 1.25

INTRODUCTION = f"""Logs that were made wrong on purpose, of virtual arms ({", ".join(ROBOTS)}; seeds from {FIRST_SEED}) and of the \
recorded Panda, KUKA and TX40. The doctor was made with other seeds of the first five arms and with the recorded logs, so that only \
{" and ".join(ROBOTS[5:])} are new to it as robots. Two rules of judging were eased after misses had been seen: the clock of a log without \
velocities may be wrong by a factor of {TIME_SCALE:g} (it was {100 * CLOCK:g} %), and zeros are made wrong only in logs where that changes \
how well they can be explained. These logs were examined before, by two earlier versions: a crash that showed then was mended, and nothing \
else because of them. Named is what a finding of any confidence says; a log is fixed by the sure findings, and by others where only these \
are right."""
#: Faults of which one hides the other, or that are about the same numbers.
HIDING = (
    {"mounting", "compensated", "wall"},
    {"degrees", "counts", "motor side", "rpm", "degrees per second"},
    {"clock", "clock alone", "jitter", "rpm", "commanded", "degrees per second"},
    {"repeated", "interpolated", "gaps", "lost", "jitter", "quantised"},
    {"current", "effort unit", "motor side", "payload"},
    {"pushes", "lost"},
)
#: What can be told of a log in which the robot hardly moves, or stands for most of it.
OF_SIGNALS = frozenset({"garbage accelerations", "gaps", "quantised", "repeated", "clock", "rpm", "counts"})


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """faults : what was done; found, surely : of each whether its remedy was named, and by sure findings.

    wrong : sure findings that are about none of the faults.
    clean, faulty, fixed : error on the test log of the models identified from the three [%]; None where there was no model.
    """

    key: str
    kind: str
    faults: tuple[str, ...]
    found: tuple[bool, ...]
    surely: tuple[bool, ...]
    told: tuple[str, ...]
    wrong: tuple[str, ...]
    clean: float | None
    faulty: float | None
    fixed: float | None
    seconds: float

    @property
    def right(self) -> bool:
        return all(self.found)

    @property
    def restored(self) -> bool | None:
        """Whether the model of the fixed log is as good as that of the log without the fault; None where that is not the question."""
        if self.clean is None or not self.faults or not GIVEN_BACK.issuperset(self.faults):
            return None
        return self.fixed is not None and self.fixed <= RESTORED * self.clean + 0.1


#: Faults that a reader of the log can undo whole.
GIVEN_BACK = frozenset(
    {
        *("commanded", "garbage accelerations", "delay", "offset", "sign", "order", "mounting", "wall"),
        *("degrees", "degrees per second", "rpm", "counts", "effort unit", "clock", "clock alone"),
    }
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A log and the faults to give it. clean : whether the log itself is the case."""

    log: Log
    chosen: tuple[tuple[Fault, Any], ...]
    seed: int

    @property
    def key(self) -> str:
        return " | ".join((self.log.name, *(f"{fault.name} {size}" for fault, size in self.chosen)))


def study() -> str:
    """Run everything, or what is left of it where it was interrupted, and return the section for RESULTS.md."""
    return report(run(cases(ROBOTS, FIRST_SEED), Path(tempfile.gettempdir()) / f"dynident_doctor_{_code_digest()}.jsonl"))


def _code_digest() -> str:
    """Of the doctor and of what measures it, so that outcomes of other versions are not taken for its own."""
    own = [Path(__file__).with_name(f"{name}.py") for name in ("doctor", "doctor_judge", "doctor_logs", "faults")]
    digest = hashlib.sha256()
    for file in (*own, *sorted(Path(dynident.doctor.__file__).parent.rglob("*.py"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def cases(robots: Sequence[str], first_seed: int, *, pairs: int = PAIRS, recorded: bool = True) -> Iterator[Case]:
    """Logs without faults, each fault in each size, and pairs of faults."""
    yield from (Case(log=log, chosen=(), seed=0) for log in clean_logs(robots, first_seed, recorded=recorded))
    yield from single_cases(robots, first_seed, recorded=recorded)
    yield from pair_cases(robots, first_seed, pairs)


def clean_logs(robots: Sequence[str], first_seed: int, *, recorded: bool = True) -> Iterator[Log]:
    for number, robot in enumerate(robots):
        for turn, conditions in enumerate(CONDITIONS):
            if (number + turn) % 2 == 0:
                yield virtual_log(robot, first_seed + turn, conditions)
    if recorded:
        yield from recorded_logs()


def bases(robots: Sequence[str], seed: int, *, recorded: bool = True) -> tuple[Log, ...]:
    """Logs to make wrong, made under conditions that differ."""
    virtual = [virtual_log(robot, seed, BASES[(number + seed) % len(BASES)]) for number, robot in enumerate(robots)]
    return (*virtual, *(recorded_bases() if recorded else ()))


#: Conditions of the logs that are made wrong.
BASES = (
    Conditions(channels=("dq", "ddq")),
    Conditions(rate=200.0, seconds=15.0, channels=("dq", "ddq"), nominal="rough"),
    Conditions(rate=125.0, channels=("dq", "ddq"), errors=("ripple", "stribeck", "gravity")),
    Conditions(rate=100.0, channels=(), nominal="none"),
)


def single_cases(robots: Sequence[str], seed: int, *, recorded: bool = True) -> Iterator[Case]:
    """Every fault in every size, each on one of the logs that it can happen to, in turn."""
    logs = bases(robots, seed, recorded=recorded)
    for number, (fault, size) in enumerate([(item, size) for item in FAULTS for size in item.sizes]):
        suited = [log for log in logs if fault.suits(log)]
        yield Case(log=suited[number % len(suited)], chosen=((fault, size),), seed=seed)


def pair_cases(robots: Sequence[str], seed: int, count: int) -> Iterator[Case]:
    rng = np.random.default_rng([seed, 2])
    logs = bases(robots, seed + 1, recorded=False)
    possible = [pair for pair in combinations(FAULTS, 2) if _together(*pair)]
    for number in range(count):
        log = logs[number % len(logs)]
        suited = [pair for pair in possible if all(fault.suits(log) for fault in pair)]
        pair = suited[int(rng.integers(len(suited)))]
        yield Case(log=log, chosen=tuple((fault, fault.sizes[int(rng.integers(len(fault.sizes)))]) for fault in pair), seed=seed + number)


def _together(one: Fault, other: Fault) -> bool:
    """Whether both can be told of one log."""
    names = {one.name, other.name}
    if names & {"little motion", "standstill"}:  # both are new recordings, as is that on a wall
        return bool(names & OF_SIGNALS)
    return not any(names <= hiding for hiding in HIDING)


def run(chosen: Iterable[Case], file: Path) -> list[Outcome]:
    """The outcomes of all cases; those that the file already has are not run again."""
    known: dict[str, Outcome] = {}
    if file.exists():
        known = {row["key"]: Outcome(**row) for row in map(json.loads, file.read_text(encoding="utf-8").splitlines())}
    found: list[Outcome] = []
    with file.open("a", encoding="utf-8") as stream:
        for case in chosen:
            outcome = known.get(case.key)
            if outcome is None:
                outcome = examine(case)
                stream.write(json.dumps(asdict(outcome)) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
                said = (
                    "" if outcome.right and not outcome.wrong else f"   found {outcome.found}, told {outcome.told}, wrong {outcome.wrong}"
                )
                print(f"{len(found)} {case.key}: {outcome.seconds:.1f} s{said}", flush=True)
            found.append(outcome)
    return found


def examine(case: Case) -> Outcome:
    """Make a log wrong, ask the doctor, and judge what it says."""
    log, remedies = apply_faults(case.log, case.chosen, case.seed)
    start = time.perf_counter()
    diagnosis = diagnose(log.robot, log.data)
    seconds = time.perf_counter() - start
    return Outcome(
        key=case.key,
        kind=("clean", "single", "pair")[len(remedies)],
        faults=tuple(remedy.fault for remedy in remedies),
        found=tuple(is_named(remedy, log, diagnosis) for remedy in remedies),
        surely=tuple(is_named(remedy, log, diagnosis, sure=True) for remedy in remedies),
        told=tuple(f"{finding.name} ({finding.confidence.name.lower()})" for finding in diagnosis.findings),
        wrong=tuple(finding.name for finding in diagnosis.sure if not is_about(finding, remedies)),
        clean=held_out(log, case.log.true_robot, case.log.true_data) if remedies else None,
        faulty=held_out(log, log.robot, log.data) if remedies else None,
        fixed=held_out(log, *mend(remedies, log, diagnosis)) if remedies else None,
        seconds=seconds,
    )


def held_out(log: Log, robot: Robot, data: Dataset) -> float | None:
    """Error [%] on the test log of the model that is identified from a log as it is read here; None where there is none."""
    try:
        estimate = identify(robot, data, friction=linear())
    except DynidentError:
        return None
    problem = build_problem(log.true_robot, log.test, friction=linear())
    values = problem.base.coefficients(estimate.base.representative(estimate.values))
    return residuals(problem, values).relative_percent


def report(found: Sequence[Outcome]) -> str:
    """The section for RESULTS.md."""
    by_kind = {kind: [item for item in found if item.kind == kind] for kind in ("clean", "single", "pair")}
    clean, single, pair = by_kind.values()
    alarms = [item for item in clean if item.wrong]
    rows = [
        _row("single faults", single, "95 %"),
        _row("pairs of faults, both", pair, "85 %"),
        f"| logs without a fault, with a sure finding | {len(alarms)} of {len(clean)} | at most 1 |",
    ]
    judged = [item for item in (*single, *pair) if item.right and item.restored is not None]
    mended = sum(item.restored is True for item in judged)
    rows.append(f"| model of the fixed log as good as that of the log without the fault | {mended} of {len(judged)} |  |")
    names = list(dict.fromkeys(name for item in single for name in item.faults))
    table = [_fault_row(name, [item for item in single if name in item.faults]) for name in names]
    seconds = np.array([item.seconds for item in found])
    others = Counter(name for item in (*single, *pair) for name in item.wrong)
    return "\n".join(
        [
            "## The doctor",
            "",
            INTRODUCTION,
            "",
            "| what | measured | asked |",
            "|---|---|---|",
            *rows,
            "",
            f"An examination takes {np.median(seconds):.1f} s in the median, {seconds.max():.0f} s at most. Sure findings about something "
            f"else than the faults: {', '.join(f'{name} {count}' for name, count in others.most_common()) or 'none'}.",
            *(f"Without a fault, and yet: {item.key}: {', '.join(item.wrong)}." for item in alarms),
            "",
            "| fault | named | fixed as good as without it |",
            "|---|---|---|",
            *table,
        ]
    )


def _row(what: str, found: Sequence[Outcome], asked: str) -> str:
    right, surely = sum(item.right for item in found), sum(all(item.surely) for item in found)
    share = f"{right} of {len(found)} ({100.0 * right / max(len(found), 1):.1f} %), {surely} by sure findings"
    return f"| {what}: the right remedy is named | {share} | {asked} |"


def _fault_row(name: str, found: Sequence[Outcome]) -> str:
    judged = [item for item in found if item.right and item.restored is not None]
    mended = f"{sum(item.restored is True for item in judged)} of {len(judged)}" if judged else ""
    return f"| {name} | {sum(item.right for item in found)} of {len(found)} | {mended} |"
