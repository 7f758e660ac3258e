"""Every function beside NumPy's, on a million elements unless said: which are slower than NumPy, and by how much."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.demo.measure import close, interleave
from calls import CALLS, inputs

SIZE = 1_000_000
LIMIT = 1.2  # asnumpy's time may be so many times NumPy's
# Results that are right without being equal: vectors that are defined up to a sign or phase, values in any order.
FREE = ("linalg.eig", "linalg.eigh", "linalg.svd", "linalg.qr", "unique_values")


def leaves(result: Any) -> list[Any]:
    """The arrays of a result, also of nested sequences and named tuples."""
    if isinstance(result, (tuple, list)) and not (result and isinstance(result[0], (int, float))):
        return [leaf for item in result for leaf in leaves(item)]
    return [result]


def settle(result: Any) -> Any:
    arrays = [leaf for leaf in leaves(result) if isinstance(leaf, ap.ndarray)]
    if arrays:
        ap.eval(*arrays)
    return result


def waiting(work: Callable[[], Any], result: Any) -> Callable[[], Any]:
    """`work` with its result computed; as it is where nothing of the result was left to compute, as of a view."""
    if not any(isinstance(leaf, ap.ndarray) and leaf._pending for leaf in leaves(result)):
        return work
    if isinstance(result, ap.ndarray):
        return lambda: ap.eval(work())
    return lambda: settle(work())


def measure(name: str, given: dict[str, Any], ours: dict[str, Any], rounds: int) -> dict[str, Any]:
    """One function: checked, then timed in turns. `ratio` is NumPy's time divided by ours."""
    code = compile(f"lambda: {CALLS[name]}", name, "eval")
    theirs, own = eval(code, {"np": np, **given}), eval(code, {"np": ap, **ours})
    plain, made = theirs(), own()
    run = waiting(own, made)
    same, how = True, ""
    if plain is not None and name not in FREE:
        same, how = close(1e-6)(leaves(plain), leaves(made))
    timings = interleave([theirs, run], rounds, 0.002)
    base, time = timings[0].median, timings[1].median
    return {"name": name, "call": CALLS[name], "numpy_ms": base * 1e3, "asnumpy_ms": time * 1e3, "ratio": base / time,
            "agrees": same, "agreement": how}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="elements of the inputs; at least 100")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=min(2, ap.config.num_threads))
    parser.add_argument("--only", default="", help="only functions whose name contains one of these texts (a,b,c)")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    ap.set_num_threads(options.threads)
    given = inputs(options.size)
    ours = {key: ap.array(value) for key, value in given.items()}
    rows, failed = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in CALLS:
            if not any(part in name for part in options.only.split(",")):
                continue
            try:
                row = measure(name, given, ours, options.rounds)
            except Exception as error:  # the other functions are still measured; the script fails at the end
                failed.append(name)
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            rows.append(row)
            mark = "" if row["ratio"] * LIMIT >= 1 else "  SLOWER"
            wrong = "" if row["agrees"] else f"  WRONG {row['agreement']}"
            times = f"{row['numpy_ms']:10.4f} {row['asnumpy_ms']:10.4f} {row['ratio']:8.2f}"
            print(f"{name:28} {times}{mark}{wrong}", flush=True)
    slower = [row for row in rows if row["ratio"] * LIMIT < 1]
    print(f"{len(rows) - len(slower)} of {len(rows)} functions take at most {LIMIT} times NumPy's time")
    if options.json:
        options.json.write_text(json.dumps(rows))
    return 1 if failed or not all(row["agrees"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
