"""Runs every benchmark, each in a process of its own, and writes the performance page of the documentation."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import _core
from measure import Row, load, markdown, text
from programs.report import load as load_programs
from programs.report import markdown as programs_markdown

FUNCTION_ROUNDS = 7
FEW = 100  # elements
SIZES = ("small", "medium", "large")  # of the classical programs
HERE = Path(__file__).resolve().parent
SCRIPTS = (
    "elementwise", "reductions", "grids", "pictures", "selection", "ordering", "small", "elements", "products", "draws",
    "process",
)

PAGE = """# Performance

Measured by `python benches/all.py --write`, which wrote this page; run it to see the figures of your machine.

{machine}

A ratio is NumPy's time divided by asnumpy's: above 1, asnumpy is faster. Both libraries ran the same array code in one
process, in turns; the results were compared first; times are medians of {rounds} rounds, and deferred arrays are
computed within the clock. "Cold ratio" compares the first calls, where asnumpy also fuses and prepares the program.
"At least" is the ratio that the project holds itself to on a 2-core machine with AVX-512; a row that misses it says so.
"Others" are the ratios of other libraries that were installed, "spread" is half the distance between the quartiles.
A pause comes before each turn, in which the threads of NumPy's BLAS and of other libraries stop looking for more work.

{table}

{verdict}

## Classical programs

`python -m benches.programs` runs over a hundred programs as one writes them with NumPy (`benches/programs`: linear
algebra by rows and columns, stencils, weather, factorisations, filters, dynamic programming, particles, fractals,
transforms, sparse products, networks, loops over elements), unchanged, in three sizes; `--list` shows them. Results are
compared first, each is timed after a pause and once more right after that ("warm"), "jit" is the program as it is,
under `ap.jit`, where it can be recorded, and "numba" is the same computation in loops, compiled by it, where one would
write that. What NumPy takes for large temporaries depends on the state of the C library's memory, so a process of its
own measures each: "kept", where freed memory serves the next request, and "fresh", where each block of 128 KiB or more
is mapped anew. A program is in the second table where it is slower than NumPy in one of the two; "flushes", "programs"
and "host calls" are those of one call, and none where every operation was small enough to be done at once.

{programs}

## Every function

Each function on a million elements, by `python benches/functions.py`: medians of {function_rounds} rounds in turns,
results compared first. The aim is that none takes more than 1.2 times NumPy's time.

{functions}

## Every function on few elements

The same on {few_elements} elements, where the cost of a call is nearly all there is to see
(`python benches/functions.py --size {few_elements}`), with the same aim.

