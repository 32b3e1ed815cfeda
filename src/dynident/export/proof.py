# pyright: basic
"""The cross-engine proof: what was exported is loaded by another engine, and its torques are compared with our Newton-Euler.

A description that loads is not yet right: a frame or a sign that is off shows only in the torques. So every export is compared
on random states, and one that another engine understands differently is not handed out.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dynident.core.arrays import Array
from dynident.dynamics import inverse_dynamics
from dynident.errors import FileError
from dynident.export.code.c99 import c_name
from dynident.export.formats.mjcf import HOLDS as MJCF_HOLDS
from dynident.export.formats.mjcf import mjcf_tree, mujoco_module
from dynident.export.formats.original import locked_positions
from dynident.export.formats.simulator_friction import Held, held_friction
from dynident.export.formats.urdf import HOLDS as URDF_HOLDS
from dynident.export.formats.urdf import urdf_tree
from dynident.export.formats.yaml_file import parameters_from_yaml
from dynident.export.model import Comparison, DisagreementError, Exported, ExportModel, Original
from dynident.friction.model import friction_torque
from dynident.robots.formats.source_tree import SourceTree
from dynident.robots.robot import JointType, Robot

#: Largest difference of a joint's torque, as a share of that joint's largest torque.
TOLERANCE = 1e-9
#: A joint whose torques are smaller than this share of the largest joint's is judged by that.
_SMALL_JOINT = 1e-3
#: How generated C is compiled, here and in the tests.
C_FLAGS = ("-Wall", "-Wextra", "-Werror", "-std=c99", "-O2")

States = tuple[Array, Array, Array]


def random_states(robot: Robot, count: int = 1000, seed: int = 0) -> States:
    """q within the position limits (half a turn, 1 m at most), dq and ddq."""
    rng = np.random.default_rng(seed)
    reach = np.where([joint.type is JointType.PRISMATIC for joint in robot.joints], 1.0, np.pi)
    low, high = np.clip(robot.position_limits[:, 0], -reach, reach), np.clip(robot.position_limits[:, 1], -reach, reach)
    return rng.uniform(low, high, (count, robot.n)), rng.normal(size=(count, robot.n)), 3.0 * rng.normal(size=(count, robot.n))


def compare(engine: str, model: ExportModel, states: States, torques: Array, *, friction: bool = False) -> Comparison:
    """Another engine's torques (N, n) against ours; DisagreementError above the tolerance."""
    expected = inverse_dynamics(model.robot, model.parameters, *states)
    if friction and model.friction is not None and model.friction_parameters is not None:
        expected = expected + friction_torque(model.friction, model.friction_parameters, *states[1:])
    difference = np.abs(torques - expected).max(axis=0)
    scale = np.abs(expected).max(axis=0)
    relative = difference / np.maximum(scale, max(_SMALL_JOINT * float(scale.max()), np.finfo(float).tiny))
    worst = int(np.argmax(relative))
    if not np.all(relative <= TOLERANCE):
        raise DisagreementError(
            f"{engine} computes torques from the exported model that differ from dynident's by up to {difference[worst]:.3g} "
            f"(joint {model.robot.joint_names[worst]!r}, {relative[worst]:.2g} of its largest), so nothing was written"
        )
    return Comparison(engine=engine, states=len(torques), largest=float(difference.max()), relative=float(relative.max()))


def prove_urdf(model: ExportModel, exported: Exported, states: States) -> Comparison:
    """Pinocchio on the exported URDF."""
    import pinocchio as pin  # pyright: ignore[reportMissingImports]

    content = _main(exported)
    engine = pin.buildModelFromXML(content.decode("utf-8"))
    tree = _read_back(content, ".urdf", urdf_tree)
    engine.gravity = pin.Motion(_gravity_at_root(model.robot, tree), np.zeros(3))
    data, locked = engine.createData(), locked_positions(model.robot, tree)
    q = pin.neutral(engine)
    for name, position in locked.items():
        _set_position(engine, q, name, position)
    places = [engine.joints[engine.getJointId(name)].idx_v for name in model.robot.joint_names]
    v, a = np.zeros(engine.nv), np.zeros(engine.nv)
    torques = np.empty_like(states[0])
    for row, (own_q, own_v, own_a) in enumerate(zip(*states, strict=True)):
        for name, position in zip(model.robot.joint_names, own_q, strict=True):
            _set_position(engine, q, name, position)
        v[places], a[places] = own_v, own_a
        torques[row] = pin.rnea(engine, data, q, v, a)[places]
    held = held_friction(model, URDF_HOLDS, "URDF")
    _check_numbers("Pinocchio", model.robot, held, {name: np.asarray(getattr(engine, name))[places] for name in ("damping", "friction")})
    return compare("Pinocchio", model, states, torques)


