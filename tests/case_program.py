"""Programs of cases for another Python with other packages: what such a program ends with, and what reads it."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from subprocess import CompletedProcess

Case = Callable[[], None]


def main(*cases: Case) -> None:
    """Run all of them: a line as JSON says how many there are, and one for each what failed."""
    print(json.dumps({"cases": len(cases)}))
    for case in cases:
        failure = ""
        try:
            case()
        except Exception:
            failure = traceback.format_exc()
        print(json.dumps({"case": case.__name__, "failure": failure}), flush=True)


def check(done: CompletedProcess[str], least: int) -> None:
    """AssertionError unless every case ran, and passed; they are `least` or more."""
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    head, *cases = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    failed = [f"{case['case']}: {case['failure']}" for case in cases if case["failure"]]
    assert not failed, "\n".join(failed)
    assert head["cases"] == len(cases) >= least
