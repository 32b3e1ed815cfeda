"""Names that nobody would choose, each made to break out of some language, and robots that have them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynident.robots import Joint, JointType, Link, Robot
from dynident.robots.kinematics import translation
from dynident.robots.parameters import from_com

#: What a page does, or a shell, a compiler or an interpreter, if it takes a name for a command.
PAGE, FILE = "window.hacked=1", "hacked"

NAMES = (
    f"<script>{PAGE}</script><img src=x onerror={PAGE}>",
    f"</script></style></textarea><script>{PAGE}</script>",
    f'" onmouseover="{PAGE}" autofocus onfocus={PAGE} x=\'',
    f'<a href="javascript:{PAGE}">x</a><b>y</b><br>',
    "{{ 7*7 }}{% raw %}${" + PAGE + "}`",
    'x*/ #include "nothing.h"\n#error hacked /*',
    "ends in a trigraph??/",
    "ends in a backslash\\",
    f'\'\'\'"""\nimport os; os.system(\'touch {FILE}\')\n"""',
    f'x) file(WRITE {FILE} "") message("${{CMAKE_COMMAND}}" $ENV{{HOME}}',
    "]]>--><!--&amp;&lt;<!ENTITY a 'b'>",
    f"$(touch {FILE}) `touch {FILE}`; touch {FILE} | & > {FILE}",
    "../../outside/x",
    "/var/outside",
    "..\\..\\C:x",
    "..",
    "a\nb\r\nc\td",
    "a\nset_digital_out(0, True)\n",
    "abc\u202egnp.exe\u2066\u200b\ufeff",
    "a'b\"c`d\\e",
    "NULL",
    "null",
    "~",
    "nan",
    "-inf",
    "true",
    "1e5",
    "2024-01-01",
    "int",
    "class",
    "CON",
    "--help",
    " with blanks around ",
    "Gelenk ü 关节 🤖",
    "n" * 1000,
    "=1+cmd|'/C calc'!A0,\"x;",
    "a: [b, {c: d}] # e\n- !!python/object/apply:os.system [x]",
    "[bold red]x[/] [link=file:///etc]y[/link]",
    "%s%n%d{0}{name}",
    "joint*[1]?",
    "a-b",
    "a_b",
    "a b",
    "a.b",
)


def robots(count: int = 4) -> list[Robot]:
    """Robots with a joint and a link for each name, `count` of them per robot; called like their names, one after the other."""
    return [hostile_robot(NAMES[first : first + count]) for first in range(0, len(NAMES), count)]


def hostile_robot(names: Sequence[str], name: str | None = None) -> Robot:
    joints = tuple(
        Joint(
            name=each,
            type=JointType.REVOLUTE,
            parent=i - 1,
            placement=translation((0.1, 0.0, 0.2)),
            axis=np.array([0.0, 1.0, 0.0]),
            position=(-1.0, 1.0),
            velocity=2.0,
            effort=50.0,
        )
        for i, each in enumerate(names)
    )
    inertia = np.diag([0.01, 0.02, 0.02])
    links = tuple(
        Link(name=f"link {each}", frame=each, parameters=from_com(1.0 + i, [0.1, 0.0, 0.0], inertia)) for i, each in enumerate(names)
    )
    called = " ".join(names) if name is None else name
    return Robot(name=called, joints=joints, links=links, source=called)
