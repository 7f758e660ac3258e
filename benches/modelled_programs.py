"""Programs on an Ascend NPU as CANN's operators and as one kernel each, by the simulator's clock.

    ASNUMPY_CANN=sim python benches/modelled_programs.py [--full] [--write]

Nothing here ran on hardware, and each time is the model's, of a call that recurs. Results are compared with NumPy's
first. The demonstration's workloads have the sizes of `python -m asnumpy demo --quick` (--full: those of `demo`).
`--write` rewrites the section of docs/modelled.md.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("ASNUMPY_CANN", "sim")

import numpy as np

import asnumpy as ap
from asnumpy.demo import workloads
from asnumpy.demo.measure import Check, close, settle
from asnumpy.demo.run import modelled

PAGE = Path(__file__).resolve().parents[1] / "docs" / "modelled.md"
HEADING = "## Programs as one kernel"
TEXT = """
What `ap.config.machine_code` changes: the milliseconds of the same call as CANN's operators, one after the other, and
as one kernel for each program ([architecture.md](architecture.md#on-an-ascend-device)). Written by
`ASNUMPY_CANN=sim python benches/modelled_programs.py --write`.

| program | arrays | operators ms | kernels ms | times | why not more |
|---|---|---|---|---|---|
"""
ROUNDS = 3  # before what is measured: memory is in the pool, what recurs is kept

REASONS = {
    "a + b, int32": "one operator already",
    "a * b, float64": "vector cores have no float64",
    "sum(a * b), float64": "vector cores have no float64",
    "exp(a * b + a) * b, float16": "each step is rounded to float16: two more instructions",
    "equalise": "vector cores have no int64, and most of it counts and gathers",
}


@dataclass
class Program:
    """A call of arrays, which the library is passed to."""

    name: str
    arrays: str
    work: Callable[..., Any]
    inputs: list[np.ndarray]
    check: Check


def chain(xp: Any, a: Any, b: Any) -> Any:
    y = (a * b + a) * b - a
    return (y * y + b) * a - 2


def exponential(xp: Any, a: Any, b: Any) -> Any:
    return xp.exp(a * b + a) * b


def logistic(xp: Any, a: Any, b: Any) -> Any:
    return b / (1 + xp.exp(-a)) + xp.maximum(a, 0)


def distance(xp: Any, a: Any, b: Any) -> Any:
    return xp.sum(xp.sqrt((a - b) * (a - b) + 1))


def programs(full: bool) -> Iterator[Program]:
    size = 10_000_000
    rng = np.random.default_rng(1)
    for dtype in ("float32", "float16"):
        inputs = [rng.random(size, dtype=np.float32).astype(dtype) for _ in range(2)]
        bound = 1e-6 if dtype == "float32" else 2e-3
        for name, work, tolerance in (("chain of eight", chain, 0), ("exp(a * b + a) * b", exponential, bound),
                                      ("logistic and ramp", logistic, bound)):  # fmt: skip
            yield Program(f"{name}, {dtype}", f"{size:,}", work, inputs, close(tolerance))
    inputs = [rng.integers(-9, 9, size, dtype=np.int32) for _ in range(2)]
    yield Program("chain of eight, int32", f"{size:,}", chain, inputs, close(0))
    inputs = [rng.random(size, dtype=np.float32) for _ in range(2)]
    yield Program("sum(sqrt((a - b)**2 + 1)), float32", f"{size:,}", distance, inputs, close(1e-5))
    for one in workloads.workloads(not full):
        if one.group != "products":
            yield Program(one.name, one.size, one.work, one.inputs, one.check)


def measured(program: Program) -> list[float]:
    """Milliseconds as operators and as kernels."""
    arrays = [ap.from_numpy(x, device="ascend:0") for x in program.inputs]
    expected = program.work(np, *program.inputs)
    times = []
    for when in ("off", "wait"):
        with ap.config.using(machine_code=when):
            for _ in range(ROUNDS):
                got = settle(program.work(ap, *arrays))
            same, how = program.check(expected, got)
            if not same:
                raise SystemExit(f"{program.name}, {when}: {how}")
            del got
            times.append(modelled(lambda: settle(program.work(ap, *arrays))) * 1e3)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the demonstration's larger arrays")
    parser.add_argument("--write", action="store_true", help="rewrite the section of docs/modelled.md")
    options = parser.parse_args()
    lines = []
    with warnings.catch_warnings(), ap.config.using(fallback="count", implicit_copies="count"):
        warnings.simplefilter("ignore")
        for program in programs(options.full):
            before, after = measured(program)
            reason = REASONS.get(program.name, "")
            times = f"{before:.3g} | {after:.3g} | {before / after:.2f}"
            lines.append(f"| {program.name} | {program.arrays} | {times} | {reason} |")
            print(lines[-1], flush=True)
            if before < 2 * after and not reason:
                print(f"{program.name}: less than twice as fast, without a reason", file=sys.stderr)
            del program
            gc.collect()
            ap.free_all_blocks()
    if options.write:
        page = PAGE.read_text().partition(HEADING)[0].rstrip() + "\n\n"
        PAGE.write_text(page + HEADING + "\n" + TEXT + "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
