"""The command line, made from declarations: a verb is a function, its parameters are arguments and options classes of the library.

    def check(robot: RobotFile, /, *, chain: Chain) -> Outcome: ...

Each option of an options class becomes an option of the command line; a parameter with an `Argument` is one by itself; a verb that returns
an `Outcome` has --json. `words.py` assigns the words that were typed to them, as texts: `core/kinds.py` decides what these mean, so that an
option means the same here, in YAML and in Python.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar, cast, get_args

from dynident.cli.exits import Exit, UsageError, finish
from dynident.cli.terminal import Outcome, show
from dynident.core.kinds import Place, RefusedValue, kind_of
from dynident.core.options import DeclaredOption, OptionError, Options, declared_options, flag_of

OptionsT = TypeVar("OptionsT", bound=Options)
_BY_NAME, _BY_PLACE = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_ONLY
_JSON = "json"


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


@dataclass(frozen=True, kw_only=True, eq=False)
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
    def title(self) -> str:
        """An argument in a help text and in a message."""
        return self.metavar.strip("[].").replace("|", " or ")

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
        flag="" if by_place else about.flag or flag_of(name),
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
    if any(word in ("--help", "-h") for word in words):
        from dynident.cli.help_page import print_help

        print_help(verb)
        return None
    import logging

    from dynident.cli.words import assign_words

    if logging.lastResort is not None:
        logging.lastResort.setFormatter(logging.Formatter("dynident: %(message)s"))
    return call_verb(verb, assign_words(verb, words))


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


def call_verb(verb: Verb, texts: Mapping[Word, Any]) -> int | None:
    """Call the function of a verb with the texts that were given."""
    values: dict[str, Any] = {}
    sections: dict[str, dict[str, Any]] = {name: {} for name in (*verb.sections, *verb.offered)}
    flags = [flag for word in verb.words for flag in (word.option.flag, word.option.short) if flag]
    for word in verb.words:
        item = word.option
        home = sections[word.section] if word.section else values
        if word in texts:
            if texts[word] in flags:
                raise UsageError(f"{item.flag or item.metavar} needs a value, and got {texts[word]}", f"dynident {verb.name}")
            try:
                home[item.name] = item.kind.read(texts[word], Place(item.flag or item.metavar.rstrip("."), typed=True))
            except RefusedValue as refused:
                raise OptionError(refused) from None
        elif not word.section or word.section in verb.offered:
            home[item.name] = item.default
    made: dict[str, Any] = {
        name: verb.sections[name](**options) if name in verb.sections else options for name, options in sections.items()
    }
    placed = [values.pop(word.option.name) for word in verb.words if word.by_place]
    as_json = values.pop(_JSON, False)
    return finish(lambda: show(verb.function(*placed, **values, **made), as_json=as_json))


def help_text(item: DeclaredOption) -> str:
    """The sentence of an option, with what a registry says in it."""
    text = item.help
    if item.registry:
        module, _, function = item.registry.partition(":")
        text = text.replace("{}", getattr(import_module(module), function)())
    return text + " Repeatable." * (item.kind.repeated and item.flag != "")
