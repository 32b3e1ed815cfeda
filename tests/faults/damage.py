"""Seeded damage to the content of a file: to its bytes, its text, its tree of JSON, YAML or XML, or its arrays.

A damage is a function of a random generator and the intact bytes to the damaged bytes. The same generator makes the same damage.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, TypeAlias
from xml.etree import ElementTree

import numpy as np
import yaml
from numpy.random import Generator

Damage: TypeAlias = Callable[[Generator, bytes], bytes]
Tables: TypeAlias = dict[str, np.ndarray]

#: What stands where a number should: no numbers, numbers that nothing has, numbers of other alphabets and other programs.
HOSTILE = (
    *("NaN", "nan", "inf", "-inf", "1e308", "-1e308", "1e400", "1e-320", "-0", "-0.0", "0", "", " ", "-1", "1e5", "1e9", "-1e12"),
    *("1" + "0" * 40, "9" * 400, "0x10", "1_000", "1,5", "1.2.3", "1e", "--1", "true", "null", "None", "~", "[]", "{}", "-", ".", "'"),
    *('"', "text", "é", "１２", "٣", "2024-05-01", "2024-05-01 12:00:00.020", "12:30:15", "\u202e1", "\u00a01", "\ufeff1", "&amp;"),
    *("<", "#", "%", "${1}", "$(x)", "../../x", "1 2", "pi", "90 deg", "1;2", "\t", "=1+1"),
)
#: The same as values of a tree.
HOSTILE_VALUES = (
    *(None, True, False, 0, -1, -0.0, 1e308, -1e308, 1e-320, 10**40, 10**400, 1e5, 0.5, float("nan"), float("inf"), -float("inf")),
    *("", "text", "NaN", "1e-3", "1e400", "inf", "é\u202e", "2024-05-01"),
    *([], {}, [[]], [None], {"a": 1}, [1, 2, 3], ["a", "b"], [[1.0, 2.0]]),
)
#: Names and types that an array may get.
_KEYS = ("unknown", "q", "M", "starts", "joint_names", "segment", "period", "mask", "gears", "temperature", "effort_kind", "é")
_TYPES = ("int64", "float32", "float16", "complex128", "bool", "str", "bytes", "datetime64[ns]", "timedelta64[ns]", "uint8", ">f8")
#: What a whole text may have in place of something else.
_EXCHANGES = ((",", ";"), (".", ","), ("\n", "\r"), ("\n", "\r\n"), (" ", "\t"), ("-", "\u2212"), (":", " "), ("\n", "\n\n"))
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"\w+")
_ODD = ("\x00", "\ufeff", "\u202e", "\u00a0", "\u2028", "😀", "\x1b[31m", "\r", "\v", "é", "\\", '"', "<", "{", ",", ";", "\n\n", "#")


def pick(rng: Generator, items: Sequence[Any]) -> Any:
    return items[int(rng.integers(len(items)))]


def damage_bytes(rng: Generator, content: bytes) -> bytes:
    """Flipped bits, a file that was cut off, blocks that are lost, doubled, blank or in another place."""
    raw = bytearray(content)
    size = len(raw)
    at = int(rng.integers(size))
    length = int(min(size - at, 2 ** rng.integers(0, 12)))
    kind = int(rng.integers(9))
    if kind <= 1:
        for place in rng.integers(size, size=1 if kind == 0 else int(rng.integers(2, 20))):
            raw[place] ^= 1 << int(rng.integers(8))
    elif kind == 2:
        del raw[at:]
    elif kind == 3:
        del raw[size - int(rng.integers(1, min(size, 64) + 1)) :]
    elif kind == 4:
        raw[at:at] = rng.bytes(length)
    elif kind == 5:
        del raw[at : at + length]
    elif kind == 6:
        raw[at:at] = raw[at : at + length]
    elif kind == 7:
        raw[at : at + length] = bytes(length)
    else:
        block, to = bytes(raw[at : at + length]), int(rng.integers(size))
        raw[to : to + length] = block
    return bytes(raw)


def damage_text(rng: Generator, content: bytes) -> bytes:
    """Numbers and words that are something else, lines that are lost, doubled, swapped, torn or joined, signs that don't belong there."""
    text = content.decode()
    lines = text.split("\n")
    line = int(rng.integers(len(lines)))
    at = int(rng.integers(len(text)))
    kind = int(rng.integers(14))
    if kind <= 5:
        found = list((_NUMBER if kind <= 4 else _WORD).finditer(text))
        place = pick(rng, found)
        text = text[: place.start()] + pick(rng, HOSTILE) + text[place.end() :]
    elif kind == 6:
        text = text[:at] + pick(rng, _ODD) + text[at:]
    elif kind == 7:
        text = text[:at] + text[at + 1 :]
    elif kind == 8:
        text = "\n".join(lines[:line] + lines[line + 1 :])
    elif kind == 9:
        text = "\n".join([*lines[: line + 1], *lines[line:]])
    elif kind == 10:
        other = int(rng.integers(len(lines)))
        lines[line], lines[other] = lines[other], lines[line]
        text = "\n".join(lines)
    elif kind == 11:
        lines[line] = lines[line][: int(rng.integers(len(lines[line]) + 1))]
        text = "\n".join(lines)
    elif kind == 12:
        text = "\n".join([*lines[:line], "".join(lines[line : line + 2]), *lines[line + 2 :]])
    else:
        old, new = pick(rng, _EXCHANGES)
        text = text.replace(old, new)
    return text.encode("utf-8", "surrogatepass")


