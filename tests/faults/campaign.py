"""Damaged files by the thousand: each is read in a child process with a limit of memory and time, and its outcome counted.

`python -m tests.faults.campaign --cases 10000` is the long run; `--format csv --seed 17` repeats one case. What fails is kept with
its seed.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import time
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import cache, partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, NamedTuple
from unittest import mock

import numpy as np

from dynident.core import isolation
from dynident.errors import DynidentError
from dynident.robots.geometry import meshes
from tests.faults.damage import pick
from tests.faults.originals import Format, formats
from tests.faults.outcomes import Found, Outcome, judge

#: One case takes at most so much CPU time, so long [s], and so much memory beyond what the process has [bytes].
SECONDS, PATIENCE, MEMORY = 10.0, 300.0, 3 << 30
#: The same of a first reading without a process of its own [s].
FIRST_SECONDS = 2.0
#: Where more than this share had to be read again, there is no first reading.
MOST_REPEATED = 0.01
#: A reading that has touched more memory than this is greedy [bytes].
GREED = 400 << 20
#: A sentence is no longer.
LONGEST = 1000


class Case(NamedTuple):
    """What came of one damaged file. told : the sentence, or what went wrong."""

    format: str
    seed: int
    outcome: Outcome
    told: str = ""


def damaged_content(item: Format, seed: int, intact: bytes) -> bytes:
    rng = np.random.default_rng([zlib.crc32(item.name.encode()), seed])
    return pick(rng, item.damages)(rng, intact)


def run_cases(item: Format, seeds: Iterable[int], *, keep: Path | None = None) -> Iterator[Case]:
    """The cases of one format, in order. keep : folder for the files that fail.

    Formats that are read in a process of their own are first read without one, which is faster; what ends badly is then read as users do.
    """
    waiting, done, repeated = list(seeds), 0, 0
    while waiting:
        apart = repeated > max(5, MOST_REPEATED * done)
        for first in _in_child(item, list(waiting), apart=apart):  # which shrinks meanwhile
            case = first if apart or first.outcome.passes else next(_in_child(item, [first.seed], apart=True))
            if keep is not None and not case.outcome.passes:
                _keep(item, case, keep)
            yield case
            waiting.remove(case.seed)
            done, repeated = done + 1, repeated + (case is not first)
            if not apart and repeated > max(5, MOST_REPEATED * done):
                break


def _in_child(item: Format, seeds: list[int], *, apart: bool) -> Iterator[Case]:
    """Cases until they are done, or until one ends or stops the child. apart : whether readers have their own processes."""
    prepare(item)
    seconds = SECONDS if apart else FIRST_SECONDS
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe(duplex=False)
    folder = Path(tempfile.mkdtemp(prefix="dynident-fuzz-"))
    child = context.Process(target=_work, args=(theirs, item, seeds, folder, apart), daemon=False)
    child.start()
    theirs.close()
    try:
        for seed in seeds:
            try:
                if not _hear(mine, child.pid or 0, seconds):
                    yield Case(item.name, seed, Outcome.HANG, f"no answer after {seconds:g} s of work, or {PATIENCE:g} s of waiting")
                    return
                yield mine.recv()
            except EOFError:
                child.join()
                yield Case(item.name, seed, Outcome.CRASH, f"the process ended with {child.exitcode}")
                return
    finally:
        mine.close()
        child.kill()
        child.join()
        shutil.rmtree(folder)


def _hear(mine: Connection, process: int, seconds: float) -> bool:
    """Whether an answer comes before the child has worked for too long, however busy the machine is."""
    begun, started = time.monotonic(), _worked(process)
    while not mine.poll(0.5):
        if _worked(process) - started > seconds or time.monotonic() - begun > PATIENCE:
            return False
    return True


def _worked(process: int) -> float:
    """CPU time of a process and of the children that it has waited for [s]."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _work(theirs: Connection, item: Format, seeds: list[int], folder: Path, apart: bool) -> None:
    with nullcontext() if apart else _read_here():
        _read_all(theirs, item, seeds, folder)


def _read_all(theirs: Connection, item: Format, seeds: list[int], folder: Path) -> None:
    gc.freeze()  # looking for garbage among the parent's objects would copy all of its memory
    faulthandler.disable()  # a crash is counted
    isolation._LEAST_TIME, meshes._LEAST_TIME = 10.0, 2.0
    intact = prepare(item)
    with (folder / "said").open("w+b") as said:
        for stream in (1, 2):
            os.dup2(said.fileno(), stream)
        (folder / "files").mkdir()
        item.write(folder / "files")
        file = folder / "files" / item.file
        content = file.read_bytes()
        _limit_memory()
        for seed in seeds:
            file.write_bytes(damaged_content(item, seed, content))
            outcome, told = _one(item, file, intact)
            if outcome.passes and (noise := _taken(said)):
                outcome, told = Outcome.NOISE, noise
            theirs.send(Case(item.name, seed, outcome, told))


