"""`python -m asnumpy operator ...`: its grammar, its progress and its errors."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ACTIONS = {
    "build": "compile the kernels of the project in this folder",
    "test": "run its tests, on the CPU and on a simulated NPU; options of pytest come after --",
    "bench": "run its benchmark: a table and a plot; options of it come after --",
    "package": "make a wheel of it, in dist/",
}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line's grammar."""
    operator = commands.add_parser(
        "operator", help="write an operator of your own: operator new NAME, then build, test, bench, package",
        epilog="Exit status: 0 done; 1 a compiler, a test or a tool refused; 2 wrong use.",
    )
    actions = operator.add_subparsers(dest="action", required=True, metavar="action")
    new = actions.add_parser("new", help="write a small project that works: declaration, kernels, tests, benchmark")
    new.add_argument("name", help="the operator's name, and the package's: lower-case letters, digits, underscores")
    new.add_argument("--folder", type=Path, help="where the project goes (default: the name, in this folder)")
    for part, what in {
        "ascend": "a kernel in Ascend C for an NPU", "cpu": "a function in C++ for the CPU",
        "cuda": "a kernel in CUDA C++ for a GPU", "torch": "the operator in PyTorch",
    }.items():  # fmt: skip
        new.add_argument(f"--{part}", action="store_true",
                         help=what + (" (as without any of these)" if part in ("ascend", "cpu") else ""))
    for name, what in ACTIONS.items():
        action = actions.add_parser(name, help=what)
        action.add_argument("--folder", type=Path, default=Path(), help="the project's folder (default: this folder)")
    actions.add_parser("list", help="the operators that are installed, with their declarations and devices")


def run(options: argparse.Namespace) -> int:
    """Run one action; return the exit status."""
    from asnumpy.operators.project import _new, _project, _run

    started = time.perf_counter()

    def say(what: str) -> None:
        print(f"operator {options.action}: [{time.perf_counter() - started:5.1f} s] {what}", flush=True)

    try:
        if options.action == "new":
            parts = tuple(part for part in _new.PARTS if getattr(options, part)) or _new.USUAL
            folder = options.folder or Path(options.name)
            for path in _new.write(options.name, folder, parts):
                print(f"wrote {path}")
            print(f"next: cd {folder} && python -m asnumpy operator test")
        elif options.action == "list":
            from asnumpy.operators.project import _list

            print("\n".join(_list.lines()))
        else:
            project = _project.project(options.folder)
            if options.action == "build":
                made = _run.build(project, say)
                say(f"wrote {', '.join(map(str, made)) or 'nothing'}")
            elif options.action == "test":
                _run.test(project, options.rest, say)
            elif options.action == "bench":
                _run.bench(project, options.rest, say)
            else:
                say(f"wrote {_run.package(project, say)}")
    except _run.Failed as error:
        print(f"{error}\noperator {options.action}: failed", file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:
        text = str(error)
        print(text if text.startswith("operator ") else f"operator {options.action}: {text}", file=sys.stderr)
        return 2
    return 0
