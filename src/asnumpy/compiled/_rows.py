"""What the ends that write C++ share: types by dtype, the core's rows by name, operands and steps of a program."""

from __future__ import annotations

from collections.abc import Iterable

from asnumpy import _core
from asnumpy.compiled._program import Program, Step

TYPES = {
    "bool": "bool", **{f"{sign}int{bits}": f"std::{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float32": "float", "float64": "double", "complex64": "std::complex<float>", "complex128": "std::complex<double>",
}  # fmt: skip


def used_rows(programs: Iterable[Program]) -> tuple[list[str], list[str]]:
    """The lines that include the tables of the rows of programs, and those that name each row `row_<its name>`."""
    tables = {row: _core.programs.row_table(row) for row in dict.fromkeys(row for one in programs for row in one.rows)}
    names = [
        f'using row_{row} = ops::RowOf<ops::{table}, ops::position<ops::{table}>("{row}")>;'
        for row, table in tables.items()
    ]
    return [f'#include "ops/{table}.hpp"' for table in sorted(set(tables.values()))], names


def step_lines(program: Program, step: Step, behind: str = "") -> list[str]:
    """A step within a function: its values, by the names that the program gives them and what comes behind those."""
    names = [f"{program.name(value)}{behind}" for value in step.outputs]
    operands = ", ".join(f"{program.name(value)}{behind}" for value in step.inputs)
    kinds = [TYPES[dtype] for dtype in step.gives]
    if len(names) == 1:
        kind = kinds[0]
        return [f"    const {kind} {names[0]} = static_cast<{kind}>(row_{step.row}::call<{kind}>({operands}));"]
    both = f"both{step.outputs[0]}{behind}"
    return [
        f"    const auto {both} = row_{step.row}::call<ops::Two<{kinds[0]}, {kinds[1]}>>({operands});",
        f"    const {kinds[0]} {names[0]} = {both}.first;",
        f"    const {kinds[1]} {names[1]} = {both}.second;",
    ]


Operand = tuple[str, str, str]  # of a function: type, name and origin


def reduced_type(program: Program) -> str:
    """Of the value that is reduced."""
    (reduction,) = program.reductions
    return TYPES[program.dtypes[reduction.value]]


def stored_operands(program: Program) -> list[Operand]:
    """Where the stores of a program go."""
    kinds = [f"{TYPES[program.dtypes[value]]}*" for value in program.stores]
    return [(kind, f"to{k}", f"static_cast<{kind}>(out[{k}])") for k, kind in enumerate(kinds)]


def reduced_operands(program: Program) -> list[Operand]:
    """Where its reduction goes, if it has one: behind the stores."""
    kinds = [f"{reduced_type(program)}*"] if program.reductions else []
    return [(kind, "reduced", f"static_cast<{kind}>(out[{len(program.stores)}])") for kind in kinds]


def function_begin(name: str, operands: Iterable[Operand]) -> list[str]:
    """The head of a function that the core calls, and its operands by their names."""
    head = f'extern "C" void {name}(void* const* out, const void* const* in, std::size_t n) {{'
    return [head, *(f"    {kind} const {operand} = {origin};" for kind, operand, origin in operands)]
