"""`python -m asnumpy ascendc build`: its grammar, its progress and its errors."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line's grammar."""
    ascendc = commands.add_parser("ascendc", help="build libraries of Ascend C kernels: ascendc build kernels.cpp")
    actions = ascendc.add_subparsers(dest="action", required=True, metavar="action")
    build = actions.add_parser(
        "build", help="compile a file of kernels for the simulator, or with CANN's compiler for a device",
        epilog="Options of the compiler come last, after --: ascendc build kernels.cpp -- -I../include -DTILE=2048. "
               "Exit status: 0 built; 1 the compiler refused the source; 2 wrong use.",
    )
    build.add_argument("source", type=Path, help="the file of kernels")
    build.add_argument("-o", "--output", type=Path, metavar="FILE",
                       help="the library, or an object where it ends with .o (default: lib<source>.so in this folder); "
                            "headers are written beside it")
    build.add_argument("--bisheng", action="store_true", help="compile for a device with CANN's compiler")
    build.add_argument("--quiet", action="store_true", help="print errors only")


def run(options: argparse.Namespace) -> int:
    """Build; return the exit status."""
    from asnumpy.ascendc import _build

    output = options.output or Path(f"lib{options.source.stem}.so")
    started = time.perf_counter()

    def progress(what: str) -> None:
        if not options.quiet:
            print(f"ascendc build: [{time.perf_counter() - started:5.1f} s] {what}", flush=True)

    try:
        made = _build.build(options.source, output, options.rest, bisheng=options.bisheng, progress=progress)
    except _build.BuildError as error:
        print(f"{error}\nascendc build: {options.source} was not built", file=sys.stderr)
        return 1
    except (OSError, ImportError) as error:
        print(f"ascendc build: {error}", file=sys.stderr)
        return 2
    progress(f"wrote {', '.join(map(str, made))}")
    return 0
