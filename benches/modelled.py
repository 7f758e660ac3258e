"""Ten million elements of float32, int32 and bool on an Ascend NPU, by the simulator's clock, beside NumPy here.

    ASNUMPY_CANN=sim python benches/modelled.py [--only sort,unique] [--size N] [--write]

Nothing here ran on hardware. The NPU's time is the model's (docs/simulator.md, The clock), of the second call, with the
host's part of each launch and the wait; where NumPy's own function did the work on the host, its whole time is added to
the copies there and back. The host's time is measured: the median of some rounds, of each the time on the clock or the
processor's time, whichever is less, so that it holds no time in which others had the processor. Results are compared
first.
`--write` rewrites docs/modelled.md.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("ASNUMPY_CANN", "sim")

import numpy as np

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.demo.measure import close
from calls import CALLS, inputs
from functions import FREE, leaves
from modelled_programs import HEADING

ROUNDS = 5
DTYPES = ("float32", "int32", "bool")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "modelled.md"
TEN_MILLION = 10_000_000

FUNCTIONS = (
    # element by element
    "add multiply divide floor_divide sqrt exp tanh hypot cbrt frexp ldexp equal less bitwise_and bitwise_count clip "
    "where packbits unpackbits isin searchsorted ndarray.astype "
    # along axes
    "sum prod mean std max argmax any cumsum median bincount histogram diff "
    # order, places, pieces
    "sort argsort unique unique_counts nonzero take compress put put_along_axis concatenate roll transpose tril "
    # products; what leaves the device
    "dot linalg.norm linalg.cholesky linalg.eigvals"
).split()

# Why the clock may say that the host is faster, by function.
REASONS = {
    **dict.fromkeys(
        ["cbrt", "tanh", "hypot", "frexp", "ldexp", "histogram"],
        "of integers NumPy computes it in float64, as the AICPU does",
    ),
    **dict.fromkeys(["max", "argmax", "any", "dot"], "NumPy stops at the first true element, before a launch begins"),
    "linalg.cholesky": "NumPy computes it, and the copies come on top",
    "linalg.eigvals": "NumPy computes it, and the copies come on top",
}

# Results that are right without being equal: equal elements, or those on one side of a place, stand in any order.
UNORDERED = {*FREE, "argsort", "ndarray.argsort", "partition", "argpartition"}


@dataclass
class Row:
    """What one function took with one dtype, in ms; `left` is what ran on the host, or nothing."""

    name: str
    call: str
    dtype: str
    host_ms: float
    device_ms: float
    left: str
    agrees: bool
    agreement: str

    @property
    def slower(self) -> bool:
        return self.device_ms > self.host_ms


def converted(name: str, value: np.ndarray, dtype: str) -> np.ndarray:
    """An input with its real numbers in this dtype, other integers in int32; places are what they are."""
    if value.dtype.kind == "f":
        if dtype == "int32":
            value = np.rint(np.nan_to_num(value) * 100)
        return value > 0 if dtype == "bool" else value.astype(dtype)
    if value.dtype.kind == "c":
        return value.astype(np.complex64)
    return value.astype(np.int32) if name in ("i", "j", "few") else value


def finish(result: Any) -> Any:
    arrays = [leaf for leaf in leaves(result) if isinstance(leaf, ap.ndarray)]
    if arrays:
        ap.eval(*arrays)
    ap.synchronize()
    return result


def timed(work: Callable[[], Any]) -> float:
    began, used = time.perf_counter(), time.process_time()
    work()
    return min(time.perf_counter() - began, time.process_time() - used) * 1e3


def measure(name: str, dtype: str, given: dict[str, Any], ours: dict[str, Any]) -> Row | None:
    """One function with one dtype; None where NumPy has no such call."""
    code = compile(f"lambda: {CALLS[name]}", name, "eval")
    theirs, own = eval(code, {"np": np, **given}), eval(code, {"np": ap, **ours})
    try:
        plain = theirs()
    except (TypeError, ValueError, np.linalg.LinAlgError):
        return None
    host = statistics.median(timed(theirs) for _ in range(ROUNDS))
    made = finish(own())
    same, how = (True, "") if name in UNORDERED else close(1e-4)(leaves(plain), leaves(made))
    del plain, made
    ap.forget_fallbacks()
    before = cannsim.modelled_seconds()
    finish(own())
    device = (cannsim.modelled_seconds() - before) * 1e3
    left = sorted({one["function"] for one in ap.fallbacks() if one["kind"] != "copy"})
    return Row(name, CALLS[name], dtype, host, device + (host if left else 0), ", ".join(left), same, how)


def measured(options: argparse.Namespace) -> list[Row]:
    rows = []
    wanted = CALLS if options.all else FUNCTIONS
    for dtype in options.dtypes:
        given = {name: converted(name, value, dtype) for name, value in inputs(options.size).items()}
        ours = {name: ap.from_numpy(value, device="ascend:0") for name, value in given.items()}
        for name in wanted:
            if options.only and not any(part in name for part in options.only.split(",")):
                continue
            row = measure(name, dtype, given, ours)
            if row is None:
                continue
            rows.append(row)
            mark = "  SLOWER" if row.slower else ""
            wrong = "" if row.agrees else f"  WRONG {row.agreement}"
            print(f"{dtype:8} {name:24} {row.host_ms:10.3f} {row.device_ms:10.3f} {row.left}{mark}{wrong}", flush=True)
            gc.collect()
            ap.free_all_blocks()
        del given, ours
    return rows


HEAD = """# Ten million elements on an NPU, by the clock's model

