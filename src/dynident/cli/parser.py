"""The words of a command line, parsed by Typer: the verb that they name is imported, and no other."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from dynident.cli.options import Debug
from dynident.cli.overview import EXAMPLE, OPTIONS, PURPOSE, VERBS, print_overview, print_version
from dynident.cli.registries import with_registries
from dynident.cli.usage import check_words, explain_refusal


def parse_and_run(words: Sequence[str]) -> int | None:
    """Do what the words say; UsageError tells what Typer does not understand."""
    check_words(words)
    try:
        return _app(words)(list(words), prog_name="dynident", standalone_mode=False)
    except typer.TyperException as error:
        raise explain_refusal(error) from error


def _app(words: Sequence[str]) -> typer.Typer:
    """The command with the verb that the words name; with all of them where they name none, for a suggestion."""
    app = typer.Typer(
        name="dynident",
        cls=_Group,
        help=PURPOSE,
        epilog=EXAMPLE,
        add_completion=False,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
    )
    app.callback()(_global_options)
    verb = next((word for word in words if not word.startswith("-")), "")
    for name in (verb,) if verb in VERBS else VERBS:
        module = import_module(f"dynident.cli.verbs.{name}")
        app.command(name, epilog=module.EXAMPLE)(with_registries(getattr(module, name)))
    return app


class _Group(TyperGroup):
    """All verbs: the help shows them although one alone is there."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        print_overview()


def _show_version(asked: bool) -> None:
    if asked:
        print_version()
        raise typer.Exit


def _global_options(
    version: Annotated[bool, typer.Option("--version", help=OPTIONS["--version"], callback=_show_version, is_eager=True)] = False,
    debug: Debug = False,
) -> None:
    pass
