"""The papers' routes as commands on arms that the tests draw, over twenty seeds: how near the results come to the truth."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

REPOSITORY = Path(__file__).parents[1]
_CASE = re.compile(r"test_(?P<route>\w+?)\[(?:(?P<arm>.+)-)?\d+\]")


def study() -> str:
    lines = [
        "## The papers' routes",
        "",
        "Arms drawn by a seed, described without link parameters; positions with 1e-4 rad of noise at 500 Hz, torques with 0.2 % of each "
        "joint's limit, 40 s. Every number is the largest over the joints.",
        "",
        "| route | arm | seeds that passed | what | median | worst |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *_rows()])


def _rows() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.xml"
        words = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "auto",
            "-p",
            "no:cacheprovider",
            f"--junitxml={file}",
            "-m",
            "slow or not slow",
        ]
        subprocess.run([*words, str(REPOSITORY / "tests" / "papers")], cwd=REPOSITORY, check=False, stdout=subprocess.DEVNULL)
        cases = list(ElementTree.parse(file).iter("testcase"))  # noqa: S314 (pytest has just written it)
    passed, found = defaultdict[tuple[str, str], list[bool]](list), defaultdict[tuple[str, str], dict[str, list[float]]](dict)
    for case in cases:
        match = _CASE.fullmatch(case.get("name", ""))
        if match is None:
            continue
        key = match["route"].replace("_", " "), match["arm"] or "7R"
        passed[key].append(case.find("failure") is None and case.find("error") is None)
        for item in case.iter("property"):
            found[key].setdefault(item.get("name", ""), []).append(float(item.get("value", "nan")))
    for key, ended in passed.items():
        for what, values in (found[key] or {"–": [0.0]}).items():
            middle = sorted(values)[len(values) // 2]
            numbers = "– | –" if what == "–" else f"{middle:.2g} | {max(values):.2g}"
            yield f"| {key[0]} | {key[1]} | {sum(ended)} of {len(ended)} | {what} | {numbers} |"
