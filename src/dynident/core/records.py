"""Records as files: a record is a frozen dataclass, and its declared types determine how it is written, read back and checked.

A file is a safetensors file, which any program can read: the arrays, named by their place ("result.problem.factors[0]"), and a JSON text
with everything else. Every number is exact to the last bit, and what two places share is written once and shared again.

Files are not trusted. What is read is exactly of its declared type and shape: a file can't name a class that is not declared,
and safetensors compares the sizes that a file claims with its length before it reads an array. Damage is what these checks find, and
is one sentence (FileError); any other error is a bug and keeps its traceback.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cache, cached_property
from importlib.metadata import version
from inspect import isabstract
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

from dynident.core.files import write_atomically
from dynident.core.kinds import FACTORIES, Kind, Place, RefusedValue, each, enum_word, kind_of
from dynident.errors import DynidentError, FileError, UnknownNameError

T = TypeVar("T")
AnyArray: TypeAlias = "np.ndarray[Any, Any]"
#: Characters of the JSON text; a robot of seven joints needs 50,000.
_LONGEST = 20_000_000
#: No number of a robot is larger; the squares of such numbers can still be computed with.
_LARGEST = 1e100
#: Whole numbers up to this are exact as floats.
_LARGEST_INTEGER = 1 << 53
#: Names of the types of arrays, by NumPy's.
_TYPES = {"float64": "F64", "float32": "F32", "int64": "I64", "int32": "I32", "bool": "BOOL"}
#: Records within records.
_DEEPEST = 40

# -------------------------------------------------------------------------------------------------------------------- declaration


@dataclass(frozen=True)
class Shape:
    """Marks an array, or the length of a tuple: `Annotated[Array, Shape("b b")]`.

    One letter is one length in the whole file (n joints, p standard columns, b base parameters); "c#" is one for each place in the
    outermost list around it. A word is a sum such as 4, b+1 or 10n; * is any length.

    words : one word per dimension; "" for a single number.
    finite : whether numbers may be neither NaN nor infinite.
    positive : whether all numbers are above zero.
    nonnegative : whether none is below zero.
    diagonal : whether none on the diagonal is below zero, as in a covariance.
    filled : whether there is at least one.
    below : the letter that all numbers, which are indices, are below.
    """

    words: str
    finite: bool = True
    positive: bool = False
    nonnegative: bool = False
    diagonal: bool = False
    filled: bool = False
    below: str = ""


#: Schema of an array in a document, and the records and named tuples of the schemas that refer to them, by name.
NUMBERS = {"type": "array", "items": {"anyOf": [{"type": "number"}, {"$ref": "#/$defs/Numbers"}]}}
RECORDS: dict[str, type] = {}
#: By abstract class: the classes that a file may name in its place.
_VARIANTS: dict[type, dict[str, type]] = {}


def register_variants(base: type, *kinds: type) -> None:
    """Declare the classes of which an object may be where `base`, which is abstract, is declared. A file names them by their names."""
    _VARIANTS.setdefault(base, {}).update({kind.__name__: kind for kind in kinds})


class RecordField(NamedTuple):
    """A field of a record that is written to files."""

    name: str
    kind: Kind
    needed: bool


@cache
def record_fields(record: type) -> tuple[RecordField, ...]:
    """The fields of a record that are written to files, in their order."""
    hints = get_type_hints(record, include_extras=True)
    stored = [item for item in fields(record) if item.init and item.metadata.get("stored", True)]
    return tuple(
        RecordField(item.name, kind_of(hints[item.name]), item.default is MISSING and item.default_factory is MISSING) for item in stored
    )


# ------------------------------------------------------------------------------------------------------------------------ writing


@dataclass(frozen=True, eq=False)
class RecordFile:
    """The content of a file: arrays by place, the JSON text of the records, and the JSON text about their origin."""

    arrays: Mapping[str, AnyArray]
    content: str
    about: str

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the records, without the text about their origin."""
        digest = hashlib.sha256(self.content.encode())
        for name in sorted(self.arrays):
            values = np.ascontiguousarray(self.arrays[name])
            digest.update(f"{name} {values.dtype.str} {values.shape}".encode())
            digest.update(values.data)
        return digest.hexdigest()

    def to_bytes(self) -> bytes:
        """The file, the same for the same records: safetensors' own writer has no order, and writes Fortran's order of memory wrongly."""
        texts = {"content": self.content, "about": self.about, "digest": self.digest, "check": _check(self.digest, self.about)}
        header: dict[str, Any] = {"__metadata__": texts}
        parts: list[bytes] = []
        size = 0
        for name in sorted(self.arrays, key=lambda name: (-self.arrays[name].dtype.itemsize, name)):  # so that all are aligned
            values = self.arrays[name]
            parts.append(values.astype(values.dtype.newbyteorder("<")).tobytes())
            header[name] = {"dtype": _TYPES[values.dtype.name], "shape": values.shape, "data_offsets": [size, size + len(parts[-1])]}
            size += len(parts[-1])
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def encode(content: Mapping[str, Any], about: Mapping[str, Any]) -> RecordFile:
    """Records as a file holds them.

    content : records by name, of which the digest is made.
    about : records by name about how the content was made; without arrays.
    """
    writer = _Writer()
    return RecordFile(writer.arrays, writer.text(content), _Writer().text({"made_by": f"dynident {version('dynident')}", **about}))


