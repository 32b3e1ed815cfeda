"""Pages of the Python reference, one per package: every public name, its signature and docstring, with links between types."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from documentation.reference import MADE, docstrings, sources
from documentation.reference.sources import Definition, Variable

#: Packages in the order of the work, each a page.
PACKAGES = (
    "robots",
    "data",
    "excitation",
    "simulation",
    "recording",
    "doctor",
    "drives",
    "dynamics",
    "parameters",
    "friction",
    "regression",
    "signs",
    "feasibility",
    "validation",
    "payload",
    "monitoring",
    "fleet",
    "runs",
    "exports",
    "reports",
    "errors",
)
_LONGEST_LINE = 100
_LONGEST_DEFAULT = 40
_NAME = re.compile(r"[A-Za-z_][\w.]*")


#: Where a name is described, by the module that defines it.
Index = dict[tuple[str, str], str]
#: What all results can do is told once, on the page that is written by hand.
_RESULT = {("dynident.core.results", "Result"): "../python.md#the-chain"}


def make() -> dict[str, str]:
    index = dict(_RESULT)
    for package in PACKAGES:
        used: dict[str, int] = {}
        for name, found in _definitions(package).items():
            anchor = name.lower()  # of two that differ in capitals alone, Markdown gives the second a number
            index.setdefault(found.key, f"{package}.md#{anchor}_{used[anchor]}" if anchor in used else f"{package}.md#{anchor}")
            used[anchor] = used.get(anchor, 0) + 1
    pages = {f"api/{package}.md": _page(package, index) for package in PACKAGES}
    places = _places(index)
    return {name: _link_mentions(text, places) for name, text in {"api/index.md": _overview(index), **pages}.items()}


def _places(index: Index) -> dict[str, str]:
    """Where names are described that only one package has."""
    names = [name for _, name in index]
    return {name: place for (_, name), place in index.items() if names.count(name) == 1}


def _link_mentions(page: str, places: Mapping[str, str]) -> str:
    """Names that sentences mention, as links; not that of what is being described."""
    own = ""

    def link(match: re.Match[str]) -> str:
        place = places.get(match[1].partition(".")[0])
        code = match[0].removeprefix(docstrings.MENTION)
        return f"[{code}]({place})" if place and match[1] != own else code

    lines: list[str] = []
    for line in page.splitlines(keepends=True):
        own = line[3:].strip() if line.startswith("## ") else own
        lines.append(re.sub(docstrings.MENTION + r"`(\w+(?:\.\w+)?)(?:\(\))?`", link, line).replace(docstrings.MENTION, ""))
    return "".join(lines)


def _definitions(package: str) -> dict[str, Definition]:
    """Functions, then classes, then constants, by name."""
    found = {name: sources.find(f"dynident.{package}", name) for name in sources.package_names(f"dynident.{package}")}
    assert None not in found.values(), found
    in_order = sorted(found, key=lambda name: (not name[0].islower(), name.isupper(), name))
    return {name: definition for name in in_order if (definition := found[name]) is not None}


def _overview(index: Index) -> str:
    lines = ["# Python, name by name", ""]
    lines += ["Every public name with its signature, its shapes and its units; [Python](../python.md) is the overview. `Array` is a NumPy"]
    lines += ["array of float64, `ArrayLike` whatever NumPy can make one of. N is the number of samples, n that of joints.", ""]
    lines += ["What `import dynident` offers:", "", "| name | meaning |", "|---|---|"]
    for name in sources.package_names("dynident"):
        found = sources.find("dynident", name)
        assert found is not None, name
        lines.append(f"| [`{name}`]({index[found.key]}) | {docstrings.cell(_read(found).sentence)} |")
    lines += ["", "The packages:", "", "| package | what is in it |", "|---|---|"]
    lines += [f"| [`dynident.{package}`]({package}.md) | {docstrings.cell(_first_sentence(package))} |" for package in PACKAGES]
    return MADE + "\n".join(lines) + "\n"


def _first_sentence(package: str) -> str:
    return docstrings.parse(sources.summary(f"dynident.{package}"), ()).sentence


def _page(package: str, index: Index) -> str:
    read = docstrings.parse(sources.summary(f"dynident.{package}"), None)
    parts = [f"# dynident.{package}", read.sentence, read.rest]
    parts += (
        [_table(("", ""), [(f"`{name}`", docstrings.cell(_without_type(text))) for name, text in read.entries.items()])]
        if read.entries
        else []
    )
    for name, found in _definitions(package).items():
        parts += _describe(name, found, index, read.entries)
    return MADE + "\n\n".join(part for part in parts if part) + "\n"


def _describe(name: str, found: Definition, index: Index, common: Mapping[str, str]) -> list[str]:
    """common : what names mean in the whole package."""
    if isinstance(found.node, ast.FunctionDef):
        return [f"## {name}", *_function(found.node, found.module, index, common)]
    if isinstance(found.node, ast.ClassDef):
        return [f"## {name}", *_class(found, index, common)]
    annotation = found.node.annotation if isinstance(found.node, ast.AnnAssign) else None
    kind = f"{name}: {sources.written(annotation)}" if annotation is not None else name
    value = "" if found.node.value is None else sources.written(found.node.value)
    shown = f"{kind} = {value}" if value and len(value) <= _LONGEST_LINE else kind
    return [f"## {name}", f"```py\n{shown}\n```", docstrings.markdown(found.docstring)]


def _class(found: Definition, index: Index, common: Mapping[str, str]) -> list[str]:
    node = found.node
    assert isinstance(node, ast.ClassDef)
    bases = [sources.written(base) for base in node.bases]
    variables = sources.fields(found, index)
    read = _read(found)
    shown = f"class {found.name}({', '.join(bases)})" if bases else f"class {found.name}"
    linked = _link_type(", ".join(bases), found.module, index)
    parts = [f"```py\n{shown}\n```", read.sentence, read.rest, f"Base: {linked}." if "](" in linked else ""]
    if any(base.endswith("Enum") for base in bases):
        rows = [(f"`{name}`", f"`{value}`") for name, value in sources.members(node).items()]
        parts += [_table(("member", "value"), rows)] if rows else []
    elif variables:
        parts.append(_variables("field", variables, read.entries, found.module, index))
    described = {name: text for name, text in read.entries.items() if name not in {item.name for item in variables}}
    own = list(sources.methods(node))
    rows = [
        (f"`{item.name}`", _link_type(_returned(item), found.module, index), docstrings.cell(_whole(item, described.pop(item.name, ""))))
        for item in own
        if sources.is_property(item)
    ]
    attributes = [(f"`{name}`", "", docstrings.cell(_without_type(text))) for name, text in described.items() if name != "returns"]
    parts += [_table(("attribute", "type", "meaning"), [*attributes, *rows])] if attributes or rows else []
    for item in own:
        if not sources.is_property(item):
            parts += [f"### {found.name}.{item.name}", *_function(item, found.module, index, common)]
    return parts


def _function(node: ast.FunctionDef, module: str, index: Index, common: Mapping[str, str]) -> list[str]:
    variables = sources.parameters(node, module)
    read = docstrings.parse(ast.get_docstring(node) or "", [item.name for item in variables])
    parts = [f"```py\n{_signature(node, variables)}\n```", read.sentence, read.rest]
    table = _variables("parameter", variables, {**common, **read.entries}, module, index)
    if "](" in table or set(read.entries) - {"returns"}:  # else the signature says it all
        parts.append(table)
    returned = _link_type(_returned(node), module, index)
    if returned and returned != "`None`":
        told = read.entries.get("returns", "")
        parts.append(f"Returns {returned}" + (f": {told}" if told else "."))
    return parts


def _read(found: Definition) -> docstrings.Docstring:
    names = [item.name for item in sources.fields(found, ())] if isinstance(found.node, ast.ClassDef) else []
    if isinstance(found.node, ast.ClassDef):
        names += [item.name for item in found.node.body if isinstance(item, ast.FunctionDef)]
        names += [name for item in found.node.body if isinstance(item, ast.Assign) for name in map(sources.written, item.targets)]
        names += _attributes(found.node)
    if isinstance(found.node, ast.FunctionDef):
        names += [item.name for item in sources.parameters(found.node, found.module)]
    return docstrings.parse(found.docstring, names)


def _attributes(node: ast.ClassDef) -> list[str]:
    """What methods set on self."""
    targets = [item for item in ast.walk(node) if isinstance(item, ast.Attribute) and isinstance(item.ctx, ast.Store)]
    return [item.attr for item in targets if sources.written(item.value) == "self"]


def _whole(node: ast.FunctionDef, told: str) -> str:
    read = docstrings.parse(ast.get_docstring(node) or "", ())
    return told or " ".join(part for part in (read.sentence, read.rest) if part)


def _returned(node: ast.FunctionDef) -> str:
    return sources.written(node.returns) if node.returns else ""


def _signature(node: ast.FunctionDef, variables: list[Variable]) -> str:
    words: list[str] = []
    for place, item in enumerate(variables):
        if item.by_name and not any(before.by_name or before.mark == "*" for before in variables[:place]):
            words.append("*")
        default = item.default if len(item.default) <= _LONGEST_DEFAULT else "..."
        typed = f": {item.annotation}" if item.annotation else ""
        words.append(f"{item.mark}{item.name}{typed}" + (f" = {default}" if item.default else ""))
    end = f") -> {_returned(node)}" if node.returns else ")"
    line = f"{node.name}({', '.join(words)}{end}"
    if len(line) <= _LONGEST_LINE:
        return line
    return "\n".join([f"{node.name}(", *(f"    {word}," for word in words), end])


def _variables(kind: str, variables: list[Variable], entries: Mapping[str, str], module: str, index: Index) -> str:
    """kind : field, or parameter, whose default the signature shows."""
    rows: list[tuple[str, ...]] = []
    for item in variables:
        shown = kind == "field" and item.default and len(item.default) <= _LONGEST_DEFAULT
        default = f"`{item.default}`" if shown else ""
        meaning = _without_type(entries[item.name]) if item.name in entries else docstrings.markdown(item.meaning)
        rows.append(
            (f"`{item.mark}{item.name}`", _link_type(item.annotation, module, index), docstrings.cell(default), docstrings.cell(meaning))
        )
    return _table((kind, "type", "default", "meaning"), rows)


def _without_type(text: str) -> str:
    """ "float  How long it is" has its type in a column of its own; a shape or a unit stays."""
    head, gap, rest = text.partition("  ")
    if not gap:
        return text
    return f"`{head}` {rest}" if "(" in head else f"{head} {rest}" if "[" in head or "number" in head else rest


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Without the columns that are empty throughout."""
    rows = list(rows)
    used = [place for place in range(len(head)) if place == 0 or any(row[place] for row in rows)]
    lines = [[head[place] for place in used], ["---"] * len(used), *([row[place] for place in used] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _link_type(annotation: str, module: str, index: Index) -> str:
    """An annotation as code in which the types of dynident are links; alternatives are joined by "or"."""
    if not annotation:
        return ""
    choices = _alternatives(annotation)
    return " or ".join(dict.fromkeys(part for choice in choices for part in _expand(choice, module, index)))


def _expand(choice: str, module: str, index: Index) -> list[str]:
    """One alternative; those that it is short for, where it is a short name for others."""
    found = sources.alias(module, choice) if choice.isidentifier() else None
    if found is None or found.key in index:
        return [_link_names(choice, module, index)]
    assert isinstance(found.node, ast.Assign | ast.AnnAssign)
    assert found.node.value is not None
    value = sources.written(found.node.value)
    literal = re.fullmatch(r"Literal\[(.*)\]", value)
    if literal:
        return [f"`{word.strip()}`" for word in literal[1].split(",")]
    return [part for item in _alternatives(value) for part in _expand(item, found.module, index)]


def _alternatives(annotation: str) -> list[str]:
    """The parts between the | that are not within brackets."""
    parts, depth = [""], 0
    for sign in annotation:
        depth += (sign in "[(") - (sign in "])")
        if sign == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _link_names(text: str, module: str, index: Index) -> str:
    pieces: list[str] = []
    end = 0
    for match in _NAME.finditer(text):
        found = sources.find(module, match[0])
        if found is not None and found.key in index:
            pieces += [_code(text[end : match.start()]), f"[`{match[0]}`]({index[found.key]})"]
            end = match.end()
    return "".join([*pieces, _code(text[end:])])


def _code(text: str) -> str:
    return f"`{text.replace('|', 'or')}`" if text.strip() else text
