"""The command line: `python -m asnumpy demo`, `... info`, `... health`, `... check`, `... sim`,
`... ascendc build`, `... operator`, `... cache`, `... run`, `... dask-worker`."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import asnumpy as ap
from asnumpy.ascendc import _command as ascendc
from asnumpy.operators.project import _command as operator
from asnumpy.running import _command as running
from asnumpy.runtime import diagnosis
from asnumpy.stores import _command as cache

DEMO_PACKAGES = ("matplotlib", "PIL", "tqdm")


def threads(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {number}")
    return number


def parser() -> argparse.ArgumentParser:
    """Return the command line's grammar."""
    top = argparse.ArgumentParser(prog="python -m asnumpy", description="NumPy arrays that are deferred and fused.")
    top.add_argument("--version", action="version", version=f"asnumpy {ap.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="command")
    demo = commands.add_parser("demo", help="run four workloads on NumPy and on asnumpy and compare")
    demo.add_argument("--quick", action="store_true", help="smaller sizes and fewer rounds: under a minute")
    demo.add_argument("--output", type=Path, default=Path("asnumpy-demo"), metavar="FOLDER",
                      help="where the plot and the pictures go (default: %(default)s)")
    demo.add_argument("--threads", type=threads, metavar="N", help="threads of asnumpy (default: all)")
    info = commands.add_parser(
        "info", help="print versions, what was looked for and found, devices, settings, and what to do about problems",
        epilog="Exit status: 0 nothing is wrong, with or without an Ascend device; 1 there are problems; 2 wrong use.",
    )
    info.add_argument("--json", action="store_true", help="print all of it as JSON")
    health = commands.add_parser(
        "health", help="execute an operator on a device, with copies both ways, and say whether it works",
        epilog="Exit status: 0 the device works; 1 it does not; 2 wrong use.",
    )
    health.add_argument("--device", default="ascend:0", help="the device to check (default: %(default)s)")
    health.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS",
                        help="after which a check that has not ended has failed (default: %(default)g)")
    health.add_argument("--json", action="store_true", help="print all of it as JSON")
    health.add_argument("--serve", type=int, metavar="PORT",
                        help="answer HTTP probes instead: /healthz, /livez and /metrics")
    health.add_argument("--address", default="127.0.0.1", help="the interface to answer on (default: %(default)s)")
    check = commands.add_parser(
        "check", help="check everything that asnumpy uses of a device, and write a record of it that can be sent",
        epilog="Exit status: 0 nothing failed; 1 something did; 2 wrong use. Each step has processes of its own.",
    )
    check.add_argument("--device", default="ascend:0", help="the device to check (default: %(default)s)")
    check.add_argument("--quick", action="store_true", help="fewer dtypes and smaller arrays")
    check.add_argument("--only", action="append", metavar="STEP[:CASE]",
                       help="this step, or one case of it; may be repeated")
    check.add_argument("--resume", action="store_true", help="leave out the steps that the machine's file has")
    check.add_argument("--list", action="store_true", help="print the steps and do nothing")
    check.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS",
                       help="after which a case that has not ended has failed (default: %(default)g)")
    check.add_argument("--limit", type=float, default=600.0, metavar="SECONDS",
                       help="after which the whole check ends, 0 for none (default: %(default)g); --resume goes on")
    check.add_argument("--output", type=Path, default=Path("asnumpy-check"), metavar="FOLDER",
                       help="where check.json and check.html go (default: %(default)s)")
    sim = commands.add_parser("sim", help="run a program on the CANN simulator: sim [--report] -- python script.py")
    sim.add_argument("--report", action="store_true", help="end with a table of operators, copies, memory and findings")
    sim.add_argument("--trace", type=Path, metavar="FILE",
                     help="also write the tasks, and the pipes of kernels, in the format of Chrome's trace viewer")
    sim.add_argument("program", nargs="*", help="the program and its arguments, after --")
    worker = commands.add_parser("dask-worker", help="run a Dask worker for each NPU of this machine")
    worker.add_argument("scheduler", help="its address, such as tcp://10.0.0.1:8786")
    worker.add_argument("--device", action="append", metavar="DEVICE",
                        help="this one, such as ascend:1; may be repeated (default: all)")
    worker.add_argument("--nthreads", type=threads, default=1, metavar="N",
                        help="tasks that a worker runs at a time (default: %(default)s)")
    worker.add_argument("--memory-limit", default="auto", metavar="BYTES",
                        help="host memory of each worker, such as 64GB (default: a share)")
    worker.add_argument("--device-memory-limit", default=0.8, metavar="BYTES",
                        help="bytes, or share, of a device's memory beyond which results move to the host "
                             "(default: %(default)s)")
    worker.add_argument("--local-directory", metavar="FOLDER", help="where results go that the host has no room for")
    worker.add_argument("--name", help="begins the workers' names")
    worker.add_argument("--death-timeout", type=float, metavar="SECONDS",
                        help="after which workers that find no scheduler end (default: never)")
    ascendc.add_parser(commands)
    operator.add_parser(commands)
    cache.add_parser(commands)
    running.add_parser(commands)
    return top


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; what stands after `--` is another program's, and is in `rest` as it was written."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    top = parser()
    if given[:1] == ["run"]:  # the program's arguments follow without a sign
        end = running.program_start(given)
        options = top.parse_args(given[:end])
        options.rest, options.parser = given[end:], top
        return options
    options = top.parse_args(given[:end])
    options.rest = given[end + 1 :]
    if options.command == "sim" and not (options.program or options.rest):
        top.error("sim: expected a program and its arguments, after --")
    return options


def run_demo(options: argparse.Namespace) -> int:
    missing = [name for name in DEMO_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        print(f'asnumpy demo: missing {", ".join(missing)}; install them with: pip install "asnumpy[demo]" '
              '(in the source folder: pip install ".[demo]")', file=sys.stderr)
        return 2
    from asnumpy.demo import run

    if options.threads is not None:
        ap.set_num_threads(options.threads)
    try:
        run.demonstrate(options.quick, options.output)
    except (run.Wrong, OSError, MemoryError) as error:
        print(f"asnumpy demo: {error}", file=sys.stderr)
        return 1
    return 0


def run_dask_worker(options: argparse.Namespace) -> int:
    if importlib.util.find_spec("distributed") is None:
        print('asnumpy dask-worker: distributed is not installed; install it with: pip install "asnumpy[dask]"',
              file=sys.stderr)
        return 2
    from asnumpy.dask import _serving

    return _serving.run(options)


def run_info(as_json: bool) -> int:
    report = diagnosis.diagnose()
    if as_json:
        print(json.dumps({**report, "configuration": ap.show_config("dicts")}, indent=2))
    else:
        print("\n".join(diagnosis.lines(report)))
        print("\nConfiguration")
        ap.show_config()
    return 1 if report["problems"] else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    options = parse(arguments)
    if options.command == "demo":
        return run_demo(options)
    if options.command == "sim":
        from asnumpy.cannsim import _command as command

        program = [*options.program, *options.rest]
        return command.run(program, report=options.report or options.trace is not None, trace=options.trace)
    if options.command == "ascendc":
        return ascendc.run(options)
    if options.command == "operator":
        return operator.run(options)
    if options.command == "cache":
        return cache.run(options)
    if options.command == "run":
        return running.run(options)
    if options.command == "dask-worker":
        return run_dask_worker(options)
    if options.command == "health":
        from asnumpy.cann import _health_server

        return _health_server.run(options)
    if options.command == "check":
        from asnumpy import check

        return check.run(options)
    return run_info(options.json)


if __name__ == "__main__":
    try:
        status = main()
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