{few}
"""


README_ROWS = 10
README_COLUMNS = {
    "README.md": ("work", "size", "NumPy ms", "asnumpy ms", "NumPy / asnumpy"),
    "README.zh.md": ("任务", "规模", "NumPy 毫秒", "asnumpy 毫秒", "NumPy / asnumpy"),
}


def fill_readmes(rows: list[Row]) -> None:
    """Put the rows that are headlines between the two marks of each README."""
    chosen = [row for row in rows if row.headline]
    assert len(chosen) <= README_ROWS, f"{len(chosen)} cases are headlines, the READMEs show at most {README_ROWS}"
    for name, columns in README_COLUMNS.items():
        lines = [columns, ("---",) * len(columns)]
        for row in chosen:
            lines.append((row.name, row.size, f"{row.numpy_ms:.3g}", f"{row.asnumpy_ms:.3g}", f"{row.ratio:.2f}"))
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        path = HERE.parent / name
        before, rest = path.read_text().split("<!-- measured -->")
        path.write_text(f"{before}<!-- measured -->\n{table}\n<!-- /measured -->{rest.split('<!-- /measured -->')[1]}")


def best_seconds(work: Callable[[], object], rounds: int = 5) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def machine(threads: int) -> str:
    """Describe what the measurement ran on, by what it can do."""
    halves = [(np.ones(32_000_000, dtype=np.float32), np.zeros(32_000_000, dtype=np.float32)) for _ in range(threads)]

    def copy() -> None:
        workers = [threading.Thread(target=np.copyto, args=(target, source)) for source, target in halves]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    moved = 2 * threads * halves[0][0].nbytes
    bandwidth = moved / best_seconds(copy) / 1e9
    square = np.ones((2048, 2048), dtype=np.float32)
    arithmetic = 2 * 2048**3 / best_seconds(lambda: square @ square) / 1e9
    return (
        f"{threads} threads, {platform.machine()}, kernels for {_core.instruction_set()}; memory copies at "
        f"{bandwidth:.0f} GB/s, a float32 matrix product at {arithmetic:.0f} GFLOP/s; "
        f"Python {platform.python_version()}, NumPy {np.__version__}, asnumpy {ap.__version__}."
    )


def verdict_of(measured: list[dict[str, Any]]) -> str:
    """How many functions keep the aim, and which do not."""
    slower = sorted((row for row in measured if row["ratio"] * 1.2 < 1), key=lambda row: row["ratio"])
    kept = f"{len(measured) - len(slower)} of {len(measured)} functions keep it; {len(slower)} do not"
    return kept + (": " + ", ".join(f"{row['name']} ({row['ratio']:.2f})" for row in slower) + "." if slower else ".")


def functions_section(measured: list[dict[str, Any]]) -> str:
    """The functions that are slower than NumPy, and the ratios of all."""
    lines = [verdict_of(measured), "", "| call | NumPy ms | asnumpy ms | ratio |", "| --- | --- | --- | --- |"]
    for row in measured:
        call = row["call"].replace("|", "\\|")
        lines.append(f"| `{call}` | {row['numpy_ms']:.4g} | {row['asnumpy_ms']:.4g} | {row['ratio']:.2f} |")
    return "\n".join(lines)


def commands(options: argparse.Namespace) -> dict[str, list[str]]:
    """What is to run: a command without its --json for each file of results."""
    threads = ["--threads", str(options.threads)]
    found = {script: [str(HERE / f"{script}.py"), "--rounds", str(options.rounds), *threads] for script in SCRIPTS}
    if options.write:
        found["functions"] = [str(HERE / "functions.py"), "--rounds", str(FUNCTION_ROUNDS), *threads]
        found["few"] = [*found["functions"], "--size", str(FEW)]
        found |= {size: ["-m", "benches.programs", "--size", size, *threads] for size in SIZES}
    return found


def ran(command: list[str], result: Path) -> bool:
    """Run a command, unless its results are there; whether they are, and it says that all agreed."""
    if result.exists():
        return True
    done = subprocess.run([sys.executable, *command, "--json", str(result)], cwd=HERE.parent)
    return done.returncode == 0 and result.exists()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=min(2, ap.config.num_threads))
    parser.add_argument(
        "--write", action="store_true",
        help="rewrite docs/performance.md and the READMEs' tables, with the times of every function",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER",
        help="keep the figures there as JSON; what the folder has already is not measured again",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = (options.keep or Path(folder)).resolve()
        results.mkdir(parents=True, exist_ok=True)
        failed = [name for name, command in commands(options).items() if not ran(command, results / f"{name}.json")]
        there = {path.stem: path for path in results.glob("*.json")}
        rows = [row for script in SCRIPTS if script in there for row in load(there[script])]
        functions, few = (json.loads(there[name].read_text()) if name in there else [] for name in ("functions", "few"))
        programs = programs_markdown([row for size in SIZES if size in there for row in load_programs(there[size])])
    print(text(rows))
    missed = [row for row in rows if not row.reached]
    verdict = f"{len(rows) - len(missed)} of {len(rows)} rows reach their ratio."
    print(verdict)
    if options.write:
        fill_readmes(rows)
        (HERE.parent / "docs" / "performance.md").write_text(PAGE.format(
            machine=machine(options.threads), rounds=options.rounds, table=markdown(rows), verdict=verdict,
            programs=programs, function_rounds=FUNCTION_ROUNDS, functions=functions_section(functions),
            few_elements=FEW, few=verdict_of(few),
        ))
    if failed:
        print("failed: " + ", ".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
