"""`make_bundle`: a run folder, its robot, its log and what the doctor says of it, without names, as one zip that says what is in it."""

from __future__ import annotations

import io
import platform
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, TypeAlias

from dynident.bundles.documents import clean, clean_robot
from dynident.bundles.gather_names import RUN_FILES, gather_names
from dynident.bundles.log_excerpt import MOST_SAMPLES, cut_log, log_bytes
from dynident.bundles.run_files import SAMPLE_FILES, anonymise_run
from dynident.core.documents import to_json
from dynident.core.files import json_text, read_json, write_atomically
from dynident.core.results import Tabular
from dynident.data import ControllerSamples, Dataset
from dynident.doctor import Diagnosis
from dynident.doctor.document import DiagnosisDocument
from dynident.errors import DynidentError
from dynident.exports.convert import convert
from dynident.regression.estimate import Estimate
from dynident.reports.tables import Column, Report, Table
from dynident.robots.robot import Robot
from dynident.robots.serialize import robot_from_dict, robot_to_dict
from dynident.runs import load_run

SCHEMA = "dynident/bundle/1"
README, MANIFEST, DOCTOR, LOG, RUN = "README.txt", "manifest.json", "doctor.json", "log.npz", "run"
#: Programs whose versions a maintainer asks for first.
_PACKAGES = ("dynident", "numpy", "scipy", "numba", "pin", "clarabel", "mujoco")
#: What GitHub takes as an attachment [bytes].
_LARGEST_ATTACHMENT = 25_000_000
Samples: TypeAlias = Literal["excerpt", "all", "none"]

#: What the files of a stage are about, by their name without suffix.
_STAGES = {
    "estimate": "coefficients and friction",
    "signs": "recovered signs",
    "parameters": "link parameters",
    "validation": "prediction of a log",
    "samples": "parameter sets that were drawn",
    "payload": "payload",
    "friction": "change of friction",
    "monitor": "thresholds of contacts",
}

_TAKEN_OUT = (
    "names of robot, joints, links and their parts; they are called robot, joint1, link1 and part1 in all files",
    "names and paths of files and folders, which are called data1.csv and place1; names of account, home folder and computer",
    "the robot's file with its notes and meshes; its description is written anew from what was read",
    "names of columns, topics and presets that the log was read with; words of commands that are neither options nor numbers",
    "date and time of day; the clock of each recording begins within its first second, and files have no date",
)
_LEFT_IN = (
    "kinematics, limits, masses and inertias of the robot",
    "SHA-256 of the data files, by which somebody who has the same file can tell that it is the same",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bundle(Tabular):
    """What is attached to an issue.

    files : {path in the zip: content}, README.txt and manifest.json among them.
    meanings : {path in the zip: what it is}.
    manifest : the content of manifest.json.
    """

    files: Mapping[str, bytes]
    meanings: Mapping[str, str]
    manifest: Mapping[str, Any]

    @property
    def headline(self) -> str:
        return f"{len(self.files)} files, {sum(map(len, self.files.values())) / 1e6:.3g} MB unpacked"

    def records(self) -> list[dict[str, Any]]:
        """One row per file: its path, its size in bytes, what it is."""
        return _records(self.files, self.meanings)

    def tables(self) -> Report:
        return _describe(self.records(), self.manifest)

    def zip_bytes(self) -> bytes:
        """The zip: the same bytes for the same content."""
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, content in self.files.items():
                entry = zipfile.ZipInfo(name)  # of 1980, whenever it is written
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                entry.create_system = 3
                archive.writestr(entry, content)
        return stream.getvalue()

    def save(self, path: str | Path) -> int:
        """Write the zip, all or nothing; its size [bytes]."""
        content = self.zip_bytes()
        write_atomically(path, content)
        return len(content)


def make_bundle(
    folder: str | Path,
    *,
    data: Dataset | ControllerSamples | None = None,
    diagnosis: Diagnosis | None = None,
    samples: Samples = "excerpt",
) -> Bundle:
    """A run folder as a bundle without names; FileError where nothing has been identified in it, or where it is damaged.

    data : the log of the run, as it was read; None where it is not at hand.
    diagnosis : what the doctor says of it.
    samples : "excerpt" of the log, "all" of it, or "none": no measured sample at all, nor the rows that were made of them.
    """
    run = Path(folder)
    whole = load_run(run)  # all stages are looked at, so that what is damaged is found here
    estimate = whole.estimate
    robot = estimate.base.robot
    documents = [read_json(run / name) for name in RUN_FILES if name.endswith(".json") and (run / name).is_file()]
    documents += whole.documents.values()
    names = gather_names(robot, run, documents, () if data is None else data.joint_names)
    neutral = robot_from_dict(clean_robot(robot_to_dict(robot), names))
    kept = None if data is None or samples == "none" else cut_log(data, MOST_SAMPLES if samples == "excerpt" else None)
    files = _describe_robot(neutral)
    if diagnosis is not None:
        files[DOCTOR] = (json_text(clean(to_json(DiagnosisDocument.of(diagnosis)), names)).encode(), "what the doctor finds in the log")
    if data is not None and kept is not None:
        files[LOG] = (log_bytes(kept, names), _log_meaning(data, kept))
    for name, content in sorted(anonymise_run(run, names, samples=samples != "none").items()):
        files[f"{RUN}/{name}"] = (content, _meaning(name))
    manifest = {
        "schema": SCHEMA,
        "versions": {"python": platform.python_version(), **_versions()},
        "platform": f"{platform.system()} {platform.machine()}",
        "joints": robot.n,
        "samples": {"choice": samples, "recorded": None if data is None else data.samples, "kept": 0 if kept is None else kept.samples},
        "reading": _reading(estimate),
        "missing": _missing(data, diagnosis, samples, _is_cut(data, kept)),
        "taken_out": list(_TAKEN_OUT),
        "left_in": list(_LEFT_IN),
        "try": _commands(files),
    }
    return _finish({name: content for name, (content, _) in files.items()}, {name: what for name, (_, what) in files.items()}, manifest)


def _finish(files: dict[str, bytes], meanings: dict[str, str], manifest: dict[str, Any]) -> Bundle:
    """With the files that tell what is in it."""
    records = _records(files, meanings)
    manifest["files"] = {item["file"]: {"bytes": item["bytes"], "what": item["what"]} for item in records}
    files = {README: f"{_describe(records, manifest)}\n".encode(), MANIFEST: json_text(manifest).encode(), **files}
    meanings = {README: "this list", MANIFEST: "the same for programs, with versions", **meanings}
    return Bundle(files=files, meanings=meanings, manifest=manifest)


def _records(files: Mapping[str, bytes], meanings: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"file": name, "bytes": len(content), "what": meanings[name]} for name, content in files.items()]


