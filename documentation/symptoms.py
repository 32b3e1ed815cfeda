"""Makes docs/decide/symptoms.md, and the table of the page on the doctor: python -m documentation.symptoms

What a person sees, in his words, with the causes that it can have. Causes that the doctor finds are told in the words of its checks; only
which of them belong to which symptom is said here, and what is beyond a log.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from dynident.doctor.checks.registry import CHECKS

DOCS = Path(__file__).parents[1] / "docs"
RESULTS = Path(__file__).parents[1] / "benchmarks" / "RESULTS.md"
PAGE, DOCTOR = DOCS / "decide" / "symptoms.md", DOCS / "how-to" / "doctor.md"
DOCTOR_HEADING = "| finding | symptom | cause | fix |\n|---|---|---|---|\n"


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One that the doctor does not look for. tells : the command, or the number, that shows it."""

    what: str
    tells: str
    fix: str


@dataclass(frozen=True, kw_only=True)
class Symptom:
    """What a person sees. checks : of the doctor, the likeliest first; others : causes beyond a log."""

    seen: str
    answer: str
    checks: tuple[str, ...] = ()
    others: tuple[Cause, ...] = ()


SYMPTOMS = (
    Symptom(
        seen="My link weighs 100 kg",
        answer="Either all torques are wrong by a factor, or the log doesn't tell this mass and nothing held it back.",
        checks=("effort unit", "effort gains", "time base", "gravity", "effort sign", "position unit"),
        others=(
            Cause(
                what="the number is a coefficient, which sums up parameters of several links",
                tells="its *expression* in the table of `dynident identify`",
                fix="`dynident retrieve RUN` finds links ([how](../how-to/retrieve.md))",
            ),
            Cause(
                what="the data leave this mass open, and a bound or a prior chose it",
                tells="a long or grey bar under *Link parameters* of `dynident report RUN`",
                fix="`dynident retrieve RUN --total-mass 15 20`, or don't quote it ([what is known](../explanation/known.md))",
            ),
        ),
    ),
    Symptom(
        seen="The arm is far too light, or weighs nothing",
        answer="The efforts are not joint torques, or the controller has taken gravity out of them.",
        checks=("effort gains", "effort unit", "gravity compensated", "motor side"),
    ),
    Symptom(
        seen="I only have currents",
        answer="A current is a torque up to a gain per drive. `dynident gains` finds the gains, `dynident signs` missing signs.",
        checks=("effort gains", "motor side", "magnitudes", "unknown signs"),
        others=(
            Cause(
                what="the log holds motor currents [A]",
                tells="`dynident identify` says that it holds current rather than torque",
                fix="`dynident gains ROBOT UNLOADED --loaded FILE --payload-mass KG`, then `--effort-gains` ([how](../how-to/drives.md))",
            ),
        ),
    ),
    Symptom(
        seen="Gravity compensation drifts",
        answer="The gravity part of the model is wrong, or what friction hid at rest is taken for gravity.",
        checks=("joint zero", "gravity", "payload", "changing friction"),
        others=(
            Cause(
                what="a friction offset and a gravity torque that this log can't tell apart",
                tells="wide standard deviations of `fo` and of the `mc` coefficients",
                fix="a log in more poses, both ways through each: `dynident excite ROBOT -o FILE`",
            ),
            Cause(
                what="link parameters that predict worse than the coefficients",
                tells="`dynident validate RUN DATA` says to use the coefficients",
                fix="compensate with the coefficients: `dynident export RUN --coefficients --c FOLDER`",
            ),
        ),
    ),
    Symptom(
        seen="The torque error is 188 %",
        answer="More than 100 % is worse than predicting zero: a log of a few seconds, or something is turned, swapped or in another unit.",
        checks=("joint order", "effort sign", "position sign", "position unit", "time base", "velocity"),
        others=(
            Cause(
                what="a log too short for its coefficients, judged on another motion",
                tells="rank and dropped coefficients of `dynident identify`",
                fix="[how long a log](log-length.md)",
            ),
        ),
    ),
    Symptom(
        seen="The residual looks like a square wave",
        answer="It follows the sign of the velocity, so it is friction that the model lacks or has at the wrong size.",
        checks=("changing friction", "quantisation"),
        others=(
            Cause(
                what="no Coulomb friction in the model",
                tells="the plot *Friction* of `dynident report RUN`: dots on two levels, a line between them",
                fix="`--friction linear`, the default",
            ),
            Cause(
                what="friction of another form: it saturates, is larger near rest, or differs by direction",
                tells="`dynident identify ROBOT DATA -o RUN --friction auto`",
                fix="[which friction](friction.md)",
            ),
            Cause(
                what="friction that has changed since the identification",
                tells="`dynident friction RUN DATA -o RUN2`",
                fix="the same command: it fits friction alone, with the links of the run",
            ),
        ),
    ),
    Symptom(
        seen="The residual lags behind, or looks like the slope of the torque",
        answer="Efforts and positions are not of the same moments.",
        checks=("delay", "interpolated samples", "jitter"),
    ),
    Symptom(
        seen="The residual has spikes",
        answer="Something happened that is no dynamics: leave those moments out.",
        checks=("faulty samples", "contact", "saturation", "leaps", "gaps"),
    ),
    Symptom(
        seen="Friction is negative",
        answer="Friction that drives the robot is a sign that is wrong: of an effort, or of a velocity.",
        checks=("effort sign", "velocity", "position sign"),
    ),
    Symptom(
        seen="Half of my coefficients were dropped, or have huge standard deviations",
        answer="The motion doesn't excite them. More of the same motion hardly helps; another motion does.",
        checks=("excitation", "standstill", "quantisation"),
        others=(
            Cause(
                what="a log that is too short",
                tells="the last note of `dynident identify`: how many seconds would tell them",
                fix="[how long a log](log-length.md); `dynident excite ROBOT -o FILE --after RUN`",
            ),
        ),
    ),
    Symptom(
        seen="The fit is good, and on another log it is bad",
        answer="The model was fitted to what that log happened to show, or the robot was not the same on that day.",
        checks=("payload", "changing friction", "joint zero", "excitation"),
        others=(
            Cause(
                what="the held-out part repeated the motion of the fit",
                tells="a note of `dynident validate RUN DATA` says so",
                fix="judge by the cross-validated error, and record another motion ([how](../how-to/validate.md#is-it-a-new-motion))",
            ),
        ),
    ),
    Symptom(
        seen="The signals are staircases, or noise",
        answer="A lower cutoff makes most of it harmless; a better recording is better.",
        checks=("quantisation", "repeated samples", "interpolated samples", "jitter", "acceleration", "velocity"),
        others=(
            Cause(
                what="a cutoff that is too high for these sensors",
                tells="the error at 5 Hz and at 20 Hz of `dynident validate RUN DATA`, beside each other",
                fix="[which filter](filter.md)",
            ),
        ),
    ),
    Symptom(
        seen="MuJoCo refuses my URDF",
        answer="A link has no mass, or an inertia that no rigid body has; MuJoCo says *inertia must satisfy A + B >= C*.",
        others=(
            Cause(
                what="inertias of the description that can't exist",
                tells="`dynident check arm.urdf`: *violates the triangle inequality*",
                fix="`dynident repair arm.urdf -o repaired.urdf` ([how](../how-to/repair.md))",
            ),
            Cause(
                what="identified coefficients that were put into links by hand",
                tells="`dynident check` of that file",
                fix="`dynident retrieve RUN`, then `dynident export RUN --urdf FILE`, whose links can exist",
            ),
            Cause(
                what="xacro, or meshes that are not there",
                tells="`dynident convert arm.xacro -o arm.urdf` names what is missing",
                fix="the converted file ([which file](../how-to/robot-files.md))",
            ),
        ),
    ),
)