def _check(digest: str, about: str) -> str:
    return hashlib.sha256(f"{digest} {about}".encode()).hexdigest()


def write_record(path: Path, value: Any) -> None:
    """Write a record as a file of its own."""
    write_atomically(path, encode({"result": value}, {}).to_bytes())


def read_record(path: Path, kind: type[T], *, remedy: str) -> T:
    """The record in a file that `write_record` wrote; FileError where the file is damaged or something else. remedy : makes it again."""
    return OpenedFile(path, remedy=remedy).content({"result": kind})["result"]


class _Writer:
    """Makes JSON of values. An array becomes its name, a record its number in `objects`; each is written once."""

    def __init__(self) -> None:
        self.arrays: dict[str, AnyArray] = {}
        self.fortran: list[str] = []
        self.objects: list[dict[str, Any]] = []
        self.known: dict[Any, tuple[Any, Any]] = {}  # the value is kept so that its address stays its own

    def text(self, content: Mapping[str, Any]) -> str:
        roots = {name: self.plain(value, name) for name, value in content.items()}
        return json.dumps({"roots": roots, "objects": self.objects, "fortran": self.fortran}, allow_nan=False)

    def plain(self, value: Any, place: str) -> Any:
        if isinstance(value, np.ndarray):
            array = cast("AnyArray", value)
            address = array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str
            return self._once(address, array, self._array, place)
        if is_dataclass(value):
            return self._once(id(value), value, self._record, place)
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            plain = [(key, self.plain(item, f"{place}[{key}]")) for key, item in items]
            return dict(plain) if all(isinstance(key, str) for key, _ in plain) else plain
        if isinstance(value, list | tuple):
            return [self.plain(item, f"{place}[{i}]") for i, item in enumerate(cast("Sequence[Any]", value))]
        if isinstance(value, Enum):
            return enum_word(value)
        number: Any = cast("Any", value).item() if isinstance(value, np.generic) else value
        if isinstance(number, float) and not math.isfinite(number):
            return str(number)  # JSON has no infinity
        if number is None or isinstance(number, bool | int | float | str):
            return number
        raise TypeError(f"{place} is a {type(number).__name__}, which no file can hold")

    def _once(self, key: Any, value: Any, write: Callable[[Any, str], Any], place: str) -> Any:
        if key not in self.known:
            self.known[key] = write(value, place), value
        return self.known[key][0]

    def _array(self, value: AnyArray, place: str) -> str:
        if value.flags.f_contiguous and not value.flags.c_contiguous:
            self.fortran.append(place)  # sums over another order of memory differ in the last bit
        self.arrays[place] = np.array(value, order="C")
        return place

    def _record(self, value: Any, place: str) -> int:
        kind: type = value.__class__
        for base, known in _VARIANTS.items():
            if isinstance(value, base) and kind.__name__ not in known:
                raise UnknownNameError(base.__name__, kind.__name__, sorted(known), remedy="a class must be registered to be saved")
        content = {item.name: self.plain(getattr(value, item.name), f"{place}.{item.name}") for item in record_fields(kind)}
        self.objects.append({"is": kind.__name__, **content})
        return len(self.objects) - 1


# ------------------------------------------------------------------------------------------------------------------------ reading


