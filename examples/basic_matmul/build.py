"""Build basic_matmul: kernels by `asnumpy ascendc build`, then a library for torch by the host's compiler.

    python examples/basic_matmul/build.py -o build

writes ascendct_torch.so, a Python module and a library for torch.ops, and libbasic_matmul_kernels.so, which it loads
from beside itself. torch and torch_npu are the wheels of this environment; their headers come with them.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from asnumpy import ascendc

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


def main() -> None:
    """Build both libraries."""
    parser = argparse.ArgumentParser(description="Build basic_matmul for torch and torch_npu.")
    parser.add_argument("-o", "--output", type=Path, default=Path("build"), help="the folder (default: build)")
    parser.add_argument("--bisheng", action="store_true", help="compile the kernels for a device with CANN's compiler")
    options = parser.parse_args()
    output, torch, npu = options.output.resolve(), package("torch"), package("torch_npu")
    output.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()

    def progress(what: str) -> None:
        print(f"build: [{time.perf_counter() - started:5.1f} s] {what}", flush=True)

    kernels = output / "libbasic_matmul_kernels.so"
    try:
        ascendc.build(HERE / "kernels.cpp", kernels, bisheng=options.bisheng, progress=progress)
    except ascendc.BuildError as error:
        sys.exit(f"{error}\nbuild: kernels.cpp was not built")
    headers = [
        torch / "include", torch / "include" / "torch" / "csrc" / "api" / "include", npu / "include",
        npu / "include" / "third_party" / "acl" / "inc", Path(sysconfig.get_paths()["include"]),
    ]  # fmt: skip
    library = output / "ascendct_torch.so"
    command = [
        compiler(), "-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror",
        *[word for each in headers for word in ("-isystem", str(each))], f"-I{output}",
        str(HERE / "basic_matmul.cpp"), "-o", str(library),
        f"-L{output}", "-lbasic_matmul_kernels", "-Wl,-rpath,$ORIGIN",
        f"-L{torch / 'lib'}", "-ltorch", "-ltorch_cpu", "-ltorch_python", "-lc10", f"-L{npu / 'lib'}", "-ltorch_npu",
    ]  # fmt: skip
    progress("compiling for torch")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stderr}\nbuild: basic_matmul.cpp was not built")
    progress(f"wrote {library} and {kernels}")


if __name__ == "__main__":
    main()
