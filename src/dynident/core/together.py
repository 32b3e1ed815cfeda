"""Several files that belong together, written so that a folder holds all of the old or all of the new ones, whenever a process ends.

The new files are written beside their targets, then a list of them, then each is renamed. A process that is killed before the list is
there leaves the old files; one that is killed after it leaves a list that the next writer completes. The folder is locked meanwhile, so
that two processes take turns. Whoever only reads does not look at the list: a folder of somebody else may hold any.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from dynident.core.files import (
    check_replaceable,
    clear_errors,
    interrupted_later,
    is_part,
    is_plain,
    refuse_link,
    remove_leftovers,
    replace_file,
    write_beside,
)

try:
    import fcntl
except ImportError:  # no POSIX system: processes don't take turns there
    fcntl = None

#: The list of what is being renamed, by new name; None for what is being removed. It is at most so large [bytes].
_LIST, _LONGEST_LIST = ".writing.json", 10 << 20


def write_together(
    folder: str | Path,
    contents: Mapping[str, str | bytes],
    *,
    remove: Iterable[str] = (),
    own: Callable[[str], bool] | None = None,
) -> None:
    """Write files into a folder, which is made if need be. A failure leaves nothing new.

    remove : names of files that go meanwhile.
    own : whether a name is that of a file that is written to such folders; by default, whether it is written now. Of what a process that
        was killed had begun, nothing else is completed.
    """
    target = Path(folder)
    for name in contents:
        check_replaceable(target / name)
    written: dict[str, str] = {}
    made: list[Path] = []
    with clear_errors(target):
        try:
            for path in (*reversed(target.parents), target):
                if not path.exists():
                    with suppress(FileExistsError):  # another process has made it just now
                        path.mkdir()
                        made.append(path)
            with _locked(target), interrupted_later():
                _complete(target, own or contents.__contains__)
                for name, content in contents.items():
                    remove_leftovers(target / name)
                    written[name] = Path(write_beside(target / name, content)).name
                _write_list(target / _LIST, {**written, **dict.fromkeys(remove)})
                steps, written = {**written, **dict.fromkeys(remove)}, {}  # from here on they are in the list
                _rename(target, steps)
        except BaseException:
            for name in written.values():
                (target / name).unlink(missing_ok=True)
            for path in reversed(made):
                if not any(path.iterdir()):
                    path.rmdir()
            raise


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write files that may be anywhere: none is replaced before all of them are on the disk. Files that are links are refused."""
    written: dict[Path, str] = {}
    with interrupted_later():
        try:
            for path, content in contents.items():
                refuse_link(path)
                with clear_errors(path):
                    remove_leftovers(path)
                    written[path] = write_beside(path, content)
            for path in contents:
                with clear_errors(path):
                    replace_file(written[path], path)
                del written[path]
        except BaseException:
            for name in written.values():
                with suppress(OSError):
                    Path(name).unlink(missing_ok=True)
            raise


def complete_writing(folder: str | Path, own: Callable[[str], bool]) -> None:
    """Finish what a process that was killed had begun to rename; for those who write there. own : as for `write_together`."""
    target = Path(folder)
    if os.path.lexists(target / _LIST):
        with clear_errors(target), _locked(target):
            _complete(target, own)


def wait_for_writer(folder: str | Path) -> None:
    """Until no process writes into the folder; nothing is changed."""
    with clear_errors(Path(folder)), _locked(Path(folder)):
        pass


def _complete(folder: Path, own: Callable[[str], bool]) -> None:
    """Do what a list that was left says of these files, and nothing else that may stand in it."""
    listed = folder / _LIST
    check_replaceable(listed)
    if not listed.exists():
        return
    steps = {name: part for name, part in _read_list(listed).items() if own(name) and Path(name).name == name}
    _rename(folder, {name: part for name, part in steps.items() if part is None or (isinstance(part, str) and is_part(part, name))})


def _read_list(listed: Path) -> dict[str, Any]:
    """Empty where it is none of ours."""
    if listed.stat().st_size > _LONGEST_LIST:
        return {}
    try:
        content = json.loads(listed.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", content) if isinstance(content, dict) else {}


def _write_list(listed: Path, steps: Mapping[str, str | None]) -> None:
    remove_leftovers(listed)
    name = write_beside(listed, json.dumps(steps))
    try:
        replace_file(name, listed)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _rename(folder: Path, steps: Mapping[str, str | None]) -> None:
    """Rename the parts to their names, remove what has no part, and then the list. A part or a file that is not plain is left alone."""
    for name, part in steps.items():
        target = folder / name
        if os.path.lexists(target) and not is_plain(target):
            continue
        with suppress(FileNotFoundError):  # done before the process ended
            if part is None:
                target.unlink()
            elif is_plain(folder / part):
                replace_file(str(folder / part), target)
    (folder / _LIST).unlink(missing_ok=True)


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
