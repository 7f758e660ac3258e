"""The end for NVIDIA's GPUs: a program as one kernel in CUDA C++, over the scalar definitions of the core's rows.

NVRTC compiles the very headers from which the CPU's loops are made: `cuda/standard` gives it what they need of the
standard library (out of libcu++), `cuda/kernel.hpp` is what a kernel begins with. The text depends on the program and
on the layout of its operands, not on sizes, strides, addresses or numbers, which are a launch's one argument. A kernel
runs on any number of blocks: each thread takes elements at a distance of the whole grid. Where elements are folded, the
blocks of a row of the grid share what one result is made of; where that are several, each writes a part, and the parts
are folded by the kernel of `rest`.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from asnumpy.compiled._compiler import CompileError, include
from asnumpy.compiled._program import Program, Reduction, Step
from asnumpy.compiled._rows import TYPES, used_rows

THREADS = 256  # of a block, a power of two

_TYPES = {**TYPES, "float16": "asnumpy::float16", "bfloat16": "asnumpy::bfloat16"}
_OWN = Path(__file__).resolve().parent / "cuda"


@dataclass(frozen=True)
class Layout:
    """How the operands of a launch lie: inputs, then stores, then reductions.

    An operand is a "number" of the host (inputs alone), a "line" (element after element in the order of the space,
    where nothing is folded) or "strided".
    """

    operands: tuple[str, ...]
    kept: int = 1    # axes
    folded: int = 0  # axes along which reductions combine

    @classmethod
    def plain(cls, program: Program) -> Layout:
        """That of operands without gaps; of a program with reductions, one axis of lines and one that is folded."""
        count = len(program.inputs) + len(program.stores) + len(program.reductions)
        return cls(("strided",) * count, 1, 1) if program.reductions else cls(("line",) * count)

    @property
    def arrays(self) -> tuple[int, ...]:
        """The operands that are no numbers, in the order in which a launch has them."""
        return tuple(k for k, kind in enumerate(self.operands) if kind != "number")

    @property
    def form(self) -> str:
        """The C++ type of a launch's argument."""
        numbers = len(self.operands) - len(self.arrays)
        return f"Launch<{len(self.arrays)}, {numbers}, {self.kept + self.folded}>"


def rest(reduction: Reduction, dtype: str) -> Program:
    """The program that folds the parts of which blocks have made one result: one axis is kept, one is folded."""
    return Program((dtype,), (), (), (Reduction(reduction.row, reduction.loop, 0),))


def options() -> list[str]:
    """Of NVRTC: the headers, and arithmetic that rounds as on the CPU, operation by operation.

    Raises CompileError where the headers of libcu++ are not installed.
    """
    folders = [_OWN / "standard", _OWN, include(), _libcu()]
    return ["--std=c++20", "-default-device", "--device-int128", "-D__extension__=", "--fmad=false",
            *(f"-I{folder}" for folder in folders)]  # fmt: skip


def _header_folders() -> Iterator[Path]:
    """Where headers of CUDA may be: of NVIDIA's packages for Python, else of a toolkit."""
    found = importlib.util.find_spec("nvidia")
    for folder in (found.submodule_search_locations or []) if found is not None else []:
        yield from sorted(Path(folder).glob("*/include"))
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if home:
            yield Path(home) / "include"


def _libcu() -> Path:
    for folder in _header_folders():
        for place in (folder, folder / "cccl"):  # the second from CUDA 13 on
            if (place / "cuda" / "std" / "tuple").exists():
                return place
    raise CompileError(
        "expected the headers of libcu++, of which the package nvidia-cuda-cccl-cu12 has a copy; install it with: "
        'pip install "asnumpy[cuda]"'
    )


def source(programs: Mapping[str, tuple[Program, Layout]], threads: int = THREADS) -> str:
    """A file with a kernel for each program, by the names that they get, for blocks of so many threads.

    Raises CompileError for a dtype that no GPU has.
    """
    includes, names = used_rows(program for program, _ in programs.values())
    if any(dtype.startswith("complex") for program, _ in programs.values() for dtype in program.dtypes):
        includes.append('#include "ops/complex_math.cpp"')  # a kernel calls nothing that is compiled elsewhere
    lines = ['#include "kernel.hpp"', *includes, "", "namespace {", "", "using namespace asnumpy;"]
    lines += ["using namespace asnumpy::cuda;", "", *names, "", "}  // namespace"]
    for name, (program, layout) in programs.items():
        lines += ["", *_Kernel(program, layout, threads).lines(name)]
    return "\n".join(lines) + "\n"


def _type(dtype: str) -> str:
    try:
        return _TYPES[dtype]
    except KeyError:
        raise CompileError(f"expected a dtype that CUDA C++ computes with, got {dtype}") from None


