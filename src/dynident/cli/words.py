"""The words of a command, assigned to the declared arguments and options of its verb by Cyclopts, which also makes completion.

It sees only texts, so that another library could take its place by a change of this file alone.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from cyclopts import App, Parameter
from cyclopts.exceptions import (
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from dynident.cli.command_line import Verb, Word
from dynident.cli.exits import UsageError
from dynident.cli.help_page import DEBUG
from dynident.core.options import negative

#: What stands for -, the standard input, while Cyclopts looks at the words: it would take it for an option.
_STANDARD_INPUT = "\0"


def assign_words(verb: Verb, words: Sequence[str]) -> Mapping[Word, Any]:
    """The texts that words give to arguments and options; UsageError tells which word is not understood."""
    app = _make_app(verb)
    try:
        words = [_STANDARD_INPUT if word == "-" else word for word in words]
        return app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        raise UsageError(_explain(error, words), f"dynident {verb.name}") from error


def completion_script(verbs: Sequence[Verb], shell: str) -> str:
    """What completes the command in a shell: bash, zsh, fish or powershell."""
    app = App(name="dynident", help_flags=["--help", "-h"], version_flags=["--version"])
    for verb in verbs:
        app.command(_make_app(verb, with_choices=True), name=verb.name)
    return app.generate_completion(prog_name="dynident", shell=cast("Any", shell))


def _make_app(verb: Verb, *, with_choices: bool = False) -> App:
    """with_choices : for completion; otherwise the kinds of values refuse what is not among them."""
    parameters = [_parameter(word, with_choices=with_choices) for word in verb.words]
    debug = Annotated[bool, Parameter(help=DEBUG, negative=())]
    parameters.append(inspect.Parameter("debug", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=debug))

    def assign(*arguments: Any, **values: Any) -> dict[Word, Any]:
        placed = [word for word in verb.words if word.by_place]
        texts = dict(zip(placed, arguments, strict=False)) | {word: values.get(_key(word)) for word in verb.words if not word.by_place}
        return {word: "-" if text == _STANDARD_INPUT else text for word, text in texts.items() if text is not None}

    cast("Any", assign).__signature__ = inspect.Signature(sorted(parameters, key=lambda parameter: parameter.kind))
    app = App(name=f"dynident {verb.name}", help_flags=["--help", "-h"], version_flags=(), suppress_keyboard_interrupt=False)
    app.default(assign)
    return app


def _key(word: Word) -> str:
    return f"{word.section}_{word.option.name}".strip("_")


def _parameter(word: Word, *, with_choices: bool) -> inspect.Parameter:
    """A word as Cyclopts sees it: a flag, a text, or several texts."""
    item, kind = word.option, word.option.kind
    by_place, by_name = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY
    about: dict[str, Any] = {
        "metavar": word.metavar,
        "negative": negative(item.flag) if kind.is_flag and item.default is not False else (),
        "choices": kind.words if with_choices and kind.closed and not kind.is_flag else None,
        "allow_leading_hyphen": not (kind.is_flag or word.by_place),
    }
    if word.by_place:
        about["name"] = [word.title]
    else:
        about |= {"name": [flag for flag in (item.flag, item.short) if flag], "allow_repeating": kind.repeated}
    texts: Any = bool if kind.is_flag else tuple[(str,) * kind.tokens] if kind.tokens > 1 else list[str] if kind.repeated else str
    default: Any = inspect.Parameter.empty if word.required else None
    annotation = Annotated[texts, Parameter(**{name: value for name, value in about.items() if value is not None})]
    return inspect.Parameter(_key(word), by_place if word.by_place else by_name, default=default, annotation=annotation)


def _explain(error: CycloptsError, words: Sequence[str]) -> str:
    """What Cyclopts complains about, in the words of the other errors."""
    argument = getattr(error, "argument", None)
    name = argument.names[0] if argument is not None and argument.names else ""
    if isinstance(error, UnknownOptionError):
        option = str(error.token.keyword or error.token.value)
        known = [flag for item in error.argument_collection or () for flag in item.names if flag.startswith("--")]
        near = difflib.get_close_matches(option, known, n=1, cutoff=0.7)
        return f"No such option: {option}" + (f"; did you mean {near[0]}" if near else "")
    if isinstance(error, RepeatArgumentError):
        return f"{getattr(error.token, 'keyword', '') or name} is given twice; give it once"
    if isinstance(error, UnusedCliTokensError):
        tokens = list(error.unused_tokens or ())
        return f"No such option: {tokens[0]}" if tokens[0].startswith("-") else f"{' '.join(tokens)}: nothing more was expected here"
    if isinstance(error, MissingArgumentError) and argument is not None:
        if name.startswith("-"):
            used = any(word in argument.names for word in words)
            return f"{name} needs a value" if used else f"Missing option {' or '.join(argument.names)}"
        return f"Missing argument {argument.parameter.metavar or name}"
    return str(error).rstrip(".?").replace(". Did you mean", "; did you mean")
