"""Compiling kernels with the host's compiler and running them on NumPy arrays."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import os
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from host_compiler import compiler

from asnumpy.operators._kept import processor

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "ascendc" / "include"
TEMPLATES = INCLUDE.parent / "matmul"
KINDS = {"vector": 0, "cube": 1, "mix_1_1": 2, "mix_1_2": 3}
# Two thirds of the time that -O2 takes; users' kernels, which tests of the simulator compile, have that.
FLAGS = "-std=c++17 -O1 -march=native -fPIC -shared -pthread -fno-strict-aliasing -fvisibility=hidden".split()
FLAGS += ["-Wall", "-Wextra", "-Werror", "-Wno-narrowing", "-Wno-unused-variable", "-Wno-unused-but-set-variable"]
FLAGS += ["-Wno-unused-parameter", "-Wno-sign-compare"]  # of kernels as users write them
LAUNCHER = """
extern "C" __attribute__((visibility("default"))) void* const ascendc_launcher =
    reinterpret_cast<void*>(&ascendc_plain_launch);
"""


@functools.cache
def headers() -> bytes:
    """What the present headers are."""
    key = hashlib.sha256()
    for header in sorted([*INCLUDE.rglob("*.h*"), *TEMPLATES.rglob("*.hpp")]):
        key.update(header.read_bytes())
    return key.digest()


def kept(suffix: str, *parts: str) -> Path:
    """Where a result of the compiler is kept, for these words, the present headers and this processor."""
    folder = Path(tempfile.gettempdir()) / f"ascendc-tests-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    key = hashlib.sha256(" ".join([compiler() or "", *FLAGS, processor(), *parts]).encode() + headers())
    return folder / f"{key.hexdigest()[:24]}{suffix}"


def run_compiler(*words: str) -> None:
    done = subprocess.run([compiler() or "g++", *FLAGS, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-8000:]


def precompiled(core: str) -> Path:
    """A folder with the header that every unit begins with, as g++ reads it quickly; clang does not look."""
    folder = kept(".headers", core, str(INCLUDE))  # what a compiler reads where it refuses the precompiled form
    if not folder.exists():
        made = Path(tempfile.mkdtemp(dir=folder.parent))
        header = made / "kernel_operator.h"
        header.write_text(f'#include "{INCLUDE / header.name}"\n')
        run_compiler(core, f"-I{INCLUDE}", "-x", "c++-header", str(header), "-o", f"{header}.gch")
        with contextlib.suppress(OSError):  # somebody else was first
            made.rename(folder)
    return folder


def compiled(text: str, core: str) -> ctypes.CDLL:
    """A library of a source text, for a core's kind; made once for a text and the present headers."""
    library = kept(".so", core, text)
    if not library.exists():
        unit, made = library.with_suffix(f".{os.getpid()}.cpp"), library.with_suffix(f".{os.getpid()}.so")
        unit.write_text(text)
        folders = [f"-I{folder}" for folder in (precompiled(core), INCLUDE, TEMPLATES.parent)]
        run_compiler(core, *folders, str(unit), "-o", str(made))
        made.rename(library)
        unit.unlink()
    return ctypes.CDLL(str(library))


@dataclass
class Ran:
    """What a launch gave: findings, one a line, and modelled cycles."""

    findings: list[str]
    cycles: float

    def rules(self) -> list[str]:
        """The rules that were broken."""
        return [line.split("[", 1)[1].split("]", 1)[0] for line in self.findings]


