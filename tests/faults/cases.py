"""A small command line for every verb that writes, and for every way of writing that a verb has."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dynident import load_robot
from dynident.data import EffortKind, write_dataset
from tests.commands import run_here
from tests.logs import synthetic_log

ROBOT = "pendulum_1r"
#: Verbs that write nothing.
READ_ONLY = {"check", "presets"}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A command line, in a folder with a few inputs.

    old : files of any content, and before : command lines whose results are there already, and are replaced.
    between : command lines whose results may be seen on the way.
    again : the command line after an accident, where it is another. code : exit code.
    progress : pattern of files that tell how far the work is, and are neither old nor new meanwhile.
    prepare : done in the process before the command, so that what takes long is short.
    long : takes seconds, and is left to the long version.
    """

    name: str
    words: str
    inputs: tuple[str, ...] = ()
    old: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    again: str = ""
    code: int = 0
    progress: str = ""
    prepare: Callable[[], None] | None = None
    long: bool = False

    @property
    def verb(self) -> str:
        return self.words.split()[0]


def load_everything() -> None:
    """Import all that commands import on their way, so that forked processes have it already."""
    import dynident

    for module in pkgutil.walk_packages(dynident.__path__, "dynident."):
        if not module.name.startswith("dynident.motions.recording.connections."):  # whose libraries may not be there
            importlib.import_module(module.name)
    for name in ("mujoco", "pinocchio", "plotly.graph_objects", "plotly.io", "plotly.subplots", "scipy.optimize", "scipy.signal"):
        importlib.import_module(name)


def make_inputs(folder: Path) -> None:
    """All that the cases read: logs, a motion, and a run with all of its stages."""
    folder.mkdir(exist_ok=True)
    log = synthetic_log(ROBOT, samples=900, noise=0.05)
    write_dataset(log, folder / "log.npz")
    write_dataset(synthetic_log(ROBOT, samples=900, noise=0.05, seed=2), folder / "new.npz")
    write_dataset(replace(log, q=np.rad2deg(log.q), dq=None, ddq=None), folder / "degrees.csv")
    write_dataset(replace(log, effort=np.abs(log.effort), effort_kind=EffortKind.MAGNITUDE), folder / "unsigned.npz")
    write_dataset(synthetic_log(ROBOT, samples=60), folder / "motion.csv")
    (folder / "arm.yaml").write_text(load_robot(ROBOT).to_dh_yaml(), encoding="utf-8")
    (folder / "limits.yaml").write_text("position: [-3.0, 3.0]\nvelocity: 8.0\nacceleration: 50.0\n", encoding="utf-8")
    for words in (
        f"identify {ROBOT} log.npz -o run",
        "retrieve run --no-ranges",
        "validate run new.npz",
    ):
        found = run_here(folder, *words.split())  # in this process, whose kernels the forked ones have then
        assert found.returncode == 0, found.stderr


def copy_inputs(case: Case, inputs: Path, folder: Path) -> None:
    """Only what the case names."""
    folder.mkdir()
    for name in case.inputs:
        if (inputs / name).is_dir():
            shutil.copytree(inputs / name, folder / name)
        else:
            shutil.copy(inputs / name, folder / name)
    for name in case.old:
        (folder / name).write_text("old", encoding="utf-8")


#: What differs between two runs of the same command: times of day, how long something took, and names that Plotly draws.
_VOLATILE = re.compile(
    rb'"seconds": [\d.e-]+|\d{4}-\d\d-\d\dT[\d:.+]+Z?|\b[\d.]+ s\b|\d+ worked on now|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
)


def visible(folder: Path) -> dict[str, bytes]:
    """The files of a folder without those that were being written; content by path."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and not is_leftover(file))
    return {name: _content(file) for file in files if not (name := str(file.relative_to(folder))).startswith("tmp/")}


#: What the name of a file that is being written has beside its target's, as tempfile draws it.
_DRAWN = re.compile(rb"\d+\.[a-z0-9_]{8}\.part")


def everything(folder: Path) -> dict[str, bytes]:
    """All files of a folder but temporary ones, those that are being written too; content by path, without what is drawn."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    named = ((_DRAWN.sub(b"", str(file.relative_to(folder)).encode()).decode(), file) for file in files)
    return {name: _DRAWN.sub(b"", _content(file)) for name, file in named if not name.startswith("tmp/")}


def is_leftover(file: Path) -> bool:
    """Whether it is a file that was being written."""
    return file.name.startswith(".")


def _content(file: Path) -> bytes:
    if not _holds_arrays(file):
        return _VOLATILE.sub(b"", file.read_bytes())
    with np.load(file) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return b"".join(name.encode() + (_text(array) if array.dtype.kind == "U" else array.tobytes()) for name, array in arrays.items())


def _holds_arrays(file: Path) -> bool:
    if not zipfile.is_zipfile(file):
        return False
    with zipfile.ZipFile(file) as archive:
        return all(name.endswith(".npy") for name in archive.namelist())


def _text(array: np.ndarray) -> bytes:
    return _VOLATILE.sub(b"", "\n".join(array.ravel().tolist()).encode())


def _tiny_paper() -> None:
    """A paper of one experiment that has nothing to compute."""
    from dynident.reproduce.experiment import ExperimentOutcome
    from dynident.reproduce.registry import PAPERS

    def find(setting):
        setting.kept("part", lambda: 1.0)
        return ExperimentOutcome(claims=(), figures=(), notes=("nothing was computed",))

    paper = PAPERS["unsigned"]
    PAPERS["tiny"] = replace(paper, key="tiny", experiments=(replace(paper.experiments[0], run=find),))


