"""What is wrong with a wheel or a source archive is found; `make release-check` looks at those that are really built."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.release.artefacts import DATA, METADATA, NEEDED, check_sdist, check_wheel

INFO = "dynident-1.dist-info"


@pytest.fixture
def sources(tmp_path) -> Path:
    folder = tmp_path / "src" / "dynident"
    for name in (*NEEDED, *(f"dynident/{data}/a.yaml" for data in DATA)):
        path = folder.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


def wheel(folder: Path, sources: Path, *, without: str = "", extra: str = "", keys: tuple[str, ...] = METADATA) -> Path:
    names = {f"dynident/{path.relative_to(sources).as_posix()}" for path in sources.rglob("*") if path.is_file()}
    path = folder / "dynident-1.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{INFO}/METADATA", "".join(f"{key}: x\n" for key in keys))
        archive.writestr(f"{INFO}/entry_points.txt", "[console_scripts]\ndynident = dynident.cli:main\n")
        archive.writestr(f"{INFO}/licenses/LICENSE", "")
        for name in (names | {extra}) - {without, ""}:
            archive.writestr(name, "")
    return path


def test_a_wheel_in_order(tmp_path, sources):
    assert check_wheel(wheel(tmp_path, sources), sources) == []


@pytest.mark.parametrize("name", ["dynident/py.typed", "dynident/reports/templates/a.yaml"])
def test_what_is_missing_in_a_wheel_is_named(tmp_path, sources, name):
    assert f"{name} is missing" in check_wheel(wheel(tmp_path, sources, without=name), sources)


@pytest.mark.parametrize("name", ["tests/test_a.py", "dynident/core/kernels.nbi", "dynident/core/old.py"])
def test_what_does_not_belong_in_a_wheel_is_named(tmp_path, sources, name):
    assert any(name in problem for problem in check_wheel(wheel(tmp_path, sources, extra=name), sources))


def test_a_wheel_says_its_licence(tmp_path, sources):
    found = check_wheel(wheel(tmp_path, sources, keys=tuple(key for key in METADATA if key != "License-Expression")), sources)
    assert found == ["the metadata lack License-Expression"]


def test_a_source_archive_has_all_that_builds_and_tests_it(tmp_path):
    path = tmp_path / "dynident-1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("pyproject.toml", "README.md", "LICENSE", "constraints.txt", "tests/conftest.py", "Makefile", ".venv/x"):
            archive.addfile(tarfile.TarInfo(f"dynident-1/{name}"), io.BytesIO())
    assert check_sdist(path) == ["src/dynident/py.typed is missing", ".venv/x does not belong there"]