def prove_mjcf(model: ExportModel, exported: Exported, states: States) -> Comparison:
    """MuJoCo on the exported MJCF."""
    from dynident.robots.formats.mjcf import strip_assets

    mj, content = mujoco_module(), _main(exported)
    tree = _read_back(content, ".xml", mjcf_tree)
    spec = mj.MjSpec.from_string(content.decode("utf-8"))
    strip_assets(mj, spec, keep_base=False)
    try:
        engine = spec.compile()
    except ValueError as error:
        raise DisagreementError(f"MuJoCo refuses the exported model, so nothing was written: {' '.join(str(error).split())}") from None
    engine.opt.gravity[:] = _gravity_at_root(model.robot, tree)
    data = mj.MjData(engine)
    for name, position in locked_positions(model.robot, tree).items():
        data.qpos[engine.joint(name).qposadr[0]] = position
    joints = [engine.joint(name) for name in model.robot.joint_names]
    positions, places = [joint.qposadr[0] for joint in joints], [joint.dofadr[0] for joint in joints]
    torques, result = np.empty_like(states[0]), np.empty(engine.nv)
    for row, (q, dq, ddq) in enumerate(zip(*states, strict=True)):
        data.qpos[positions], data.qvel[places], data.qacc[places] = q, dq, ddq
        for step in (mj.mj_kinematics, mj.mj_comPos, mj.mj_comVel):
            step(engine, data)
        mj.mj_rne(engine, data, 1, result)
        torques[row] = result[places]
    held = held_friction(model, MJCF_HOLDS, "MJCF")
    names = ("damping", "frictionloss", "armature")
    actual = {name: np.asarray(getattr(engine, f"dof_{name}")).reshape(engine.nv, -1)[places, 0] for name in names}
    _check_numbers("MuJoCo", model.robot, held, actual)
    return compare("MuJoCo", model, states, torques)


def prove_python(model: ExportModel, exported: Exported, states: States) -> Comparison:
    """The exported module itself, friction included."""
    module: dict[str, Any] = {}
    exec(compile(_main(exported), "exported model", "exec"), module)  # noqa: S102 (text that was made here)
    torques = module["inverse_dynamics"](*states) + module["friction"](*states[1:])
    return compare("The Python module", model, states, torques, friction=True)


def prove_c(model: ExportModel, exported: Exported, states: States) -> Comparison | None:
    """The exported C, compiled; None where there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = CLibrary.compiled(exported, Path(folder), c_name(model.robot.name), model.robot.n, compiler)
        rows = [library("inverse_dynamics", q, dq, ddq) + library("friction", dq, ddq) for q, dq, ddq in zip(*states, strict=True)]
    return compare("The compiled C", model, states, np.array(rows), friction=True)


def prove_yaml(model: ExportModel, exported: Exported, states: States) -> Comparison:
    """Our own dynamics with the parameters read back."""
    parameters = parameters_from_yaml(_main(exported), model.robot)
    return compare("dynident, from the file,", model, states, inverse_dynamics(model.robot, parameters, *states))


class CLibrary:
    """Functions of generated C, called from Python."""

    def __init__(self, library: ctypes.CDLL, prefix: str, n: int) -> None:
        from dynident.export.code.c99 import c_functions

        self.functions = {function.name: function for function in c_functions(n)}
        self.library, self.prefix = library, prefix

    @classmethod
    def compiled(cls, exported: Exported, folder: Path, prefix: str, n: int, compiler: str) -> CLibrary:
        for name, content in exported.files.items():
            (folder / name).write_bytes(content)
        target = folder / f"lib{prefix}.so"
        command = [compiler, *C_FLAGS, "-shared", "-fPIC", "-o", str(target), str(folder / f"{prefix}_model.c"), "-lm"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (our own compiler call)
        if run.returncode != 0:
            raise DisagreementError(f"the generated C can't be compiled, so nothing was written: {' '.join(run.stderr.split())[:300]}")
        return cls(ctypes.CDLL(str(target)), prefix, n)

    def __call__(self, name: str, *arguments: Array) -> Array:
        """The result, flat."""
        function, pointer = self.functions[name], ctypes.POINTER(ctypes.c_double)
        result = np.empty(function.size)
        arrays = [*(np.ascontiguousarray(argument, dtype=float) for argument in arguments), result]
        getattr(self.library, f"{self.prefix}_{name}")(*(array.ctypes.data_as(pointer) for array in arrays))
        return result


def _main(exported: Exported) -> bytes:
    return next(iter(exported.files.values()))


def _read_back(content: bytes, suffix: str, read: Callable[[Original], SourceTree]) -> SourceTree:
    """The exported text through our own reader."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"exported{suffix}"
        path.write_bytes(content)
        try:
            return read(Original(path=str(path), content=content))
        except FileError as error:
            raise DisagreementError(f"the exported model can't be read back, so nothing was written: {error}") from None


def _gravity_at_root(robot: Robot, tree: SourceTree) -> Array:
    """The robot's gravity in the frame of the file's root, whose joints before the robot's base are at zero."""
    names = [link.name for link in tree.links]
    base = robot.base_sources[0] if robot.base_sources else ""
    if base not in names:
        return robot.gravity
    pose = np.eye(4)
    for i in tree.path(names.index(base))[1:]:
        pose = pose @ tree.links[i].placement @ tree.links[i].after
    return (pose @ tree.links[names.index(base)].own)[:3, :3] @ robot.gravity


def _set_position(engine: Any, q: Array, name: str, position: float) -> None:
    joint = engine.joints[engine.getJointId(name)]
    if joint.nq == 2:  # Pinocchio keeps the angle of a continuous joint as (cos, sin)
        q[joint.idx_q : joint.idx_q + 2] = np.cos(position), np.sin(position)
    else:
        q[joint.idx_q] = position


def _check_numbers(engine: str, robot: Robot, held: Held, actual: Mapping[str, Array]) -> None:
    expected = dict(held.values) | {name: np.zeros(robot.n) for name in held.zero}
    for name, values in expected.items():
        if not np.allclose(values, actual[name], rtol=TOLERANCE, atol=0.0):
            raise DisagreementError(f"{engine} reads another {name} from the exported model of {robot.name} than was written")
