"""The samples' part of a run folder: samples.json for people, samples.npz with every digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dynident.core.archives import Arrays, pack
from dynident.feasibility.samples import PosteriorSamples
from dynident.feasibility.sampling import AGREEMENT
from dynident.runs.problem import base_from_parts, base_parts
from dynident.runs.stages import Absent, Stage, of_other_links, open_stage, present, write_stage


def write_samples(folder: str | Path, samples: PosteriorSamples) -> dict[str, Any]:
    """Write samples.npz and samples.json into the run folder that the link parameters are in."""
    run, stage = Path(folder), Stage.SAMPLES
    arrays, description = base_parts(samples.base)
    arrays |= {"x": samples.x, "best": samples.best} | ({} if samples.reached is None else {"reached": samples.reached})
    description |= {name: getattr(samples, name) for name in ("agreement", "effective", "draws", "seed")}
    description["branches"] = [list(pair) for pair in samples.branches]
    description |= {"estimate": Stage.ESTIMATE.digest(run), "parameters": Stage.PARAMETERS.digest(run)}
    content = pack(stage.value.arrays_schema, arrays, description)
    document = samples_document(samples)
    return write_stage(run, stage, document, {stage.value.arrays: content}, made_from=(Stage.ESTIMATE, Stage.PARAMETERS))


def read_samples(folder: str | Path) -> PosteriorSamples:
    """The samples in a run folder, as they were written; FileError where there are none, or where they are out of date."""
    return present(find_samples(folder))


def find_samples(folder: str | Path) -> PosteriorSamples | Absent:
    """The samples in a run folder, or why there are none that count."""
    run = Path(folder)
    found = open_stage(run, Stage.SAMPLES, _samples)
    if isinstance(found, Absent):
        return found
    samples, parameters = found
    return samples if parameters == Stage.PARAMETERS.digest(run) else of_other_links(run, Stage.SAMPLES)


def samples_document(samples: PosteriorSamples) -> dict[str, Any]:
    """Standard JSON: how many, whether they converged, and how far the links spread."""
    return {
        "schema": Stage.SAMPLES.value.schema,
        "robot": samples.base.robot.name,
        "count": len(samples),
        "seed": samples.seed,
        "convergence": convergence_document(samples),
        "branches": [{"rule": rule, "branch": branch} for rule, branch in samples.branches],
        "total_mass": {"mean": float(samples.total_mass.mean()), "std": float(samples.total_mass.std())},
        "links": samples.spread(),
        "versions": Stage.SAMPLES.versions,
    }


def convergence_document(samples: PosteriorSamples) -> dict[str, Any]:
    """What tells that the chains have converged. No samples leave the library without it."""
    return {"r_hat": samples.agreement, "r_hat_limit": AGREEMENT, "effective_draws": samples.effective, "draws": samples.draws}


def _samples(arrays: Arrays, description: dict[str, Any]) -> tuple[tuple[PosteriorSamples, str], str]:
    """The samples with the digest of the parameters that they were drawn for, and that of the estimate."""
    numbers: dict[str, Any] = {name: description[name] for name in ("agreement", "effective", "draws", "seed")}
    numbers["branches"] = tuple((rule, branch) for rule, branch in description.get("branches", []))
    samples = PosteriorSamples(
        base=base_from_parts(arrays, description), x=arrays["x"], best=arrays["best"], reached=arrays.get("reached"), **numbers
    )
    return (samples, description["parameters"]), description["estimate"]
