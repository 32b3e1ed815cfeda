"""Reading text, YAML and JSON with clear errors, and writing files so that a crash leaves the old one or the new one."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import os
import re
import signal
import stat
import tempfile
import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import yaml

from dynident.errors import FileError, InputError, MissingFileError

#: Descriptions, options and results as text are smaller [bytes].
_LARGEST = 200 << 20
#: Values of a YAML file, aliases written out.
_MOST_VALUES = 1_000_000
#: How names of files end that are being written.
_PART = ".part"


def read_bytes(path: str | Path) -> bytes:
    """The file's content; FileError when it is missing, a folder or unreadable."""
    file = Path(path)
    try:
        if file.exists() and not file.is_file() and not file.is_dir():
            raise FileError(file, "is a device or a pipe; copy what comes from it to a file first")
        if file.is_file() and file.stat().st_size > _LARGEST:
            raise FileError(
                file, f"has {file.stat().st_size >> 20} MB, more than a file of this kind ever has; check that it is the right one"
            )
        return file.read_bytes()
    except ValueError:  # a character of the value 0
        raise FileError(repr(str(file)), "can't be the name of a file; check the path") from None
    except FileNotFoundError:
        raise MissingFileError(file, "no such file; check the path") from None
    except IsADirectoryError:
        raise FileError(file, "is a folder; a file was expected") from None
    except OSError as error:
        raise FileError(file, f"can't be read: {error.strerror}") from None


def read_text(path: str | Path) -> str:
    """The file's text, lines ending as everywhere in Python; FileError when there is none or it is not UTF-8."""
    return decode_text(path, read_bytes(path))


def decode_text(path: str | Path, content: bytes) -> str:
    """`read_text` of a file whose bytes have been read. path : for messages."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(path, "is not text (UTF-8); check that it is the right file") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_csv(path: str | Path, text: str) -> list[list[str]]:
    """The cells of a small table in commas, line by line; FileError for one that is none. path : for messages."""
    rows: list[list[str]] = []
    try:
        rows.extend(csv.reader(text.splitlines(), skipinitialspace=True))
    except csv.Error as error:  # a cell that is too long
        raise FileError(path, f"can't be read as a table: {error}; correct that line", place=f"line {len(rows) + 1}") from None
    return rows


def read_json(path: str | Path) -> dict[str, Any]:
    """The object in a JSON file that dynident wrote."""
    try:
        content = json.loads(read_text(path), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise FileError(path, f"is not valid JSON: {error.msg}; make it again", place=f"line {error.lineno}") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, or lists in lists without end
        raise FileError(path, "is not what was expected there; make it again") from None
    if not isinstance(content, dict):
        raise FileError(path, "is not what was expected there; make it again")
    return cast("dict[str, Any]", content)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def json_text(content: Any) -> str:
    """JSON as people read it too, of plain values and records. NaN and infinity, which JSON doesn't have, are refused in plain values.

    A file name that is not UTF-8 has halves of surrogate pairs in Python; they become escapes, which JSON reads back as they were.
    """
    from dynident.core.documents import to_json

    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False, default=to_json) + "\n"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def finite_or_none(value: float) -> float | None:
    """A number for JSON, which has no NaN and no infinity."""
    return float(value) if math.isfinite(value) else None


def read_yaml(path: str | Path) -> dict[str, Any]:
    """The mapping in a YAML file. Tags can't construct objects, and a key written twice is an error."""
    return parse_yaml(path, read_text(path))


def parse_yaml(path: str | Path, text: str, *, large: bool = False) -> dict[str, Any]:
    """The mapping in the text of a YAML file. path : for messages; large : thousands of lines, for libyaml's parser where there is one."""
    try:
        content = construct_yaml(text, _FastLoader if large else _UniqueKeyLoader)
    except RecursionError:
        raise FileError(path, "can't be read as YAML: it is nested too deeply") from None
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date or number that isn't one, such as 2020-13-40
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or (str(error) if isinstance(error, ValueError) else "not valid YAML")
        raise FileError(path, f"can't be read as YAML: {problem}", place=place) from None
    if not isinstance(content, dict):
        problem = "is empty; " if content is None else ""
        raise FileError(path, f"{problem}a mapping (key: value lines) was expected")
    return cast("dict[str, Any]", content)


