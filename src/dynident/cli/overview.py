"""All verbs with what they do in one sentence, and the page that `dynident --help` shows: nothing else is imported for it."""

from __future__ import annotations

from collections.abc import Mapping

#: By the groups of the page, in its order. A new verb is its file and its line here, which is the first sentence of its own help.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "Start here": {
        "fit": "Identify a robot's dynamic model from logs, and say how good it is.",
        "demo": "Identify a virtual robot from end to end and write a run folder with a report.",
        "reproduce": "Run the experiments of the papers again and put every published number beside ours, with a verdict.",
    },
    "Robot": {
        "check": "Check the physical consistency of every link of a robot.",
        "view": "Write one page that shows a robot in 3D: shapes, frames, centres of mass and inertia ellipsoids, with a slider per joint.",
        "convert": "Write a robot description in another format: xacro expanded, SDF or a DH table as URDF, a URDF as DH, and so on.",
        "repair": "Make every link of a robot description physically consistent, changing as little as possible.",
    },
    "Experiment": {
        "excite": "Design an exciting trajectory that keeps all limits.",
        "simulate": "Simulate a robot and record what a real one would.",
        "record": "Record from a robot: its log along a trajectory, or its controller's M, g and c at configurations.",
        "doctor": "Find what is wrong with a log before anything is identified from it.",
    },
    "Model": {
        "presets": "List the presets for the files of common recorders, or show one as the YAML file that it is.",
        "gains": "Find the torque per ampere of every drive, with its uncertainty.",
        "identify": "Identify dynamic coefficients and friction, with their uncertainty.",
        "signs": "Recover the signs of torques of which only the magnitude was recorded, and identify the robot with them.",
        "retrieve": (
            "Find the link parameters that a real robot can have and that data and nominal model make most probable, and certify them."
        ),
        "validate": "Predict the torques of a log and compare: coefficients, link parameters where there are some, and the nominal model.",
        "friction": "Fit the friction alone to a new log, with the links of RUN as they are, and say what has changed since.",
        "fleet": "Identify many robots of one model and say which are odd, and in what.",
        "payload": "Identify mass, centre of mass and inertia of what hangs on the flange, and compare them with what was declared.",
    },
    "Use": {
        "export": "Write the identified model for other programs.",
        "monitor": "Find what touched the robot in a log: when, which joint felt it, and on which link.",
        "report": "Write one self-contained page about everything that a run folder holds: report.html.",
        "bundle": "Write a run as a zip without names that can be attached to an issue, and say what is in it.",
        "compare": "Compare runs of one robot, or of robots of one model: coefficients and friction, in standard deviations.",
        "sample": "Draw parameter sets, friction included, from what the data, the prior and the constraints leave open.",
    },
}
VERBS = tuple(name for verbs in GROUPS.values() for name in verbs)

#: What can stand before a verb.
OPTIONS = {
    "--version": "Print the version and exit.",
    "--debug": "Show the traceback of an error.",
    "--completion": "Print what completes commands in a shell: bash, zsh, fish or powershell.",
    "--help": "Show this message and exit.",
    "-h": "The same.",
}
SHELLS = ("bash", "zsh", "fish", "powershell")
PURPOSE = "Identify the dynamic model of a robot arm."
EXAMPLE = "Example: [bold]dynident check panda[/bold]"


def print_overview() -> None:
    """The help of the command as a whole."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.panel import Panel
    from rich.table import Table

    out = Console(highlight=False)
    out.print(
        Padding(
            "[yellow]Usage:[/] [bold]dynident [OPTIONS] COMMAND [ARGS]...[/]".replace("[OPTIONS]", r"\[OPTIONS]").replace(
                "[ARGS]", r"\[ARGS]"
            ),
            1,
        )
    )
    out.print(Padding(PURPOSE, (0, 1, 1, 1)))
    width = max(map(len, VERBS))
    for title, rows in {"Options": OPTIONS, **GROUPS}.items():
        table = Table.grid(padding=(0, 2))
        table.add_column(style="bold cyan", no_wrap=True, min_width=width)
        table.add_column()
        for row in rows.items():
            table.add_row(*row)
        out.print(Panel(table, title=title, title_align="left", border_style="dim"))
    out.print(Padding(EXAMPLE, 1))


def print_version() -> None:
    from importlib.metadata import version

    print("dynident", version("dynident"))
