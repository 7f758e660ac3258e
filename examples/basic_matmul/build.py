"""Build basic_matmul: kernels by `asnumpy ascendc build`, then one library for torch by the host's compiler.

    python examples/basic_matmul/build.py -o build

writes ascendct_torch.so, a Python module and a library for torch.ops, with the kernels in it. torch and torch_npu are
the wheels of this environment; their headers come with them.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from asnumpy import ascendc, cannsim

HERE = Path(__file__).resolve().parent


def package(name: str) -> Path:
    """The folder of an installed package, which is not imported."""
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        sys.exit(f"build: expected the package {name} in this environment; install it with pip")
    return Path(next(iter(found.submodule_search_locations)))


def compiler() -> str:
    """The host's C++ compiler."""
    for name in (os.environ.get("CXX"), "g++", "clang++"):
        if name and shutil.which(name):
            return name
    sys.exit("build: expected a C++ compiler: $CXX, g++ or clang++")


def runtime(device: bool) -> Path:
    """The folder of CANN's runtime: the simulator's stands for it where there is no device."""
    if not device:
        return cannsim.folder()
    home = os.environ.get("ASCEND_HOME_PATH")
    return Path(home) / "lib64" if home else sys.exit("build: expected CANN: source its set_env.sh")


def run(*command: str) -> None:
    """Run a compiler; end with what it printed where it refuses."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stderr}\nbuild: basic_matmul.cpp was not built")


def main() -> None:
    """Build the library."""
    parser = argparse.ArgumentParser(description="Build basic_matmul for torch and torch_npu.")
    parser.add_argument("-o", "--output", type=Path, default=Path("build"), help="the folder (default: build)")
    parser.add_argument("--bisheng", action="store_true", help="compile the kernels for a device with CANN's compiler")
    options = parser.parse_args()
    output, torch, npu = options.output.resolve(), package("torch"), package("torch_npu")
    output.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()

    def progress(what: str) -> None:
        print(f"build: [{time.perf_counter() - started:5.1f} s] {what}", flush=True)

    library = output / "ascendct_torch.so"
    headers = [
        torch / "include", torch / "include" / "torch" / "csrc" / "api" / "include", npu / "include",
        npu / "include" / "third_party" / "acl" / "inc", Path(sysconfig.get_paths()["include"]),
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as work:
        kernels, torchs = Path(work) / "kernels.o", Path(work) / "basic_matmul.o"
        try:
            ascendc.build(HERE / "kernels.cpp", kernels, bisheng=options.bisheng, progress=progress)
        except ascendc.BuildError as error:
            sys.exit(f"{error}\nbuild: kernels.cpp was not built")
        progress("compiling for torch")
        run(
            compiler(), "-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror",
            *[word for each in headers for word in ("-isystem", str(each))], f"-I{work}",
            "-c", str(HERE / "basic_matmul.cpp"), "-o", str(torchs),
        )  # fmt: skip
        progress("linking")
        run(
            "bisheng" if options.bisheng else compiler(), "-shared", str(torchs), str(kernels), "-o", str(library),
            f"-L{torch / 'lib'}", "-ltorch", "-ltorch_cpu", "-ltorch_python", "-lc10",
            f"-L{npu / 'lib'}", "-ltorch_npu", f"-L{runtime(options.bisheng)}", "-lascendcl",
        )  # fmt: skip
    progress(f"wrote {library}")


if __name__ == "__main__":
    main()
