"""C99: the contact monitor of `dynident.validation.monitoring`, one sample at a time, with all of its memory in a struct of the caller's.

Momentum, its rate, the doubt about friction and the inertia matrix are straight-line code made from the same expressions as the dynamics;
the recursion, the covariance of the residuals and their distance are loops over the joints. No acceleration or Coriolis matrix is formed.
The time of a step doesn't depend on the data. The loops are in `monitor_template.c`, the struct and its functions in `monitor_template.h`.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import replace
from importlib import resources
from string import Template

import numpy as np

from dynident.core.arrays import Array
from dynident.core.names import identifier
from dynident.dynamics.friction.model import REFERENCE_TEMPERATURE, Motion
from dynident.exports.code.c_text import c_function, c_header, c_source
from dynident.exports.code.graph import Node
from dynident.exports.code.newton_euler import Dynamics
from dynident.exports.export_model import ExportModel
from dynident.exports.friction import friction_nodes
from dynident.exports.proof import TOLERANCE, DisagreementError, States
from dynident.exports.target import Request
from dynident.validation.monitoring.contact_monitor import LONGEST_PAUSE, OFFSET_ROUNDS, ContactMonitor

#: Samples at which a compiled monitor is compared, and the time between them [s].
_PROVEN, _STEP = 20, 1e-3
#: Type, name and length of a field of the struct.
_FIELD = re.compile(r"^  (double|int) (\w+)(?:\[\$(\w+)\])?;", re.MULTILINE)


def _template(suffix: str) -> Template:
    return Template(resources.files("dynident.exports.code").joinpath(f"monitor_template{suffix}").read_text(encoding="utf-8"))


def monitor_files(model: ExportModel, calibrated: ContactMonitor, request: Request) -> dict[str, str]:
    """The header and the source, by name. calibrated : gain and thresholds."""
    monitor, stem = replace(calibrated, model=model), f"{identifier(model.robot.name)}_monitor"
    words, n = _words(model, monitor), model.robot.n
    signature = f"static void find_balance({words['arguments']}, const double blur[{n}], double balance[{words['all']}])"
    balance = c_function(signature, (*monitor_inputs(model), "blur"), _balance(model, monitor), "balance")
    return {
        f"{stem}.h": c_header(stem, _about(model, monitor, request), _template(".h").substitute(words)),
        f"{stem}.c": c_source(stem, model.headline(), balance, _template(".c").substitute(words)),
    }


def monitor_inputs(model: ExportModel) -> tuple[str, ...]:
    """Arguments of a step beside the monitor and dt."""
    return ("q", "dq", "tau", "temperature") if model.needs_temperature else ("q", "dq", "tau")


def prove_monitor(library: ctypes.CDLL, model: ExportModel, calibrated: ContactMonitor, states: States) -> None:
    """DisagreementError where the compiled monitor's residuals along some samples are not those of `ContactMonitor.step`."""
    monitor, compiled = replace(calibrated, model=model), CMonitor(library, model)
    q, dq, effort = (values[:_PROVEN] for values in states)
    warmth = REFERENCE_TEMPERATURE + 10.0 * q
    state = monitor.start(q[0], dq[0], effort[0], temperature=warmth[0])
    worst, largest = 0.0, 0.0
    for k, sample in enumerate(zip(q, dq, effort, warmth, strict=True)):
        compiled.step(*sample[: len(monitor_inputs(model))], dt=_STEP)
        if k > 0:
            state = monitor.step(state, *sample[:3], _STEP, temperature=sample[3])
        worst = max(worst, float(np.abs(compiled.residual - state.residual).max()))
        largest = max(largest, float(np.abs(state.residual).max()))
    if not worst <= TOLERANCE * largest:
        raise DisagreementError(f"the compiled contact monitor's residuals differ from dynident's by up to {worst:.3g}")


def _sizes(n: int) -> dict[str, int]:
    """Lengths of arrays for n joints."""
    return {"n": n, "timers": n + 1, "doubt": 2 * n, "balance": 3 * n, "square": n * n, "all": 3 * n + n * n}


