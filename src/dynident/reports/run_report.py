"""The report of a run: every section that it has use for, on one page."""

from __future__ import annotations

from dataclasses import replace

from dynident.errors import InputError
from dynident.links.result import LinkParameters
from dynident.links.samples import PosteriorSamples
from dynident.regression.estimate import Estimate
from dynident.reports.page import FilledSection, Page, fill, render
from dynident.reports.registry import SECTIONS, Section
from dynident.routes.payload.result import PayloadEstimate
from dynident.routes.signs.result import SignRecovery
from dynident.runs import Run, run_in_memory
from dynident.validation.result import Validation


def report(
    source: Estimate | Run,
    *,
    signs: SignRecovery | None = None,
    parameters: LinkParameters | None = None,
    validation: Validation | None = None,
    samples: PosteriorSamples | None = None,
    payload: PayloadEstimate | None = None,
    beside: Run | None = None,
) -> Page:
    """Everything about an estimate and what was made of it; sections whose step was not done say so.

    Parameters
    ----------
    source
        An estimate, with the recovered signs, the link parameters, the validation, the samples and the payload that belong to it; or a run,
        which has its own.
    signs
        What `recover_signs` returned; of an estimate alone, like the next four.
    parameters
        What `retrieve` returned.
    validation
        What `validate` returned.
    samples
        What `LinkParameters.sample` returned.
    payload
        What `identify_payload` returned.
    beside
        Another run of the same robot, to be compared with.

    Returns
    -------
    Page
        A page that works without a network; it shows itself in a notebook, and can be saved.

    Examples
    --------
    >>> from dynident import load_run, report
    >>> file = report(load_run("run")).save("report.html")
    """
    if isinstance(source, Estimate):
        run = run_in_memory(source, signs=signs, parameters=parameters, validation=validation, samples=samples, payload=payload)
    elif any(result is not None for result in (signs, parameters, validation, samples, payload)):
        raise InputError(
            "a run has its own signs, parameters, validation, samples and payload; leave them out, or give its estimate with them"
        )
    else:
        run = source
    run = run if beside is None else replace(run, beside=beside)
    sections = (fill_section(section, run) for section in SECTIONS.values() if section.applies(run))
    return render(run.estimate.base.robot.name, "identification report", run.estimate.summary.source, sections)


def fill_section(section: Section, run: Run) -> FilledSection:
    if section.stage in run.missing:
        reason, command = run.missing[section.stage], section.stage.command(run.folder)
        return FilledSection(section.key, section.title, reason=reason, command=command)
    return fill(section.key, section.title, section.blocks(run))
