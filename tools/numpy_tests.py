"""NumPy's own tests run against asnumpy: a table of how many pass, and why the others do not.

    python tools/numpy_tests.py                              everything
    python tools/numpy_tests.py --module umath -k sqrt -v    some, with the errors
    python tools/numpy_tests.py --check                      an exit status for continuous integration
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from oracle import reasons, running


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", action="append", choices=running.MODULES, help="only this one; may be repeated")
    parser.add_argument("-k", help="only tests whose name fits, as with pytest")
    parser.add_argument("-v", "--verbose", action="store_true", help="pytest's report of each failure")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="modules at a time (default 2)")
    parser.add_argument("--failed", action="store_true", help="list the failures that have no reason")
    parser.add_argument("--reasons", action="store_true", help="list the failures that have one")
    parser.add_argument("--check", action="store_true", help="fail below the target, or without a reason")
    parser.add_argument("--json", type=Path, help="a file that gets the counts")
    options = parser.parse_args()
    modules = options.module or list(running.MODULES)
    arguments = ["-k", options.k] if options.k else []
    results = running.run_all(modules, arguments, options.verbose, 1 if options.verbose else options.jobs)
    running.listed(results, options.failed, options.reasons)
    print(running.table(results))
    if options.json:
        options.json.write_text(json.dumps({result.module: result.counts() for result in results}, indent=2))
    if not options.check:
        return 0
    wrong = running.complaints(results)
    if not (options.module or options.k):
        wrong += [f"nothing needs {rule} of reasons.toml" for rule in running.unused(results, reasons.read())]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
