"""Programs as CUDA kernels, launched on NumPy's arrays: on an NVIDIA GPU, or the same text on the host."""

from __future__ import annotations

import ctypes
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asnumpy import _core
from asnumpy.compiled import Program, Reduction, Step, _cuda
from asnumpy.compiled._compiler import CompileError, compiler, include
from asnumpy.compiled._cuda import Layout
from asnumpy.operators import compile_cuda
from asnumpy.operators._cuda import _call, _version

Programs = dict[str, tuple[Program, Layout]]
ROWS = [row for row in _core.rows() if row["kind"] == "elementwise"]
TABLES = sorted({_core.programs.row_table(row["name"]) for row in ROWS})


def why_no_ptx() -> str:
    try:
        _cuda.options()
    except CompileError as error:
        return str(error)
    return "" if _version() else 'needs NVRTC: pip install "asnumpy[cuda]"'


needs_nvrtc = pytest.mark.skipif(bool(why_no_ptx()), reason=why_no_ptx())
needs_compiler = pytest.mark.skipif(compiler() is None, reason="running a kernel on the host needs a C++ compiler")


def programs_of_rows(table: str, folded: bool) -> Programs:
    """A program for each loop of a table's rows that a GPU has; and one that folds with it, if wanted."""
    programs = {}
    for row in ROWS:
        if _core.programs.row_table(row["name"]) != table:
            continue
        for loop, signature in enumerate(row["loops"]):
            takes, gives = (tuple(dtype.name for dtype in dtypes) for dtypes in signature)
            if not {*takes, *gives} <= set(_cuda._TYPES):
                continue
            n = len(takes)
            made = tuple(range(n, n + len(gives)))
            one = Program(takes, (Step(row["name"], loop, tuple(range(n)), made, gives),), made)
            programs[f"{row['name']}_{loop}"] = one, Layout.plain(one)
            if folded and row["reducible"] and takes == gives * 2:
                fold = Program(gives, (), (), (Reduction(row["name"], loop, 0),))
                programs[f"{row['name']}_{loop}_folded"] = fold, Layout.plain(fold)
    return programs


def packed(layout: Layout, operands: Sequence[Any], addresses: Sequence[int], kept: tuple[int, ...],
           folded: tuple[int, ...], part: Sequence[int]) -> bytes:  # fmt: skip
    """A launch's argument: operands in the order of the layout, the addresses of those that are arrays."""
    arrays = [operands[k] for k in layout.arrays]
    made = b"".join([bytes(x).ljust(16, b"\0") for x in operands if not isinstance(x, np.ndarray)] or [bytes(16)])
    made += struct.pack(f"{len(arrays)}P", *addresses)
    for x in arrays:
        strides = (*x.strides, *[0] * (len(kept) + len(folded) - x.ndim))  # a result has those of what is kept
        made += struct.pack(f"{len(strides)}q", *strides)
    made += struct.pack(f"{len(kept) + len(folded)}q", *kept, *folded)
    made += struct.pack("2q", int(np.prod(kept)), int(np.prod(folded)))
    return made + struct.pack(f"{len(arrays)}q", *(part or [0] * len(arrays)))