def damage_tree(rng: Generator, tree: Any) -> Any:
    """A tree of mappings and lists in which a node is something else, lost, doubled, renamed, wrapped or in another place."""
    root: list[Any] = [deepcopy(tree)]
    for _ in range(int(rng.integers(1, 3))):
        _damage_node(rng, root)
    return root[0]


def _damage_node(rng: Generator, root: list[Any]) -> None:
    places = list(_places(root))
    holder, key = pick(rng, places)
    kind = int(rng.integers(9))
    if kind <= 3:
        holder[key] = deepcopy(pick(rng, HOSTILE_VALUES))
    elif kind == 4 and holder is not root:
        del holder[key]
    elif kind == 5 and isinstance(holder, list) and holder is not root:
        holder.insert(key, deepcopy(holder[key]))
    elif kind == 5 and isinstance(holder, dict):
        holder[pick(rng, ("unknown", "", "é", "name ", "__class__"))] = holder.pop(key)
    elif kind == 6:
        holder[key] = [holder[key]]
    elif kind == 7:
        other, place = pick(rng, places)
        value = deepcopy(other[place]) if _is_there(other, place) else 0
        holder[key] = value
    else:
        nested: Any = holder[key]
        for _ in range(int(rng.choice([2, 40, 1500]))):
            nested = [nested]
        holder[key] = nested


