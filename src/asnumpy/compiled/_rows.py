"""What the ends that write C++ share: types by dtype, and the core's rows by name."""

from __future__ import annotations

from collections.abc import Iterable

from asnumpy import _core
from asnumpy.compiled._program import Program

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
