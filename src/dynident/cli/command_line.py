"""The command line, made from declarations: a verb is a function, its parameters are arguments and options classes of the library.

    def check(robot: RobotFile, /, *, chain: Chain) -> Outcome: ...

Each option of an options class becomes an option of the command line; a parameter with an `Argument` is one by itself; a verb that returns
an `Outcome` has --json. Cyclopts assigns words to them, prints the help in groups and makes completion. It sees only texts:
`core/kinds.py` decides what they mean, so that an option means the same here, in YAML and in Python, and another library could take the
place of Cyclopts by a change of this file alone.
"""

from __future__ import annotations

import difflib
import inspect
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Annotated, Any, TypeVar, cast, get_args

from cyclopts import App, Group, Parameter
from cyclopts.exceptions import (
    CycloptsError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from dynident.cli.exits import Exit, UsageError, finish
from dynident.cli.terminal import Outcome, show
from dynident.core.kinds import Place, RefusedValue, kind_of
from dynident.core.options import DeclaredOption, OptionError, Options, declared_options

OptionsT = TypeVar("OptionsT", bound=Options)
#: Order of the groups in a help text; others come before the last of these.
GROUPS = ("Arguments", "Options", "Reading the log", "The robot", "Limits", "Search", "Advanced")
_BY_NAME, _BY_PLACE = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_ONLY
_DEBUG = "Show the traceback of an error."
_JSON = "json"
#: What stands for -, the standard input, while Cyclopts looks at the words: it would take it for an option.
_STANDARD_INPUT = "\0"


@dataclass(frozen=True, kw_only=True)
class Argument:
    """Describes a parameter of a verb that is not an options class.

    flag : where it is not --name. shown : the default in words, where it depends on something else.
    registry : "module:function" whose text stands for {} in the help.
    """

    help: str
    metavar: str = ""
    flag: str = ""
    short: str = ""
    group: str = "Options"
    shown: str = ""
    registry: str = ""


@dataclass(frozen=True)
class Offered:
    """Marks a parameter that gets a mapping of the values of options which a registry of the library offers."""

    options: Callable[[], Sequence[DeclaredOption]]


@dataclass(frozen=True)
class Selected:
    """Marks an options class of which a verb has only some options, by name."""

    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Word:
    """One argument or option of a verb. section : parameter of the verb that it belongs to; required : whether it must be given."""

    section: str
    option: DeclaredOption
    by_place: bool = False
    required: bool = False

    @property
    def metavar(self) -> str:
        return self.option.metavar or self.option.kind.metavar

    @property
    def default(self) -> str:
        """The default in a help text; empty for flags that are off, and for what has none."""
        item = self.option
        if item.kind.is_flag:
            return item.shown or "yes" * (item.default is True)
        return item.shown or ("" if item.default in (None, "", (), {}) else item.kind.show(item.default))


@dataclass(frozen=True, kw_only=True)
class Verb:
    """A verb of the command line with all its words."""

    name: str
    function: Callable[..., Outcome | int | None]
    example: str
    words: tuple[Word, ...]
    sections: Mapping[str, type[Options]]
    offered: tuple[str, ...]

    @property
    def flags(self) -> dict[str, str]:
        """The options by their names in Python, for messages of errors."""
        return {word.option.name: word.option.flag for word in self.words if word.option.flag}

    @property
    def synopsis(self) -> str:
        """What must be typed, such as dynident identify ROBOT DATA... -o RUN [OPTIONS]."""
        placed = [word for word in self.words if word.by_place]
        words = [word.metavar if word.required else f"[{word.metavar.strip('[]')}]" for word in placed]
        words += [f"{word.option.short or word.option.flag} {word.metavar}" for word in self.words if word.required and not word.by_place]
        return " ".join(["dynident", self.name, *words, "[OPTIONS]"])


def make_verb(name: str, function: Callable[..., Outcome | int | None], example: str) -> Verb:
    """The verb that a function is."""
    words: list[Word] = []
    sections: dict[str, type[Options]] = {}
    offered: list[str] = []
    signature = inspect.signature(function, eval_str=True)
    for key, parameter in signature.parameters.items():
        hint, marks = parameter.annotation, get_args(parameter.annotation)[1:]
        about = next((mark for mark in marks if isinstance(mark, (Argument, Offered, Selected))), None)
        if isinstance(about, Argument):
            words.append(_argument(key, parameter, about))
        elif isinstance(about, Offered):
            offered.append(key)
            words += [Word(section=key, option=item) for item in about.options()]
        else:
            options = cast("type[Options]", get_args(hint)[0] if about else hint)
            sections[key] = options
            chosen = about.names if about else None
            declared = [item for item in declared_options(options) if item.flag and (chosen is None or item.name in chosen)]
            words += [Word(section=key, option=item) for item in declared]
    if signature.return_annotation is Outcome:
        about = Argument(help="Print JSON instead of tables.")
        words.append(_argument(_JSON, inspect.Parameter(_JSON, _BY_NAME, default=False, annotation=bool), about))
    return Verb(name=name, function=function, example=example, words=tuple(words), sections=sections, offered=tuple(offered))


def _argument(name: str, parameter: inspect.Parameter, about: Argument) -> Word:
    kind, by_place = kind_of(parameter.annotation), parameter.kind is _BY_PLACE
    required = parameter.default is inspect.Parameter.empty
    item = DeclaredOption(
        name=name,
        kind=kind,
        default=None if required else parameter.default,
        help=about.help,
        flag="" if by_place else about.flag or "--" + name.replace("_", "-"),
        short=about.short,
        metavar=about.metavar or kind.metavar,
        group="Arguments" if by_place else about.group,
        key=name,
        shown=about.shown,
        remembered=True,
        registry=about.registry,
    )
    return Word(section="", option=item, by_place=by_place, required=required)


def run_verb(verb: Verb, words: Sequence[str]) -> int | None:
    """Do what the words after the verb's name say; UsageError tells which of them is not understood."""
    if any(word in ("--help", "-h") for word in words):  # without having Cyclopts assign the words first, which takes a third of the time
        _make_app(verb, with_help=True).help_print([])
        return None
    return _use_words(verb, words, call_verb)


def assign_words(verb: Verb, words: Sequence[str]) -> list[tuple[Word, Any]]:
    """The arguments and options that words give, with their texts; nothing is done, and no file that they name is looked at."""
    given: Mapping[str, Any] = _use_words(verb, words, lambda _, texts: texts)
    return [(word, given[_key(word)]) for word in verb.words if _key(word) in given]


def _use_words(verb: Verb, words: Sequence[str], use: Callable[[Verb, Mapping[str, Any]], Any]) -> Any:
    app = _make_app(verb, with_help=False, use=use)
    try:
        words = [_STANDARD_INPUT if word == "-" else word for word in words]
        return app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        raise UsageError(_explain(error, words), f"dynident {verb.name}") from error


def parse_options(options: type[OptionsT], text: str, verb: str) -> OptionsT:
    """The options that a text gives as a user types them, such as "--total-mass 16 20". verb : whose help tells of them."""
    given: list[OptionsT] = []

    def keep(*, options: OptionsT) -> None:
        given.append(options)

    words = tuple(Word(section="options", option=item) for item in declared_options(options) if item.flag)
    try:
        texts = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{text!r} can't be split into options ({error})", f"dynident {verb}") from None
    run_verb(Verb(name=verb, function=keep, example="", words=words, sections={"options": options}, offered=()), texts)
    if not given:  # the help was asked for
        raise Exit(0)
    return given[0]


def completion_script(verbs: Sequence[Verb], shell: str) -> str:
    """What completes the command in a shell: bash, zsh, fish or powershell."""
    app = App(name="dynident", help_flags=["--help", "-h"], version_flags=["--version"])
    for verb in verbs:
        app.command(_make_app(verb, with_help=False, with_choices=True), name=verb.name)
    return app.generate_completion(prog_name="dynident", shell=cast("Any", shell))


def _make_app(
    verb: Verb, *, with_help: bool, with_choices: bool = False, use: Callable[[Verb, Mapping[str, Any]], Any] | None = None
) -> App:
    """with_choices : for completion; otherwise the kinds of values refuse what is not among them. use : what is done with the texts."""
    parameters = [_parameter(word, with_help=with_help, with_choices=with_choices) for word in verb.words]
    parameters.append(
        inspect.Parameter(
            "debug", _BY_NAME, default=None, annotation=Annotated[bool, Parameter(help=_DEBUG, negative=(), group=_group("Advanced"))]
        )
    )

    def run(*arguments: Any, **values: Any) -> Any:
        values.pop("debug", None)
        placed = [word for word in verb.words if word.by_place]
        given = {_key(word): value for word, value in zip(placed, arguments, strict=False)} | values
        return (use or call_verb)(verb, {key: value for key, value in given.items() if value is not None})

    cast("Any", run).__signature__ = inspect.Signature(sorted(parameters, key=lambda parameter: parameter.kind))
    app = App(
        name=f"dynident {verb.name}",
        usage=f"Usage: {verb.synopsis}",
        help=_paragraphs(inspect.getdoc(verb.function) or ""),
        help_format="plaintext",
        help_epilogue=verb.example,
        help_flags=["--help", "-h"],
        version_flags=(),
        group_arguments=_group("Arguments"),
        group_parameters=_group("Options"),
        group_commands=_group("Advanced"),
        suppress_keyboard_interrupt=False,
    )
    app.default(run)
    return app


def call_verb(verb: Verb, given: Mapping[str, Any]) -> int | None:
    """Call the function of a verb with the texts that were given, by section and name."""
    values: dict[str, Any] = {}
    sections: dict[str, dict[str, Any]] = {name: {} for name in (*verb.sections, *verb.offered)}
    flags = [flag for word in verb.words for flag in (word.option.flag, word.option.short) if flag]
    for word in verb.words:
        item, key = word.option, _key(word)
        home = sections[word.section] if word.section else values
        if key in given:
            if given[key] in flags:
                raise UsageError(f"{item.flag or item.metavar} needs a value, and got {given[key]}", f"dynident {verb.name}")
            try:
                home[item.name] = item.kind.read(given[key], Place(item.flag or item.metavar.rstrip("."), typed=True))
            except RefusedValue as refused:
                raise OptionError(refused) from None
        elif not word.section or word.section in verb.offered:
            home[item.name] = item.default
    made: dict[str, Any] = {
        name: verb.sections[name](**options) if name in verb.sections else options for name, options in sections.items()
    }
    placed = [values.pop(word.option.name) for word in verb.words if word.by_place]
    placed = ["-" if value == _STANDARD_INPUT else value for value in placed]
    as_json = values.pop(_JSON, False)
    return finish(lambda: show(verb.function(*placed, **values, **made), as_json=as_json))


def _paragraphs(text: str) -> str:
    """The text with one line per paragraph, which the help folds to the width of the terminal."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _key(word: Word) -> str:
    return f"{word.section}_{word.option.name}".strip("_")


def _parameter(word: Word, *, with_help: bool, with_choices: bool) -> inspect.Parameter:
    """A word as Cyclopts sees it: a flag, a text, or several texts."""
    item, kind = word.option, word.option.kind
    about: dict[str, Any] = {
        "help": help_text(item) if with_help else "",
        "metavar": word.metavar,
        "group": _group(item.group),
        "show_default": word.default or False,
        "negative": f"--no-{item.flag[2:]}" if kind.is_flag and item.default is not False else (),
        "show_choices": False,
        "choices": kind.words if with_choices and kind.closed and not kind.is_flag else None,
        "allow_leading_hyphen": not (kind.is_flag or word.by_place),
    }
    if word.by_place:
        about["name"] = [word.metavar.strip("[].").replace("|", " or ")]
    else:
        about |= {"name": [flag for flag in (item.flag, item.short) if flag], "allow_repeating": kind.repeated}
    texts: Any = bool if kind.is_flag else tuple[(str,) * kind.tokens] if kind.tokens > 1 else list[str] if kind.repeated else str
    default: Any = inspect.Parameter.empty if word.required else None
    annotation = Annotated[texts, Parameter(**{name: value for name, value in about.items() if value is not None})]
    return inspect.Parameter(_key(word), _BY_PLACE if word.by_place else _BY_NAME, default=default, annotation=annotation)


def help_text(item: DeclaredOption) -> str:
    """The sentence of an option, with what a registry says in it."""
    text = item.help
    if item.registry:
        module, _, function = item.registry.partition(":")
        text = text.replace("{}", getattr(import_module(module), function)())
    return text + " Repeatable." * (item.kind.repeated and item.flag != "")


@cache  # Cyclopts wants one object per group
def _group(title: str) -> Group:
    return Group(title, sort_key=GROUPS.index(title) if title in GROUPS else len(GROUPS) - 1.5)


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
