"""A whole program as a function in C++ that takes items: all elements of a short innermost axis at once.

An item's elements lie side by side in operands that have them all; of an input that has one element for each item that
one is read, and what is the same for all items, or one number, is read before the loop. Compilers make vectors of the
loop over items, whose loads and stores go on by so many elements. Elements of one item are combined one after the
other, as lines that are so short are.
"""

from __future__ import annotations

from asnumpy.compiled._program import Items, Program
from asnumpy.compiled._rows import TYPES, step_lines


def item(name: str, program: Program, items: Items) -> list[str]:
    """What one item takes: a function of its own, or locals would keep the loop from being vectors."""
    given = ", ".join(f"{kind} {operand}" for kind, operand, _ in _operands(program, items))
    lines = [*_folds(name, program, items), f"inline void item_{name}(std::size_t i, {given}) {{"]
    elements = range(items.length)
    for position, part in enumerate(items.parts):
        for k in elements:
            read = {
                "whole": f"ops::load(from{position}, i * {items.length} + {k})",
                "one": f"ops::load(from{position}, i)",
            }
            value = read.get(part, f"given{position}_{k if part == 'same' else 0}")
            lines.append(f"    const {TYPES[program.inputs[position]]} {program.name(position)}_{k} = {value};")
    for step in program.steps:
        for k in elements:
            lines += step_lines(program, step, f"_{k}")
    for place, value in enumerate(program.stores):
        lines += [f"    ops::store(to{place}, i * {items.length} + {k}, {program.name(value)}_{k});" for k in elements]
    for reduction in program.reductions:
        values = [f"{program.name(reduction.value)}_{k}" for k in elements]
        if not items.joined:
            lines += [f"    ops::store(reduced, i * {items.length} + {k}, {value});" for k, value in enumerate(values)]
            continue
        joined = values[0]
        for value in values[1:]:
            joined = f"fold_{name}::op({joined}, {value})"
        lines.append(f"    ops::store(reduced, i, {joined});")
    return [*lines, "}"]


def loop(name: str, program: Program, items: Items) -> list[str]:
    """The function itself, for so many items."""
    operands = _operands(program, items)
    lines = [f'extern "C" void {name}(void* const* out, const void* const* in, std::size_t n) {{']
    lines += [f"    {kind} const {operand} = {origin};" for kind, operand, origin in operands]
    call = ", ".join(operand for _, operand, _ in operands)
    return [*lines, "#pragma omp simd", f"    for (std::size_t i = 0; i < n; ++i) item_{name}(i, {call});", "}"]


def _folds(name: str, program: Program, items: Items) -> list[str]:
    """What combines two elements of an item."""
    if not items.joined:
        return []
    (reduction,) = program.reductions
    return [f"using fold_{name} = cpu::FoldOf<row_{reduction.row}, {TYPES[program.dtypes[reduction.value]]}>;", ""]


def _operands(program: Program, items: Items) -> list[tuple[str, str, str]]:
    """Type, name and origin of what the function of an item is given: what is reduced, stores, inputs."""
    given = [*(("to", k, value) for k, value in enumerate(program.stores))]
    operands = []
    for reduction in program.reductions:
        kind = f"{TYPES[program.dtypes[reduction.value]]}*"
        operands.append((kind, "reduced", f"static_cast<{kind}>(out[{len(program.stores)}])"))
    for name, place, value in given:
        kind = f"{TYPES[program.dtypes[value]]}*"
        operands.append((kind, f"{name}{place}", f"static_cast<{kind}>(out[{place}])"))
    for place, (dtype, part) in enumerate(zip(program.inputs, items.parts, strict=True)):
        pointer = f"static_cast<const {TYPES[dtype]}*>(in[{place}])"
        if part in ("whole", "one"):
            operands.append((f"const {TYPES[dtype]}*", f"from{place}", pointer))
            continue
        for k in range(items.length if part == "same" else 1):
            operands.append((TYPES[dtype], f"given{place}_{k}", f"ops::load({pointer}, {k})"))
    return operands
