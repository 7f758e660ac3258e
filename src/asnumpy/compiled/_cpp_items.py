"""A whole program as a function in C++ that takes items: all elements of a short innermost axis at once.

An item's elements lie side by side in operands that have them all; of an input that has one element for each item that
one is read, and what is the same for all items, or one number, is read before the loop. Compilers make vectors of the
loop over items, whose loads and stores go on by so many elements. Elements of one item are combined one after the
other, as lines that are so short are.
"""

from __future__ import annotations

from asnumpy.compiled._program import Items, Program
from asnumpy.compiled._rows import (
    TYPES,
    Operand,
    function_begin,
    reduced_operands,
    reduced_type,
    step_lines,
    stored_operands,
)


def symbols(name: str, program: Program, items: Items) -> list[str]:
    """What the functions are called: one for each form (`StrandCode` in `core/cpu/strands.hpp`)."""
    return [name, f"{name}_folded"] if program.reductions and not items.joined else [name]


def item(name: str, program: Program, items: Items) -> list[str]:
    """What one item takes: a function of its own, or locals would keep the loop from being vectors."""
    given = ", ".join(f"{kind} {operand}" for kind, operand, _ in _operands(program, items))
    lines = [*_folds(name, program), f"inline void item_{name}(std::size_t i, {given}) {{"]
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
    for place, stored in enumerate(program.stores):
        lines += [f"    ops::store(to{place}, i * {items.length} + {k}, {program.name(stored)}_{k});" for k in elements]
    for reduction in program.reductions:
        reduced = [f"{program.name(reduction.value)}_{k}" for k in elements]
        if not items.joined:
            lines += [f"    ops::store(reduced, i * {items.length} + {k}, {one});" for k, one in enumerate(reduced)]
            continue
        joined = reduced[0]
        for one in reduced[1:]:
            joined = f"fold_{name}::op({joined}, {one})"
        if items.begins is not None:
            joined = f"fold_{name}::op({reduced_type(program)}({items.begins}), {joined})"
        lines.append(f"    ops::store(reduced, i, {joined});")
    return [*lines, "}"]


def loops(name: str, program: Program, items: Items) -> list[str]:
    """The functions themselves, for so many items."""
    each, *folded = symbols(name, program, items)
    lines = [*_loop(each, name, program, items), "}"]
    if folded:
        lines += ["", *_loop(folded[0], name, program, items), *_halves(name, items), "}"]
    return lines


def _loop(function: str, name: str, program: Program, items: Items) -> list[str]:
    operands = _operands(program, items)
    call = ", ".join(operand for _, operand, _ in operands)
    loop = f"    for (std::size_t i = 0; i < n; ++i) item_{name}(i, {call});"
    return [*function_begin(function, operands), "#pragma omp simd", loop]


def _halves(name: str, items: Items) -> list[str]:
    """The first half of what is reduced with the second one, and so on; an item that is left over comes last."""
    length = items.length
    return [
        "    for (std::size_t items = n, half = n / 2; items > 1; items = half, half = items / 2) {",
        "#pragma omp simd",
        f"        for (std::size_t i = 0; i < half * {length}; ++i) both_{name}(i, i + half * {length}, reduced);",
        f"        for (std::size_t i = 0; items % 2 != 0 && i < {length}; ++i)",
        f"            both_{name}(i, i + 2 * half * {length}, reduced);",
        "    }",
    ]


def _folds(name: str, program: Program) -> list[str]:
    """What combines two elements, and two that lie in memory."""
    if not program.reductions:
        return []
    (reduction,) = program.reductions
    kind = reduced_type(program)
    return [
        f"using fold_{name} = cpu::FoldOf<row_{reduction.row}, {kind}>;",
        "",
        f"[[maybe_unused]] inline void both_{name}(std::size_t i, std::size_t other, {kind}* reduced) {{",
        f"    ops::store(reduced, i, fold_{name}::op(ops::load(reduced, i), ops::load(reduced, other)));",
        "}",
        "",
    ]


def _operands(program: Program, items: Items) -> list[Operand]:
    """Of the function of an item: what is reduced, stores, inputs."""
    operands = [*reduced_operands(program), *stored_operands(program)]
    for place, (dtype, part) in enumerate(zip(program.inputs, items.parts, strict=True)):
        pointer = f"static_cast<const {TYPES[dtype]}*>(in[{place}])"
        if part in ("whole", "one"):
            operands.append((f"const {TYPES[dtype]}*", f"from{place}", pointer))
            continue
        for k in range(items.length if part == "same" else 1):
            operands.append((TYPES[dtype], f"given{place}_{k}", f"ops::load({pointer}, {k})"))
    return operands
