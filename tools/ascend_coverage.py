"""Writes docs/ascend-coverage.md: where each function of each dtype runs on an Ascend 910B, as the backend decides it.

`python tools/ascend_coverage.py` prints the page, `--write` puts it in its place, `--check` says whether it is current.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import ascend_names
import kept_page
from asnumpy.operators import library
from asnumpy.runtime import kernels as kernels_of_numpys

PAGE = Path(__file__).resolve().parents[1] / "docs" / "ascend-coverage.md"
NEWEST, OLDEST = "9.0", "8.0"  # which stand for all versions: there are two sets of facts

# The dtypes that have a column.
MANY = 1 << 16  # elements: as many as every kernel takes

COLUMNS = {
    "bool": "?", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
    "int64": "i8", "uint64": "u8", "float16": "f2", "bfloat16": "bf", "float32": "f4", "float64": "f8",
    "complex64": "c8", "complex128": "c16",
}
RULE = "|---" * (len(COLUMNS) + 1) + "|"
LETTERS = {
    "kernel": "K", "native": "N", "reinterpreted": "R", "wider": "W", "decomposed": "D", "aicpu": "A", "host": "**H**",
}
SAID = {"aicpu": "on the AICPU", "kernel": "by kernels of the library"}
ORDER = list(LETTERS)  # of several loops the worst is shown

# The functions that are a row along axes, in steps, or by itself. Other functions are made of these and of the ufuncs.
REDUCTIONS = {
    "add": "sum, add.reduce", "multiply": "prod, multiply.reduce", "maximum": "max, amax", "minimum": "min, amin",
    "fmax": "nanmax, fmax.reduce", "fmin": "nanmin, fmin.reduce", "logical_and": "all", "logical_or": "any",
}
SCANS = {"add": "cumsum, add.accumulate", "multiply": "cumprod, multiply.accumulate"}
STRUCTURED = {
    "matmul": "matmul, dot, inner, tensordot, `@`",
    "argmax": "argmax",
    "argmin": "argmin",
    "sort": "sort, argsort",
    "take": "take, `a[indices]`",
    "scatter": "put, `a[indices] = b`",
    "compress": "compress, extract, `a[mask]`",
    "flatnonzero": "flatnonzero, nonzero, argwhere (of bool)",
    "bincount": "bincount",
    "weighted_counts": "bincount and histograms with weights",
    "in_range": "the check of indices before take and put",
} | {
    row: f"nn.{row}" for row in (
        "softmax", "log_softmax", "layer_norm", "rms_norm", "sigmoid", "log_sigmoid", "silu", "gelu", "softplus", "elu",
        "leaky_relu",
    )
}

# Operators of the library that compute what a function does, and the row that does it otherwise, where it is one.
SERVED = {
    "absolute": "complex_absolute", "argsort": "argsort_int64", "bitwise_count": "bit_count",
    "bincount": "bin_count", "cumsum": "running_sum",
    "divide": "complex_divide", "exp": "complex_exp", "fft.fft": "fft_rows", "histogram": "histogram",
    "multiply": "complex_multiply", "nn.log_softmax": "log_softmax", "nn.softmax": "softmax", "packbits": "pack_bits",
    "searchsorted": "search_int64", "sort": "sort_int64", "unpackbits": "unpack_bits",
}
ROW_OF = {
    "cumsum": ("scan", "add"), "sort": ("structured", "sort"), "argsort": ("structured", "sort"),
    "bincount": ("structured", "bincount"),
}
DRAWS = {
    "random_random_single": "random.random (float32)",
    "random_random": "random.random",
    "random_integers": "random.integers, up to 2**32 values; raw words",
}

HEAD = """# Where functions run on an Ascend 910B

Written by `tools/ascend_coverage.py` from what the backend decides; do not edit by hand. The tests compute every
entry on the simulator and compare it with the CPU; nothing here has run on hardware yet.

| letter | how |
|---|---|
| N | native: one operator of CANN's, with the array's own dtype |
| R | reinterpreted: an operator of another dtype that gives the same bits (unsigned sums as signed ones) |
| W | wider: an operator of a wider dtype that gives exactly the same result, and casts |
| D | decomposed into several operators: CANN has none, or none of this dtype, or does not promise NumPy's values |
| A | AICPU: a few slow cores compute one of the operators at least (the AI cores lack the dtype); the rest is unknown |
| **H** | host: computed by the CPU, counted by `ap.fallbacks()` and reported once |
| K | kernel: an operator of the [library](operator-library.md) computes it; the last table says which |
| blank | NumPy has no such loop |

