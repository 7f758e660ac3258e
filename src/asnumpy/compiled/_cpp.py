"""The end for the CPU: a strand as a function in C++, over the scalar definitions of the core's rows.

The rows' headers (`core/base`, `core/ops`) come with the package, and the function applies the very lambda from which
the row's own loops are made, with the same options of the compiler: so it gives the same bits. Each operand is
contiguous; an output may be exactly an input, so all loads of an element come before its stores.

Where a strand ends in a reduction, there are two functions more (`Forms` in `core/cpu/strands.hpp`): one folds the
value by the very template that folds elements in memory, so that they are combined in the same order, and one combines
it with elements that are there.
"""

from __future__ import annotations

from collections.abc import Mapping

from asnumpy.compiled import _cpp_items
from asnumpy.compiled._program import Program
from asnumpy.compiled._rows import (
    TYPES,
    Operand,
    function_begin,
    reduced_operands,
    reduced_type,
    step_lines,
    stored_operands,
    used_rows,
)


def symbols(name: str, program: Program) -> list[str]:
    """What the functions of a program are called: one for each form that it has."""
    if program.items:
        return _cpp_items.symbols(name, program, program.items)
    return [name, f"{name}_folded", f"{name}_added"] if program.reductions else [name]


def source(programs: Mapping[str, Program]) -> str:
    """A file with the functions of each program, by the names that they get."""
    includes, names = used_rows(programs.values())
    if any(program.reductions for program in programs.values()):
        includes = ['#include "kernels/fold.hpp"', *includes]
    lines = ["#include <cstddef>", "#include <cstdint>", "", '#include "ops/element.hpp"', *includes]
    lines += ["", "namespace {", "", "using namespace asnumpy;", "", *names]
    for name, program in programs.items():
        if program.items:
            lines += ["", *_cpp_items.item(name, program, program.items)]
            continue
        lines += ["", *_element(name, program)]
        if program.reductions:
            lines += ["", *_reduced(name, program)]
    lines += ["", "}  // namespace"]
    for name, program in programs.items():
        lines += ["", *(_cpp_items.loops(name, program, program.items) if program.items else _loops(name, program))]
    return "\n".join(lines) + "\n"


def _operands(program: Program) -> list[Operand]:
    """Stores, then inputs. Those of one number have its name."""
    operands = stored_operands(program)
    for k, dtype in enumerate(program.inputs):
        kind = f"const {TYPES[dtype]}*"
        pointer = f"static_cast<{kind}>(in[{k}])"
        if k in program.numbers:
            operands.append((TYPES[dtype], program.name(k), f"ops::load({pointer}, 0)"))
        else:
            operands.append((kind, f"from{k}", pointer))
    return operands


def _parameters(program: Program) -> str:
    return ", ".join(f"{kind} {name}" for kind, name, _ in _operands(program))


def _arguments(program: Program, behind: str = "") -> str:
    return ", ".join(f"{name}{behind if kind.endswith('*') else ''}" for kind, name, _ in _operands(program))


def _element(name: str, program: Program) -> list[str]:
    """What one element takes: a function of its own, or locals of class type would keep the loop from being vectors."""
    gives = reduced_type(program) if program.reductions else "void"
    # It is part of several loops where there is a reduction, and part of each whatever its length.
    inline = "[[gnu::always_inline]] inline" if program.reductions else "inline"
    lines = [f"{inline} {gives} element_{name}(std::size_t i, {_parameters(program)}) {{"]
    for k, dtype in enumerate(program.inputs):
        if k not in program.numbers:
            lines.append(f"    const {TYPES[dtype]} {program.name(k)} = ops::load(from{k}, i);")
    for step in program.steps:
        lines += step_lines(program, step)
    lines += [f"    ops::store(to{k}, i, {program.name(value)});" for k, value in enumerate(program.stores)]
    lines += [f"    return {program.name(reduction.value)};" for reduction in program.reductions]
    return [*lines, "}"]


def _reduced(name: str, program: Program) -> list[str]:
    """What a fold reads instead of elements in memory, and what the other forms do with one element."""
    (reduction,) = program.reductions
    kind = reduced_type(program)
    members = [f"    {of} {operand};" for of, operand, _ in _operands(program)]
    lines = [k for k in range(len(program.inputs)) if k not in program.numbers]
    fetches = [f"        cpu::fetch_ahead(from{k} + i, n);" for k in lines]
    given = f"std::size_t i, {kind}* reduced, {_parameters(program)}"
    element = f"element_{name}(i, {_arguments(program)})"
    return [
        f"using fold_{name} = cpu::FoldOf<row_{reduction.row}, {kind}>;",
        "",
        f"struct elements_{name} {{",
        *members,
        "    static constexpr bool several = true;",
        f"    [[gnu::always_inline]] {kind} operator[](std::size_t i) const {{ return {element}; }}",
        f"    elements_{name} from(std::size_t i) const {{ return {{{_arguments(program, ' + i')}}}; }}",
        "    void fetch(std::size_t i, std::size_t n) const {",
        *fetches,
        "    }",
        "};",
        "",
        f"inline void each_{name}({given}) {{ ops::store(reduced, i, {element}); }}",
        f"inline void added_{name}({given}) {{",
        f"    ops::store(reduced, i, fold_{name}::op(ops::load(reduced, i), {element}));",
        "}",
    ]


def _begin(name: str, program: Program) -> list[str]:
    return function_begin(name, [*reduced_operands(program), *_operands(program)])


def _loop(name: str, program: Program, element: str) -> list[str]:
    operands = "reduced, " * len(program.reductions) + _arguments(program)
    call = f"{element}(i, {operands})"
    return [*_begin(name, program), "#pragma omp simd", f"    for (std::size_t i = 0; i < n; ++i) {call};", "}"]


def _loops(name: str, program: Program) -> list[str]:
    if not program.reductions:
        return _loop(name, program, f"element_{name}")
    each, folded, added = symbols(name, program)
    fold = f"fold_{name}::pairs(elements_{name}{{{_arguments(program)}}}, n)"
    return [
        *_loop(each, program, f"each_{name}"), "", *_begin(folded, program), f"    *reduced = {fold};", "}", "",
        *_loop(added, program, f"added_{name}"),
    ]  # fmt: skip
