"""`dynident reproduce`: the papers' experiments run again, every published number beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from dynident.cli.command_line import Argument
from dynident.cli.terminal import Outcome, progress_bar
from dynident.core.kinds import Folder
from dynident.errors import InputError

EXAMPLE = """Examples:

dynident reproduce gaz2016 -o reproduction

dynident reproduce gaz2019/retrieval -o retrieval

dynident reproduce all -o reproduction --data trajectory_1.npz --data measurements_1.npz"""
PRINTS = ("dynident.reproduce.document:ReproductionDocument",)


def reproduce(
    paper: Annotated[
        str,
        Argument(
            metavar="PAPER",
            help="gaz2019 (Panda), gaz2016 (KUKA LWR IV+), unsigned (1R and 3R) or all; gaz2016/extraction is one experiment of a paper.",
        ),
    ],
    /,
    *,
    output: Annotated[Folder, Argument(help="Folder for the results; made if it is not there.", metavar="DIR", short="-o")],
    data: Annotated[
        Sequence[Path],
        Argument(help="A recorded log, or samples of M and g, of the Panda or the KUKA; its torques tell which.", metavar="LOG"),
    ] = (),
    quick: Annotated[bool, Argument(help="One run and one experiment of each kind, in less than a minute.")] = False,
    full: Annotated[bool, Argument(help="As many starts and runs as in the papers, which takes four times as long.")] = False,
) -> Outcome:
    """Run the experiments of the papers again and put every published number beside ours, with a verdict.

    A number is equal, ours is better or near (with the reason), ours was made from it (by construction), it is not reproducible (with the
    reason), or the paper is in error (with the computation that shows it); verdicts follow from the numbers. Virtual robots take the place
    of recorded data that are not given. DIR gets reproduction.md, reproduction.json and the page reproduction.html. Every experiment is
    kept in DIR as it ends: an interrupted run goes on where it was.
    """
    from dynident.core.documents import to_json
    from dynident.core.files import check_writable, json_text, write_atomically
    from dynident.reproduce import Size, papers_named
    from dynident.reproduce import reproduce as run
    from dynident.reproduce.document import ReproductionDocument, reproduction_markdown, reproduction_report
    from dynident.reproduce.page import reproduction_page

    if quick and full:
        raise InputError("--quick and --full exclude each other; give one of them")
    check_writable(output, *(f"reproduction.{suffix}" for suffix in ("md", "json", "html")))
    chosen, size = papers_named(paper), Size.QUICK if quick else Size.FULL if full else Size.USUAL
    with progress_bar(lines=True) as progress:
        reproduction = run(chosen, output, data=list(data), size=size, progress=progress)
    document = to_json(ReproductionDocument.of(reproduction))
    write_atomically(output / "reproduction.md", reproduction_markdown(document))
    write_atomically(output / "reproduction.json", json_text(document))
    page = reproduction_page(reproduction).save(output / "reproduction.html")
    written = f"Open {page}; {output} also has reproduction.md and reproduction.json."
    return Outcome(report=reproduction_report(reproduction), document=document, written=written)
