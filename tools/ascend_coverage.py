"""Writes docs/ascend-coverage.md: where each function of each dtype runs on an Ascend 910B, as the backend decides it.

`python tools/ascend_coverage.py` prints the page, `--write` puts it in its place, `--check` says whether it is current.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from asnumpy import _core

PAGE = Path(__file__).resolve().parents[1] / "docs" / "ascend-coverage.md"
NAMES = Path(__file__).with_name("ascend_names.toml")  # measured by ascend_names.py

# The dtypes that have a column.
COLUMNS = {
    "bool": "?", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
    "int64": "i8", "uint64": "u8", "float16": "f2", "bfloat16": "bf", "float32": "f4", "float64": "f8",
    "complex64": "c8", "complex128": "c16",
}
RULE = "|---" * (len(COLUMNS) + 1) + "|"
LETTERS = {"native": "N", "reinterpreted": "R", "wider": "W", "decomposed": "D", "aicpu": "A", "host": "**H**"}
SAID = {"aicpu": "on the AICPU"}
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
    "in_range": "the check of indices before take and put",
} | {
    row: f"nn.{row}" for row in (
        "softmax", "log_softmax", "layer_norm", "rms_norm", "sigmoid", "log_sigmoid", "silu", "gelu", "softplus", "elu",
        "leaky_relu",
    )
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
| blank | NumPy has no such loop |

The dtypes that CANN does not compute with (longdouble, clongdouble, complex32, int4, float8 and so on) are stored and
moved on the device: indexing, copies, `where`, `take`, `put`, `compress` run there, all else on the host. Random
numbers are drawn on the host, so that they are the same on every device. Functions that are not listed are views or
are made of these; so are those of `asnumpy.nn` for dtypes that are blank, while `sort` is NumPy's there.

Where the result is the same to the bit, neighbours run as one operator: products of integers that are added
(`aclnnAddcmul`, `aclnnAdd` and `aclnnSub` with `alpha`, `aclnnRsubs`), both bounds of `clip` (`aclnnClamp`),
`maximum(a + b, 0)` (`aclnnAddRelu`), casts that an operator does by itself. Floats that would be rounded once instead
of twice only with `config.contract` (`aclnnAddcdiv` too). `a @ b + c`, `a @ b - c`, `2 * (a @ b) + 3 * c` are
`aclnnAddmm` or `aclnnBaddbmm`.
"""


def entries() -> Iterator[tuple[str, str, tuple[str, ...], tuple[str, ...], str, str]]:
    """Kind, row, inputs, outputs, path, operators or reason: the path is "aicpu" where the AICPU computes."""
    for *loop, path, text, aicpu in _core.lowering():
        yield (*loop, "aicpu" if aicpu else path, text)  # type: ignore[misc]


def letter(paths: list[str]) -> str:
    return LETTERS[max(paths, key=ORDER.index)] if paths else ""


def line(first: str, cells: Iterable[str]) -> str:
    return f"| {first} | {' | '.join(cells)} |"


def table(title: str, names: dict[str, str], kind: str) -> str:
    cells: dict[str, dict[str, list[str]]] = {}
    for entry_kind, row, inputs, _, path, _ in entries():
        if entry_kind == kind and row in names:
            dtype = inputs[1] if row == "where" else inputs[0]
            cells.setdefault(row, {}).setdefault(dtype, []).append(path)
    lines = [f"\n## {title}\n", line("function", COLUMNS.values()), RULE]
    for row, found in cells.items():
        lines.append(line(names[row], (letter(found.get(dtype, [])) for dtype in COLUMNS)))
    return "\n".join(lines) + "\n"


def casts() -> str:
    paths = {(entry[2][0], entry[3][0]): entry[4] for entry in entries() if entry[:2] == ("elementwise", "cast")}
    lines = ["\n## Casts\n", "From the dtype of the row to that of the column.\n", line("", COLUMNS.values()), RULE]
    lines += [line(source, (LETTERS[paths[source, target]] for target in COLUMNS)) for source in COLUMNS]
    return "\n".join(lines) + "\n"


def host_reasons() -> str:
    """What the host computes of the dtypes that have a column, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for kind, row, inputs, outputs, path, why in entries():
        if path == "host" and {*inputs, *outputs} <= COLUMNS.keys():
            what = row if kind in ("elementwise", "structured") else f"{row} ({kind})"
            reason = why.removesuffix(f" {inputs[0]}").replace(" does not accept", " does not accept it")
            reasons.setdefault((what, reason), []).append(inputs[0])
    lines = ["\n## What the host computes\n", "| what | dtypes | why |", "|---|---|---|"]
    for (what, reason), dtypes in reasons.items():
        lines.append(f"| {what} | {', '.join(dict.fromkeys(dtypes))} | {reason} |")
    return "\n".join(lines) + "\n"


def names_that_leave() -> str:
    parts = tomllib.loads(NAMES.read_text())["leaving"]
    count = sum(len(part["names"]) for part in parts)
    lines = [
        "\n## Names that leave the device\n",
        f"Of what `numpy`, `ndarray`, `linalg` and `fft` have, {count} names work on the host or partly there, in\n"
        "the calls of `tools/reference_calls.py` with float32, int32 or bool arrays\n"
        "(`tools/ascend_names.py` measures it).\n",
        "| names | why |", "|---|---|",
    ]
    lines += [f"| {', '.join(f'`{name}`' for name in part['names'])} | {part['why']} |" for part in parts]
    return "\n".join(lines) + "\n"


def totals() -> str:
    counts = Counter(
        path for kind, row, inputs, outputs, path, _ in entries() if {*inputs, *outputs} <= COLUMNS.keys()
    )
    parts = [f"{counts[path]} {SAID.get(path, path)}" for path in ORDER if counts[path]]
    return f"\nOf {sum(counts.values())} combinations of function and dtypes: {', '.join(parts)}.\n"


def text() -> str:
    of_kind: dict[str, list[str]] = {}
    for entry in entries():
        of_kind.setdefault(entry[0], []).append(entry[1])
    elementwise = {row: row for row in of_kind["elementwise"] if row != "cast"}
    reductions = {row: REDUCTIONS.get(row, f"{row}.reduce") for row in of_kind["reduction"]}
    scans = {row: SCANS.get(row, f"{row}.accumulate") for row in of_kind["scan"]}
    return "".join([
        HEAD,
        totals(),
        table("Elementwise", elementwise, "elementwise"),
        casts(),
        table("Along axes", reductions, "reduction"),
        table("Running along an axis", scans, "scan"),
        table("Others", STRUCTURED, "structured"),
        host_reasons(),
        names_that_leave(),
    ])


def main() -> int:
    if "--write" in sys.argv:
        PAGE.write_text(text())
    elif "--check" in sys.argv:
        if PAGE.read_text() != text():
            print(f"{PAGE.name} is not current: python tools/ascend_coverage.py --write", file=sys.stderr)
            return 1
    else:
        print(text(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
