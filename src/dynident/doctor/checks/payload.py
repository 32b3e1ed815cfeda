"""A tool or a payload that the description doesn't have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dynident.doctor.case import Case
from dynident.doctor.explanation import explain, known_better, moments, predict
from dynident.doctor.finding import Check, CheckStage, Confidence, Evidence, Finding
from dynident.doctor.signals import compare_signals
from dynident.dynamics import torque_regressor

#: Nominal links are taken to be known to this factor here: what a payload adds is less than what links may be off by else.
_KNOWN_TO = 1.2
#: A payload is at most about this share of the arm, at this distance from the last link's frame [m].
_SHARE, _LEVER = 0.3, 0.2
#: Payloads from this share of the arm on are named, where they gain so much in -2 log p.
_LEAST, _GAIN = 0.02, 20.0


def _look(case: Case) -> Iterator[Finding]:
    rows, nominal = case.excerpt, case.robot.parameters
    if rows is None or nominal is None or case.prior.toward != "nominal links" or not np.any(case.robot.gravity):
        return
    prior = known_better(case.prior, _KNOWN_TO)
    before = explain(case.moments, prior)
    whole = float(nominal[:, 0].sum())
    Y = torque_regressor(case.robot, rows.q, rows.dq, rows.ddq)
    last = slice(10 * (case.robot.n - 1), 10 * (case.robot.n - 1) + 4)
    std = _SHARE * whole * np.array([1.0, _LEVER, _LEVER, _LEVER])
    after = explain(moments(case.robot, rows, Y[:, :, last]), prior, std)
    mass, gain = float(after.tangents[0]), before.cost - after.cost
    if mass < _LEAST * whole or gain < _GAIN:
        return
    joint = int(np.argmax(before.misfit - after.misfit))
    centre = after.tangents[1:] / mass
    yield Finding(
        name=CHECK.name,
        sentence=f"the arm carries about {mass:.2g} kg that the description doesn't have, a tool or a payload",
        confidence=Confidence.MEDIUM,
        evidence=(
            Evidence("mass", mass, "kg"),
            *(Evidence(f"centre {axis} in the last link's frame", value, "m") for axis, value in zip("xyz", centre.tolist(), strict=True)),
            Evidence("gain in log-probability", 0.5 * gain),
        ),
        advice="add it to the description, or weigh it with identify_payload; what is identified is the arm with it",
        signals=(
            compare_signals(
                f"effort of {case.names[joint]}",
                case.robot.joints[joint].units.effort,
                rows.time,
                rows.effort[:, joint],
                predict(case.robot, rows, replace(before, links=nominal.ravel()))[:, joint],
                what=("recorded effort", "nominal links with friction"),
            ),
        ),
    )


CHECK = Check(
    name="payload",
    symptom="nominal links that predict too little load in all joints, the more the farther from the base",
    cause="a tool or payload that is not in the description",
    fix="the tool in the description; `identify_payload` weighs it",
    stage=CheckStage.REST,
    look=_look,
)