class OnHost:
    """Kernels of a source; a block has few threads, which are threads of the host."""

    threads = 16

    def __init__(self, folder: Path, programs: Programs) -> None:
        self.programs = programs
        runners = "".join(
            f'extern "C" void run_{name}(const {layout.form}* launch, unsigned x, unsigned y) '
            f"{{ run_grid({name}, *launch, x, y, {self.threads}); }}\n"
            for name, (_, layout) in programs.items()
        )
        path, made = folder / "kernels.cpp", folder / "kernels.so"
        path.write_text(f'#include "cuda_on_host.hpp"\n{_cuda.source(programs, self.threads)}{runners}')
        own = ["-std=c++20", *_core.programs.kernel_options().split(), "-O1", "-fPIC", "-shared", "-pthread"]
        folders = [Path(__file__).parent, Path(_cuda.__file__).parent / "cuda", include()]
        command = [compiler(), *own, "-D__global__=", "-D__shared__=static", *(f"-I{folder}" for folder in folders)]
        done = subprocess.run([*command, str(path), "-o", str(made)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self._library = ctypes.CDLL(str(made))

    def run(self, name: str, operands: Sequence[Any], kept: tuple[int, ...], folded: tuple[int, ...] = (), *,
            blocks: tuple[int, int] = (3, 1), part: Sequence[int] = ()) -> None:  # fmt: skip
        """Operands in the order of a layout: numbers as NumPy's scalars, arrays with a stride for each axis."""
        _, layout = self.programs[name]
        addresses = [operands[k].__array_interface__["data"][0] for k in layout.arrays]
        getattr(self._library, f"run_{name}")(packed(layout, operands, addresses, kept, folded, part), *blocks)


class OnGpu:
    """The same kernels as PTX on the first GPU; what the arrays lie in is copied there and back at each launch."""

    threads = 64

    def __init__(self, folder: Path, programs: Programs) -> None:
        self.programs = programs
        device, context = ctypes.c_int(), ctypes.c_void_p()
        _call("cuDeviceGet", ctypes.byref(device), 0)
        _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        _call("cuCtxSetCurrent", context)
        self._module = ctypes.c_void_p()
        ptx = compile_cuda(_cuda.source(programs, self.threads), _cuda.options())
        _call("cuModuleLoadData", ctypes.byref(self._module), ptx)

    def run(self, name: str, operands: Sequence[Any], kept: tuple[int, ...], folded: tuple[int, ...] = (), *,
            blocks: tuple[int, int] = (3, 1), part: Sequence[int] = ()) -> None:  # fmt: skip
        """As OnHost.run."""
        _, layout = self.programs[name]
        arrays = [operands[k] for k in layout.arrays]
        regions = _regions(arrays, [one * (blocks[0] - 1) for one in part or [0] * len(arrays)])
        theirs = []
        for low, high in regions:
            made = ctypes.c_uint64()
            _call("cuMemAlloc_v2", ctypes.byref(made), ctypes.c_size_t(high - low))
            _call("cuMemcpyHtoD_v2", made, ctypes.c_void_p(low), ctypes.c_size_t(high - low))
            theirs.append(made)
        addresses = []
        for x in arrays:
            at = x.__array_interface__["data"][0]
            addresses.append(next(made.value + at - low for made, (low, high) in zip(theirs, regions, strict=True)
                                  if low <= at < high))  # fmt: skip
        argument = ctypes.create_string_buffer(packed(layout, operands, addresses, kept, folded, part))
        parameters = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
        function = ctypes.c_void_p()
        _call("cuModuleGetFunction", ctypes.byref(function), self._module, name.encode())
        sizes = [ctypes.c_uint(n) for n in (*blocks, 1, self.threads, 1, 1, 0)]
        _call("cuLaunchKernel", function, *sizes, None, parameters, None)
        for made, (low, high) in zip(theirs, regions, strict=True):
            _call("cuMemcpyDtoH_v2", ctypes.c_void_p(low), made, ctypes.c_size_t(high - low))
            _call("cuMemFree_v2", made)


def _regions(arrays: Sequence[np.ndarray], behind: Sequence[int]) -> list[tuple[int, int]]:
    """The bytes of which arrays have elements, from and to, with those behind; arrays that overlap share a region."""
    made: list[tuple[int, int]] = []
    bounds = [np.lib.array_utils.byte_bounds(x) for x in arrays]
    for low, high in sorted((low, high + more) for (low, high), more in zip(bounds, behind, strict=True)):
        if made and low < made[-1][1]:
            low, high = made[-1][0], max(high, made.pop()[1])
        made.append((low, high))
    return made