def _short_demo() -> None:
    """A demo whose commands write what its last lines need, and compute nothing."""
    import dynident.cli.app as app
    from dynident.cli.verbs import demo

    run = app.run
    app.run = lambda words: run(words) if words[0] == "demo" else 0
    demo._numbers = lambda run: iter(("nothing was computed",))
    demo._forget_signs = lambda file: file


RUN = ("run",)
CASES = (
    Case(name="convert", words=f"convert {ROBOT} -o arm.urdf", old=("arm.urdf",)),
    Case(name="repair", words=f"repair {ROBOT} -o mended.yaml", old=("mended.yaml",)),
    Case(name="view", words=f"view {ROBOT} -o view.html --no-open", old=("view.html",)),
    Case(
        name="excite",
        words=f"excite {ROBOT} -o way.csv --limits limits.yaml --starts 1 --duration 4 --harmonics 2 --workers 1",
        inputs=("limits.yaml",),
        before=(f"excite {ROBOT} -o way.csv --limits limits.yaml --starts 1 --duration 5 --harmonics 2 --workers 1",),
    ),
    Case(
        name="excite-precision",
        words=f"excite {ROBOT} -o way.csv --limits limits.yaml --starts 1 --duration 2 --harmonics 2 --workers 1 --precision 0.08%",
        inputs=("limits.yaml",),
        before=(f"excite {ROBOT} -o way.csv --limits limits.yaml --starts 1 --duration 2 --harmonics 3 --workers 1 --precision 0.08%",),
        long=True,
    ),
    Case(
        name="excite-static",
        words=f"excite {ROBOT} -o points.csv --limits limits.yaml --static 4 --method random",
        inputs=("limits.yaml",),
        old=("points.csv",),
    ),
    Case(
        name="simulate",
        words=f"simulate {ROBOT} motion.csv -o log.npz --truth truth.npz --rate 100",
        inputs=("motion.csv",),
        old=("log.npz", "truth.npz"),
    ),
    Case(
        name="simulate-controller",
        words=f"simulate {ROBOT} --controller 20 -o answers.npz",
        old=("answers.npz",),
    ),
    Case(
        name="record",
        words=f"record virtual:{ROBOT} --trajectory motion.csv --limits limits.yaml -o recorded.npz --yes --approach",
        again=f"record virtual:{ROBOT} --trajectory motion.csv --limits limits.yaml -o recorded.npz --yes --approach --resume",
        inputs=("motion.csv", "limits.yaml"),
    ),
    Case(
        name="doctor",
        words=f"doctor {ROBOT} degrees.csv --fix --report found.html",
        inputs=("degrees.csv",),
        code=1,
    ),
    Case(
        name="gains",
        words=f"gains {ROBOT} log.npz --moving-mass 5 -o gains.yaml",
        inputs=("log.npz",),
        old=("gains.yaml",),
    ),
    Case(name="identify-new", words=f"identify {ROBOT} log.npz -o deep/run", inputs=("log.npz",)),
    Case(name="fit", words=f"fit {ROBOT} log.npz -o fitted", inputs=("log.npz",)),
    Case(name="identify", words=f"identify {ROBOT} new.npz -o run", inputs=("new.npz", "run")),
    Case(name="signs", words=f"signs {ROBOT} unsigned.npz -o run", inputs=("unsigned.npz", "run")),
    Case(name="retrieve", words="retrieve run --total-mass 3 9", inputs=RUN, between=("retrieve run --total-mass 3 9 --no-ranges",)),
    Case(
        name="retrieve-starts",
        words="retrieve run --solver barrier --starts 2 --no-ranges",
        inputs=RUN,
    ),
    Case(name="validate", words="validate run log.npz", inputs=("run", "log.npz")),
    Case(
        name="friction",
        words="friction run new.npz -o warm",
        inputs=("run", "new.npz", "log.npz"),
        before=("friction run log.npz -o warm",),
    ),
    Case(name="payload", words="payload run new.npz --urdf load.urdf --mjcf load.xml", inputs=("run", "new.npz")),
    Case(name="payload-unloaded", words=f"payload {ROBOT} new.npz --unloaded log.npz -o arm", inputs=("log.npz", "new.npz")),
    Case(
        name="monitor",
        words="monitor run new.npz --free log.npz",
        inputs=("run", "log.npz", "new.npz"),
        old=("run/contacts.html",),
    ),
    Case(name="compare", words="compare run run -o c.html -o c.csv -o c.json", inputs=RUN, old=("c.html",)),
    Case(
        name="fleet",
        words=f"fleet {ROBOT} log.npz new.npz -o fleet --workers 1",
        inputs=("log.npz", "new.npz"),
    ),
    Case(
        name="export",
        words="export run --urdf m.urdf --mjcf m.xml --python m.py --yaml m.yaml --csv m.csv",
        inputs=RUN,
        old=("m.py", "m.csv"),
    ),
    Case(name="export-c", words="export run --c code --coefficients", inputs=RUN, before=("export run --c code",)),
    Case(name="report", words="report run", inputs=RUN, old=("run/report.html",)),
    Case(name="bundle", words="bundle run log.npz", inputs=("run", "log.npz"), old=("bundle.zip",)),
    Case(
        name="sample",
        words="sample run -n 2 -o models --original arm.urdf",
        inputs=RUN,
        before=(f"convert {ROBOT} -o arm.urdf", "sample run -n 3 -o models --original arm.urdf"),
    ),
    Case(name="demo", words="demo 1r -o shown", before=("demo 3r -o shown",), prepare=_short_demo, progress="shown/demo.log"),
    Case(name="reproduce", words="reproduce tiny -o again", prepare=_tiny_paper),
)
