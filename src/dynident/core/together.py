"""Several files that belong together, written so that a folder holds all of the old or all of the new ones, whenever a process ends.

The new files are written beside their targets, then a list of them, then each is renamed. A process that is killed before the list is
there leaves the old files; one that is killed after it leaves a list that the next reader or writer completes. The folder is locked
meanwhile, so that two processes take turns.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from dynident.core.files import clear_errors, remove_leftovers, replace_file, write_atomically, write_beside

try:
    import fcntl
except ImportError:  # no POSIX system: processes don't take turns there
    fcntl = None

#: The list of what is being renamed, by new name; None for what is being removed.
_LIST = ".writing.json"


def write_together(folder: str | Path, contents: Mapping[str, str | bytes], *, remove: Iterable[str] = ()) -> None:
    """Write files into a folder, which is made if need be. A failure leaves nothing new. remove : names of files that go meanwhile."""
    target = Path(folder)
    written: dict[str, str] = {}
    made: list[Path] = []
    with clear_errors(target):
        try:
            for path in (*reversed(target.parents), target):
                if not path.exists():
                    with suppress(FileExistsError):  # another process has made it just now
                        path.mkdir()
                        made.append(path)
            with _locked(target):
                _rename_listed(target)
                for name, content in contents.items():
                    remove_leftovers(target / name)
                    written[name] = Path(write_beside(target / name, content)).name
                write_atomically(target / _LIST, json.dumps({**written, **dict.fromkeys(remove)}))
                written.clear()
                _rename_listed(target)
        except BaseException:
            for name in written.values():
                (target / name).unlink(missing_ok=True)
            for path in reversed(made):
                if not any(path.iterdir()):
                    path.rmdir()
            raise


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write files that may be anywhere: none is replaced before all of them are on the disk. Links are followed."""
    targets = {path: Path(os.path.realpath(path)) for path in contents}
    written: dict[Path, str] = {}
    try:
        for (path, target), content in zip(targets.items(), contents.values(), strict=True):
            with clear_errors(path):
                remove_leftovers(target)
                written[path] = write_beside(target, content)
        for path, target in targets.items():
            with clear_errors(path):
                replace_file(written[path], target)
            del written[path]
    except BaseException:
        for name in written.values():
            with suppress(OSError):
                Path(name).unlink(missing_ok=True)
        raise


def complete_writing(folder: str | Path, *, wait: bool = False) -> None:
    """Finish what a process that was killed had begun to rename; to be asked before files of a folder are read.

    wait : wait for a process that writes there, even where it has not begun to rename.
    """
    target = Path(folder)
    if not wait and not (target / _LIST).exists():
        return
    with clear_errors(target), _locked(target):
        _rename_listed(target)


def _rename_listed(folder: Path) -> None:
    listed = folder / _LIST
    if not listed.exists():
        return
    for name, temporary in json.loads(listed.read_text(encoding="utf-8")).items():
        with suppress(FileNotFoundError):  # done before the process ended
            if temporary is None:
                (folder / name).unlink()
            else:
                replace_file(str(folder / temporary), folder / name)
    listed.unlink()


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
