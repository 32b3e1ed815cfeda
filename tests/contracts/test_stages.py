"""Every stage of a run: what is written comes back equal in every bit, and a file that is damaged or forged is one sentence."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from dynident.core import records
from dynident.core.records import OpenedFile, RecordFile, Shape, encode, record_fields
from dynident.dynamics.friction import FRICTION_MODELS
from dynident.dynamics.friction.model import FrictionModel
from dynident.errors import FileError
from dynident.robots import load_robot
from dynident.runs import RunFolder, Stage, save_run
from tests.whole_run import all_stages


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("stages") / "run"
    save_run(folder, **all_stages(), seed=3)
    return folder


def differences(a: Any, b: Any, place: str = "") -> Iterator[str]:
    """Where two results differ in what files hold, types and orders of memory included."""
    if type(a) is not type(b):
        yield f"{place}: {type(a)} and {type(b)}"
    elif isinstance(a, np.ndarray):
        order = [array.flags.f_contiguous and not array.flags.c_contiguous for array in (a, b)]
        if a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes() or order[0] != order[1]:
            yield f"{place}: {a} and {b}"
    elif dataclasses.is_dataclass(a):
        for item in record_fields(type(a)):
            yield from differences(getattr(a, item.name), getattr(b, item.name), f"{place}.{item.name}")
    elif isinstance(a, dict):
        if list(a) != list(b):
            yield f"{place}: {list(a)} and {list(b)}"
        for key in a.keys() & b.keys():
            yield from differences(a[key], b[key], f"{place}[{key}]")
    elif isinstance(a, tuple | list):
        if len(a) != len(b):
            yield f"{place}: {len(a)} and {len(b)}"
        for i, (x, y) in enumerate(zip(a, b, strict=False)):
            yield from differences(x, y, f"{place}[{i}]")
    elif a != b and not (a != a and b != b):
        yield f"{place}: {a} and {b}"


def shared(value: Any, place: str = "") -> Iterator[tuple[int, str]]:
    """Identity and place of every record in a result."""
    if dataclasses.is_dataclass(value):
        yield id(value), place
        for item in record_fields(type(value)):
            yield from shared(getattr(value, item.name), f"{place}.{item.name}")
    elif isinstance(value, tuple | list):
        for i, item in enumerate(value):
            yield from shared(item, f"{place}[{i}]")


def groups(value: Any) -> set[frozenset[str]]:
    """Places that hold one and the same record."""
    found: dict[int, set[str]] = {}
    for number, place in shared(value):
        found.setdefault(number, set()).add(place)
    return {frozenset(places) for places in found.values() if len(places) > 1}


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: stage.key)
def test_it_comes_back_equal_in_every_bit_and_what_was_shared_is_shared(stage: Stage, run: Path):
    written, read = all_stages()[stage.key], RunFolder(run).read(stage)
    assert list(differences(written, read.result)) == []
    assert groups(read.result) == groups(written)
    assert str(read.result) == str(written)
    assert read.result.records() == written.records()


def test_some_of_it_is_shared():
    assert any({".base", ".problem.base"} <= places for places in groups(all_stages()["estimate"]))


def array_places(kind: Any, place: str = "", seen: frozenset[Any] = frozenset()) -> Iterator[tuple[str, bool]]:
    """Where arrays are declared within a type, and whether their shape is declared too."""
    if get_origin(kind) is Annotated:
        shaped = any(isinstance(mark, Shape) for mark in get_args(kind)[1:])
        yield from ((path, shaped or found) for path, found in array_places(get_args(kind)[0], place, seen))
    elif get_origin(kind) is np.ndarray:
        yield place, False
    elif get_args(kind):
        for part in get_args(kind):
            yield from array_places(part, place, seen)
    elif kind not in seen:
        for variant in records._VARIANTS.get(kind, {}).values():
            yield from array_places(variant, f"{place}:{variant.__name__}", seen | {kind})
        hints = get_type_hints(kind, include_extras=True) if dataclasses.is_dataclass(kind) or hasattr(kind, "_fields") else {}
        names = [item.name for item in record_fields(kind)] if dataclasses.is_dataclass(kind) else list(hints)
        for name in names:
            yield from array_places(hints[name], f"{place}.{name}", seen | {kind})


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: stage.key)
def test_every_array_says_its_shape(stage: Stage):
    assert [place for place, shaped in array_places(stage.kind) if not shaped] == []


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: stage.key)
def test_the_document_is_of_the_record(stage: Stage, run: Path):
    document, found = json.loads((run / stage.document).read_text()), RunFolder(run).read(stage)
    assert document["schema"] == stage.document_kind.SCHEMA
    assert document["files"] == {stage.file: found.digest}
    assert document["made_from"] == {Stage[key.upper()].file: digest for key, digest in found.origin.made_from.items()}
    assert set(found.origin.made_from) == {name.lower() for name in (*stage.value.made_from, *stage.value.beside)}


def complaint(run: Path, stage: Stage) -> str:
    """Of a FileError; any other error fails the test."""
    try:
        RunFolder(run).find(stage)
    except FileError as error:
        return str(error)
    return ""


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    for file in run.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: stage.key)
def test_damage_is_one_sentence(stage: Stage, copy: Path):
    """No changed byte goes unnoticed."""
    content = (copy / stage.file).read_bytes()
    rng = np.random.default_rng(0)
    damaged = [b"", b"{", b"\xff\xfe", content[: len(content) // 2], content[:-9], content + b"0", b"PK\x03\x04" + content[9:]]
    for place in rng.integers(0, len(content), 200).tolist():
        damaged.append(content[:place] + bytes([content[place] ^ int(rng.integers(1, 256))]) + content[place + 1 :])
    for change in damaged:
        (copy / stage.file).write_bytes(change)
        with pytest.raises(FileError, match=stage.file) as raised:
            OpenedFile(copy / stage.file, remedy="make it again")
        assert raised.value.remedy == "make it again"
    assert stage.file in complaint(copy, stage)


def forgeries(file: RecordFile, rng: np.random.Generator) -> Iterator[RecordFile]:
    """Files with digests that fit, of which one value in the text or one array is another."""
    junk = [None, True, -1, 7, 10**14, 0.5, "inf", "nan", "text", "Estimate", [], [1], {}, {"is": "Path"}, {"is": "Robot"}, "result.x"]

    def change(value: Any) -> Any:
        holders = [(value, key) for key in (value if isinstance(value, dict) else range(len(value)))]
        for container, key in holders:
            inner = container[key]
            if isinstance(inner, dict | list):
                holders += [(inner, item) for item in (inner if isinstance(inner, dict) else range(len(inner)))]
        container, key = holders[int(rng.integers(len(holders)))]
        container[key] = junk[int(rng.integers(len(junk)))]
        return value

    for _ in range(150):
        yield RecordFile(file.arrays, *(json.dumps(change(json.loads(text)), allow_nan=False) for text in (file.content, file.about)))
    for name, values in file.arrays.items():
        for other in (values[:0], values.astype(np.float32), np.full_like(values, -1), np.full(values.shape, np.nan), values[None]):
            yield RecordFile({**file.arrays, name: other}, file.content, file.about)
        yield RecordFile({key: item for key, item in file.arrays.items() if key != name}, file.content, file.about)


@pytest.mark.parametrize("stage", Stage, ids=lambda stage: stage.key)
def test_a_forged_file_is_read_or_is_one_sentence(stage: Stage, copy: Path):
    file = OpenedFile(copy / stage.file, remedy="").file
    sentences = 0
    for forged in forgeries(file, np.random.default_rng(1)):
        (copy / stage.file).write_bytes(forged.to_bytes())
        sentence = complaint(copy, stage)
        assert "\n" not in sentence
        sentences += bool(sentence)
    assert sentences > 50


def test_an_error_of_our_own_is_no_damage(run: Path, monkeypatch: pytest.MonkeyPatch):
    """It keeps its traceback."""

    def fail(*_: Any) -> None:
        raise TypeError("a bug")

    monkeypatch.setattr(RecordFile, "digest", property(fail))
    with pytest.raises(TypeError, match="a bug"):
        OpenedFile(run / Stage.ESTIMATE.file, remedy="")
    monkeypatch.undo()
    monkeypatch.setattr(records, "_load", fail)
    with pytest.raises(TypeError, match="a bug"):
        RunFolder(run).find(Stage.ESTIMATE)


def test_a_file_names_no_class_that_is_not_declared(copy: Path):
    file = OpenedFile(copy / Stage.ESTIMATE.file, remedy="").file
    content = json.loads(file.content)
    names = {item["is"] for item in content["objects"]}
    assert {"Estimate", "Robot", "Joint", "Problem", "Viscous", "Combined"} <= names
    for name in ("Path", "Popen", "dynident.robots.robot.Robot", "Validation", "StartStore"):
        content["objects"][-1]["is"] = name
        (copy / Stage.ESTIMATE.file).write_bytes(RecordFile(file.arrays, json.dumps(content), file.about).to_bytes())
        assert name in complaint(copy, Stage.ESTIMATE)


@pytest.mark.parametrize(
    "array", [np.zeros((2, 2), order="F"), np.arange(12.0).reshape(3, 4).T, np.arange(9.0)[::2], np.arange(12.0).reshape(3, 4)[:, 1:3]]
)
def test_arrays_in_any_order_of_memory(array: np.ndarray, tmp_path: Path):
    """Which safetensors would write wrongly."""
    from dynident.validation.metrics import Spectrum

    flat = np.asarray(array)
    spectrum = Spectrum(frequency=flat, measured=flat + 1.0, error=flat)
    file = encode({"result": spectrum}, {})
    (tmp_path / "s").write_bytes(file.to_bytes())
    for name, stored in OpenedFile(tmp_path / "s", remedy="").file.arrays.items():
        np.testing.assert_array_equal(stored, flat + (1.0 if name == "result.measured" else 0.0))
    assert set(file.arrays) == {"result.frequency", "result.measured"}  # each array once


@pytest.mark.parametrize("name", FRICTION_MODELS)
def test_every_friction_model_is_stored_by_its_class(name: str, tmp_path: Path):
    model = FRICTION_MODELS[name]()
    (tmp_path / "m").write_bytes(encode({"result": model}, {}).to_bytes())
    read = OpenedFile(tmp_path / "m", remedy="").content({"result": FrictionModel})["result"]
    assert (type(read), read.name, list(differences(model, read))) == (type(model), model.name, [])


@pytest.mark.parametrize("name", ["panda", "kuka_lwr4", "spatial_3r"])
def test_robots(name: str, tmp_path: Path):
    robot = load_robot(name)
    (tmp_path / "r").write_bytes(encode({"result": robot}, {}).to_bytes())
    assert list(differences(robot, OpenedFile(tmp_path / "r", remedy="").content({"result": type(robot)})["result"])) == []
