"""The annotations: understood by mypy and pyright, and strict enough to refuse a wrong program."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import asnumpy as ap

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("typed_program.py")
WRONG = """
import asnumpy as ap

ap.exp(ap.zeros(3), nowhere=True)
ap.zeros(3).reshaped(3)
ap.sum(ap.zeros(3), axes=0)
ap.no_such_name
number: int = ap.sin(ap.zeros(3))
ap.nn.softmax(ap.zeros(3), dim=1)
"""
MISTAKES = 6


def installed() -> Path:
    return Path(str(ap.__file__)).parent


def checker(name: str, *options: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a type checker in a folder, where it finds the package that is being tested."""
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    environment = dict(os.environ)
    if "site-packages" not in installed().parts:  # where the checkers look by themselves
        environment |= {"MYPYPATH": str(installed().parent), "PYTHONPATH": str(installed().parent)}
    return subprocess.run(
        [sys.executable, "-m", name, *options], capture_output=True, text=True, env=environment,
        cwd=folder, timeout=280,
    )


def test_marked_as_typed() -> None:
    assert (installed() / "py.typed").exists()
    names = sorted(path.name for path in installed().rglob("*.pyi"))
    assert names == ["_core.pyi", "_core_calls.pyi", "_core_jit.pyi"]  # all else is annotated where it stands


def test_mypy_accepts_the_package(tmp_path: Path) -> None:
    done = checker("mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "asnumpy", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_held_to_all_that_mypy_checks() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert settings["strict"] is True
    assert not any(key.startswith(("disable", "ignore_errors")) for key in settings)


def test_pyright_accepts_the_package(tmp_path: Path) -> None:
    done = checker("pyright", str(installed()), folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_ignored_is_named() -> None:
    """No line is left out of the check as a whole: each says what it is that the checker does not see."""
    bare = re.compile(r"#\s*(type: ignore(?!\[)|pyright: ignore(?!\[)|mypy:|pyright: basic)")
    found = [
        f"{path.name}:{number}"
        for path in installed().rglob("*.py*") if path.suffix in (".py", ".pyi")
        for number, line in enumerate(path.read_text().splitlines(), 1) if bare.search(line)
    ]
    assert found == []


@pytest.fixture(scope="module", params=["mypy", "pyright"])
def errors(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The lines with errors of the program and of the wrong one, which a checker reads together."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "wrong.py").write_text(WRONG)
    options = ["--config-file=", "--cache-dir=cache"] if request.param == "mypy" else []
    done = checker(request.param, *options, str(PROGRAM), str(folder / "wrong.py"), folder=folder)
    found: dict[str, set[str]] = {"typed_program.py": set(), "wrong.py": set()}
    for name, line in re.findall(r"(\w+\.py):(\d+)[:\d]*(?: -)? error: ", done.stdout):
        found[name].add(line)
    assert done.returncode == 1 and "error" in done.stdout.splitlines()[-1], done.stdout + done.stderr
    return found


def test_the_program_is_accepted(errors: dict[str, set[str]]) -> None:
    assert errors["typed_program.py"] == set()


def test_mistakes_are_refused(errors: dict[str, set[str]]) -> None:
    assert len(errors["wrong.py"]) == MISTAKES
