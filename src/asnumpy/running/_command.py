"""`python -m asnumpy run`: a program of NumPy's, untouched, on asnumpy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

WITH_A_VALUE = {"--report", "--rtol", "--atol", "--ignore", "--timeout"}


def add_parser(commands: Any) -> None:
    """Adds `run` to the command line's grammar."""
    run = commands.add_parser(
        "run", help="run a program that uses NumPy, untouched, on asnumpy: run [options] script.py [args]",
        usage="python -m asnumpy run [options] (script.py | - | -m module) [arguments]",
        description="Runs a program as `python` does, but `import numpy` in the program's own modules is asnumpy. "
        "Libraries keep NumPy.",
        epilog="Exit status: the program's own; with --compare 0 where both runs agree, 1 where they differ; "
        "2 wrong use.",
    )
    run.add_argument("-m", dest="module", metavar="MODULE", help="run a module by its name, as `python -m` does")
    run.add_argument("--report", type=Path, metavar="FILE", help="write a page of HTML: time by line, what fused, "
                     "what fell back, memory")
    run.add_argument("--compare", action="store_true",
                     help="run it with NumPy too, and compare what both print and save")
    run.add_argument("--numpy-random", action="store_true",
                     help="numpy.random draws NumPy's numbers, on the host; --compare always does so")
    run.add_argument("--rtol", type=float, default=1e-5, help="how far numbers may differ (default: %(default)g)")
    run.add_argument("--atol", type=float, default=1e-8, help="likewise, absolutely (default: %(default)g)")
    run.add_argument("--ignore", action="append", default=[], metavar="PATTERN",
                     help="leave printed lines out in which this regular expression occurs; may be repeated")
    run.add_argument("--timeout", type=float, metavar="SECONDS", help="with --compare, after which a run has failed")


def program_start(arguments: Sequence[str]) -> int:
    """How many of the arguments, of which the first is `run`, come before the program's own."""
    place = 1
    while place < len(arguments):
        word = arguments[place]
        if word == "-m":
            return place + 2
        if word == "-" or not word.startswith("-"):
            return place
        if word.startswith("-m"):
            return place + 1
        place += 1 + (word in WITH_A_VALUE)
    return place


def run(options: argparse.Namespace) -> int:
    """Runs the program; what ends it is an exit of this process."""
    from asnumpy.running import _program

    if options.module is None and not options.rest:
        options.parser.error("run: expected a script, - or -m module")
    if options.module is not None:
        program = _program.Program(options.module, True, tuple(options.rest))
    else:
        program = _program.Program(options.rest[0], False, tuple(options.rest[1:]))
    if options.compare:
        if options.report is not None:
            options.parser.error("run: --compare and --report measure different runs; give one of them")
        if program.name == "-" and not program.is_module:
            options.parser.error("run: --compare runs the program twice, and the standard input can be read once")
        from asnumpy.running import _compare

        return _compare.run(program, options)
    from asnumpy.running import _asnumpys

    try:
        _asnumpys.run(program, options.report, options.numpy_random)
    except _program.Missing as missing:
        print(missing, file=sys.stderr)
        return missing.status
    return 0