class OpenedFile:
    """A record file that is there and intact. digest : of its content; file : what it holds."""

    def __init__(self, path: Path, *, remedy: str, arrays: bool = True) -> None:
        """remedy : what makes the file again; arrays : False to read the text about the origin alone."""
        self.path, self.remedy = path, remedy
        texts, tensors = _open(path, remedy, arrays)
        self.digest, self.file = texts["digest"], RecordFile(tensors, texts["content"], texts["about"])
        if texts["check"] != _check(self.digest, self.file.about) or (arrays and self.file.digest != self.digest):
            raise FileError(path, "is damaged", remedy=remedy)

    def about(self, types: Mapping[str, Any]) -> dict[str, Any]:
        """The records about the origin of the content, by name. types : the declared types."""
        return self._read(self.file.about, {}, types, {})

    def content(self, types: Mapping[str, Any], given: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The records by name. types : their declared types; given : fields of theirs that are not stored."""
        return self._read(self.file.content, self.file.arrays, types, given or {})

    def _read(self, text: str, arrays: Mapping[str, AnyArray], types: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return _Reader(_load(text), arrays, given).read(types)
        except RefusedValue as refused:  # intact, but made by a version that declares other classes or fields, or by a stranger
            reason = f"is not as this version writes it ({refused}): it was made by another version, or is damaged"
            raise FileError(self.path, reason, remedy=self.remedy) from None
        except DynidentError as error:  # what the records themselves check
            raise FileError(self.path, f"is damaged: {error.message}", remedy=self.remedy) from None


def _open(path: Path, remedy: str, arrays: bool) -> tuple[dict[str, str], dict[str, AnyArray]]:
    """The texts and arrays of a file; FileError unless it has all that a record file has."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise FileError(path, "is not a file" if path.exists() else "no such file", remedy=remedy)
    damaged = FileError(path, "is damaged, or is not a record of dynident", remedy=remedy)
    try:  # nothing but the library's, whose errors are damage; one of ours would be a bug
        with cast("Any", safe_open)(path, framework="numpy") as opened:
            texts: dict[str, str] = opened.metadata() or {}
            tensors: dict[str, AnyArray] = {name: opened.get_tensor(name) for name in (opened.keys() if arrays else ())}
    except OSError as error:
        raise FileError(path, f"can't be read: {error.strerror or error}") from None
    except (SafetensorError, TypeError, AttributeError, ValueError):  # the last three for types that NumPy does not have
        raise damaged from None
    if texts.keys() != {"content", "about", "digest", "check"} or sum(map(len, texts.values())) > _LONGEST:
        raise damaged
    return texts, tensors


def _load(text: str) -> dict[str, Any]:
    def whole(digits: str) -> int:
        if len(digits) > 20 or abs(int(digits)) >= _LARGEST_INTEGER:
            raise RefusedValue("a number", digits, f"a whole number below {_LARGEST_INTEGER}")
        return int(digits)

    try:
        content = json.loads(text, parse_int=whole)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise RefusedValue("the text", text[:20], "a JSON object")
    return cast("dict[str, Any]", content)


class _Reader:
    """Makes records of what a file holds, by their declared types. A record is made of those that were written before it."""

    def __init__(self, text: Mapping[str, Any], arrays: Mapping[str, AnyArray], given: Mapping[str, Any]) -> None:
        place = Place("the text", file=self)
        fortran = kind_of(list[str]).read(text.get("fortran"), place / "fortran")
        self.arrays = {name: np.asfortranarray(values) if name in fortran else values for name, values in arrays.items()}
        self.roots = kind_of(Mapping[str, Any]).read(text.get("roots"), place / "roots")
        self.objects = kind_of(list[Any]).read(text.get("objects"), place / "objects")
        self.given, self.made = given, dict[int, Any]()
        self.end, self.depth = len(self.objects), 0
        self.lengths: dict[str, int] = {}
        self.limits: list[tuple[Place, AnyArray, str]] = []

    def read(self, types: Mapping[str, Any]) -> dict[str, Any]:
        values = {name: kind_of(hint).read(self.roots.get(name), Place(name, file=self)) for name, hint in types.items()}
        for place, indices, letter in self.limits:
            if indices.size and not (indices.min() >= 0 and indices.max() < self.lengths.get(letter, 0)):
                raise place.refuse(indices.max(), f"numbers below {self.lengths.get(letter)}")
        return values

    def record(self, number: Any, allowed: Mapping[str, type], at: Place) -> Any:
        if type(number) is not int or not 0 <= number < self.end or self.depth > _DEEPEST:
            raise at.refuse(number, "the number of a record that was written before")
        if number not in self.made:
            outside, self.end, self.depth = self.end, number, self.depth + 1
            self.made[number] = self._make(self.objects[number], allowed, at)
            self.end, self.depth = outside, self.depth - 1
        if type(self.made[number]) not in allowed.values():
            raise at.refuse(type(self.made[number]).__name__, " or ".join(allowed))
        return self.made[number]

    def _make(self, content: Any, allowed: Mapping[str, type], at: Place) -> Any:
        texts = cast("dict[str, Any]", content) if isinstance(content, dict) else {}
        kind = allowed.get(str(texts.get("is")))
        if kind is None:
            raise at.refuse(texts.get("is"), " or ".join(allowed))
        declared = record_fields(kind)
        names = {item.name for item in declared}
        missing = {item.name for item in declared if item.needed} - texts.keys()
        if missing or texts.keys() - names - {"is"}:
            raise at.refuse(f"a {kind.__name__} with {', '.join(texts.keys() - {'is'})}", f"one with {', '.join(names)}")
        values = {item.name: item.kind.read(texts[item.name], at / item.name) for item in declared if item.name in texts}
        given = {item.name: self.given[item.name] for item in fields(kind) if item.name not in names and item.name in self.given}
        return kind(**values, **(given if "." not in at.path else {}))

    def check_shape(self, value: Any, shape: Shape, at: Place) -> None:
        """Refuse a value of another shape, or with numbers that can't be there."""
        sizes = cast("AnyArray", value).shape if isinstance(value, np.ndarray) else (len(value),)
        first = _INDEX.search(at.path)
        words = shape.words.replace("#", f"_{first[1] if first else ''}").split()
        if len(sizes) != len(words) or not all(_fits(size, word, self.lengths) for size, word in zip(sizes, words, strict=True)):
            raise at.refuse(sizes, f"the shape ({', '.join(words)})")
        if isinstance(value, np.ndarray):
            array = cast("AnyArray", value)
            if array.dtype.kind == "f" and shape.finite and not bool(np.all(np.abs(array) < _LARGEST)):
                raise at.refuse("not finite", "finite numbers")
            if shape.positive and not bool(np.all(array > 0.0)):
                raise at.refuse("not positive", "positive numbers")
            if (shape.nonnegative and bool(np.any(array < 0.0))) or (shape.diagonal and bool(np.any(np.diag(array) < 0.0))):
                raise at.refuse("negative", "numbers that are not negative")
            if shape.filled and not array.size:
                raise at.refuse("empty", "at least one number")
            if shape.below:
                self.limits.append((at, array, shape.below))


_INDEX = re.compile(r"\[(\d+)\]")
_TERM = re.compile(r"([+-]?)(\d*)([a-z](?:_\d*)?)?")


def _fits(size: int, word: str, lengths: dict[str, int]) -> bool:
    """Whether a length is that of a sum of terms such as b+1 or 10n; a letter that is new gets what is left."""
    if word == "*":
        return True
    total, new = 0, ""
    for sign, count, letter in _TERM.findall(word):
        if letter and letter not in lengths:
            new = letter
            continue
        total += (-1 if sign == "-" else 1) * (int(count) if count else 1 if letter else 0) * (lengths[letter] if letter else 1)
    if new:
        lengths[new] = size - total
    return size >= total if new else size == total


# ------------------------------------------------------------------------------------------------------- kinds that only files have


def _shaped_kind(hint: Any) -> Kind | None:
    """Annotated[..., Shape(...)]."""
    shape = next((mark for mark in get_args(hint)[1:] if isinstance(mark, Shape)), None) if get_origin(hint) is Annotated else None
    if shape is None:
        return None
    inner = kind_of(get_args(hint)[0])

    def read(value: Any, at: Place) -> Any:
        result = inner.read(value, at)
        at.file.check_shape(result, shape, at)
        return result

    return Kind(read=read, expected=inner.expected, schema=inner.schema)


def _array_kind(hint: Any) -> Kind | None:
    if get_origin(hint) is not np.ndarray:
        return None
    dtype = np.dtype(get_args(get_args(hint)[1])[0])
    expected = f"an array of {dtype}"

    def read(value: Any, at: Place) -> AnyArray:
        array = at.file.arrays.get(value) if isinstance(value, str) else None
        if array is None or array.dtype != dtype:
            raise at.refuse(value, expected)
        return array

    return Kind(read=read, expected=expected, schema={"$ref": "#/$defs/Numbers"})


def _record_kind(hint: Any) -> Kind | None:
    """A dataclass, or an abstract class whose variants are registered."""
    if not _is_record(hint) and not isabstract(hint):
        return None
    kind, name = cast("type[Any]", hint), str(hint.__name__)
    RECORDS[name] = kind

    def read(value: Any, at: Place) -> Any:
        return at.file.record(value, _VARIANTS.get(kind, {}) if isabstract(kind) else {name: kind}, at)

    return Kind(read=read, expected=f"a {name}", schema={"$ref": f"#/$defs/{name}"})


def _is_record(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


def _named_tuple_kind(hint: Any) -> Kind | None:
    names: tuple[str, ...] | None = getattr(hint, "_fields", None)
    if names is None:
        return None
    hints = get_type_hints(hint, include_extras=True)
    RECORDS[hint.__name__] = hint
    listed = each([kind_of(hints[name]) for name in names], make=hint._make)
    return replace(listed, schema={"$ref": f"#/$defs/{hint.__name__}"})


def _numbered_kind(hint: Any) -> Kind | None:
    """A mapping from whole numbers, which JSON has not: pairs."""
    origin, arguments = get_origin(hint), get_args(hint)
    if not (isinstance(origin, type) and issubclass(origin, Mapping) and arguments and arguments[0] is int):
        return None
    item = kind_of(list[tuple[int, arguments[1]]])
    return Kind(read=lambda value, at: dict(item.read([] if value == {} else value, at)), expected="pairs", schema=item.schema)


FACTORIES.extend((_shaped_kind, _array_kind, _named_tuple_kind, _record_kind, _numbered_kind))