def _describe(records: list[dict[str, Any]], manifest: Mapping[str, Any]) -> Report:
    """What is in it, and what is not, for the terminal and README.txt."""
    columns = (Column("file"), Column("kB", form=".1f", of=lambda row: row["bytes"] / 1e3), Column("what", "what it is"))
    table = Table("What is in it", tuple(records), columns)
    versions = ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())
    size = sum(item["bytes"] for item in records)
    return Report(
        header=("A run of dynident, without names, to be attached to an issue", f"{versions}; {manifest['platform']}"),
        tables=(table,),
        facts=(
            *(f"Taken out: {text}." for text in manifest["taken_out"]),
            *(f"Left in: {text}." for text in manifest["left_in"]),
            *(f"Not in it: {text}." for text in manifest["missing"]),
            *(f"Try: {command}" for command in manifest["try"]),
        ),
        notes=("it is larger than most places take as an attachment (25 MB); leave the samples out",) if size > _LARGEST_ATTACHMENT else (),
    )


def _describe_robot(robot: Robot) -> dict[str, tuple[bytes, str]]:
    """A file that dynident reads: DH where its frames are DH frames, else URDF; none where no format can hold it, and robot.json has it."""
    name = "robot.yaml" if all("DH frame" in frame for frame in robot.frame_names) else "robot.urdf"
    try:
        text, _ = convert(robot, name)
    except DynidentError:
        return {}
    return {name: (text.encode(), "the robot, with neutral names and without meshes")}


def _is_cut(data: Dataset | ControllerSamples | None, kept: Dataset | ControllerSamples | None) -> bool:
    return data is not None and kept is not None and kept.samples < data.samples


def _log_meaning(data: Dataset | ControllerSamples, kept: Dataset | ControllerSamples) -> str:
    part = f"the first {kept.samples} of {data.samples} samples" if _is_cut(data, kept) else f"all {data.samples} samples"
    return f"{part} as dynident reads them, in SI units and joint coordinates"


def _meaning(name: str) -> str:
    stem, _, suffix = name.partition(".")
    told = {
        "robot.json": "the robot as the run has it",
    }
    held = ", and measured curves" if name in SAMPLE_FILES else ""
    return told.get(name) or f"{_STAGES[stem]}, {'as text' if suffix == 'json' else f'every digit{held}'}"


def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def _reading(estimate: Estimate) -> dict[str, Any]:
    """How the data were read, as far as it is numbers and units; of columns and options, how many were named."""
    read = estimate.summary.processing.read
    plain = ("units", "effort_kind", "effort_gains", "effort_signs", "gears", "offsets", "delay", "low_pass", "rate")
    found: dict[str, Any] = {name: value for name, value in read.to_dict().items() if name in plain}
    if read.columns:
        found["columns"] = {quantity: len(patterns or ()) for quantity, patterns in read.columns.items()}
    if read.reader_options:
        found["reader_options"] = len(read.reader_options)
    return found | ({"preset": True} if read.preset else {})


def _missing(data: Dataset | ControllerSamples | None, diagnosis: Diagnosis | None, samples: Samples, cut: bool) -> list[str]:
    found: list[str] = []
    if samples == "none":
        found.append("measured samples, as was asked: no log, and none of " + ", ".join(sorted(SAMPLE_FILES)))
    elif data is None:
        found.append("the log, which was not found where it was; name it to have an excerpt of it, and what the doctor says, in the bundle")
    elif cut:
        found.append(f"samples of the log after the first {MOST_SAMPLES}")
    if data is not None and diagnosis is None:
        found.append("findings of the doctor, who looks at logs of a moving robot")
    return found


def _commands(files: Mapping[str, Any]) -> list[str]:
    """What to type in the unpacked folder."""
    robot = next((name for name in files if name.startswith("robot.")), None)
    with_log = [f"dynident validate {RUN} {LOG}"] if LOG in files else []
    with_robot = [f"dynident doctor {robot} {LOG}"] if LOG in files and robot else []
    return [f"dynident report {RUN}", *with_log, *with_robot]