Written by `ASNUMPY_CANN=sim python benches/modelled.py --write`. **Nothing here ran on hardware**: the NPU's times are
those of the [simulator's clock](simulator.md#the-clock), a model of a 910B with estimates in it; the host's are
NumPy's, measured ({machine}), without the time in which others had the processors. Each call has
arrays of {size} elements that lie on the NPU, of float32, int32 or bool; results were compared first. The NPU's
time is that of a call that recurs, with the launches and the wait; an
asterisk marks what NumPy computed on the host, copies included.

"""


def cell(row: Row | None) -> tuple[str, str]:
    return ("", "") if row is None else (f"{row.host_ms:.3g}", f"{row.device_ms:.3g}{'*' if row.left else ''}")


def page(rows: list[Row], machine: str, size: int) -> str:
    by_name: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_name.setdefault(row.name, {})[row.dtype] = row
    columns = ["call", *(f"{dtype}: {where} ms" for dtype in DTYPES for where in ("host", "NPU"))]
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for name, found in by_name.items():
        cells = [text for dtype in DTYPES for text in cell(found.get(dtype))]
        lines.append(f"| `{CALLS[name]}` | " + " | ".join(cells) + " |")
    slower = [row for row in rows if row.slower]
    lines += ["", "## Slower than the host", "", f"{len(rows) - len(slower)} of {len(rows)} are faster than NumPy."]
    if slower:
        lines += ["", "| call | dtype | host ms | NPU ms | why |", "|---|---|---|---|---|"]
        for row in slower:
            times = " | ".join(cell(row))
            lines.append(f"| `{row.call}` | {row.dtype} | {times} | {REASONS.get(row.name, '')} |")
    return HEAD.format(machine=machine, size=f"{size:,}") + "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=TEN_MILLION)
    parser.add_argument("--dtypes", type=lambda text: text.split(","), default=DTYPES)
    parser.add_argument("--only", default="", help="only functions whose name contains one of these texts (a,b,c)")
    parser.add_argument("--all", action="store_true", help="every function that has a sample call, not the table's")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--write", action="store_true", help="rewrite docs/modelled.md")
    options = parser.parse_args()
    if options.write and (options.only or options.all or tuple(options.dtypes) != DTYPES):
        parser.error("--write takes the table's functions and dtypes, all of them")
    with warnings.catch_warnings(), ap.config.using(fallback="count", implicit_copies="count"):
        warnings.simplefilter("ignore")
        rows = measured(options)
    slower = [row for row in rows if row.slower]
    unexplained = sorted({row.name for row in slower} - REASONS.keys())
    wrong = sorted({row.name for row in rows if not row.agrees})
    print(f"{len(rows) - len(slower)} of {len(rows)} are faster than NumPy by the clock")
    for text, names in (("slower without a reason", unexplained), ("wrong", wrong)):
        if names:
            print(f"{text}: {', '.join(names)}", file=sys.stderr)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    if options.write:
        machine = f"{os.cpu_count()} cores, NumPy {np.__version__}"
        _, heading, kept = PAGE.read_text().partition(f"\n{HEADING}")  # what another bench has written
        PAGE.write_text(page(rows, machine, options.size) + heading + kept)
    return 1 if unexplained or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
