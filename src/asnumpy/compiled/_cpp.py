"""The end for the CPU: a strand as a function in C++, over the scalar definitions of the core's rows.

The rows' headers (`core/base`, `core/ops`) come with the package, and the function applies the very lambda from which
the row's own loops are made, with the same options of the compiler: so it gives the same bits. Each operand is
contiguous; an output may be exactly an input, so all loads of an element come before its stores.
"""

from __future__ import annotations

from collections.abc import Mapping

from asnumpy.compiled._program import Program, Step
from asnumpy.compiled._rows import TYPES, used_rows


def source(programs: Mapping[str, Program]) -> str:
    """A file with a function for each program, by the names that they get."""
    includes, names = used_rows(programs.values())
    lines = ["#include <cstddef>", "#include <cstdint>", "", '#include "ops/element.hpp"', *includes]
    lines += ["", "namespace {", "", "using namespace asnumpy;", "", *names]
    for name, program in programs.items():
        lines += ["", *_element(name, program)]
    lines += ["", "}  // namespace"]
    for name, program in programs.items():
        lines += ["", *_loop(name, program)]
    return "\n".join(lines) + "\n"


def _pointers(program: Program) -> list[tuple[str, str, str]]:
    """Type, name and origin of the operands of a function: outputs, then inputs."""
    out = [(f"{TYPES[program.dtypes[value]]}*", f"to{k}", f"out[{k}]") for k, value in enumerate(program.stores)]
    read = [(f"const {TYPES[dtype]}*", f"from{k}", f"in[{k}]") for k, dtype in enumerate(program.inputs)]
    return out + read


def _element(name: str, program: Program) -> list[str]:
    """What one element takes: a function of its own, or locals of class type would keep the loop from being vectors."""
    parameters = ", ".join(f"{kind} {pointer}" for kind, pointer, _ in _pointers(program))
    lines = [f"inline void element_{name}(std::size_t i, {parameters}) {{"]
    for k, dtype in enumerate(program.inputs):
        lines.append(f"    const {TYPES[dtype]} {program.name(k)} = ops::load(from{k}, i);")
    for step in program.steps:
        lines += _step(program, step)
    lines += [f"    ops::store(to{k}, i, {program.name(value)});" for k, value in enumerate(program.stores)]
    return [*lines, "}"]


def _step(program: Program, step: Step) -> list[str]:
    operands = ", ".join(map(program.name, step.inputs))
    kinds = [TYPES[dtype] for dtype in step.gives]
    names = [program.name(value) for value in step.outputs]
    if len(names) == 1:
        kind = kinds[0]
        return [f"    const {kind} {names[0]} = static_cast<{kind}>(row_{step.row}::call<{kind}>({operands}));"]
    both = f"both{step.outputs[0]}"
    return [
        f"    const auto {both} = row_{step.row}::call<ops::Two<{kinds[0]}, {kinds[1]}>>({operands});",
        f"    const {kinds[0]} {names[0]} = {both}.first;",
        f"    const {kinds[1]} {names[1]} = {both}.second;",
    ]


def _loop(name: str, program: Program) -> list[str]:
    pointers = _pointers(program)
    lines = [f'extern "C" void {name}(void* const* out, const void* const* in, std::size_t n) {{']
    lines += [f"    {kind} const {pointer} = static_cast<{kind}>({origin});" for kind, pointer, origin in pointers]
    arguments = ", ".join(pointer for _, pointer, _ in pointers)
    return [
        *lines, "#pragma omp simd", f"    for (std::size_t i = 0; i < n; ++i) element_{name}(i, {arguments});", "}",
    ]
