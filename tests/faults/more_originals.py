"""Formats that are read beside others: meshes and SRDF of a robot, presets of a log, whole run folders, and expressions of xacro."""

from __future__ import annotations

import ast
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.random import Generator

from dynident import load_robot, load_run
from dynident.data import load_recording
from dynident.reports import report
from dynident.robots.shapes import robot_shapes
from dynident.robots.solids import robot_solids
from tests.faults.damage import HOSTILE, Damage, damage_text, damage_xml, pick
from tests.faults.forged_runs import forge
from tests.faults.outcomes import Found

_CORNERS = [(x, y, z) for x in (0.0, 0.1) for y in (0.0, 0.1) for z in (0.0, 0.3)]
_FACES = [
    (0, 1, 3),
    (0, 3, 2),
    (4, 7, 5),
    (4, 6, 7),
    (0, 5, 1),
    (0, 4, 5),
    (2, 3, 7),
    (2, 7, 6),
    (0, 2, 6),
    (0, 6, 4),
    (1, 5, 7),
    (1, 7, 3),
]


def _rows(values: list[tuple[float, ...]] | list[tuple[int, ...]], begin: str = "") -> str:
    return "\n".join(begin + " ".join(map(str, row)) for row in values)


def _facet(face: tuple[int, ...]) -> str:
    corners = "\n".join("vertex {} {} {}".format(*_CORNERS[corner]) for corner in face)
    return f"facet normal 0 0 1\nouter loop\n{corners}\nendloop\nendfacet"


def _binary_stl() -> bytes:
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    faces = np.zeros(len(_FACES), kind)
    faces["corners"] = [[_CORNERS[corner] for corner in face] for face in _FACES]
    return bytes(80) + np.uint32(len(faces)).tobytes() + faces.tobytes()


def _binary_ply() -> bytes:
    head = _PLY_HEAD.format("binary_little_endian").encode()
    faces = b"".join(b"\3" + np.array(face, "<i4").tobytes() for face in _FACES)
    return head + np.array(_CORNERS, "<f4").tobytes() + faces


_PLY_HEAD = (
    "ply\nformat {} 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 12\nproperty list uchar int vertex_indices\nend_header\n"
)
_OBJ = f"mtllib colours.mtl\no box\n{_rows(_CORNERS, 'v ')}\nvn 0 0 1\nusemtl red\n" + "\n".join(
    "f " + " ".join(f"{corner + 1}//1" for corner in face) for face in _FACES
)
_DAE = f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="1" name="meter"/></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="24">{" ".join(f"{x}" for row in _CORNERS for x in row)}
</float_array><technique_common><accessor source="#a" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/>
<p>{" ".join(str(i) for face in _FACES for i in face)}</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
MESHES: dict[str, tuple[str, bytes, tuple[Damage, ...]]] = {
    "mesh stl": ("box.stl", f"solid a\n{chr(10).join(map(_facet, _FACES))}\nendsolid a\n".encode(), (damage_text, damage_text)),
    "mesh binary stl": ("box.stl", _binary_stl(), ()),
    "mesh ply": ("box.ply", f"{_PLY_HEAD.format('ascii')}{_rows(_CORNERS)}\n{_rows(_FACES, '3 ')}\n".encode(), (damage_text, damage_text)),
    "mesh binary ply": ("box.ply", _binary_ply(), ()),
    "mesh obj": ("box.obj", _OBJ.encode(), (damage_text, damage_text)),
    "mesh dae": ("box.dae", _DAE.encode(), (damage_text, damage_xml)),
}
_ARM = """<robot name="arm"><link name="base"/><link name="a">{0}<inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link><link name="b">{0}</link>
<joint name="one" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="80" velocity="3"/></joint>
<joint name="two" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="80" velocity="3"/></joint></robot>"""
_SHAPES = "<visual><geometry>{0}</geometry></visual><collision><geometry>{0}</geometry></collision>"
SRDF = """<?xml version="1.0"?>\n<robot name="arm">
<disable_collisions link1="a" link2="base" reason="Adjacent"/><disable_collisions link1="a" link2="b" reason="Never"/>
<group name="arm"><joint name="one"/></group></robot>\n"""
PRESET = """about: a recorder of two joints
source: made for this test
columns: {time: t, q: q*, dq: "dq1:dq2", effort: [tau1, tau2]}
units: {time: s, q: rad, effort: Nm}
effort_kind: torque
"""