class _Kernel:
    def __init__(self, program: Program, layout: Layout, threads: int) -> None:
        count = len(program.inputs) + len(program.stores) + len(program.reductions)
        if len(layout.operands) != count:
            raise ValueError(f"layout: expected {count} operands, got {len(layout.operands)}")
        self.program, self.layout, self.threads = program, layout, threads
        self._place = {operand: place for place, operand in enumerate(layout.arrays)}  # among a launch's arrays
        self._types = [_type(dtype) for dtype in program.dtypes]

    def lines(self, name: str) -> list[str]:
        head = f'extern "C" __global__ void {name}(const {self.layout.form} launch) {{'
        return [head, *(self._folding() if self.program.reductions else self._each()), "}"]

    def _each(self) -> list[str]:
        kept = self.layout.kept
        lines = [
            f"    const std::int64_t all = std::int64_t{{gridDim.x}} * {self.threads};",
            f"    const std::int64_t first = std::int64_t{{blockIdx.x}} * {self.threads};",
            "    for (std::int64_t i = first + threadIdx.x; i < launch.count; i += all) {",
        ]
        if "strided" in self.layout.operands:
            lines += [f"        Point<{kept}> point;", f"        launch.place<0, {kept}>(point, i);"]
        return [*lines, *self._element(), "    }"]

    def _folding(self) -> list[str]:
        program, kept, threads = self.program, self.layout.kept, self.threads
        axes = kept + self.layout.folded
        lines = []
        folds = []
        for k, one in enumerate(program.reductions):
            kind = self._types[one.value]
            lines.append(f"    __shared__ Compute<{kind}> shared{k}[{threads}];")
            folds.append((k, f"row_{one.row}, {kind}", kind, program.name(one.value)))
        lines += [
            f"    const std::int64_t all = std::int64_t{{gridDim.x}} * {threads};",
            f"    const std::int64_t first = std::int64_t{{blockIdx.x}} * {threads};",
            "    const int thread = static_cast<int>(threadIdx.x);",
            f"    const int active = static_cast<int>(std::min(launch.folded - first, std::int64_t{{{threads}}}));",
            "    for (std::int64_t kept = blockIdx.y; kept < launch.count; kept += gridDim.y) {",
            f"        Point<{axes}> point;",
            f"        launch.place<0, {kept}>(point, kept);",
        ]
        lines += [f"        Compute<{kind}> r{k}{{}};" for k, _, kind, _ in folds]
        lines += [
            "        for (std::int64_t i = first + thread; i < launch.folded; i += all) {",
            f"            launch.place<{kept}, {axes}>(point, i);",
            *("    " + line for line in self._element()),
            "            const bool begun = i >= all;",
        ]
        for k, row, _, value in folds:
            lines.append(f"            r{k} = begun ? combined<{row}>(r{k}, widened({value})) : widened({value});")
        lines.append("        }")
        reductions = len(program.inputs) + len(program.stores)
        for k, row, kind, _ in folds:
            store = f"launch.store_result<{kind}, {kept}>({self._place[reductions + k]}, point, blockIdx.x"
            lines += [
                f"        r{k} = fold_block<{row}>(r{k}, shared{k}, thread, {threads}, active);",
                f"        if (thread == 0) {store}, narrowed<{kind}>(r{k}));",
            ]
        return [*lines, "        __syncthreads();", "    }"]

    def _element(self) -> list[str]:
        """What one element takes: loads, steps, stores."""
        program, lines, numbers = self.program, [], 0
        for k, kind in enumerate(self._types[: len(program.inputs)]):
            if self.layout.operands[k] == "number":
                came, numbers = f"number<{kind}>({numbers})", numbers + 1
            elif self.layout.operands[k] == "line":
                came = f"load_line<{kind}>({self._place[k]}, i)"
            else:
                came = f"load<{kind}>({self._place[k]}, point)"
            lines.append(f"        const {kind} {program.name(k)} = launch.{came};")
        for step in program.steps:
            lines += self._step(step)
        for k, value in enumerate(program.stores, len(program.inputs)):
            way, at = ("store_line", "i") if self.layout.operands[k] == "line" else ("store", "point")
            lines.append(f"        launch.{way}<{self._types[value]}>({self._place[k]}, {at}, {program.name(value)});")
        return lines

    def _step(self, step: Step) -> list[str]:
        operands = ", ".join(map(self.program.name, step.inputs))
        kinds, names = [self._types[v] for v in step.outputs], [self.program.name(v) for v in step.outputs]
        if len(names) == 1:
            return [f"        const {kinds[0]} {names[0]} = apply<row_{step.row}, {kinds[0]}>({operands});"]
        both = f"both{step.outputs[0]}"
        return [
            f"        const auto {both} = apply_two<row_{step.row}, {kinds[0]}, {kinds[1]}>({operands});",
            f"        const {kinds[0]} {names[0]} = {both}.first;",
            f"        const {kinds[1]} {names[1]} = {both}.second;",
        ]
