"""`make release-check`: what would be released, tried as a stranger would who has nothing but Python.

Wheel and source archive are built from a copy of what git has, looked into, and each is installed into an empty environment of every
supported Python that is found here. In an empty folder, and without a network where the system allows that, the command must say its
version, check a robot with the bare installation, and identify one from end to end with the extra `sim`. All that was installed is
listed with its licence, and judged.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.release.artefacts import check_sdist, check_wheel
from tests.release.licences import Package

REPOSITORY = Path(__file__).parents[2]
#: Those that the classifiers of pyproject.toml name.
SUPPORTED = tuple(
    line.rpartition(" ")[2]
    for line in tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["classifiers"]
    if line.startswith("Programming Language :: Python :: 3.")
)


def main() -> None:
    """Exits with 1 and says why where something is not as it should be."""
    problems: list[str] = []
    interpreters = find_interpreters()
    missing = [version for version in SUPPORTED if version not in interpreters]
    if missing:
        print(f"Not tried, because it is not on the PATH: Python {', '.join(missing)}.")
    with tempfile.TemporaryDirectory(prefix="dynident-release-") as place:
        folder = Path(place)
        wheel, sdist = build(folder)
        for artefact, found in ((wheel, check_wheel(wheel, folder / "tree" / "src" / "dynident")), (sdist, check_sdist(sdist))):
            print(f"{artefact.name}: {artefact.stat().st_size / 1e6:.2f} MB, {'in order' if not found else 'not in order'}")
            problems += [f"{artefact.name}: {problem}" for problem in found]
        for version, interpreter in interpreters.items():
            for artefact in (wheel, sdist):
                problems += try_artefact(folder / f"{version}-{artefact.suffix[1:]}", version, interpreter, artefact)
    if not interpreters:
        problems.append("no supported Python is on the PATH")
    for problem in problems:
        print(f"release-check: {problem}", file=sys.stderr)
    print(f"{len(interpreters)} of {len(SUPPORTED)} Pythons tried, {len(problems)} problems")
    sys.exit(1 if problems else 0)


def find_interpreters() -> dict[str, str]:
    """The supported Pythons on the PATH that really start: a shim of a version that is not chosen doesn't."""
    found: dict[str, str] = {}
    for version in SUPPORTED:
        for folder in os.environ["PATH"].split(os.pathsep):
            candidate = shutil.which(f"python{version}", path=folder)
            if candidate and "venv" not in folder and _starts(candidate, version):
                found[version] = candidate
                break
    return found


def _starts(interpreter: str, version: str) -> bool:
    asked = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([interpreter, "-c", asked], capture_output=True, text=True, check=False, env=_environment())
    return done.stdout.strip() == version


def build(folder: Path) -> tuple[Path, Path]:
    """Wheel and source archive of what git has, in folder/dist."""
    tree, tools, dist = folder / "tree", folder / "tools", folder / "dist"
    tree.mkdir()
    listed = _run(["git", "ls-files", "-z"], REPOSITORY)[0].split("\0")
    for name in filter(None, listed):
        target = tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPOSITORY / name, target)
    _run([sys.executable, "-m", "venv", str(tools)], folder)
    _run([str(tools / "bin" / "python"), "-m", "pip", "install", "-q", "build"], folder)
    _run([str(tools / "bin" / "python"), "-m", "build", "--outdir", str(dist), str(tree)], folder)
    return next(dist.glob("*.whl")), next(dist.glob("*.tar.gz"))


def try_artefact(folder: Path, version: str, interpreter: str, artefact: Path) -> list[str]:
    """Install into an empty environment, run, and judge the licences; what went wrong."""
    what = f"{artefact.name} on Python {version}"
    empty = folder / "empty"
    empty.mkdir(parents=True)
    python, command = str(folder / "env" / "bin" / "python"), str(folder / "env" / "bin" / "dynident")
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    home = {"HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "home" / "cache")}  # nothing is compiled there yet
    steps = (
        ("environment", [interpreter, "-m", "venv", str(folder / "env")]),
        ("install", [*pip, f"dynident @ {artefact.as_uri()}"]),
        ("--version", [command, "--version"]),
        ("check panda", [command, "check", "panda"]),
        ("install sim", [*pip, f"dynident[sim] @ {artefact.as_uri()}"]),
        ("demo 1r", [*_without_network(), command, "demo", "1r"]),
    )
    for name, words in steps:
        try:
            _, seconds = _run(words, empty, {} if words[0] == python else home)
        except subprocess.CalledProcessError as error:
            return [f"{what}: {name} ended with {error.returncode}: {(error.stderr or error.stdout).strip()[-600:]}"]
        print(f"  {what}: {name}, {seconds:.1f} s of CPU", flush=True)
    problems = [] if (empty / "demo-1r" / "report.html").is_file() else [f"{what}: demo 1r wrote no report"]
    listed = json.loads(_run([python, str(Path(__file__).with_name("licences.py"))], empty)[0])
    packages = [Package(**item) for item in listed]
    if artefact.suffix == ".whl":
        _print_licences(packages)
    shutil.rmtree(folder)
    return problems + [
        f"{what}: {package.name} {package.version} is under {package.licence or 'a licence that it does not name'}, which is not accepted"
        for package in packages
        if not package.accepted
    ]


def _print_licences(packages: Sequence[Package]) -> None:
    by_licence: dict[str, list[str]] = {}
    for package in packages:
        by_licence.setdefault(package.licence or "not named", []).append(f"{package.name} {package.version}")
    print(f"    {len(packages)} packages")
    for licence, names in sorted(by_licence.items()):
        print(f"    {licence}: {', '.join(names)}")


def _without_network() -> list[str]:
    """A namespace that has no network, where the system lets us have one."""
    words = ["unshare", "-rn"]
    possible = shutil.which("unshare") and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
    return words if possible else []


def _run(words: Sequence[str], cwd: Path, changed: Mapping[str, str] = {}) -> tuple[str, float]:
    """What it printed, and the seconds of CPU that it took. changed : variables of its environment."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=True, env=_environment() | dict(changed))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _environment() -> dict[str, str]:
    """A stranger's: nothing that points back here."""
    ours = ("PYTHON", "VIRTUAL_ENV", "DYNIDENT", "NUMBA")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


if __name__ == "__main__":
    main()