Where two letters stand, the second is that of CANN 8.0 to 8.5, which are taken to have what 8.1's headers say
([versions](devices.md#versions-of-cann)).

The dtypes that CANN does not compute with (longdouble, clongdouble, complex32, int4, float8 and so on) are stored and
moved on the device: indexing, copies, `where`, `take`, `put`, `compress` run there, all else on the host. Random
numbers are the same on every device: kernels of asnumpy's own draw those below, the host all others
([why](random.md#on-a-device)). Functions that are not listed are views or are made of these; so are those of
`asnumpy.nn` for dtypes that are blank, while `sort` is NumPy's there.

Where the result is the same to the bit, neighbours run as one operator: products of integers that are added
(`aclnnAddcmul`, `aclnnAdd` and `aclnnSub` with `alpha`, `aclnnRsubs`), both bounds of `clip` (`aclnnClamp`),
`maximum(a + b, 0)` (`aclnnAddRelu`), casts that an operator does by itself. Floats that would be rounded once instead
of twice only with `config.contract` (`aclnnAddcdiv` too). `a @ b + c`, `a @ b - c`, `2 * (a @ b) + 3 * c` are
`aclnnAddmm` or `aclnnBaddbmm`.
"""


class Entry(NamedTuple):
    """A loop and how it runs; the path is "aicpu" where the AICPU computes."""

    kind: str
    row: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    path: str
    how: str  # operators, or why the host computes it

    @property
    def has_columns(self) -> bool:
        return {*self.inputs, *self.outputs} <= COLUMNS.keys()


@functools.cache
def entries(version: str) -> list[Entry]:
    """All loops with the facts of a version of CANN, which a process of its own has, on the simulator."""
    code = "import json, asnumpy as ap\nap.devices()\nprint(json.dumps(ap._core.lowering()))"
    chosen = {"ASNUMPY_CANN": "sim", "CANNSIM_CANN": version}
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | chosen, check=True, capture_output=True)
    return [
        Entry(kind, row, tuple(inputs), tuple(outputs), "aicpu" if aicpu else path, how)
        for kind, row, inputs, outputs, path, how, aicpu in json.loads(done.stdout)
    ]


def by_default() -> dict[tuple[str, str, str], kernels_of_numpys.Served]:
    """The rows that a kernel of the library computes without being asked, where arrays are large enough."""
    return {
        (*row_of(one.function), dtype.name): one for one in kernels_of_numpys.TABLE for dtype in one.dtypes
    }


def row_of(name: str) -> tuple[str, str]:
    """The kind and the name of the row that computes a function."""
    return ROW_OF.get(name) or ("structured" if name.startswith("nn.") else "elementwise", name.split(".")[-1])


def path_of(entry: Entry, version: str) -> str:
    """As the page counts it: CANN 8 has no compiler of kernels."""
    by_kernel = version == NEWEST and (entry.kind, entry.row, (entry.inputs or ("",))[0]) in by_default()
    return "kernel" if by_kernel else entry.path


def letter(paths: list[str]) -> str:
    return LETTERS[max(paths, key=ORDER.index)] if paths else ""


def line(first: str, cells: Iterable[str]) -> str:
    return f"| {first} | {' | '.join(cells)} |"


def table(title: str, names: dict[str, str], kind: str) -> str:
    cells: dict[tuple[str, str, str], list[str]] = {}
    for version in (NEWEST, OLDEST):
        for entry in entries(version):
            if entry.kind == kind and entry.row in names:
                dtype = entry.inputs[1] if entry.row == "where" else entry.inputs[0]
                cells.setdefault((version, entry.row, dtype), []).append(path_of(entry, version))

    def cell(row: str, dtype: str) -> str:
        both = [letter(cells.get((version, row, dtype), [])) for version in (NEWEST, OLDEST)]
        return "/".join(dict.fromkeys(both))

    lines = [f"\n## {title}\n", line("function", COLUMNS.values()), RULE]
    for row in dict.fromkeys(entry.row for entry in entries(NEWEST) if entry.kind == kind and entry.row in names):
        lines.append(line(names[row], (cell(row, dtype) for dtype in COLUMNS)))
    return "\n".join(lines) + "\n"


def casts() -> str:
    paths = [
        {(one.inputs[0], one.outputs[0]): one.path for one in entries(version) if one[:2] == ("elementwise", "cast")}
        for version in (NEWEST, OLDEST)
    ]
    lines = ["\n## Casts\n", "From the dtype of the row to that of the column.\n", line("", COLUMNS.values()), RULE]
    for source in COLUMNS:
        both = ([LETTERS[one[source, target]] for one in paths] for target in COLUMNS)
        lines.append(line(source, ("/".join(dict.fromkeys(letters)) for letters in both)))
    return "\n".join(lines) + "\n"


def host_reasons() -> str:
    """What the host computes of the dtypes that have a column, and why."""
    newest = {entry[:4] for entry in entries(NEWEST) if entry.path == "host"}
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for kind, row, inputs, outputs, path, why in sorted(entries(OLDEST), key=lambda entry: entry[:4] not in newest):
        if path == "host" and {*inputs, *outputs} <= COLUMNS.keys():
            what = row if kind in ("elementwise", "structured") else f"{row} ({kind})"
            reason = why.replace(f" does not accept {inputs[0]}", " does not accept it")
            cann = "all" if (kind, row, inputs, outputs) in newest else "8"
            reasons.setdefault((what, cann, reason), []).append(inputs[0])
    lines = ["\n## What the host computes\n", "| what | dtypes | CANN | why |", "|---|---|---|---|"]
    for (what, cann, reason), dtypes in reasons.items():
        lines.append(f"| {what} | {', '.join(dict.fromkeys(dtypes))} | {cann} | {reason} |")
    return "\n".join(lines) + "\n"


def names_that_leave() -> str:
    newest, oldest = (len(ascend_names.reasons(older)) for older in (False, True))
    lines = [
        "\n## Names that leave the device\n",
        f"Of what `numpy`, `ndarray`, `linalg` and `fft` have, {newest} names ({oldest} with CANN 8) work on the host\n"
        "or partly there, in the calls of `tools/reference_calls.py` with float32, int32 or bool arrays\n"
        "(`tools/ascend_names.py` measures it).\n",
        "| names | CANN | why |", "|---|---|---|",
    ]
    for part in ascend_names.parts(older=True):
        names = ", ".join(f"`{name}`" for name in part["names"])
        lines.append(f"| {names} | {'8' if part.get('older') else 'all'} | {part['why']} |")
    return "\n".join(lines) + "\n"


def kernels() -> str:
    """The functions that have a kernel of the library, by dtype, and how they run without it."""
    paths: dict[tuple[str, str, str], list[str]] = {}
    for entry in entries(NEWEST):
        paths.setdefault((entry.kind, entry.row, entry.inputs[0] if entry.inputs else ""), []).append(entry.path)
    lines, count = ["| function | dtype | operator | without it | by itself from |", "|---|---|---|---|---|"], 0
    for name, operator in SERVED.items():
        declaration = getattr(library, operator).declaration
        kind, row = row_of(name)
        for dtype in declaration.dtypes_of(declaration.inputs[0]):
            otherwise = letter(paths.get((kind, row, dtype.name), []))
            served = kernels_of_numpys.find(name, dtype, MANY)
            sizes = "" if served is None else f"{served.least}" + (f", below {served.below}" * (served.below < 1 << 62))
            sizes += f", {served.only.text}" if served is not None and served.only is not None else ""
            called = f"| {name} | {dtype.name} | `{declaration.name}` |"
            lines.append(f"{called} {otherwise or 'made of others'} | {sizes} |")
            count += 1
    head = (
        "\n## Kernels of the library\n\n"
        f"{count} combinations of function and dtype have a kernel (K). Those with a figure in the last column run by\n"
        "themselves from so many elements on, once the compiler has made them "
        "([how](operator-library.md#numpys-functions));\n"
        "until then, with fewer elements, without a compiler, and in forms that the kernel does not take, they run\n"
        "as without it. The others run where the operator is called by its own name, or where a rule sends the\n"
        "function to it.\n\n"
    )
    return head + "\n".join(lines) + "\n"


def totals(version: str) -> str:
    counts = Counter(path_of(entry, version) for entry in entries(version) if entry.has_columns)
    parts = [f"{counts[path]} {SAID.get(path, path)}" for path in ORDER if counts[path]]
    return f"{sum(counts.values())} combinations of function and dtypes: {', '.join(parts)}"


def text() -> str:
    of_kind: dict[str, list[str]] = {}
    for entry in entries(NEWEST):
        of_kind.setdefault(entry.kind, []).append(entry.row)
    elementwise = {row: row for row in of_kind["elementwise"] if row != "cast"}
    reductions = {row: REDUCTIONS.get(row, f"{row}.reduce") for row in of_kind["reduction"]}
    scans = {row: SCANS.get(row, f"{row}.accumulate") for row in of_kind["scan"]}
    return "".join([
        HEAD,
        f"\nOf {totals(NEWEST)}.\nWith CANN 8, of {totals(OLDEST)}.\n",
        table("Elementwise", elementwise, "elementwise"),
        casts(),
        table("Along axes", reductions, "reduction"),
        table("Running along an axis", scans, "scan"),
        table("Others", STRUCTURED, "structured"),
        table("Random numbers", DRAWS, "draw"),
        host_reasons(),
        names_that_leave(),
        kernels(),
    ])


if __name__ == "__main__":
    sys.exit(kept_page.run(PAGE, text))