def _taken(said: IO[bytes]) -> str:
    """What was printed since it was last asked."""
    sys.stdout.flush()
    sys.stderr.flush()
    said.seek(0)
    found = said.read(300).decode(errors="replace")
    said.seek(0)
    said.truncate()
    return found


#: Where files are read in a process of their own.
_APART = ("data.formats.registry", "robots.formats.xacro", "robots.formats.mjcf")


class _ReaderHere:
    """In place of a reader in a process of its own."""

    late = False

    def __init__(self, read: Callable[..., Any], **limits: object) -> None:
        self._read = read

    def __call__(self, path: Path, *arguments: object) -> Any:
        return self._read(path, *arguments)


@contextmanager
def _read_here() -> Generator[None]:
    """Inside, everything is read in this process."""
    with ExitStack() as patches:
        for module in _APART:
            patches.enter_context(mock.patch(f"dynident.{module}.read_apart", lambda read, path, *arguments: read(path, *arguments)))
        patches.enter_context(mock.patch("dynident.robots.geometry.meshes.ReaderApart", _ReaderHere))
        yield


@cache
def prepare(item: Format) -> Found:
    """What is read of the intact file, and said about it; once and in this process, so that every child has the reader's libraries."""
    with tempfile.TemporaryDirectory() as folder, _read_here():
        (Path(folder) / "files").mkdir()
        item.write(Path(folder) / "files")
        found = item.read(Path(folder) / "files" / item.file)
        said = {thorough: found.says(thorough) for thorough in (False, True)}
    return replace(found, says=said.__getitem__)


def _one(item: Format, file: Path, intact: Found) -> tuple[Outcome, str]:
    before = _most_memory()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outcome, told = judge(intact, item.read(file))
    except DynidentError as error:
        text = str(error)
        whole = text.strip() and "\n" not in text and len(text) <= LONGEST
        outcome, told = (Outcome.SENTENCE, text) if whole else (Outcome.EXCEPTION, f"no sentence: {text[:300]!r}")
    except MemoryError:
        outcome, told = Outcome.MEMORY, traceback.format_exc(limit=-3)
    except BaseException:  # noqa: BLE001 (whatever comes is what is counted)
        outcome, told = Outcome.EXCEPTION, traceback.format_exc(limit=-4)
    if outcome.passes and _most_memory() - before > GREED:
        outcome, told = Outcome.MEMORY, f"{(_most_memory() - before) >> 20} MB; {told}"
    return outcome, told


def _most_memory() -> int:
    return 1024 * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _keep(item: Format, case: Case, folder: Path) -> None:
    """The damaged file, and beside it what came of it and how to see it again."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        item.write(Path(place))
        content = damaged_content(item, case.seed, (Path(place) / item.file).read_bytes())
    name = f"{item.name.replace(' ', '_').replace('.', '_')}-{case.seed}"
    (folder / f"{name}{Path(item.file).suffix}").write_bytes(content)
    again = f'make fuzz SEED={case.seed} FORMAT="{item.name}"'
    (folder / f"{name}.told.txt").write_text(f"{case.outcome.value}\n{case.told}\n{again}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200, help="Damaged files of each format; the target is 10000.")
    parser.add_argument("--first", type=int, default=0, help="Seed of the first one.")
    parser.add_argument("--seed", type=int, default=None, help="This case alone.")
    parser.add_argument("--format", default="", help="This format alone.")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"), help="Folder for the files that fail.")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    chosen = [name for name in formats() if asked.format in ("", name)]
    seeds = [asked.seed] if asked.seed is not None else range(asked.first, asked.first + asked.cases)
    counts: dict[str, Counter[Outcome]] = {}

    run = partial(_run_format, seeds=seeds, keep=asked.keep)
    with ProcessPoolExecutor(asked.workers, multiprocessing.get_context("fork")) as pool:
        for name, cases in zip(chosen, pool.map(run, chosen), strict=True):
            counts[name] = Counter(case.outcome for case in cases)
            print(f"{name}: " + ", ".join(f"{count} {outcome.value}" for outcome, count in counts[name].most_common()), flush=True)  # noqa: T201
            for case in cases:
                if not case.outcome.passes or asked.seed is not None:
                    print(f"  seed {case.seed}: {case.outcome.value}: {case.told}", flush=True)  # noqa: T201
    print(markdown(counts))  # noqa: T201
    sys.exit(any(not outcome.passes for found in counts.values() for outcome in found))


def _run_format(name: str, seeds: Sequence[int], keep: Path) -> list[Case]:
    return list(run_cases(formats()[name], seeds, keep=keep))


def markdown(counts: dict[str, Counter[Outcome]]) -> str:
    """The table of the documentation."""
    lines = ["| format | files | " + " | ".join(outcome.value for outcome in Outcome) + " |", "|---" * (2 + len(Outcome)) + "|"]
    total: Counter[Outcome] = sum(counts.values(), Counter())
    for name, found in [*counts.items(), ("all", total)]:
        lines.append(f"| {name} | {found.total()} | " + " | ".join(str(found[outcome]) for outcome in Outcome) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
