"""Options declared once, as frozen dataclasses beside the functions that take them: name, type with unit and bounds, default, help.

    @dataclass(frozen=True, kw_only=True)
    class FitOptions(Options):
        loss: Literal["squared", "huber"] = option("squared", "huber for gross errors.")

From this come the keywords of a Python function (`takes`), what a YAML file may say (`read_options`), what a run remembers (`changes`),
the options of solvers, readers and export targets (`settle_options`), and the command line. Values are checked when the object is made,
by the rules of `core/kinds.py`, wherever they come from.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache, wraps
from pathlib import Path
from typing import Any, ClassVar, Generic, ParamSpec, Protocol, TypeVar, cast, get_type_hints, overload

from dynident.core.kinds import Kind, Place, RefusedValue, kind_of, plain, show_word
from dynident.errors import FileError, InputError, UnknownNameError, ValueRangeError

T = TypeVar("T")
OptionsT = TypeVar("OptionsT", bound="Options")


def option(
    default: T,
    help: str,
    *,
    flag: str | None = "",
    short: str = "",
    metavar: str = "",
    group: str = "",
    key: str = "",
    shown: str = "",
    remembered: bool = True,
    registry: str = "",
) -> T:
    """A field of an options class: its default, and the sentence that help texts show.

    flag : of the command line, where it is not --name; None where the command line does not have it.
    short : a flag of one letter beside it. metavar : where that of the kind is not specific enough.
    group : of the help text, where it is not the title of the class.
    key : in a YAML file, where it is not the name. shown : the default in words, where it depends on something else.
    remembered : False for what belongs to one call alone, so that a run does not keep it.
    registry : "module:function" whose text stands for {} in the help; it is imported for the help alone.
    """
    texts = {"help": help, "metavar": metavar, "group": group, "key": key, "shown": shown, "registry": registry, "short": short}
    about = {"option": {**texts, "flag": flag, "remembered": remembered}, "stored": remembered}
    if isinstance(default, dict):
        return field(default_factory=lambda: cast("T", {}), metadata=about)
    return field(default=default, metadata=about)


class OptionError(ValueRangeError):
    """A value that an option can't have. Attributes: `name` (its place, such as "columns.q[1]"), `value`, `expected`."""

    def __init__(self, refused: RefusedValue, owner: str = "") -> None:
        self.value, self.expected = refused.value, refused.expected
        message = str(refused).removeprefix(refused.path).strip()
        super().__init__(f"option {refused.path} of {owner}" if owner else refused.path, message)


@dataclass(frozen=True, kw_only=True)
class DeclaredOption:
    """One option of a class. flag : empty where the command line does not have it; the others as in `option`."""

    name: str
    kind: Kind
    help: str
    flag: str
    default: Any = None
    short: str = ""
    metavar: str = ""
    group: str = "Options"
    key: str = ""
    shown: str = ""
    remembered: bool = True
    registry: str = ""


class Options:
    """Base class of options. Fields made with `option` are offered everywhere; other fields are for Python alone."""

    #: Heading of these options in a help text.
    title: ClassVar[str] = "Options"
    #: Keys of older files, and what they are called now.
    renamed: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        for item in declared_options(type(self)):
            try:
                object.__setattr__(self, item.name, item.kind.read(getattr(self, item.name), Place(item.name)))
            except RefusedValue as refused:
                raise OptionError(refused) from None


@dataclass(frozen=True)
class NoOptions(Options):
    """Of a variant that has none of its own."""


@cache
def declared_options(options: type) -> tuple[DeclaredOption, ...]:
    """The options of a class, those of its bases before its own."""
    if not is_dataclass(options):
        raise TypeError(f"{options!r} declares options and must be a dataclass")
    hints = get_type_hints(options, include_extras=True)
    titles = {name: base.title for base in reversed(options.__mro__) if issubclass(base, Options) for name in inspect.get_annotations(base)}
    return tuple(_declare(item, hints[item.name], titles.get(item.name, "")) for item in fields(options) if "option" in item.metadata)


def flag_of(name: str) -> str:
    """What a command line has for a name of Python."""
    return "--" + name.replace("_", "-")


def negative(flag: str) -> str:
    """What turns a flag off."""
    return flag.replace("--", "--no-", 1)