def _words(model: ExportModel, monitor: ContactMonitor) -> dict[str, str]:
    """What the templates leave open."""
    n, inputs = model.robot.n, monitor_inputs(model)
    same = np.all(monitor.gain == monitor.gain[0])
    gains = f"  static const double gain[{n}] = {{{_numbers(monitor.gain)}}};"
    return {name: str(size) for name, size in _sizes(n).items()} | {
        "prefix": identifier(model.robot.name),
        "rounds": str(OFFSET_ROUNDS),
        "unit": _ascii(model.robot.unit("effort")),
        "level_unit": "standard deviations" if np.any(monitor.noise.velocity) else _ascii(model.robot.unit("effort")),
        "velocity": _ascii(model.robot.unit("velocity")),
        "pause": repr(LONGEST_PAUSE),
        "arguments": ", ".join(f"const double {name}[{n}]" for name in inputs),
        "call": ", ".join(inputs),
        "levels": _numbers(monitor.level),
        "blurs": _numbers(monitor.blur),
        "velocity_noise": _numbers(monitor.noise.velocity**2),
        "effort_noise": _numbers(monitor.noise.effort**2),
        "distance_level": _numbers(np.array([monitor.distance_level])),
        "confirmation": repr(float(monitor.confirmation)),
        "decays": f"  const double a = exp(-{float(monitor.gain[0])!r} * dt);" if same else gains,
        "decay": "" if same else "      const double a = exp(-gain[j] * dt);\n",
    }


def _balance(model: ExportModel, monitor: ContactMonitor) -> list[Node]:
    """(3 n + n²,) momentum, its rate where nothing touches the robot, doubt about friction, inertia: `WatchedModel.balance`."""
    dynamics = Dynamics(model.robot, model.parameters)
    graph, n = dynamics.graph, model.robot.n
    value, drift = dynamics.momentum()
    q, dq, tau, blur, warmth = (dynamics.inputs(name) for name in ("q", "dq", "tau", "blur", "temperature"))
    inertia = dynamics.mass_matrix()
    for j, row in enumerate(monitor.model.rotors):
        for k in np.flatnonzero(row).tolist():
            value[j] = value[j] + float(row[k]) * dq[k]
            inertia[n * j + k] = inertia[n * j + k] + float(row[k])
    still = [graph.node(0.0)] * n
    above, below = [x + y for x, y in zip(dq, blur, strict=True)], [x - y for x, y in zip(dq, blur, strict=True)]
    high, low = (friction_nodes(model, graph, Motion(q, speed, still, tau, warmth)) for speed in (above, below))
    rate = [tau[j] + drift[j] - 0.5 * (high[j] + low[j]) for j in range(n)]
    return [*value, *rate, *(0.5 * abs(high[j] - low[j]) for j in range(n)), *inertia]


def _about(model: ExportModel, monitor: ContactMonitor, request: Request) -> list[str]:
    return [
        *request.opening(model),
        "",
        "Contact monitor: an observer of the generalised momentum, r = K (p - integral of (rate + r) - p(0)), K = "
        f"{', '.join(f'{gain:g}' for gain in dict.fromkeys(monitor.gain.tolist()))} 1/s.",
        model.units_sentence(),
        "All memory is in the struct; nothing is allocated, and monitors of several robots don't know each other.",
        _levels_text(monitor),
    ]


def _levels_text(monitor: ContactMonitor) -> str:
    known = monitor.calibration
    if known is not None:
        expected = f"{known.false_alarms:g} false alarms per hour are expected in motion like that"
        return f"Thresholds from {known.seconds:.3g} s of free motion ({known.source or 'a log'}): {expected}."
    return "Thresholds as they were given."


def _numbers(values: Array) -> str:
    return ", ".join("INFINITY" if np.isinf(value) else repr(float(value)) for value in values)


def _ascii(unit: str) -> str:
    return unit.replace("·", " ")


class CMonitor:
    """A compiled monitor, called from Python with samples one by one."""

    def __init__(self, library: ctypes.CDLL, model: ExportModel) -> None:
        sizes, double = _sizes(model.robot.n), ctypes.c_double
        types = {"double": double, "int": ctypes.c_int}
        fields = [
            (name, types[kind] * sizes[size] if size else types[kind]) for kind, name, size in _FIELD.findall(_template(".h").template)
        ]
        self._step = getattr(library, f"{identifier(model.robot.name)}_monitor_step")
        self.memory = type("Memory", (ctypes.Structure,), {"_fields_": fields})()
        self._inputs = [double * model.robot.n] * len(monitor_inputs(model))
        getattr(library, f"{identifier(model.robot.name)}_monitor_init")(ctypes.byref(self.memory))

    def step(self, *sample: Array, dt: float) -> int:
        """The last joint that is touched, -1 for none. sample : (n,) each, q, dq, effort and, where friction needs it, temperature."""
        arrays = [kind(*values) for kind, values in zip(self._inputs, sample, strict=True)]
        return int(self._step(ctypes.byref(self.memory), *arrays, ctypes.c_double(dt)))

    @property
    def residual(self) -> Array:
        return np.array(self.memory.residual)
