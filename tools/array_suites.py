"""SciPy's and scikit-learn's tests for any array library run with asnumpy: how many pass, and why others do not.

    python tools/array_suites.py                                  everything, on the CPU
    python tools/array_suites.py scipy.stats sklearn              some packages
    python tools/array_suites.py scipy.fft.test_basic -k rfft -v  some tests of a module, with the errors
    python tools/array_suites.py --device npu                     on the simulated NPU
    python tools/array_suites.py --check                          an exit status for continuous integration
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from oracle.running import listed, table, unused
from suites import running


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a package or a module; all without")
    parser.add_argument("-k", help="only tests whose name fits, as with pytest")
    parser.add_argument("-v", "--verbose", action="store_true", help="pytest's report of each failure")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="modules at a time (default 2)")
    parser.add_argument("--device", choices=("cpu", "npu"), default="cpu", help="cpu, or the simulated NPU")
    parser.add_argument("--modules", action="store_true", help="a line of the table for each module")
    parser.add_argument("--list", action="store_true", help="list the modules and run nothing")
    parser.add_argument("--failed", action="store_true", help="list the failures that have no reason")
    parser.add_argument("--reasons", action="store_true", help="list the failures that have one")
    parser.add_argument("--check", action="store_true", help="fail where a test fails without a reason")
    parser.add_argument("--json", type=Path, help="a file that gets the counts and the failures")
    options = parser.parse_args()
    files = running.chosen(options.names)
    if options.list:
        print(*files, sep="\n")
        return 0
    arguments = ["-k", options.k] if options.k else []
    jobs = 1 if options.verbose else options.jobs
    results = running.run_all(files, arguments, options.verbose, jobs, options.device, running.say)
    listed(results, options.failed, options.reasons)
    print(table(results if options.modules else running.by_package(results)))
    if options.json:
        kept = {result.module: {**result.counts(), "not_run": len(result.not_run), "failures": result.failed}
                for result in results}
        options.json.write_text(json.dumps(kept, indent=2))
    if not options.check:
        return 0
    wrong = [f"{test} fails without a reason: {error}" for result in results for test, error in result.failed.items()]
    if not (options.names or options.k):
        wrong += [f"nothing needs {rule}" for rule in unused(results, running.rules(options.device != "cpu"))]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
