"""The command line: lists the programs, or measures them, each state of the allocator in a process of its own."""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from .allocator import STATES, choose


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benches.programs", description=__doc__)
    made.add_argument("--size", action="append", choices=("small", "medium", "large"), help="all unless given")
    made.add_argument("--only", default="", help="only names with one of these texts (a,b,c), or families")
    made.add_argument("--state", action="append", choices=STATES, help="of the C library's memory; both unless given")
    made.add_argument("--rounds", type=int, default=15)
    made.add_argument("--seconds", type=float, default=2.0, help="how long the rounds of one long program may take")
    made.add_argument("--quantile", type=float, default=0.5,
                      help="of the rounds; the median unless given, less where other work disturbs many rounds")
    made.add_argument("--threads", type=int, default=0, help="of asnumpy and numba; two unless given")
    made.add_argument("--list", action="store_true", help="print the programs and their sizes, and measure nothing")
    made.add_argument("--json", type=Path, help="write every figure to this file")
    made.add_argument("--markdown", type=Path, help="write the means and what loses to this file")
    made.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return made


def wanted(only: str, name: str, family: str) -> bool:
    return any(part in name or part == family for part in only.split(","))


def measure(options: argparse.Namespace) -> int:
    """Run in a process whose allocator is in the state that was chosen; writes JSON."""
    (state,) = options.state
    if not choose(state):
        print(f"this C library has no mallopt: memory is not {state} but as it comes", file=sys.stderr)
    import asnumpy as ap

    from . import FAMILIES, SIZES
    from .contest import contest

    threads = options.threads or min(2, ap.config.num_threads)
    ap.set_num_threads(threads)
    try:
        import numba

        numba.set_num_threads(min(threads, numba.get_num_threads()))
    except ImportError:
        pass
    todo = [
        (family, program, size) for size in SIZES for family, programs in FAMILIES.items() for program in programs
        if size in options.size and wanted(options.only, program.name, family)
    ]
    results = []
    for number, (family, program, size) in enumerate(todo, 1):
        result = contest(family, program, size, state, options.rounds, options.seconds, options.quantile)
        results.append(asdict(result))
        mark = "" if result.agrees else f"  WRONG: {result.agreement}"
        print(f"[{number}/{len(todo)}, memory {state}] {program.name}, {size}: {result.ratio() or 0:.2f}{mark}",
              file=sys.stderr, flush=True)
        gc.collect()
        ap.free_all_blocks()
    options.json.write_text(json.dumps(results))
    return 0


def children(options: argparse.Namespace) -> list[dict[str, object]]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for state in options.state:
            path = Path(folder) / f"{state}.json"
            command = [sys.executable, "-m", __package__, "--child", "--state", state, "--json", str(path)]
            for name in ("only", "rounds", "seconds", "quantile", "threads"):
                command += [f"--{name}", str(getattr(options, name))]
            for size in options.size:
                command += ["--size", size]
            subprocess.run(command, check=True)
            found += json.loads(path.read_text())
    return found


def main() -> int:
    options = parser().parse_args()
    options.size = options.size or ["small", "medium", "large"]
    options.state = options.state or list(STATES)
    if options.child:
        return measure(options)
    from . import FAMILIES
    from .report import load, markdown, text

    if options.list:
        for family, programs in FAMILIES.items():
            for program in programs:
                if wanted(options.only, program.name, family):
                    sizes = ", ".join(" x ".join(map(str, size)) for size in program.sizes)
                    print(f"{family:<16}{program.name:<38}{sizes}{'  (numba)' if program.loops else ''}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = options.json or Path(folder) / "results.json"
        path.write_text(json.dumps(children(options)))
        results = load(path)
    print(text(results))
    if options.markdown:
        options.markdown.write_text(markdown(results) + "\n")
    return 0 if results and all(result.agrees for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
