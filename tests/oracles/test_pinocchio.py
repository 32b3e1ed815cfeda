"""Every kernel against Pinocchio, to 1e-10 relative, with gravity in a random direction."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import dynident
from dynident.robots.parameters import change_of_frame, from_pinocchio
from tests.oracles.machines import NAMES, machine, pinocchio_model, states

TOLERANCE = 1e-10


def agree(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Relative to the largest entry, so that entries that vanish by cancellation don't count as errors."""
    assert ours.shape == theirs.shape
    return float(np.max(np.abs(ours - theirs))) <= TOLERANCE * float(np.max(np.abs(theirs)))


def symmetric(upper: np.ndarray) -> np.ndarray:
    """Pinocchio fills one triangle."""
    return np.triu(upper) + np.triu(upper, 1).T


class Pair:
    """A robot in both libraries, and states."""

    def __init__(self, name: str) -> None:
        self.robot = machine(name)
        self.parameters = self.robot.parameters
        self.model, _ = pinocchio_model(self.robot)
        self.data = self.model.createData()
        self.q, self.dq, self.ddq = states(self.robot)

    def pinocchio(self, function, *arrays: np.ndarray) -> np.ndarray:
        return np.array([np.array(function(self.model, self.data, *row)) for row in zip(*arrays, strict=True)])


@pytest.fixture(params=NAMES, scope="module")
def pair(request: pytest.FixtureRequest) -> Pair:
    return Pair(request.param)


def test_inverse_dynamics(pair: Pair) -> None:
    ours = dynident.dynamics.inverse_dynamics(pair.robot, pair.parameters, pair.q, pair.dq, pair.ddq)
    assert agree(ours, pair.pinocchio(pin.rnea, pair.q, pair.dq, pair.ddq))


def test_joint_wrenches(pair: Pair) -> None:
    """Frame, order and sign are those of `data.f`; the joint's axis picks the effort out of them."""

    def transmitted(model, data, *state: np.ndarray) -> np.ndarray:
        pin.rnea(model, data, *state)
        return np.array([force.vector for force in data.f[1:]])

    ours = dynident.dynamics.joint_wrenches(pair.robot, pair.parameters, pair.q, pair.dq, pair.ddq)
    assert agree(ours, pair.pinocchio(transmitted, pair.q, pair.dq, pair.ddq))
    along = np.array([joint.type == "prismatic" for joint in pair.robot.joints])
    axes = np.array([joint.axis for joint in pair.robot.joints])
    felt = np.einsum("Nja,ja->Nj", np.where(along[:, None], ours[..., :3], ours[..., 3:]), axes)
    M = dynident.dynamics.mass_matrix(pair.robot, pair.parameters, pair.q)
    rest = dynident.dynamics.coriolis_vector(pair.robot, pair.parameters, pair.q, pair.dq)
    rest += dynident.dynamics.gravity(pair.robot, pair.parameters, pair.q)
    assert agree(felt, np.einsum("Njk,Nk->Nj", M, pair.ddq) + rest)


def test_gravity(pair: Pair) -> None:
    ours = dynident.dynamics.gravity(pair.robot, pair.parameters, pair.q)
    assert agree(ours, pair.pinocchio(pin.computeGeneralizedGravity, pair.q))


def test_coriolis_vector(pair: Pair) -> None:
    bias = pair.pinocchio(pin.nonLinearEffects, pair.q, pair.dq)
    weight = pair.pinocchio(pin.computeGeneralizedGravity, pair.q)
    assert agree(dynident.dynamics.coriolis_vector(pair.robot, pair.parameters, pair.q, pair.dq), bias - weight)


def test_mass_matrix(pair: Pair) -> None:
    theirs = pair.pinocchio(lambda m, d, q: symmetric(pin.crba(m, d, q)), pair.q)
    assert agree(dynident.dynamics.mass_matrix(pair.robot, pair.parameters, pair.q), theirs)


def test_coriolis_matrix(pair: Pair) -> None:
    ours = dynident.dynamics.coriolis_matrix(pair.robot, pair.parameters, pair.q, pair.dq)
    assert agree(ours, pair.pinocchio(pin.computeCoriolisMatrix, pair.q, pair.dq))


def test_momentum(pair: Pair) -> None:
    found = dynident.dynamics.momentum(pair.robot, pair.parameters, pair.q, pair.dq)
    value = pair.pinocchio(lambda m, d, q, v: symmetric(pin.crba(m, d, q)) @ v, pair.q, pair.dq)
    slope = pair.pinocchio(lambda m, d, q, v: pin.computeCoriolisMatrix(m, d, q, v).T @ v, pair.q, pair.dq)
    assert agree(found.value, value)
    assert agree(found.drift, slope - pair.pinocchio(pin.computeGeneralizedGravity, pair.q))


def test_forward_dynamics(pair: Pair) -> None:
    ours = dynident.dynamics.forward_dynamics(pair.robot, pair.parameters, pair.q, pair.dq, pair.ddq)
    assert agree(ours, pair.pinocchio(pin.aba, pair.q, pair.dq, pair.ddq))


def test_energies(pair: Pair) -> None:
    kinetic = pair.pinocchio(pin.computeKineticEnergy, pair.q, pair.dq)
    potential = pair.pinocchio(pin.computePotentialEnergy, pair.q)
    assert agree(dynident.dynamics.kinetic_energy(pair.robot, pair.parameters, pair.q, pair.dq), kinetic)
    assert agree(dynident.dynamics.potential_energy(pair.robot, pair.parameters, pair.q), potential)


def pinocchio_regressor(pair: Pair, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> np.ndarray:
    """Pinocchio's torque regressor (N, n, n, 10) in our order and our parameter frames."""
    n = pair.robot.n
    theirs = from_pinocchio(pair.pinocchio(pin.computeJointTorqueRegressor, q, dq, ddq).reshape(-1, n, n, 10))
    return np.stack([theirs[:, :, i] @ change_of_frame(link.placement) for i, link in enumerate(pair.robot.links)], axis=2)


def test_torque_regressor(pair: Pair) -> None:
    theirs = pinocchio_regressor(pair, pair.q, pair.dq, pair.ddq).reshape(len(pair.q), pair.robot.n, -1)
    assert agree(dynident.dynamics.torque_regressor(pair.robot, pair.q, pair.dq, pair.ddq), theirs)


def test_inertia_gravity_regressor(pair: Pair) -> None:
    """Row by row from torque regressors at rest: gravity alone, then a unit acceleration of one joint."""
    n, q = pair.robot.n, pair.q[:20]
    still = np.zeros_like(q)
    weight = pinocchio_regressor(pair, q, still, still).reshape(len(q), n, -1)
    columns = []
    for k in range(n):
        unit = still.copy()
        unit[:, k] = 1.0
        columns.append(pinocchio_regressor(pair, q, still, unit).reshape(len(q), n, -1) - weight)
    inertia = np.stack([columns[k][:, j] for j, k in zip(*np.tril_indices(n), strict=True)], axis=1)
    assert agree(dynident.dynamics.inertia_gravity_regressor(pair.robot, q), np.concatenate([inertia, weight], axis=1))
