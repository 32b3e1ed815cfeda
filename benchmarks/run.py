"""Runs the studies and writes benchmarks/RESULTS.md: `python -m benchmarks.run [STUDY ...]`, all by default.

Measure on an idle machine. A study that is not named keeps its section of the file.
"""

from __future__ import annotations

import os

# one thread everywhere, set before any numerical library loads
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

import importlib  # noqa: E402
import platform  # noqa: E402
import re  # noqa: E402
import sys  # noqa: E402
from importlib.metadata import version  # noqa: E402
from pathlib import Path  # noqa: E402

STUDIES = (
    "papers",
    "dynamics",
    "identification",
    "growth",
    "retrieval",
    "algorithm",
    "excitation",
    "criteria",
    "second_run",
    "simulation",
    "export",
    "trust",
    "effort_scale",
    "held_out",
    "validation",
    "signs",
    "payload",
    "doctor",
    "decide",
    "descriptions",
    "friction",
    "data",
    "encoder",
    "silent",
    "drives",
    "monitor",
    "fleet",
    "suite",
    "house",
    "soak",
)
RESULTS = Path(__file__).with_name("RESULTS.md")


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in STUDIES]
    if unknown:
        sys.exit(f"no study named {unknown[0]!r}; known: {', '.join(STUDIES)}")
    sections = _sections()
    for name in names or STUDIES:
        print(f"{name} ...", flush=True)
        body = importlib.import_module(f"benchmarks.{name}").study()
        sections[name] = f"<!-- {name} -->\n{body}\n\nCommand: `python -m benchmarks.run {name}` ({_machine()})"
        print(body, flush=True)
    by_hand = [name for name in sections if name not in STUDIES]  # measured by other commands, which they name
    parts = [sections[name] for name in (*STUDIES, *by_hand) if name in sections]
    RESULTS.write_text("# Results\n\nMeasured by `make bench`.\n\n" + "\n\n".join(parts) + "\n", encoding="utf-8")


def _sections() -> dict[str, str]:
    """The sections that the file already has, by study."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    pieces = re.split(r"^(?=<!-- \w+ -->$)", text, flags=re.MULTILINE)
    return {match[1]: piece.rstrip() for piece in pieces if (match := re.match(r"<!-- (\w+) -->", piece))}


def _machine() -> str:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        cpu = next((line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")), cpu)
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "pin"))
    return f"{cpu}, {os.cpu_count()} cores; Python {platform.python_version()}, {packages}"


if __name__ == "__main__":
    main(sys.argv[1:])