def _is_there(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else key < len(holder)


def _places(node: Any) -> Any:
    """(holder, key) of every node."""
    for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
        yield node, key
        if isinstance(value, (dict, list)):
            yield from _places(value)


def damage_json(rng: Generator, content: bytes) -> bytes:
    return _deep(lambda: json.dumps(damage_tree(rng, json.loads(content)), ensure_ascii=False).encode())


def damage_yaml(rng: Generator, content: bytes) -> bytes:
    return _deep(lambda: yaml.dump(damage_tree(rng, yaml.safe_load(content)), allow_unicode=True, sort_keys=False).encode())


def _deep(make: Callable[[], bytes]) -> bytes:
    """What can't be written because it is nested too deeply is such a nest."""
    try:
        return make()
    except RecursionError:
        return b"[" * 100_000


def damage_xml(rng: Generator, content: bytes) -> bytes:
    """Elements that are lost, doubled, renamed or in another place; attributes and texts that are something else."""
    ElementTree.register_namespace("xacro", "http://www.ros.org/wiki/xacro")
    root = ElementTree.fromstring(content)  # noqa: S314 (it is our own)
    parents = {child: parent for parent in root.iter() for child in parent}
    element = pick(rng, list(parents))
    parent, attributes = parents[element], list(element.attrib)
    kind = int(rng.integers(11))
    if kind <= 3 and attributes:
        name = pick(rng, attributes)
        words = element.attrib[name].split() or [""]
        words[int(rng.integers(len(words)))] = pick(rng, HOSTILE)
        element.attrib[name] = " ".join(words).replace("\x00", "")
    elif kind == 4 and attributes:
        del element.attrib[pick(rng, attributes)]
    elif kind == 5 and attributes:
        name = pick(rng, attributes)
        element.attrib[pick(rng, ("unknown", "name", "é"))] = element.attrib.pop(name)
    elif kind == 6:
        parent.remove(element)
    elif kind == 7:
        parent.append(deepcopy(element))
    elif kind == 8:
        element.tag = pick(rng, ("unknown", "link", "joint", "robot", "inertial", "body", "include", "é"))
    elif kind == 9:
        other = pick(rng, list(parents))
        other.append(deepcopy(element))
        parent.remove(element)
    else:
        element.text = pick(rng, HOSTILE)
    return ElementTree.tostring(root, encoding="unicode").encode()


def damage_arrays(rng: Generator, tables: Tables) -> Tables:
    """Arrays with other values, types, shapes and names; one that is lost, doubled, reversed, or in another unit."""
    found = dict(tables)
    name = pick(rng, list(found))
    values = np.array(found[name])
    kind = int(rng.integers(5))
    if kind == 0:
        found[name] = _other_values(rng, values)
    elif kind == 1:
        found[name] = _other_type(rng, values)
    elif kind == 2:
        found[name] = _other_shape(rng, values)
    elif kind == 3:
        del found[name]
        if rng.random() < 0.5:
            found[pick(rng, _KEYS)] = values
    else:
        other = pick(rng, list(found))
        found[name], found[other] = found[other], values
    return found


def _other_values(rng: Generator, values: np.ndarray) -> np.ndarray:
    if values.dtype.kind not in "iuf" or not values.size:
        return values
    changed = values.astype(float)
    kind = int(rng.integers(6))
    if kind <= 1:
        changed.flat[int(rng.integers(changed.size))] = pick(rng, (np.nan, np.inf, -np.inf, 1e308, -1e308, 1e200, 1e10, 1e5, -0.0, 1e-320))
    elif kind == 2:
        changed[:] = pick(rng, (0.0, np.nan, 1e308, 1.0))
    elif kind == 3:
        changed = changed * pick(rng, (-1.0, 1e3, 1e-3, 1e6, 1e9, 57.29577951308232, 1e300))
    elif kind == 4:
        changed = changed[::-1].copy()
    else:
        changed = changed + pick(rng, (1e9, 1.7e9, -1e3, 1.7e18))
    return changed


def _other_type(rng: Generator, values: np.ndarray) -> np.ndarray:
    if values.dtype.kind not in "iuf":
        return np.arange(3.0)
    kind = pick(rng, _TYPES)
    with np.errstate(all="ignore"):
        nanoseconds = (1e9 * values).astype(np.int64)
        return nanoseconds.astype(kind) if "64[" in kind else values.astype(kind)


def _other_shape(rng: Generator, values: np.ndarray) -> np.ndarray:
    kind = int(rng.integers(9))
    rows = values.reshape(len(values), -1) if values.ndim else values.reshape(1, 1)
    if kind == 0:
        return values.T
    if kind == 1:
        return values[: int(rng.integers(len(rows)))] if values.ndim else values
    if kind == 2:
        return rows[:, :-1]
    if kind == 3:
        return np.concatenate([rows, rows[:, :1]], axis=1)
    if kind == 4:
        return values[None]
    if kind == 5:
        return values.ravel()
    if kind == 6:
        return values.ravel()[:1].reshape(())
    if kind == 7:
        return values[:0] if values.ndim else values
    return np.concatenate([values, values[-3:]]) if values.ndim else values


def of_arrays(load: Callable[[bytes], Tables], save: Callable[[Tables], bytes]) -> Damage:
    """The damage to arrays of a format; what the format can't hold is damaged elsewhere."""

    def damage(rng: Generator, content: bytes) -> bytes:
        tables = load(content)
        for _ in range(20):
            try:
                return save(damage_arrays(rng, tables))
            except (TypeError, ValueError, OverflowError, NotImplementedError, IndexError, KeyError):
                continue
        return damage_bytes(rng, content)

    return damage


def load_npz(content: bytes) -> Tables:
    with np.load(io.BytesIO(content)) as archive:
        return {name: archive[name] for name in archive.files}


def save_npz(tables: Tables) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **tables)
    return stream.getvalue()


def load_parquet(content: bytes) -> Tables:
    from pyarrow import parquet

    table = parquet.read_table(io.BytesIO(content))
    return {name: table.column(name).to_numpy() for name in table.column_names}


def save_parquet(tables: Tables) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    stream = io.BytesIO()
    columns = {name: values.tolist() if values.ndim > 1 else np.ascontiguousarray(values) for name, values in tables.items()}
    parquet.write_table(pa.table(columns), stream)
    return stream.getvalue()


def load_hdf5(content: bytes) -> Tables:
    import h5py

    with h5py.File(io.BytesIO(content), "r") as file:
        return {str(name): np.array(item) for name, item in file.items()}


def save_hdf5(tables: Tables) -> bytes:
    import h5py

    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        for name, values in tables.items():
            file[name] = values.astype("S") if values.dtype.kind == "U" else values
    return stream.getvalue()


def load_mat(content: bytes) -> Tables:
    from scipy.io import loadmat

    return {name: values for name, values in loadmat(io.BytesIO(content)).items() if not name.startswith("__")}


def save_mat(tables: Tables) -> bytes:
    from scipy.io import savemat

    stream = io.BytesIO()
    savemat(stream, tables)
    return stream.getvalue()