def page_text() -> str:
    """The page on symptoms."""
    found = "\n".join(f"| [{symptom.seen}](#{_anchor(symptom.seen)}) | {symptom.answer} |" for symptom in SYMPTOMS)
    sections = "\n\n".join(_section(symptom) for symptom in SYMPTOMS)
    return f"""<!-- Made by python -m documentation.symptoms; change it there. -->
# Symptoms, causes and remedies

Ask the doctor first: `dynident doctor ROBOT DATA` knows {len(CHECKS)} faults of a log, says how sure it is of each, and gives the option or
the line that mends it. `dynident identify` takes a quick look of its own and stops where a result would mean nothing.

| you see | in a sentence |
|---|---|
{found}

## What a fault does to the numbers

The recorded Panda log with one fault each (`python -m benchmarks.run decide`). The error of a fit sees no factor that all torques have:
links of 111 kg explain their log as well as those of 16.5 kg. The other faults show in the error, and the doctor names each.

{_faults()}

Lines such as `rate: 1000` below are those of the YAML beside the data; most of them are options too ([Find out what is wrong with a
log](../how-to/doctor.md)). Nothing fits? [Report a wrong result](../how-to/report-a-wrong-result.md).

{sections}
"""


def _faults() -> str:
    """The measured table."""
    return RESULTS.read_text(encoding="utf-8").split("### What a fault does to the numbers")[1].split("\n\n")[1]


def doctor_text() -> str:
    """The page on the doctor with the table of its checks."""
    before, _, rest = DOCTOR.read_text(encoding="utf-8").partition(DOCTOR_HEADING)
    _, _, after = rest.partition("\n\n")
    rows = "\n".join(f"| {check.name} | {check.symptom} | {check.cause} | {check.fix} |" for check in CHECKS.values())
    return f"{before}{DOCTOR_HEADING}{rows}\n\n{after}"


def _section(symptom: Symptom) -> str:
    rows = [f"| {check.cause} | the doctor's *{name}* | {check.fix} |" for name in symptom.checks for check in (CHECKS[name],)]
    rows += [f"| {cause.what} | {cause.tells} | {cause.fix} |" for cause in symptom.others]
    lines = "\n".join(rows)
    return f"## {symptom.seen}\n\n{symptom.answer}\n\n| cause | what tells it | what mends it |\n|---|---|---|\n{lines}"


def _anchor(heading: str) -> str:
    """As the site makes it of a heading."""
    kept = "".join(character for character in heading.lower() if character.isalnum() or character in " -_")
    return kept.strip().replace(" ", "-")


def main() -> None:
    PAGE.parent.mkdir(exist_ok=True)
    for page, text in ((PAGE, page_text()), (DOCTOR, doctor_text())):
        page.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{page.relative_to(DOCS)}  {len(text) / 1000:.0f} kB\n")


if __name__ == "__main__":
    main()
