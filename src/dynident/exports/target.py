"""What an export target is: what it writes, how that is proven in another engine, and what the registry asks of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dynident.core.options import NoOptions, Options
from dynident.core.results import Tabular
from dynident.exports.export_model import ExportModel
from dynident.exports.formats.original import Original
from dynident.exports.proof import Comparison, States
from dynident.routes.payload import PayloadEstimate


@dataclass(frozen=True, kw_only=True, repr=False)
class Exported(Tabular):
    """The files of one target, not yet written, by their suggested names; the first is the main one.

    Attributes
    ----------
    target : str
        Name of the target.
    files
        Content by name, the main file first.
    folder : str
        Of the file that was patched, where its meshes are; empty where none was.
    notes : tuple of str
        What the format can't hold, what was lumped: one sentence each.
    comparison : Comparison or None
        Torques of the exported model in another engine against ours; None where no engine reads the target.
    """

    target: str
    files: Mapping[str, bytes]
    folder: str = ""
    notes: tuple[str, ...] = ()
    comparison: Comparison | None = None

    @property
    def main(self) -> bytes:
        """The first of the files."""
        return next(iter(self.files.values()))


@dataclass(frozen=True, kw_only=True)
class Request:
    """Options of an export.

    original : file     The user's own file to patch.
    options : object    An instance of the target's own options class.
    warning : str       What a file must say about parameters that are not feasible; empty when they are.
    """

    original: Original | None = None
    options: object = NoOptions()
    warning: str = ""

    def opening(self, model: ExportModel, *notes: str) -> list[str]:
        """What a file says first: where its numbers come from, that they are not feasible where that is so, and these notes."""
        return [f"{sentence}." for sentence in (model.headline(), self.warning, *notes) if sentence]


@dataclass(frozen=True, kw_only=True)
class Exporter:
    """A target, with everything that the registry, the command line and the tests ask of it.

    write : model and request to files.
    prove : compares the files in another engine, or says in a sentence why that can't be done here; None where nothing can be run.
    help : what the command line says about --NAME.
    bodies : the format describes rigid bodies, so that coefficients alone are not enough.
    folder : the target is a folder of files, not one file.
    guard : refuses, with a FileError, a folder in which something would be replaced that is the user's own.
    original, original_name : root element of the user's own files that it can patch, and what one is called ("a URDF"); empty
        when it always writes anew.
    options : dataclass of the options that it has of its own.
    fragment : text of a payload alone, for formats that can hold it as a body of its own; in others it is part of the link that carries it.
    """

    name: str
    help: str
    write: Callable[[ExportModel, Request], Exported]
    prove: Callable[[ExportModel, Exported, States], Comparison | str] | None
    bodies: bool
    folder: bool = False
    guard: Callable[[Path], None] | None = None
    original: str = ""
    original_name: str = ""
    options: type[Options] = NoOptions
    fragment: Callable[[PayloadEstimate], str] | None = None

    def patches(self, original: Original | None) -> bool:
        """Whether it can patch this file: by the root element, for .xml can be either."""
        return original is not None and original.root.tag == self.original
