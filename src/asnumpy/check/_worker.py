"""One step of the check, in the process that was started for it: each case leaves two lines in a journal."""

from __future__ import annotations

import json
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any, TextIO

import asnumpy as ap
from asnumpy.check._steps import BY_NAME, Case, Scope, Skip
from asnumpy.runtime import machine

TEXT = 2000  # characters of an exception that are kept


def outcome(case: Case) -> dict[str, Any]:
    """What became of a case."""
    begun = time.perf_counter()
    result: dict[str, Any] = {"state": "passed"}
    try:
        figures = case[1]()
        if figures:
            result["figures"] = figures
    except Skip as reason:
        result = {"state": "skipped", "error": str(reason)}
    except Exception as error:  # whatever it is, it is what the check was to find
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f" ({Path(last.filename).name}:{last.lineno})"
        result = {"state": "failed", "error": f"{type(error).__name__}: {error}"[:TEXT] + where}
    return {**result, "seconds": round(time.perf_counter() - begun, 4)}


def left_the_device() -> list[dict[str, Any]]:
    """What the host did in the device's place."""
    return [one for one in ap.fallbacks() if one["device"] != "cpu" and one["kind"] != "copy"]


def work(step: str, scope: Scope, journal: TextIO, first: int, chosen: str) -> None:
    """Runs the step's cases from the given one on."""

    def tell(line: dict[str, Any]) -> None:
        journal.write(json.dumps(line) + "\n")
        journal.flush()

    machine.check_anew()
    ap.config.fallback = ap.config.implicit_copies = "count"
    ap.config.graph_replay = False
    if BY_NAME[step].needs_device:
        ap.config.device = scope.device
    cases = [case for case in BY_NAME[step].cases(scope) if not chosen or chosen == case[0]]
    tell({"count": len(cases)})
    for number, case in enumerate(cases[first:], first):
        tell({"begin": case[0], "number": number})
        tell({"end": case[0], **outcome(case)})
    if BY_NAME[step].needs_device:
        tell({"left": left_the_device(), "demoted": ap.demotions()})


def main() -> None:
    """Arguments: step, journal's path, device, "quick" or "full", the first case's number, the only case or nothing."""
    step, path, device, form, first, chosen = sys.argv[1:]
    warnings.simplefilter("ignore")
    with Path(path).open("a") as journal:
        work(step, Scope(device, form == "quick"), journal, int(first), chosen)


if __name__ == "__main__":
    main()
