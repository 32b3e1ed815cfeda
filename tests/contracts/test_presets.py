"""What every preset must do: say whose files it reads and where its names come from, and read a file that its recorder would write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dynident.data import list_presets, load_dataset
from dynident.data.reading.presets import read_preset
from dynident.errors import FileError, UnknownNameError

N = 40
TIME = 0.002 * np.arange(N)
RNG = np.random.default_rng(0)
Q, DQ, TAU = (RNG.normal(size=(N, 7)) for _ in range(3))
NAMES = [item.name for item in list_presets()]


def text(file: Path, columns: dict[str, np.ndarray], delimiter: str = ",", header_delimiter: str | None = None) -> Path:
    rows = np.column_stack(list(columns.values()))
    lines = [(header_delimiter or delimiter).join(columns), *(delimiter.join(repr(float(value)) for value in row) for row in rows)]
    file.write_text("\n".join(lines))
    return file


def numbered(form: str, values: np.ndarray, first: int = 0) -> dict[str, np.ndarray]:
    return {form.format(j + first): values[:, j] for j in range(values.shape[1])}


def rtde(field: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:  # blanks between the cells, as RTDE_Python_Client_Library writes by default
        target = numbered("target_q_{}", 9 + Q[:, :6]) | numbered("actual_TCP_pose_{}", Q[:, :6])
        own = numbered("actual_q_{}", Q[:, :6]) | numbered("actual_qd_{}", DQ[:, :6]) | numbered(field + "_{}", TAU[:, :6])
        return text(folder / "log.csv", {"timestamp": 1234.5 + TIME} | target | own, " ")

    return write


def libfranka(folder: Path) -> Path:
    states = {"q": Q, "q_d": 9 + Q, "dq": DQ, "dq_d": 9 + DQ, "tau_J": TAU, "tau_ext_hat_filtered": Q}
    columns = {"time": 1e3 * TIME, "success_rate": np.ones(N)}
    for name, values in states.items():
        columns |= numbered(f"state.{name}[{{}}]", values)
    return text(folder / "log.csv", columns | numbered("cmd.tau_J_d[{}]", Q), header_delimiter=", ")


def archive(folder: Path, **arrays: np.ndarray) -> Path:
    np.savez(folder / "log.npz", **arrays)
    return folder / "log.npz"


def kuka_rsi(folder: Path) -> Path:
    own = numbered("Receive.AIPos.A{}", np.degrees(Q[:, :6]), 1) | numbered("Receive.GearTorque.A{}", TAU[:, :6], 1)
    return text(folder / "log.csv", {"Receive.IPOC": 4208163634 + 1e3 * TIME, "Receive.RIst.X": TIME} | own)


def kinova(folder: Path) -> Path:
    forms = {"position": np.degrees(Q), "velocity": np.degrees(DQ), "torque": TAU, "current_motor": Q}
    columns = {"time": TIME}
    for name, values in forms.items():
        columns |= numbered(f"actuators[{{}}].{name}", values)
    return text(folder / "log.csv", columns)


def lerobot(folder: Path) -> Path:
    table = {"observation.state": Q.tolist(), "observation.velocity": DQ.tolist(), "observation.effort": TAU.tolist(), "action": Q.tolist()}
    times = {"timestamp": TIME, "frame_index": np.arange(N), "episode_index": np.zeros(N, dtype=int)}
    parquet.write_table(pa.table(table | times), folder / "episode_000000.parquet")
    return folder / "episode_000000.parquet"


#: A file as the recorder writes it, with Q, DQ and TAU; a preset without an entry here fails the suite.
WRITERS: dict[str, Callable[[Path], Path]] = {
    "ur_rtde": rtde("actual_current"),
    "ur_rtde_torque": rtde("actual_current_as_torque"),
    "libfranka": libfranka,
    "franka_state": lambda folder: archive(folder, time=TIME, q=Q, dq=DQ, tau_J=TAU, tau_J_d=Q, q_d=Q),
    "kuka_fri": lambda folder: text(
        folder / "log.csv",
        {"index": np.arange(N), "time": TIME} | numbered("mp{}", Q, 1) | numbered("ip{}", 9 + Q, 1) | numbered("mt{}", TAU, 1),
    ),
    "kuka_rsi": kuka_rsi,
    "kinova_kortex": kinova,
    "xarm": lambda folder: archive(folder, time=TIME, position=np.degrees(Q), velocity=np.degrees(DQ), effort=TAU),
    "lerobot": lerobot,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_reads_what_its_recorder_writes(name, tmp_path):
    data = load_dataset(WRITERS[name](tmp_path), preset=name)
    np.testing.assert_allclose(data.time - data.time[0], TIME, atol=1e-6)
    np.testing.assert_allclose(data.q, Q[:, : data.n])
    np.testing.assert_allclose(data.effort, TAU[:, : data.n])
    if data.dq is not None:
        np.testing.assert_allclose(data.dq, DQ[:, : data.n])
    assert data.effort_kind == ("current" if name == "ur_rtde" else "torque")


@pytest.mark.parametrize("item", list_presets(), ids=lambda item: item.name)
def test_a_preset_says_what_it_is_and_a_copy_of_it_does_the_same(item, tmp_path):
    assert item.about
    assert item.source.startswith("https://")
    assert set(WRITERS) == set(NAMES)
    copy = tmp_path / "mine.yaml"
    copy.write_text(Path(item.file).read_text())
    file = WRITERS[item.name](tmp_path)
    np.testing.assert_array_equal(load_dataset(file, preset=copy).q, load_dataset(file, preset=item.name).q)


def test_arguments_and_the_yaml_beside_the_data_go_before_a_preset(tmp_path):
    file = WRITERS["ur_rtde"](tmp_path)
    gained = load_dataset(file, preset="ur_rtde", effort_gains=2.0)
    assert gained.effort_kind == "torque"
    np.testing.assert_allclose(gained.effort, 2.0 * TAU[:, :6])
    file.with_name("log.csv.yaml").write_text("preset: ur_rtde\ncolumns: {q: target_q_*}\nunits: {effort: mA}")
    beside = load_dataset(file)
    np.testing.assert_allclose(beside.q, 9 + Q[:, :6])
    np.testing.assert_allclose(beside.effort, 1e-3 * TAU[:, :6])
    assert load_dataset(file, columns={"dq": None}).dq is None


def test_what_a_recorder_was_not_told_to_write_may_be_missing_but_not_the_positions(tmp_path):
    few = text(tmp_path / "few.csv", {"timestamp": TIME} | numbered("actual_q_{}", Q))
    data = load_dataset(few, preset="ur_rtde")
    assert (data.dq, data.effort) == (None, None)
    other = text(tmp_path / "other.csv", {"timestamp": TIME} | numbered("joint{}", Q))
    with pytest.raises(FileError, match=r"has no positions under the preset's name, actual_q_\*; found: timestamp, joint0.*; use"):
        load_dataset(other, preset="ur_rtde")


def test_positions_that_a_preset_does_not_name_have_their_usual_names(tmp_path):
    mine = tmp_path / "trace.yaml"
    mine.write_text('columns: {effort: "amps*"}\neffort_kind: magnitude\neffort_gains: 2.0')
    log = text(tmp_path / "log.csv", {"time": TIME} | numbered("q{}", Q) | numbered("amps{}", np.abs(TAU)))
    data = load_dataset(log, preset=mine)
    np.testing.assert_allclose(data.q, Q)
    np.testing.assert_allclose(data.effort, 2.0 * np.abs(TAU))


def test_presets_that_are_not_there(tmp_path):
    with pytest.raises(UnknownNameError, match=r"no preset named 'fanuc'; known: franka_state, .*; or give a YAML file of your own"):
        load_dataset(WRITERS["ur_rtde"](tmp_path), preset="fanuc")
    with pytest.raises(FileError, match="no such file"):
        read_preset(tmp_path / "absent.yaml")


def test_the_command_line_lists_and_shows_them(command, tmp_path):
    code, listed = command("presets")
    assert (code, all(name in listed for name in NAMES)) == (0, True)
    code, shown = command("presets", "libfranka")
    assert (code, "state.tau_J[0]:state.tau_J[6]" in shown) == (0, True)
    assert {item["name"] for item in json.loads(command("presets", "--json")[1])} == set(NAMES)
    assert command("presets", "fanuc")[0] == 2


def write_dataset_folder(folder: Path, names: object, fps: object = 500) -> Path:
    (folder / "meta").mkdir(parents=True)
    features = {"observation.state": {"dtype": "float32", "shape": [7], "names": names}}
    (folder / "meta" / "info.json").write_text(json.dumps({"codebase_version": "v2.1", "fps": fps, "features": features}))
    for episode in range(2):
        path = folder / "data" / "chunk-000" / f"episode_{episode:06d}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        index = np.arange(N, dtype=np.int64)
        table = {"observation.state": (Q + episode).tolist(), "observation.effort": TAU.tolist(), "timestamp": TIME.astype(np.float32)}
        parquet.write_table(pa.table(table | {"frame_index": index, "episode_index": np.full(N, episode)}), path)
    return folder


@pytest.mark.parametrize("motors", [[f"j{i}.pos" for i in range(7)], {"motors": [f"j{i}" for i in range(7)]}])
def test_a_lerobot_dataset_is_one_recording_with_an_episode_per_segment(motors, tmp_path):
    data = load_dataset(write_dataset_folder(tmp_path / "set", motors))
    assert data.starts == (0, N)
    np.testing.assert_allclose(data.q, np.concatenate([Q, Q + 1]))
    np.testing.assert_allclose(data.time, np.concatenate([TIME, TIME]), rtol=1e-12)
    assert data.joint_names == tuple(f"j{i}" for i in range(7))
    assert load_dataset(tmp_path / "set", joints=["j3", "j1"]).n == 2, "without a gripper, say"


def test_lerobot_datasets_that_lack_something(tmp_path):
    with pytest.raises(FileError, match="fps is None; a positive number was expected"):
        load_dataset(write_dataset_folder(tmp_path / "fps", None, fps=None))
    (tmp_path / "empty" / "meta").mkdir(parents=True)
    (tmp_path / "empty" / "meta" / "info.json").write_text('{"fps": 30}')
    with pytest.raises(FileError, match="has no Parquet file below its folder data; download"):
        load_dataset(tmp_path / "empty")
    (tmp_path / "empty" / "data").mkdir()
    parquet.write_table(pa.table({"action": TIME}), tmp_path / "empty" / "data" / "a.parquet")
    with pytest.raises(FileError, match=r"has no column 'observation\.state', which every LeRobot dataset has"):
        load_dataset(tmp_path / "empty")