def write_mesh(file: str, content: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "arm.urdf").write_text(_ARM.format(_SHAPES.format(f'<mesh filename="{file}"/>')))
        (folder / file).write_bytes(content)

    return write


def write_srdf(folder: Path) -> None:
    (folder / "arm.urdf").write_text(_ARM.format(_SHAPES.format('<box size="0.1 0.1 0.3"/>')))
    (folder / "arm.srdf").write_text(SRDF)


def read_shapes(path: Path) -> Found:
    """As `view` and `excite` do with what lies beside the URDF."""
    robot = load_robot(path.with_name("arm.urdf"))
    shapes, notes = robot_shapes(robot)
    solids = robot_solids(robot)
    content = {f"vertices {i}": np.array(shape.vertices) for i, shape in enumerate(shapes)}
    content |= {f"points {i}": np.array(solid.points) for i, solid in enumerate(solids.solids)}
    told = {*notes, *solids.notes}
    return Found(content={**content, "words": repr(sorted(solids.ignored))}, says=lambda thorough: told)


def read_with_preset(path: Path) -> Found:
    data = load_recording(path.with_name("log.csv"), preset=path)
    arrays = {name: getattr(data, name, None) for name in ("time", "q", "dq", "effort")}
    return Found(content={name: np.array(values) for name, values in arrays.items() if values is not None} | {"words": repr(data)})


#: What stands in place of a file or folder of a run that a stranger has made.
_ODD = ("link", "loop", "device", "pipe", "folder", "itself", "dangling", "long")


def _replace_by_link(run: Path, rng: Generator) -> None:
    file = pick(rng, sorted(run.iterdir()))
    file.unlink()
    match pick(rng, _ODD):
        case "link":
            file.symlink_to("/etc/passwd")
        case "loop":
            file.symlink_to(file.name)
        case "device":
            file.symlink_to("/dev/zero")
        case "pipe":
            os.mkfifo(file)
        case "folder":
            file.mkdir()
        case "itself":
            file.symlink_to(".")
        case "dangling":
            file.symlink_to("../nothing")
        case _:
            file.symlink_to("n" * 200)


def draw_seed(rng: Generator, content: bytes) -> bytes:
    """In place of a damage: what a whole folder is damaged by."""
    return rng.bytes(8)


def read_forged_run(path: Path) -> Found:
    """A run with fitting digests and other content, or with links in it, read as `report` does. path : the seed of what was done to it."""
    rng = np.random.default_rng(int.from_bytes(path.read_bytes() or b"\0", "big"))
    intact = path.read_bytes() == b"intact"
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        shutil.copytree(path.parent / "run", run)
        if not intact and rng.random() < 0.8:
            forge(run, rng)
        elif not intact:
            _replace_by_link(run, rng)
        before = _listing(Path(folder))
        found = load_run(run)
        page = report(found).html
        assert _listing(Path(folder)) == before, "reading has changed the folder"
        assert "root:x:" not in page
        return Found(content={"values": np.array(found.estimate.values), "words": str(found).replace(folder, "")})


def _listing(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.lstat().st_mtime_ns) for path in folder.rglob("*"))


#: Of Python's grammar, what may stand where an expression does.
_NAMES = ("pi", "long", "half", "math", "xacro", "os", "open", "__import__", "print", "radians", "len", "max", "True", "getattr", "x")
_ANGLES = ("pi", "long", "math.pi / 4", "radians(90)", "max(long, 0.1)", "0.5", "(1 if long > 1 else 2)", "len('ab')", "[1, 2][0]")
_ATTRIBUTES = ("pi", "sin", "__class__", "__globals__", "gi_frame", "load_yaml", "format", "system", "append", "f_back", "items")
_CONSTANTS = (0, 1, -1, 2.5, 1e308, 10**30, "a", "{0.__class__}", "%s", b"x", None, True, ..., 3j, "", "os", 9)
_BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd, ast.MatMult)
_COMPARED = (ast.Eq, ast.Lt, ast.GtE, ast.Is, ast.In, ast.NotIn)
#: What no description needs: an expression that has one of these must be refused.
FORBIDDEN = (
    *(ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr, ast.JoinedStr, ast.Await, ast.Yield),
    *(ast.YieldFrom, ast.Starred),
)


