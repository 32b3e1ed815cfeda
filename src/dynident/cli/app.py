"""The `dynident` command: its verbs, and how errors become one sentence and an exit code.

Exit codes: 0 success; 1 the work failed, or what was checked is not in order; 2 bad usage or bad input; 130 Ctrl-C.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated

import typer

from dynident.cli import INTERRUPTED
from dynident.cli.options import Debug, option_text
from dynident.cli.registries import InterruptedByUser, with_registries
from dynident.cli.verbs import (
    check,
    convert,
    demo,
    doctor,
    excite,
    export,
    friction,
    gains,
    identify,
    payload,
    presets,
    record,
    repair,
    report,
    reproduce,
    retrieve,
    sample,
    signs,
    simulate,
    validate,
    view,
)
from dynident.errors import DynidentError, InputError, Remedy

#: In the order of the help, which shows them by their groups. A new verb is its file and its place here.
VERBS = (
    demo,
    reproduce,
    check,
    view,
    convert,
    repair,
    excite,
    simulate,
    record,
    doctor,
    presets,
    gains,
    identify,
    signs,
    retrieve,
    validate,
    friction,
    payload,
    export,
    report,
    sample,
)


def run(words: Sequence[str]) -> int | None:
    """Do what the words say in this process; errors are raised."""
    return _app(words)(list(words), prog_name="dynident", standalone_mode=False)


def _app(words: Sequence[str]) -> typer.Typer:
    """The command; registries are asked for the options of the verb that the words name, and of no other."""
    app = typer.Typer(
        name="dynident",
        help="Identify the dynamic model of a robot arm.",
        epilog="Example: [bold]dynident check panda[/bold]",
        add_completion=False,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
    )
    app.callback()(_global_options)
    asked = next((word for word in words if not word.startswith("-")), "")
    for module in VERBS:
        name = module.__name__.rpartition(".")[2]
        verb = with_registries(getattr(module, name), look=name == asked)
        app.command(name, epilog=module.EXAMPLE, rich_help_panel=module.GROUP)(verb)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit; what the user can mend is one sentence on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows ASCII alone shows a ? for ±
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(logging.Formatter("dynident: %(message)s"))
    try:
        code = run(words)
        sys.stdout.flush()
    except typer.TyperException as error:
        code = _complain(f"{error.format_message().rstrip('.')}; see 'dynident --help'", error.exit_code)
    except DynidentError as error:
        if "--debug" in words:
            raise
        remedy = error.remedy.told(option_text) if isinstance(error.remedy, Remedy) else error.remedy
        code = _complain("; ".join(filter(None, (error.message, remedy))), _exit_code(error))
    except OSError as error:  # of what is printed: files have their own sentences
        if "--debug" in words or isinstance(error, BrokenPipeError):
            raise
        code = _complain(f"can't print what was found ({error.strerror or error})", 1)
    sys.exit(code)


def _exit_code(error: DynidentError) -> int:
    if isinstance(error, InterruptedByUser):
        return INTERRUPTED
    return 2 if isinstance(error, InputError) else 1


def _complain(sentence: str, code: int) -> int:
    print("dynident:", " ".join(sentence.split()), file=sys.stderr)
    return code


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print("dynident", version("dynident"))
        raise typer.Exit


def _global_options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)] = False,
    debug: Debug = False,
) -> None:
    pass