def _declare(item: Any, hint: Any, title: str) -> DeclaredOption:
    about, kind = item.metadata["option"], kind_of(hint)
    settled: dict[str, Any] = {
        "flag": "" if about["flag"] is None else about["flag"] or flag_of(item.name),
        "metavar": about["metavar"] or kind.metavar,
        "group": about["group"] or title,
        "key": about["key"] or item.name,
    }
    default = item.default if item.default is not MISSING else item.default_factory()
    return DeclaredOption(name=item.name, kind=kind, default=default, **about | settled)


# ---------------------------------------------------------------------------------------------- Python: keywords of a function

P = ParamSpec("P")  # the keywords of an options class
A = TypeVar("A")  # first argument
B = TypeVar("B")  # second argument
R = TypeVar("R")  # result
A_ = TypeVar("A_", contravariant=True)
B_ = TypeVar("B_", contravariant=True)
O_ = TypeVar("O_", contravariant=True)
R_ = TypeVar("R_", covariant=True)


class OfOne(Protocol[A_, O_, P, R_]):  # pyright: ignore[reportInvalidTypeVarUse] (the overloads hide that O_ is an argument)
    """load_dataset(file, rate=100.0) or load_dataset(file, reading)."""

    @overload
    def __call__(self, first: A_, /, *args: P.args, **keywords: P.kwargs) -> R_: ...
    @overload
    def __call__(self, first: A_, options: O_, /) -> R_: ...


class OfTwo(Protocol[A_, B_, O_, P, R_]):  # pyright: ignore[reportInvalidTypeVarUse]
    """identify(robot, data, friction="linear") or identify(robot, data, options)."""

    @overload
    def __call__(self, first: A_, second: B_, /, *args: P.args, **keywords: P.kwargs) -> R_: ...
    @overload
    def __call__(self, first: A_, second: B_, options: O_, /) -> R_: ...


class takes(Generic[P, OptionsT]):
    """Lets users call a function with keywords in place of its last argument, an options object.

        @takes(FitOptions)
        def fit(problem: Problem, options: FitOptions) -> Estimate: ...

    fit(problem, loss="huber") is checked by type checkers and completed by editors, because P are the keywords of FitOptions. Inside the
    library the object is handed on as it is, so that no function lists the keywords of another.
    """

    def __init__(self, options: Callable[P, OptionsT]) -> None:
        self.options = options

    @overload
    def __call__(self, function: Callable[[A, OptionsT], R]) -> OfOne[A, OptionsT, P, R]: ...
    @overload
    def __call__(self, function: Callable[[A, B, OptionsT], R]) -> OfTwo[A, B, OptionsT, P, R]: ...
    def __call__(self, function: Callable[..., Any]) -> Any:
        *inputs, _ = inspect.signature(function).parameters.values()
        names = [item.name for item in inputs]

        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            if len(arguments) > len(inputs):
                return function(*arguments, **keywords)
            named = {name: keywords.pop(name) for name in names[len(arguments) :] if name in keywords}
            return function(*arguments, *named.values(), cast("Any", self.options)(**keywords))

        call.__doc__ = describe_parameters(function, cast("type", self.options))
        keywords = inspect.signature(self.options).parameters.values()
        cast("Any", call).__signature__ = inspect.Signature([*inputs, *keywords])  # for help() and notebooks
        return call


def describe_parameters(function: Callable[..., Any], options: type) -> str:
    """The docstring of a function with the attributes of its options class, and of the bases of that, in place of the options, for help()
    and editors."""
    described = inspect.cleandoc(function.__doc__ or "")
    *_, last = inspect.signature(function).parameters
    texts = [inspect.cleandoc(base.__dict__.get("__doc__") or "") for base in options.__mro__]
    attributes = [match[1] for text in texts if (match := re.search(r"Attributes\n-+\n(.*?)(?=\n\n|\Z)", text, re.S))]
    return re.sub(rf"(?m)^{last} : .*(\n    .*)*", lambda _: "\n".join(attributes), described) if attributes else described


# ---------------------------------------------------------------------------------------- mappings, files, what a run remembers


def read_options(options: type[OptionsT], values: Mapping[str, object], *, owner: str = "", typed: bool = False) -> OptionsT:
    """The options that a mapping gives by name, with defaults for the others.

    owner : who has them, for messages ("solver penalty"); typed : True where the values are words of a command line.
    """
    declared = {item.key: item for item in declared_options(options)}
    given: dict[str, Any] = {}
    for key, value in values.items():
        if key not in declared:
            raise UnknownNameError(f"option of {owner}" if owner else "option", str(key), declared)
        try:
            given[declared[key].name] = declared[key].kind.read(value, Place(key, typed=typed))
        except RefusedValue as refused:
            raise OptionError(refused, owner) from None
    return options(**given)


