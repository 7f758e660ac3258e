"""Building, testing, timing and packaging a project: each with its time, and the tools' own words where they refuse."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from asnumpy.operators.project._project import Project

Say = Callable[[str], None]


class Failed(RuntimeError):
    """A step failed; the text is what its tool printed, if it was not shown already."""


@contextmanager
def step(what: str, say: Say) -> Iterator[None]:
    """Tells what begins, and how long it took."""
    say(f"{what} ...")
    began = time.perf_counter()
    yield
    say(f"{what}: {time.perf_counter() - began:.1f} s")


def build(project: Project, say: Say) -> list[Path]:
    """Compile every kernel into the project's build folder.

    A compiler's errors name the project's own files and lines. A CUDA kernel becomes PTX where NVRTC is installed, and
    is left out, with a word, where it is not.
    """
    from asnumpy.operators import _compiler
    from asnumpy.operators.project import _compile

    made = []
    output = project.folder / "build"
    output.mkdir(exist_ok=True)
    for device, paths in project.kernels().items():
        for path in paths:
            shown = path.relative_to(project.folder)
            with step(f"{shown} for {device}", say):
                try:
                    made.append(_compile.one(device, path, output))
                except _compiler.CompilerMissing as error:
                    say(f"{shown}: left out: {error}")
                except _compiler.CompileError as error:
                    raise Failed(str(error)) from None
    return made


def test(project: Project, options: Sequence[str], say: Say) -> None:
    """Run the tests on the CPU and, where the project has a kernel for it, on a simulated NPU."""
    if importlib.util.find_spec("pytest") is None:
        raise Failed("the tests need pytest: pip install pytest")
    devices = {"the CPU": "cpu"}
    if "ascend" in project.kernels():
        devices["a simulated NPU"] = "sim"
    for name, device in devices.items():
        chosen = {"ASNUMPY_CANN": "sim"} if device == "sim" else {"ASNUMPY_DEVICE": "cpu"}
        with step(f"tests on {name}", say):
            _python(project, ["-m", "pytest", "-q", *options], chosen)


def bench(project: Project, options: Sequence[str], say: Say) -> None:
    """Run every file of the bench folder."""
    files = sorted((project.folder / "bench").glob("bench_*.py"))
    if not files:
        raise Failed(f"expected files bench_*.py in {project.folder / 'bench'}, found none")
    for file in files:
        with step(str(file.relative_to(project.folder)), say):
            _python(project, [str(file), *options], {})


def package(project: Project, say: Say) -> Path:
    """Make a wheel in the dist folder, with a header and a library for C where C can launch the operator's kernels."""
    dist = project.folder / "dist"
    before = set(dist.glob("*.whl"))
    began = time.time()
    _interface(project, say)
    with step("the wheel", say):
        _python(project, ["-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(dist), "."], {}, quiet=True)
    made = [path for path in dist.glob("*.whl") if path not in before or path.stat().st_mtime >= began]
    if len(made) != 1:
        raise Failed(f"expected one new wheel in {dist}, found {len(made)}")
    return made[0]


def _interface(project: Project, say: Say) -> None:
    """The libraries for C; none where nothing compiles them."""
    from asnumpy.operators import _compiler

    folder = (project.folder / "build" / "c").resolve()
    shutil.rmtree(folder, ignore_errors=True)
    try:
        _compiler.compiler()
    except _compiler.CompilerMissing as error:
        say(f"no library for C: {error}")
        return
    command = ["-m", "asnumpy.operators.project._interface", project.package, str(folder), *project.operators]
    with step("libraries for C", say):
        for line in _python(project, command, {"ASNUMPY_DEVICE": "cpu"}, quiet=True).splitlines():
            say(line)


def _python(project: Project, arguments: Sequence[str], variables: dict[str, str], quiet: bool = False) -> str:
    """This Python in the project's folder, with its sources first; returns what it printed, if that is kept quiet."""
    path = os.pathsep.join(filter(None, [str((project.folder / "src").resolve()), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, *arguments], cwd=project.folder, check=False, text=True,
        env={**os.environ, "PYTHONPATH": path, **variables},
        stdout=subprocess.PIPE if quiet else None, stderr=subprocess.STDOUT if quiet else None,
    )
    if done.returncode:
        raise Failed((done.stdout or "") + f"python {' '.join(arguments)}: exit status {done.returncode}")
    return done.stdout or ""
