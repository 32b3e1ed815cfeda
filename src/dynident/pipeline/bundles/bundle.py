"""`Bundle`: a repeated run with its robot and log as one zip, which says what is in it and whether it gives the original's numbers."""

from __future__ import annotations

import io
import platform
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from dynident.core.documents import LEFT_OUT, Document
from dynident.core.files import json_text, read_bytes, write_atomically
from dynident.core.results import Tabular
from dynident.data import ControllerSamples, Dataset, write_dataset
from dynident.pipeline.bundles.compare import StageComparison, compare_runs
from dynident.reports.tables import Column, Report, Table
from dynident.runs import Run, Stage, load_run
from dynident.runs.folder import write_stages
from dynident.runs.stages import ROBOT

README, MANIFEST, DOCTOR, PRINTED, RUN = "README.txt", "manifest.json", "doctor.json", "printed.txt", "run"
#: Programs whose versions a maintainer asks for first.
_PACKAGES = ("dynident", "numpy", "scipy", "numba", "pin", "clarabel", "mujoco")
#: What GitHub takes as an attachment [bytes].
_LARGEST_ATTACHMENT = 25_000_000
#: Samples beyond which a log is cut: 20 s at 1 kHz, which is 5 MB of seven joints with velocities and efforts.
MOST_SAMPLES = 20_000
#: Stages whose records hold measured samples.
_MEASURED = (Stage.VALIDATION, Stage.SIGNS)
Samples: TypeAlias = Literal["excerpt", "all", "none"]

_TAKEN_OUT = (
    "all names; robot, joints and links are called robot, joint1 and link1, and all files were made again from these",
    "the robot's file with its notes and meshes; its description is written anew from what was read",
    "names of columns, topics and presets that the log was read with; it is written as dynident has read it",
    "date and time of day; the clock of each recording begins within its first second, and files have no date",
)
_LEFT_IN = (
    "kinematics, limits, masses and inertias of the robot",
    "SHA-256 of the data files, by which somebody who has the same file can tell that it is the same",
)
_LISTS = {"Taken out": "taken_out", "Left in": "left_in", "Not in it": "missing"}
_MEANINGS = {
    README: "this list",
    MANIFEST: "the same for programs",
    DOCTOR: "what the doctor finds in the log",
    PRINTED: "what the steps gave, as tables",
    ROBOT: "the robot as the run has it",
    "robot": "the robot, with neutral names and without meshes",
    "conditions": "conditions that the links must hold",
    "log": "log as dynident reads it, in SI units and joint coordinates",
    "samples": "M and g of the controller as dynident reads them",
}


@dataclass(frozen=True, kw_only=True)
class BundledSamples:
    """How much of the log is in a bundle."""

    choice: Samples
    recorded: int | None
    kept: int


@dataclass(frozen=True, kw_only=True)
class RepeatedStep:
    """A command that made the run, as it was repeated."""

    command: str
    code: Annotated[int, "with which it ended"]


@dataclass(frozen=True, kw_only=True)
class BundledFile:
    """A file of a bundle."""

    bytes: int
    what: str


@dataclass(frozen=True, kw_only=True)
class BundleDocument(Document):
    """manifest.json of a bundle, which `dynident bundle --json` prints too."""

    FILE = "bundle.json"
    SCHEMA = "dynident/bundle/1"

    versions: Mapping[str, str]
    platform: str
    joints: Annotated[int, "of the robot"]
    samples: BundledSamples
    data: Annotated[tuple[str, ...], "SHA-256 of the files that the run was made from"]
    steps: tuple[RepeatedStep, ...]
    comparisons: tuple[StageComparison, ...]
    missing: Annotated[tuple[str, ...], "what is not in it, and why"]
    taken_out: tuple[str, ...]
    left_in: tuple[str, ...]
    files: Mapping[str, BundledFile]
    written: str = field(default="", metadata=LEFT_OUT)
    bytes: int = field(default=0, metadata=LEFT_OUT)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bundle(Tabular):
    """What is attached to an issue.

    Attributes
    ----------
    files
        Content by path in the zip, README.txt and manifest.json among them.
    manifest : BundleDocument
        The content of manifest.json.
    """

    files: Mapping[str, bytes]
    manifest: BundleDocument

    @property
    def headline(self) -> str:
        return f"{len(self.files)} files, {sum(map(len, self.files.values())) / 1e6:.3g} MB unpacked"

    def records(self) -> list[dict[str, Any]]:
        """One row per file: its path, its size in bytes, what it is."""
        return [{"file": name, "bytes": len(content), "what": _meaning(name)} for name, content in self.files.items()]

    def tables(self) -> Report:
        """What is in it, and what is not, for the terminal and README.txt."""
        columns = (Column("file"), Column("kB", form=".1f", of=lambda row: row["bytes"] / 1e3), Column("what", "what it is"))
        manifest, samples = self.manifest, self.manifest.samples
        versions = ", ".join(f"{name} {version}" for name, version in manifest.versions.items())
        too_large = sum(map(len, self.files.values())) > _LARGEST_ATTACHMENT
        return Report(
            header=("A run of dynident, without names, to be attached to an issue", f"{versions}; {manifest.platform}"),
            tables=(Table("What is in it", tuple(self.records()), columns),),
            facts=(
                *(f"Repeated, with exit code {step.code}: {step.command}" for step in manifest.steps),
                *(f"Compared: {item.sentence}." for item in manifest.comparisons),
                f"Samples: {samples.kept} of {samples.recorded or 0} that were read.",
                *(f"{title}: {text}." for title, key in _LISTS.items() for text in getattr(manifest, key)),
            ),
            notes=("it is larger than most places take as an attachment (25 MB); leave the samples out",) if too_large else (),
        )

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