def read_options_file(options: type[OptionsT], file: Path) -> OptionsT:
    """The options in a YAML file; FileError names the file, the place in it and what is expected there."""
    from dynident.core.files import errors_in_file, read_yaml

    values = {key: value for key, value in read_yaml(file).items() if value is not None}
    values = {key if (new := options.renamed.get(key, key)) in values else new: value for key, value in values.items()}
    allowed = [item.key for item in declared_options(options)]
    if unknown := [key for key in values if key not in allowed]:
        raise FileError(file, f"unknown key {unknown[0]!r}; allowed: {', '.join(allowed)}")
    with errors_in_file(file):
        try:
            return read_options(options, values)
        except OptionError as error:
            raise FileError(file, error.message.removeprefix(error.name).strip(), place=error.name) from None


def names_given(options: Options, *names: str) -> list[str]:
    """Those of these options that differ from their defaults."""
    defaults = {item.name: item.default for item in declared_options(type(options))}
    return [name for name in names if getattr(options, name) != defaults[name]]


def changes(options: Options, *, by_key: bool = False, every: bool = False) -> dict[str, Any]:
    """What differs from the defaults and is to be remembered, as JSON and YAML contain it.

    by_key : by the names in YAML files. every : also what a run does not remember.
    """
    declared = [item for item in declared_options(type(options)) if item.remembered or every]
    values = [(item.key if by_key else item.name, getattr(options, item.name), item.default) for item in declared]
    return {name: plain(value) for name, value, default in values if value != default}


def override(options: OptionsT, others: OptionsT) -> OptionsT:
    """The first options with what the others change from the defaults; mappings are merged name by name."""
    given: dict[str, Any] = {}
    for item in declared_options(type(options)):
        before, after = getattr(options, item.name), getattr(others, item.name)
        if after != item.default:
            given[item.name] = {**before, **after} if isinstance(before, Mapping) and isinstance(after, Mapping) else after
    return replace(cast("Any", options), **given)


def narrow(options: Options, to: type[OptionsT]) -> OptionsT:
    """The options of a class alone, of an object that has these and others."""
    return to(**{item.name: getattr(options, item.name) for item in declared_options(to)})


def map_values(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value of an option with each single value in it changed."""
    if isinstance(value, Mapping):
        return {name: map_values(item, change) for name, item in cast("Mapping[Any, Any]", value).items()}
    if type(value) in (tuple, list):
        return tuple(map_values(item, change) for item in value)
    return change(value)


def typed_words(*options: Options) -> list[str]:
    """What a user would type for the options that differ from their defaults."""
    words: list[str] = []
    for item, value in ((item, getattr(each, item.name)) for each in options for item in declared_options(type(each))):
        kind, flag = item.kind, item.flag
        if not flag or value == item.default:
            continue
        if kind.is_flag:
            words.append(flag if value else negative(flag))
        elif kind.tokens > 1:
            words += [flag, *map(show_word, value)]
        elif isinstance(value, Mapping):
            pairs = cast("Mapping[str, Any]", value)
            words += [word for name, part in pairs.items() for word in (flag, kind.show({name: part}))]
        elif kind.repeated and not kind.joined:
            words += [word for part in value for word in (flag, kind.show((part,)))]
        else:
            words += [flag, kind.show(value)]
    return words


# ------------------------------------------------------------------------------------------------ variants that have own options


def settle_options(options: type[OptionsT], given: Mapping[str, object] | object | None, owner: str) -> OptionsT:
    """The options of a variant that were given, by name or as an instance, with defaults for the others.

    owner : who has them, for the message ("solver penalty").
    """
    if given is None:
        return options()
    if isinstance(given, options):
        return given
    if not isinstance(given, Mapping):
        raise InputError(f"options of {owner} must be {options.__name__} or a mapping; got {type(given).__name__}")
    return read_options(options, cast("Mapping[str, object]", given), owner=owner, typed=True)


def describe_options(options: type) -> str:
    """One line for help: the names with what they mean and their default; empty where there are none."""
    return "; ".join(
        f"{item.name}, {item.help[:1].lower()}{item.help[1:].rstrip('.')}" + ("" if item.default is None else f" ({item.default})")
        for item in declared_options(options)
    )


def describe_all(variants: Mapping[str, Any]) -> str:
    """The options that the variants of a registry have of their own, for help."""
    return ". ".join(f"Of {name}: {text}" for name, variant in variants.items() if (text := describe_options(variant.options)))
