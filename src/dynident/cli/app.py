"""The `dynident` command: its verbs, and how errors become one sentence and an exit code.

Exit codes: 0 success; 1 the work failed, or what was checked is not in order; 2 bad usage or bad input.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from dynident.cli.options import Debug
from dynident.cli.verbs import check, demo, evaluate, excite, export, identify, repair, report, retrieve, simulate, validate
from dynident.errors import DynidentError, InputError

app = typer.Typer(
    name="dynident",
    help="Identify the dynamic model of a robot arm.",
    epilog="Example: [bold]dynident check panda[/bold]",
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command("demo", epilog=demo.EXAMPLE)(demo.demo)
app.command("check", epilog=check.EXAMPLE)(check.check)
app.command("excite", epilog=excite.EXAMPLE)(excite.excite)
app.command("identify", epilog=identify.EXAMPLE)(identify.identify)
app.command("evaluate", epilog=evaluate.EXAMPLE)(evaluate.evaluate)
app.command("retrieve", epilog=retrieve.EXAMPLE)(retrieve.retrieve)
app.command("repair", epilog=repair.EXAMPLE)(repair.repair)
app.command("validate", epilog=validate.EXAMPLE)(validate.validate)
app.command("export", epilog=export.EXAMPLE)(export.export)
app.command("report", epilog=report.EXAMPLE)(report.report)
app.command("simulate", epilog=simulate.EXAMPLE)(simulate.simulate)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit; what the user can mend is one sentence on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        code = app(words, prog_name="dynident", standalone_mode=False)
    except typer.TyperException as error:
        code = _complain(f"{error.format_message().rstrip('.')}; see 'dynident --help'", error.exit_code)
    except DynidentError as error:
        if "--debug" in words:
            raise
        code = _complain(str(error), 2 if isinstance(error, InputError) else 1)
    sys.exit(code)


def _complain(sentence: str, code: int) -> int:
    print("dynident:", " ".join(sentence.split()), file=sys.stderr)
    return code


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print("dynident", version("dynident"))
        raise typer.Exit


@app.callback()
def _global_options(  # pyright: ignore[reportUnusedFunction] (typer calls it)
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)] = False,
    debug: Debug = False,
) -> None:
    pass
