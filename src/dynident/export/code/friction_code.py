"""Friction models as code. A new friction model needs one entry here to be exported as C or Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dynident.errors import UnknownNameError
from dynident.export.code.graph import Graph, Node
from dynident.export.model import ExportModel
from dynident.friction.model import FrictionModel
from dynident.friction.smooth_coulomb import SmoothCoulomb


@dataclass(frozen=True)
class FrictionCode:
    """column : the regressor column of one joint as an expression of dq and ddq; python : the same as text for arrays."""

    column: Callable[[FrictionModel, Graph, Node, Node], Node]
    python: Callable[[FrictionModel], str]


def _threshold(model: FrictionModel) -> float:
    assert isinstance(model, SmoothCoulomb)  # noqa: S101 (its entry is the only one that asks)
    return model.threshold


FRICTION_CODE: dict[str, FrictionCode] = {
    "viscous": FrictionCode(lambda _, graph, dq, ddq: dq, lambda _: "dq"),
    "coulomb": FrictionCode(lambda _, graph, dq, ddq: graph.call("sign", dq), lambda _: "np.sign(dq)"),
    "smooth_coulomb": FrictionCode(
        lambda model, graph, dq, ddq: graph.call("tanh", dq * (1.0 / _threshold(model))),
        lambda model: f"np.tanh(dq / {_threshold(model)!r})",
    ),
    "offset": FrictionCode(lambda _, graph, dq, ddq: graph.node(1.0), lambda _: "1.0"),
    "armature": FrictionCode(lambda _, graph, dq, ddq: ddq, lambda _: "ddq"),
}


def friction_nodes(model: ExportModel, graph: Graph) -> list[Node]:
    """(n,) friction torque of every joint as an expression of dq and ddq."""
    torques = [graph.node(0.0)] * model.robot.n
    for kind, (term, numbers) in model.friction_terms().items():
        code = friction_code(kind)
        for i, value in enumerate(numbers[:, 0].tolist()):
            torques[i] = torques[i] + value * code.column(term, graph, graph.input(f"dq[{i}]"), graph.input(f"ddq[{i}]"))
    return torques


def friction_code(kind: str) -> FrictionCode:
    if kind not in FRICTION_CODE:
        raise UnknownNameError("friction model that can be written as code", kind, FRICTION_CODE)
    return FRICTION_CODE[kind]
