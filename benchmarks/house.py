"""The house from outside: how long help takes, what a command imports and opens, and how many lines each room has."""

from __future__ import annotations

import ast
import io
import json
import os
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from dynident.data import write_dataset
from tests.logs import synthetic_log

SOURCES = Path(__file__).parents[1]
#: Before options, records, stages and what is shown were each declared once.
BEFORE = "0c80662f"
RUNS = 10
HELP = ("", "identify", "excite", "retrieve", "signs", "export", "record")
CHAIN = (
    "identify planar_2r log.npz -o run",
    "retrieve run",
    "validate run log.npz",
    "sample run -n 20",
    "report run",
    "export run --urdf model.urdf --c model --python model.py",
)
#: Runs a command, and prints which modules of dynident it has imported and which files of stages it has opened.
_COUNTED = """
import contextlib, io, json, sys
from pathlib import Path
from dynident.core import records
from dynident.cli.app import run
opened, real = [], records._open
def count(path, *arguments):
    opened.append(Path(path).stem)
    return real(path, *arguments)
records._open = count
with contextlib.redirect_stdout(io.StringIO()):
    run(sys.argv[1].split())
print(json.dumps([opened, [name for name in sys.modules if name.startswith("dynident")]]))
"""


def study() -> str:
    return "\n\n".join(["## Rooms, imports and help", _help_table(), _command_table(), _size_table()])


def _table(head: Sequence[str], rows: Iterator[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _help_table() -> str:
    command = str(Path(sys.executable).with_name("dynident"))

    def rows() -> Iterator[Sequence[object]]:
        for verb in HELP:
            yield f"`dynident {verb} --help`".replace("  ", " "), *_times([command, *verb.split(), "--help"])
        yield "`python -c pass`", *_times([sys.executable, "-c", "pass"])

    load = f"at a load of {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors"
    return f"Milliseconds, median of {RUNS} runs, {load}:\n\n" + _table(("", "from start to end", "of the processor"), rows())


def _times(words: Sequence[str]) -> list[str]:
    wall, used = list[float](), list[float]()
    for _ in range(RUNS + 1):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall.append(time.perf_counter() - start)
        used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return [f"{1e3 * statistics.median(times[1:]):.0f}" for times in (wall, used)]  # the first run compiles what is imported


def _command_table() -> str:
    def rows() -> Iterator[Sequence[object]]:
        with tempfile.TemporaryDirectory() as folder:
            write_dataset(synthetic_log(noise=0.5, samples=1500), Path(folder, "log.npz"))
            for command in CHAIN:
                run = subprocess.run([sys.executable, "-c", _COUNTED, command], cwd=folder, capture_output=True, text=True, check=True)
                opened, modules = json.loads(run.stdout)
                stages = ", ".join(f"{stage} {count}" for stage, count in Counter(opened).items())
                yield f"`dynident {command}`", len(modules), stages or "none"

    text = "Modules of dynident that a command imports, and how often it opens the file of a stage:\n\n"
    return text + _table(("command", "modules", "stages opened"), rows())


def _size_table() -> str:
    archive = subprocess.run(["git", "archive", BEFORE, "src"], cwd=SOURCES, capture_output=True, check=False).stdout
    with tempfile.TemporaryDirectory() as folder:
        if archive:
            with tarfile.open(fileobj=io.BytesIO(archive)) as files:
                files.extractall(folder, filter="data")
        before, now = (_sizes(Path(place, "src", "dynident")) for place in (folder, SOURCES))

    def rows() -> Iterator[Sequence[object]]:
        for room in sorted(before | now):
            yield room, *(value for sizes in (before, now) for value in sizes.get(room, ("", "")))
        yield "all", *(sum(size[k] for size in sizes.values()) for sizes in (before, now) for k in (0, 1))

    text = f"Lines of the rooms before (`git archive {BEFORE}`) and now; code is without docstrings, comments and empty lines:\n\n"
    return text + _table(("room", "code before", "all before", "code now", "all now"), rows())


def _sizes(package: Path) -> dict[str, tuple[int, int]]:
    """Lines of code and all lines by room."""
    code, whole = Counter[str](), Counter[str]()
    for file in package.rglob("*.py"):
        place = file.relative_to(package)
        room = place.parts[0] if len(place.parts) > 1 else "errors.py, ..."
        text = file.read_text(encoding="utf-8")
        lines, documented = text.splitlines(), set[int]()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
                documented.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        whole[room] += len(lines)
        code[room] += sum(bool(line.strip()) and line.lstrip()[0] != "#" and k not in documented for k, line in enumerate(lines, start=1))
    return {room: (code[room], whole[room]) for room in whole}
