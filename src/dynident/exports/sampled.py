"""Samples of a posterior as a folder of files: one model each, a table of all, and an index that says what they are.

Paths of a patched file to its meshes are relative; in its copies they are changed to lead to the same files.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, cast

from dynident.core.documents import LEFT_OUT, Document, Number
from dynident.core.files import check_writable, json_text, make_parents, read_json, write_files
from dynident.core.xml import XmlElement, XmlText
from dynident.errors import FileError, InputError
from dynident.exports.export_model import ExportModel
from dynident.exports.formats.original import Original
from dynident.exports.formats.tables import csv_bytes
from dynident.exports.proof import random_states
from dynident.exports.registry import EXPORTERS, export, refuse_foreign
from dynident.links.result import LinkParameters
from dynident.links.samples import LinkSpread, PosteriorSamples

INDEX, TABLE = "index.json", "samples.csv"
#: Names of the models, one per sample.
_MODEL = re.compile(r"sample_\d{1,9}\.\w{1,8}")
#: Random states at which the torques of every model are compared; a sample has the frames of all others, and only other numbers.
_STATES = 25
#: Elements of an MJCF that name a file, and the attributes of its compiler that say in which folder it is, the first that is there.
_FOLDERS = {
    "mesh": ("meshdir", "assetdir"),
    "texture": ("texturedir", "assetdir"),
    "hfield": ("meshdir", "assetdir"),
    "skin": ("meshdir", "assetdir"),
}
#: Attributes that name a file, those of the six sides of a cube included.
_FILES = ("file", *(f"file{side}" for side in ("right", "left", "up", "down", "front", "back")))


@dataclass(frozen=True, kw_only=True)
class SampleIndex(Document):
    """index.json beside exported samples, which `dynident sample --json` prints with how far links and torques spread."""

    FILE = "sample-index.json"
    SCHEMA = "dynident/sample-index/1"

    robot: str
    count: int
    seed: int
    parameters: Annotated[str, "digest of the run's parameters.safetensors"]
    acceptance: Annotated[float, "share of all that was drawn that is within the constraints"]
    target: Annotated[str | None, "what the models were exported for; null where there are none"]
    files: Annotated[Mapping[str, str], "SHA-256 by name"]
    notes: Annotated[tuple[str, ...], "of the export"]
    links: tuple[LinkSpread, ...] = field(default=(), metadata=LEFT_OUT)
    torque_spread_percent: Annotated[Mapping[str, Number] | None, "of each joint; null where it is not known"] = field(
        default_factory=dict[str, Number], metadata=LEFT_OUT
    )


def export_samples(
    samples: PosteriorSamples,
    folder: str | Path,
    *,
    target: str | None = None,
    original: str | Path | None = None,
    parameters: str = "",
    progress: Callable[[float], None] | None = None,
) -> SampleIndex:
    """Write samples.csv, one model per sample where a target is given, and index.json with their digests. The index is returned.

    target, original   A name in EXPORTERS that patches files, such as "mjcf", and the file of the user's to patch.
    parameters         Digest of the link parameters that the samples belong to, for the index.

    Files that an earlier index in the folder lists and that are not written again are removed. The errors are those of `export`.
    """
    place = Path(folder)
    check_writable(place, INDEX, TABLE)
    files = {TABLE: _table(samples)}
    notes: tuple[str, ...] = ()
    if target is not None:
        models, notes = _models(samples, place, target, original, progress)
        files |= models
    index = SampleIndex(
        robot=samples.base.robot.name,
        count=len(samples),
        seed=samples.seed,
        parameters=parameters,
        acceptance=samples.acceptance,
        target=target,
        files={name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
        notes=notes,
    )
    earlier = _earlier_files(place)
    refuse_foreign(place, [name for name in files if name not in earlier], "sample")
    with make_parents(place):
        # the index comes first: until all files are there its digests don't fit, and the next command knows which files are samples
        contents = {INDEX: json_text(index), **files}
        write_files({place / name: text for name, text in contents.items()}, remove=[place / name for name in sorted(earlier - set(files))])
    return index


def check_samples_target(links: LinkParameters, folder: Path, target: str | None, original: str | Path | None) -> None:
    """An error where the folder cannot be written, holds files other than earlier samples, or the file to patch does not fit the robot."""
    check_writable(folder, INDEX, TABLE)
    if TABLE not in _earlier_files(folder):
        refuse_foreign(folder, [TABLE], "sample")
    if target is not None:
        export(links, target, original=original, states=random_states(links.base.robot, _STATES))


def _earlier_files(folder: Path) -> set[str]:
    """The files of earlier samples that an index in the folder lists."""
    file = folder / INDEX
    if not file.is_file():
        return set()
    content = read_json(file)
    if content.get("schema") != SampleIndex.SCHEMA:
        raise FileError(file, "is not an index of samples, so it is not replaced; name another folder")
    listed = content.get("files")
    names = cast("dict[str, Any]", listed) if isinstance(listed, dict) else {}
    return {name for name in names if name in (INDEX, TABLE) or _MODEL.fullmatch(name)}  # of no other names, whatever an index lists


def _models(
    samples: PosteriorSamples, folder: Path, target: str, original: str | Path | None, progress: Callable[[float], None] | None
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    if not EXPORTERS[target].original:
        raise InputError(f"{target} doesn't describe links that can be patched; one model per sample is written as MJCF or URDF")
    robot, friction = samples.base.robot, samples.friction_parameters
    states, digits = random_states(robot, _STATES), len(str(len(samples)))
    base = None if original is None else Original.read(original)
    files: dict[str, bytes] = {}
    notes: tuple[str, ...] = ()
    for i, links in enumerate(samples.links):
        model = ExportModel(
            robot=robot,
            parameters=links,
            friction=samples.base.friction,
            friction_parameters=None if friction is None else friction[i],
            reached=samples.reached,
            provenance=f"sample {i + 1} of {len(samples)} from the posterior, seed {samples.seed}",
        )
        exported = export(model, target, original=base, states=states)
        (name,) = exported.files
        content = exported.main if base is None else relocate(exported.main, base.path, folder)
        files[f"sample_{i + 1:0{digits}d}{Path(name).suffix}"] = content
        notes = notes or tuple(f"sample 1: {note}" for note in exported.notes)
        if progress is not None:
            progress((i + 1) / len(samples))
    return files, notes


def relocate(content: bytes, original: Path, folder: Path) -> bytes:
    """A URDF or MJCF that was at `original`, with its relative paths to other files as they are seen from `folder`."""
    start = os.path.relpath(original.absolute().parent, folder.absolute())
    if start == os.curdir:
        return content
    text = XmlText(content)
    for element, name in _paths(text.root):
        text.set_text(element, name, str(PurePosixPath(start) / element.attributes[name]))
    return text.result()


def _paths(root: XmlElement) -> Iterator[tuple[XmlElement, str]]:
    """The attributes that are relative to the file's own folder."""
    if root.tag == "robot":
        places = [(element, "filename") for tag in ("mesh", "texture") for element in root.all(tag)]
    else:
        compilers = list(root.all("compiler"))
        given = {name for element in compilers for name in element.attributes}
        places = [(element, name) for element in compilers for name in ("meshdir", "texturedir", "assetdir")]
        without_folder = [tag for tag, folders in _FOLDERS.items() if not given & set(folders)]
        places += [(element, name) for tag in without_folder for element in root.all(tag) for name in _FILES]
    for element, name in places:
        value = element.attributes.get(name, "")
        if name in element.attributes and "://" not in value and not value.startswith(("/", "~", "$")):
            yield element, name


def _table(samples: PosteriorSamples) -> bytes:
    """One row per sample, one column per parameter with its unit; every digit."""
    columns = samples.base.columns
    heading = ["sample", *(f"{name} [{unit}]" if unit else name for name, unit in zip(columns.names, columns.units, strict=True))]
    return csv_bytes([heading, *([i, *map(repr, row)] for i, row in enumerate(samples.x.tolist(), start=1))])