def draw_expression(rng: Generator, depth: int = 4) -> ast.expr:
    """Any expression of Python."""

    def below() -> ast.expr:
        return draw_expression(rng, depth - 1)

    def several() -> list[ast.expr]:
        return [below() for _ in range(int(rng.integers(0, 3)))]

    name = ast.Name(pick(rng, _NAMES), ast.Load())
    loops = [ast.comprehension(target=ast.Name("x", ast.Store()), iter=name, ifs=[], is_async=0)]
    if depth <= 0:
        return ast.Constant(pick(rng, _CONSTANTS)) if rng.random() < 0.6 else name
    match int(rng.integers(24)):
        case 0 | 1 | 2:
            return ast.BinOp(below(), pick(rng, _BINARY)(), below())
        case 3:
            return ast.UnaryOp(pick(rng, (ast.USub, ast.UAdd, ast.Not, ast.Invert))(), below())
        case 4:
            return ast.BoolOp(pick(rng, (ast.And, ast.Or))(), [below(), below()])
        case 5:
            return ast.Compare(below(), [pick(rng, _COMPARED)()], [below()])
        case 6:
            return ast.IfExp(below(), below(), below())
        case 7 | 8:
            return ast.Call(below(), several(), [])
        case 9 | 10:
            return ast.Attribute(below(), pick(rng, _ATTRIBUTES), ast.Load())
        case 11:
            return ast.Subscript(below(), below(), ast.Load())
        case 12:
            return ast.Subscript(below(), ast.Slice(below(), below(), None), ast.Load())
        case 13:
            return ast.List(several(), ast.Load())
        case 14:
            return ast.Tuple([below(), below()], ast.Load())
        case 15:
            return ast.Dict([below()], [below()])
        case 16:
            return ast.Set([below()])
        case 17:
            empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
            return ast.Lambda(empty, below())
        case 18:
            return pick(rng, (ast.ListComp, ast.SetComp, ast.GeneratorExp))(below(), loops)
        case 19:
            return ast.NamedExpr(ast.Name("y", ast.Store()), below())
        case 20:
            return ast.JoinedStr([ast.FormattedValue(below(), -1, None)])
        case 21:
            return ast.Call(name, [ast.Starred(below(), ast.Load())], [])
        case 22:
            return ast.Call(name, [], [ast.keyword("key", below())])
        case _:
            return pick(rng, (ast.Await, ast.YieldFrom))(below())


def damage_expression(rng: Generator, content: bytes) -> bytes:
    """An expression of Python, or what is left of one, in place of the first one of a file; or in $(eval)."""
    text = ast.unparse(ast.fix_missing_locations(draw_expression(rng, int(rng.integers(1, 5)))))
    if rng.random() < 0.3:  # else hardly any has a value that can be an angle
        text = f"{pick(rng, _ANGLES)} {pick(rng, ('+', '-', '*', '/', '%'))} ({pick(rng, (*_ANGLES, text))})"
    if rng.random() < 0.2:
        at = int(rng.integers(len(text) + 1))
        text = text[:at] + pick(rng, HOSTILE) + text[at + int(rng.integers(3)) :]
    begin, end = ("$(eval ", ")") if rng.random() < 0.2 else ("${", "}")
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\n", " ").replace("\x00", "")
    return content.replace(b"${0.5 * pi / 2}", f"{begin}{escaped}{end}".encode("utf-8", "replace"), 1)


def refuse_forbidden(path: Path, read: Callable[[Path], Found]) -> Found:
    """What a xacro file says; AssertionError where an expression had something in it that only a program needs."""
    found = read(path)
    for expression in _expressions(path.read_text(encoding="utf-8")):
        try:
            tree = ast.parse(expression.strip(), mode="eval")
        except (SyntaxError, ValueError):
            continue
        assert not any(isinstance(node, FORBIDDEN) for node in ast.walk(tree)), f"evaluated: {expression}"
    return found


def _expressions(text: str) -> list[str]:
    from xml.sax.saxutils import unescape

    value = text.partition('name="half" value="')[2].partition('"/>')[0]
    plain = unescape(value, {"&quot;": '"'})
    if plain.startswith("${") and plain.endswith("}"):
        return [plain[2:-1]]
    return [plain[7:-1]] if plain.startswith("$(eval ") else []