@contextmanager
def errors_in_file(file: str | Path, place: str = "") -> Generator[None]:
    """Within, an InputError becomes a FileError about this file."""
    try:
        yield
    except FileError:
        raise
    except InputError as error:
        raise FileError(file, error.message, place=place, remedy=error.remedy) from None


def check_utf8_name(path: str | Path, program: str) -> None:
    """FileError where a path is not UTF-8 (halves of surrogate pairs in Python) and is to be opened by a program that wants UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise FileError(path, f"has a name that is not UTF-8, and {program} can't open it; rename the file or its folder") from None


def file_digest(path: str | Path) -> str:
    """SHA-256 of a file's bytes; FileError when it can't be read."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise FileError(path, f"can't be read: {error.strerror}") from None


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Write one file as `write_files` does."""
    write_files({Path(path): content})


def write_files(contents: Mapping[Path, str | bytes], *, remove: Iterable[Path] = ()) -> None:
    """Write files that may be anywhere: none is replaced before all of them are on the disk, and then in their order.

    What stands in the way of one, a link for example, is refused. remove : files that go before the first is replaced.
    """
    written: dict[Path, str] = {}
    with interrupted_later():
        try:
            for path, content in contents.items():
                check_replaceable(path)
                with clear_errors(path):
                    remove_leftovers(path)
                    written[path] = write_beside(path, content)
            for path in remove:
                with clear_errors(path):
                    path.unlink(missing_ok=True)
            for path in contents:
                with clear_errors(path):
                    replace_file(written[path], path)
                del written[path]
        finally:
            for name in written.values():
                with suppress(OSError):
                    Path(name).unlink(missing_ok=True)


@contextmanager
def make_parents(folder: Path) -> Generator[None]:
    """Within, the folder and those above it are there; where the block fails, those that were made for it go again if they are empty."""
    made: list[Path] = []
    try:
        with clear_errors(folder):
            for path in (*reversed(folder.parents), folder):
                if not path.exists():
                    with suppress(FileExistsError):  # another process has made it just now
                        path.mkdir()
                        made.append(path)
        yield
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir()
        raise


@contextmanager
def interrupted_later() -> Generator[None]:
    """Ctrl-C, and what raises it again, waits until the block has ended: for moments in which files would be left in part."""
    if threading.current_thread() is not threading.main_thread():  # Python raises it in the main thread only
        yield
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in (signal.SIGINT, signal.SIGALRM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)


def place_below(folder: str | Path, *names: str) -> Path:
    """The path of a file or folder that dynident names itself, inside a folder that the user named.

    The folder may be reached through links, as temporary folders often are. Names below it may not be links: a folder of somebody else
    could lead to any file of the user. Raises FileError.
    """
    path = Path(folder)
    for name in names:
        path /= name
        refuse_link(path)
    return path


def refuse_link(path: Path) -> None:
    """FileError where something that is to be written is a link, also one that leads nowhere."""
    if os.path.islink(path):
        raise FileError(path, "is a link, and nothing is written through a link; remove the link, or name another place")


def check_replaceable(path: Path) -> None:
    """FileError where something other than a file, such as a link, stands in the way of one that dynident names itself."""
    refuse_link(path)
    if os.path.lexists(path) and not is_plain(path):
        raise FileError(path, "is a folder, a device or a pipe, and a file is to be written there; move it away, or name another place")


def check_writable(folder: str | Path, *names: str) -> None:
    """FileError unless the folder can be made or written to; to be asked before long work, not only after it.

    names : of files that will be made or replaced in it.
    """
    target = Path(folder)
    with clear_errors(target):
        existing = next((path for path in (target, *target.absolute().parents) if path.exists()), Path())
    if existing == target and not target.is_dir():
        raise FileError(target, "is a file; name a folder for the results")
    if not existing.is_dir():
        raise FileError(target, f"can't be made, because {existing} is a file; name another folder")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise FileError(target, f"can't be written, because {existing} doesn't allow it; name another folder")
    for name in names:
        check_replaceable(target / name)


def make_folder(folder: str | Path) -> None:
    """The folder and those above it, as far as they are not there; FileError where they can't be made."""
    target = Path(folder)
    check_writable(target)
    with clear_errors(target):
        target.mkdir(parents=True, exist_ok=True)


