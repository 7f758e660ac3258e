"""`python -m asnumpy operator`: the project that it writes builds, passes its tests, and becomes a wheel."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from device_marks import needs_built_simulator
from host_compiler import needs_compiler

from asnumpy.operators.project import _new

PARTS = [("ascend", "cpu"), (), ("cpu",), ("ascend",), ("cuda", "torch"), _new.PARTS]


def run(*arguments: str | Path, folder: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "asnumpy", "operator", *map(str, arguments)], cwd=folder, check=False,
        capture_output=True, text=True, env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Written once; tests that change it put it back."""
    folder = tmp_path_factory.mktemp("projects") / "row_norm"
    done = run("new", "row_norm", "--folder", folder)
    assert done.returncode == 0 and "operator test" in done.stdout, done.stderr
    return folder


@pytest.mark.parametrize("parts", PARTS, ids=lambda parts: "-".join(parts) or "none")
def test_what_is_written(tmp_path: Path, parts: tuple[str, ...]) -> None:
    files = _new.write("other_name", tmp_path / "made", parts)
    names = {path.name for path in files}
    for part, file in {"ascend": "ascend.cpp", "cpu": "cpu.cpp", "cuda": "cuda.cu", "torch": "torch.py"}.items():
        assert (file in names) == (part in parts)
    for path in files:
        text = path.read_text()
        assert "layer_scale" not in text and "layer_scale" not in str(path)
        assert not any(f":{part}" in text for part in _new.PARTS), path
        if path.suffix == ".py":
            ast.parse(text)
    known = tomllib.loads((tmp_path / "made" / "pyproject.toml").read_text())
    assert known["project"]["entry-points"]["asnumpy.operators"] == {"other_name": "other_name:other_name"}


@pytest.mark.parametrize("name", ["", "Bad", "1st", "with-dash", "for", "a.b"])
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="operator new: expected a name"):
        _new.write(name, tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_wrong_use(tmp_path: Path, project: Path) -> None:
    again = run("new", "row_norm", "--folder", project)
    assert again.returncode == 2 and "expected" in again.stderr and "--folder" in again.stderr
    for action in ("build", "test", "bench", "package"):
        nowhere = run(action, folder=tmp_path)
        assert nowhere.returncode == 2 and "pyproject.toml" in nowhere.stderr and "operator new" in nowhere.stderr
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert "entry-points" in run("build", folder=tmp_path).stderr
    (tmp_path / "pyproject.toml").write_text("[project\n")
    broken = run("build", folder=tmp_path)
    assert broken.returncode == 2 and "pyproject.toml" in broken.stderr and "Traceback" not in broken.stderr
    assert run("dance").returncode == 2


@needs_compiler
@needs_built_simulator
def test_it_builds_and_passes_its_tests(project: Path) -> None:
    built = run("build", folder=project)
    assert built.returncode == 0, built.stdout + built.stderr
    assert (project / "build" / "cpu.so").exists() and (project / "build" / "ascend.so").exists()
    tested = run("test", folder=project)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert tested.stdout.count(" passed") == 2 and "simulated NPU" in tested.stdout
    none = run("test", "--", "-k", "nothing_like_it", folder=project)
    assert none.returncode == 1 and "exit status 5" in none.stderr


@needs_compiler
@needs_built_simulator
@pytest.mark.parametrize("file, right, wrong", [
    ("cpu.cpp", "float sum = 0;", "float sum = nought;"),
    ("ascend.cpp", "uint32_t rows_, n_, padded_;", "uint32_t n_, padded_;"),
])  # fmt: skip
def test_errors_of_compilers_have_the_users_lines(project: Path, file: str, right: str, wrong: str) -> None:
    source = project / "src" / "row_norm" / file
    text = source.read_text()
    assert text.count(right) == 1
    source.write_text(text.replace(right, wrong))
    try:
        done = run("build", folder=project)
    finally:
        source.write_text(text)
    what = "nought" if file == "cpu.cpp" else "rows_"
    line = 1 + next(n for n, one in enumerate(text.replace(right, wrong).splitlines()) if what in one)
    assert done.returncode == 1 and f"{file}:{line}:" in done.stderr and what in done.stderr, done.stderr


PROGRAM = """
#include <stdio.h>
#include "row_norm.h"
int main(void) {
    float x[4] = {3, 4, 6, 8}, gamma[2] = {1, 10}, y[4];
    int64_t matrix[2] = {2, 2}, row[1] = {2};
    asnumpy_tensor a = {x, 2, matrix, "float32"}, b = {gamma, 1, row, "float32"}, c = {y, 2, matrix, "float32"};
    if (asnumpy_row_norm(&a, &b, &c, 0.0, NULL)) return puts(asnumpy_row_norm_error()), 1;
    printf("%.4f %.4f %.4f %.4f\\n", y[0], y[1], y[2], y[3]);
    return 0;
}
"""


def link_to(package: Path, folder: Path) -> None:
    """Programs in C and C++ use the header and the library of an installed wheel, with nothing of Python's."""
    for command in (["gcc", "-std=c11"], ["g++", "-std=c++17"]):
        if shutil.which(command[0]) is None:
            command[0] = {"gcc": "clang", "g++": "clang++"}[command[0]]
        program = folder / f"program{'.c' if command[1] == '-std=c11' else '.cpp'}"
        program.write_text(PROGRAM)
        link = [f"-I{package / 'include'}", f"-L{package / 'lib'}", "-lrow_norm", f"-Wl,-rpath,{package / 'lib'}"]
        subprocess.run([*command, "-Wall", "-Werror", str(program), "-o", str(folder / "program"), *link], check=True)
        done = subprocess.run([str(folder / "program")], env={}, capture_output=True, text=True, check=True)
        assert done.stdout == "0.8485 11.3137 0.8485 11.3137\n"


@needs_compiler
def test_the_wheel_is_found_when_it_is_installed(project: Path, tmp_path: Path) -> None:
    done = run("package", folder=project)
    if "Could not find a version" in done.stderr or "No matching distribution" in done.stderr:
        pytest.skip("pip does not reach the package index, from which it takes the build's tools")
    assert done.returncode == 0, done.stdout + done.stderr
    wheel = next((project / "dist").glob("*.whl"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path), str(wheel)]
    subprocess.run(command, check=True)
    assert (tmp_path / "row_norm" / "row_norm_cpu.so").exists()
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    listed = run("list", folder=tmp_path, PYTHONPATH=path)
    assert listed.returncode == 0 and "row_norm(x: T[..., n]" in listed.stdout and "composed" in listed.stdout
    program = (
        "import asnumpy as ap\n"
        "row_norm = ap.operators.get('row_norm')\n"
        "y = row_norm(ap.array([[3.0, 4.0]], dtype='f4'), ap.ones(2, dtype='f4'), eps=0.0)\n"
        "assert abs(y - ap.array([[3.0, 4.0]]) / 12.5**0.5).max() < 1e-6, y\n"
    )
    link_to(tmp_path / "row_norm", tmp_path)
    # No compiler: what runs is what the wheel holds.
    bare = {**os.environ, "PYTHONPATH": path, "PATH": "", "CXX": "", "ASNUMPY_DEVICE": "cpu"}
    subprocess.run([sys.executable, "-c", program], check=True, env=bare)