class Kernel:
    """The kernels of one source, compiled together for the core kinds that they run on."""

    def __init__(self, source: str, names: list[str], kind: str = "vector") -> None:
        self.kind = kind
        exports = "".join(f"ASCENDC_EXPORT({name})\n" for name in names)
        head = '#include "kernel_operator.h"\n#include "ascendc/launch/plain.hpp"\n'
        core = {"vector": ["VEC"], "cube": ["CUBE"]}.get(kind, ["VEC", "CUBE"])
        self._libraries = {
            each: compiled(f"{head}{source}\n{exports}{LAUNCHER}", f"-D__DAV_C220_{each}__=1") for each in core
        }

    def __call__(self, name: str, blocks: int, *arguments: np.ndarray | float | bytes, seconds: float = 20.0,
                 trace: Path | None = None) -> Ran:  # fmt: skip
        """Run `blocks` blocks of a kernel.

        Arrays are its global memory, and nothing else is. Numbers take 32 bits; bytes are a structure as it is.
        """
        packed, ranges = b"", []
        for value in arguments:
            if isinstance(value, np.ndarray):
                packed += b"\0" * (-len(packed) % 8) + struct.pack("<Q", value.ctypes.data)
                ranges += [value.ctypes.data, value.nbytes]
            elif isinstance(value, bytes):
                packed += b"\0" * (-len(packed) % 8) + value
            else:
                packed += b"\0" * (-len(packed) % 4) + struct.pack("<f" if isinstance(value, float) else "<i", value)
        table = (ctypes.c_uint64 * len(ranges))(*ranges)
        report, cycles = ctypes.create_string_buffer(1 << 16), ctypes.c_double()
        entries = [
            ctypes.cast(getattr(self._libraries[core], f"ascendc_kernel_{name}"), ctypes.c_void_p).value
            if core in self._libraries
            else None
            for core in ("VEC", "CUBE")
        ]
        library = next(iter(self._libraries.values()))
        address = ctypes.c_void_p.in_dll(library, "ascendc_launcher").value
        assert address
        pointer, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
        launch = ctypes.CFUNCTYPE(
            size, text, ctypes.c_int, ctypes.c_uint32, pointer, pointer, text, size,  # name, ..., entries, arguments
            pointer, size, ctypes.c_double, text, size, pointer, text,  # ranges, seconds, report, cycles, trace
        )(address)  # fmt: skip
        launch(
            name.encode(), KINDS[self.kind], blocks, *entries, packed, len(packed),
            ctypes.addressof(table), len(ranges) // 2, seconds, report, len(report), ctypes.addressof(cycles),
            os.fsencode(trace) if trace else None,
        )  # fmt: skip
        return Ran(report.value.decode().splitlines(), cycles.value)


def together(paths: list[Path], names: list[list[str]], kind: str) -> Kernel:
    """The kernels of several files, compiled as one unit: each file in a namespace of its own, with its own lines."""
    text = ""
    for path, each in zip(paths, names, strict=True):
        exports = " ".join(f"ASCENDC_EXPORT({name})" for name in each)
        text += f'namespace of_{path.stem} {{\n#line 1 "{path.name}"\n{path.read_text()}\n{exports}\n}}\n'
    return Kernel(f'#include "lib/matmul_intf.h"\n{text}', [], kind)


class Probes:
    """Many short kernels, compiled together when the first of them runs. Each is the body of a function of x and y.

    `head` is text before all of them.
    """

    def __init__(self, head: str = "", /, **bodies: str | list[str]) -> None:
        self._head = head
        self._bodies: dict[str, str] = {}
        for name, given in bodies.items():
            lines = {name: given} if isinstance(given, str) else {f"{name}_{i}": each for i, each in enumerate(given)}
            self._bodies |= lines
        self._kernels: dict[str, Kernel] = {}
        self._refused: dict[str, AssertionError] = {}  # a compilation that failed once is not tried again

    def __call__(self, name: str, blocks: int, *arrays: np.ndarray, kind: str = "vector", seconds: float = 20.0,
                 trace: Path | None = None) -> Ran:  # fmt: skip
        """Run one of them."""
        if kind not in self._kernels:
            text = f"using namespace AscendC;\n{self._head}\n"
            for each, lines in self._bodies.items():
                parameters = "[[maybe_unused]] GM_ADDR x, [[maybe_unused]] GM_ADDR y"
                text += f'extern "C" __global__ __aicore__ void {each}({parameters}) {{\n{lines}\n}}\n'
            if kind in self._refused:
                raise self._refused[kind]
            try:
                self._kernels[kind] = Kernel(text, list(self._bodies), kind)
            except AssertionError as refused:
                self._refused[kind] = refused
                raise
        return self._kernels[kind](name, blocks, *arrays, seconds=seconds, trace=trace)