def pack(
    folder: Path,
    original: Run,
    *,
    steps: Sequence[RepeatedStep] = (),
    missing: Sequence[str] = (),
    logs: Mapping[str, Dataset | ControllerSamples] | None = None,
    digests: Sequence[str] = (),
    samples: Samples = "excerpt",
) -> Bundle:
    """A folder with robot, logs and repeated run as a bundle; what is not wanted of it is removed.

    Parameters
    ----------
    missing
        What is not in it, and why.
    logs
        The data by their files.
    digests
        SHA-256 of the files that they come from.
    samples
        "excerpt" of the logs, "all" of them, or "none": no measured sample at all, nor the rows that were made of them.
    """
    logs = logs or {}
    kept = {name: data if samples == "all" else _cut(data) for name, data in logs.items() if samples != "none"}
    for name, data in logs.items():
        if name not in kept:
            (folder / name).unlink()
        elif kept[name] is not data:
            write_dataset(kept[name], folder / name)
    comparisons: tuple[StageComparison, ...] = ()
    if (folder / RUN / Stage.ESTIMATE.file).is_file():
        comparisons = compare_runs(original, load_run(folder / RUN))
        if samples == "none":
            _remove_samples(folder / RUN)
    places = sorted([*folder.iterdir(), *(folder / RUN / name for stage in Stage for name in stage.files)])
    files = {place.relative_to(folder).as_posix(): read_bytes(place) for place in places if place.is_file()}
    manifest = BundleDocument(
        versions={"python": platform.python_version()} | {name: metadata.version(name) for name in _PACKAGES if _is_installed(name)},
        platform=f"{platform.system()} {platform.machine()}",
        joints=original.estimate.base.robot.n,
        samples=BundledSamples(
            choice=samples,
            recorded=sum(data.samples for data in logs.values()) if logs else None,
            kept=sum(data.samples for data in kept.values()),
        ),
        data=tuple(digests),
        steps=tuple(steps),
        comparisons=comparisons,
        missing=(*missing, *_missing(original, logs, kept, samples)),
        taken_out=_TAKEN_OUT,
        left_in=_LEFT_IN,
        files={name: BundledFile(bytes=len(content), what=_meaning(name)) for name, content in files.items()},
    )
    listed = Bundle(files={MANIFEST: json_text(manifest).encode(), **files}, manifest=manifest)
    return replace(listed, files={README: f"{listed.tables()}\n".encode(), **listed.files})


def _is_installed(name: str) -> bool:
    return any(True for _ in metadata.distributions(name=name))


def _missing(original: Run, logs: Mapping[str, Any], kept: Mapping[str, Any], samples: Samples) -> Iterator[str]:
    yield from (f"{stage.key}: {reason}" for stage, reason in original.missing.items() if (original.folder / stage.file).is_file())
    if samples == "none":
        yield f"measured samples, as was asked: no log, and none of {', '.join(stage.file for stage in _MEASURED)}"
    elif not logs:
        yield "the log, which was not found where it was; name it to have an excerpt of it, and what the doctor says, in the bundle"
    elif any(kept[name] is not data for name, data in logs.items()):
        yield f"samples of a log after the first {MOST_SAMPLES}; the commands were repeated with all of them"


def _remove_samples(run: Path) -> None:
    """Write the run anew without what was measured, sample by sample or as filtered rows."""
    contents = {stage: item for stage, item in load_run(run).contents.items() if stage not in _MEASURED}
    identified = contents[Stage.ESTIMATE]
    contents[Stage.ESTIMATE] = replace(identified, result=replace(identified.result, problem=None))
    write_stages(run, contents)
    for stage in _MEASURED:
        (run / stage.file).unlink(missing_ok=True)


def _cut(data: Dataset | ControllerSamples) -> Dataset | ControllerSamples:
    """The first samples, as they follow each other: what is thinned out has another bandwidth, and other faults."""
    return data if data.samples <= MOST_SAMPLES else data.part(0.0, MOST_SAMPLES / data.samples)


def _meaning(name: str) -> str:
    place = Path(name)
    if place.parent.name == RUN and place.name != ROBOT:
        return f"what dynident {Stage[place.stem.upper()].verb} gives, {'as text' if place.suffix == '.json' else 'every digit'}"
    return _MEANINGS.get(place.name) or _MEANINGS[place.stem.rstrip("0123456789")]