def check_file_target(path: str | Path, what: str = "", *, inputs: Iterable[str | Path | None] = ()) -> None:
    """FileError unless a file can be made or replaced there; to be asked before long work. what : the file is for.

    inputs : what is read; none of it is ever replaced.
    """
    file = Path(path)
    with clear_errors(file):
        if file.is_dir():
            raise FileError(file, f"is a folder; name a file{f' for the {what}' if what else ''}")
        if file.exists() and not file.is_file():
            raise FileError(file, "is a device or a pipe; name a file")
        refuse_link(file)
        folder = file.absolute().parent
        if not folder.is_dir():
            raise FileError(file, f"can't be written, because there is no folder {file.parent}; make it first")
        if not os.access(folder, os.W_OK | os.X_OK) or (file.exists() and not os.access(file, os.W_OK)):
            raise FileError(file, "can't be written, because its permissions or its folder's don't allow it; name another file")
        if file.exists() and any(other is not None and Path(other).is_file() and file.samefile(other) for other in inputs):
            raise FileError(file, "is what is read here, and would be lost; name another file to write")


@contextmanager
def clear_errors(target: Path) -> Generator[None]:
    """Within, an error of the system becomes a FileError about the target, one sentence."""
    try:
        yield
    except OSError as error:
        raise FileError(target, f"can't be written: {error.strerror or error}") from None


def write_beside(target: Path, content: str | bytes) -> str:
    """Name of a new file in the target's folder with the content, on disk."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f"{_beside(target.name)}{os.getpid()}.", suffix=_PART)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return name


def replace_file(name: str, target: Path) -> None:
    """Rename a file over the target, whose permissions it takes."""
    try:
        mode = stat.S_IMODE(os.lstat(target).st_mode)
    except FileNotFoundError:
        mode = 0o666 & ~_umask()
    os.chmod(name, mode)
    os.replace(name, target)


def remove_leftovers(target: Path) -> None:
    """Remove what processes that were killed while they wrote the target have left beside it."""
    left = re.compile(rf"{re.escape(_beside(target.name))}(\d+)\..*{re.escape(_PART)}", re.DOTALL)
    for file in target.parent.iterdir():
        match = left.fullmatch(file.name)
        if match is not None and not _runs(int(match[1])) and is_plain(file):
            file.unlink(missing_ok=True)


def is_plain(path: str | Path) -> bool:
    """Whether there is a file that is no link, device or pipe."""
    return os.path.isfile(path) and not os.path.islink(path)


def _beside(target: str) -> str:
    """How names of files begin that will be the target, .TARGET.PROCESS.DRAWN.part; short, because a name may have 255 bytes alone."""
    return f".{target[:100]}."


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):  # OverflowError: no number of a process
        return False
    except OSError:  # it is another user's
        return True
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def construct_yaml(text: str, kind: type[yaml.SafeLoader]) -> Any:
    """The content, unless a few lines stand for millions of values because they refer to each other."""
    loader: Any = kind(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if "&" in text and _written_out(node, {}) > _MOST_VALUES:
            problem = f"its aliases (*name) stand for more than {_MOST_VALUES:,} values; write out what is meant"
            raise yaml.constructor.ConstructorError(None, None, problem)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _written_out(node: yaml.Node, known: dict[int, float]) -> float:
    """The number of values of a node with all its aliases written out; infinite where it is part of itself."""
    if isinstance(node, yaml.ScalarNode):
        return 1.0
    if id(node) not in known:
        known[id(node)] = math.inf
        pairs: list[Any] = node.value
        children = pairs if isinstance(node, yaml.SequenceNode) else [child for pair in pairs for child in pair]
        known[id(node)] = 1.0 + sum(_written_out(child, known) for child in children)
    return known[id(node)]


class _UniqueKeyLoader(yaml.SafeLoader):
    """PyYAML's safe loader, which by itself lets the last of two equal keys win silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key must be a plain text", key.start_mark)
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} is written twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


#: Ten times as fast; its messages are shorter.
_FastLoader = cast("type[yaml.SafeLoader]", getattr(yaml, "CSafeLoader", yaml.SafeLoader))
