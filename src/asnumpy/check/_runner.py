"""Runs steps, each in processes of its own: a crash or a hang costs one case, and the others go on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from asnumpy.check._steps import Scope, Step

MOST_RESTARTS = 12      # then what is left of a step would end like what came before
START_SECONDS = 120.0   # until a process has loaded CANN and told how many cases there are
LOOK_SECONDS = 0.05

Watch = Callable[[str, int, int], None]  # a case's name, its number, how many there are


class Journal:
    """What a step's processes have told so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.cases: list[dict[str, Any]] = []
        self.left: list[dict[str, Any]] = []
        self.demoted: list[dict[str, Any]] = []
        self.running: str | None = None
        self._read = 0

    def look(self) -> bool:
        """Reads on; whether there was anything new."""
        with self.path.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in map(json.loads, whole.splitlines()):
            if "count" in line:
                self.count = line["count"]
            elif "begin" in line:
                self.running = line["begin"]
            elif "end" in line:
                self.cases.append({"case": line.pop("end"), **line})
                self.running = None
            else:
                self.left += line["left"]
                self.demoted += line["demoted"]
        return bool(whole)

    def give_up(self, error: str, seconds: float) -> None:
        """Marks the case that was running, if any, as failed."""
        if self.running is not None:
            self.cases.append({"case": self.running, "state": "failed", "error": error, "seconds": round(seconds, 4)})
            self.running = None


class TimeOver(Exception):
    """The time that the whole check may take is over."""


def ending(process: subprocess.Popen[bytes], errors: Path) -> str:
    """How a process ended, with the exception that it told of, else the last line that it said."""
    code = process.returncode
    how = f"signal {-code}" if code < 0 else f"status {code}"
    lines = errors.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
    raised = [number for number, line in enumerate(lines) if re.match(r"[\w.]+(Error|Exception): ", line)]
    return f"the process ended with {how}: " + "\n".join(lines[raised[-1] if raised else -1 :])


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process with those that it has started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def attempt(step: Step, scope: Scope, journal: Journal, chosen: str, watch: Watch) -> str:
    """One process that runs the cases that are left; how it failed, empty where it came to its end.

    TimeOver where the whole check has come to its limit meanwhile.
    """
    command = [sys.executable, "-m", "asnumpy.check._worker", step.name, str(journal.path), scope.device,
               "quick" if scope.quick else "full", str(len(journal.cases)), chosen]
    errors = journal.path.with_name("errors")
    with errors.open("wb") as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=said, stdin=subprocess.DEVNULL, start_new_session=True
        )
    since, started = time.monotonic(), False
    try:
        while True:
            done = process.poll() is not None
            if journal.look():
                since, started = time.monotonic(), True
                watch(journal.running or "", len(journal.cases), journal.count)
            if done:
                break
            limit = scope.seconds * step.patience if started else START_SECONDS
            if time.monotonic() - since > limit:
                doing = f"{journal.running} has" if journal.running else "the step has"
                journal_error = f"hangs: {doing} not ended after {limit:g} s; `npu-smi info` may say more"
                journal.give_up(journal_error, limit)
                return journal_error
            if time.monotonic() > scope.until:
                raise TimeOver
            time.sleep(LOOK_SECONDS)
    finally:
        end(process)
    if process.returncode == 0:
        return ""
    error = ending(process, errors)
    journal.give_up(error, time.monotonic() - since)
    return error


def run(step: Step, scope: Scope, watch: Watch, chosen: str = "") -> dict[str, Any]:
    """Runs a step; gives its state, seconds, cases, and what left the device.

    The state is "passed", "failed", "skipped" where every case was, or "unfinished" where nothing failed before the
    time of the whole check was over; `finished` says whether all its cases were run.
    """
    begun = time.perf_counter()
    ended, finished = "", True
    with tempfile.TemporaryDirectory(prefix="asnumpy-check-") as folder:
        path = Path(folder) / "journal"
        path.touch()
        journal = Journal(path)
        for _ in range(MOST_RESTARTS):
            known = len(journal.cases)
            try:
                ended = attempt(step, scope, journal, chosen, watch)
            except TimeOver:
                finished = False
                break
            if not ended or len(journal.cases) == known or len(journal.cases) >= journal.count > 0:
                break  # all is done, or a process told nothing at all
    result: dict[str, Any] = {"step": step.name, "seconds": round(time.perf_counter() - begun, 2)}
    states = {case["state"] for case in journal.cases}
    if not finished:
        states.add("unfinished")
    elif ended and len(journal.cases) < max(journal.count, 1):
        result["error"] = ended
        states.add("failed")
    result["state"] = next((one for one in ("failed", "unfinished", "passed") if one in states), "skipped")
    return {**result, "finished": finished, "cases": journal.cases, "left": journal.left, "demoted": journal.demoted}


def environment() -> dict[str, str | None]:
    """The variables that decide which CANN is used and how."""
    prefixes = ("ASNUMPY_", "ASCEND_", "CANNSIM_")
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith(prefixes)}
