"""The record of a check: versions, steps, what left the device; and the machine's file, which keeps it."""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from asnumpy.check._runner import environment
from asnumpy.check._steps import STEPS, Scope
from asnumpy.runtime import diagnosis, machine


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def begin(scope: Scope) -> dict[str, Any]:
    """A record without steps: what the machine says of itself, found out in a process of its own."""
    begun = time.perf_counter()
    cann, broken = diagnosis.probe()
    device = next((one for one in cann["properties"] if one["device"] == scope.device), None)
    return {
        "form": machine.FORM, "asnumpy": sys.modules["asnumpy"].__version__, "numpy": np.__version__,
        "python": f"{platform.python_version()} on {sys.platform} {platform.machine()}", "system": platform.platform(),
        "cann": cann["version"], "driver": diagnosis.driver(Path("/")), "chip": cann["chip"],
        "simulated": cann["simulated"], "device": scope.device, "properties": device, "devices": cann["devices"],
        "folder": cann["folder"], "absent": cann["absent"], "lacking": (cann["operators"] or {}).get("lacking", []),
        "failure": broken.what if broken else cann["failure"], "environment": environment(), "quick": scope.quick,
        "begun": now(), "start_seconds": round(time.perf_counter() - begun, 2),
    }


def path_of(record: dict[str, Any]) -> Path:
    return machine.path_of(record["chip"], record["cann"], record["simulated"])


def earlier(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of this machine's file, if it was as thorough as what is asked for now."""
    found = machine.read(path_of(record))
    fits = found is not None and found["device"] == record["device"] and (record["quick"] or not found["quick"])
    return list(found["steps"]) if found is not None and fits else []


def demoted(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What CANN refused although it is documented, each once (`asnumpy.demotions`)."""
    return list({(one["kind"], one["what"]): one for step in steps for one in step["demoted"]}.values())


def left_the_device(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the host computed in the device's place, each once."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for one in (one for step in steps for one in step["left"]):
        place = (one["function"], one["dtypes"], one["reason"])
        found.setdefault(place, {"function": place[0], "dtypes": place[1], "reason": place[2], "count": 0})
        found[place]["count"] += one["count"]
    return [found[place] for place in sorted(found)]


# Names of the simulator's model (cannsim/runtime/model.cpp), and the figures that they come from.
PROFILE = {
    "launch_seconds": ("launches", "launch_in_a_queue_seconds"),
    "memory_bytes_per_second": ("memory", "add_bytes_per_second"),
    "link_bytes_per_second": ("copies", "up_pinned_bytes_per_second"),
    "link_latency_seconds": ("copies", "copy_of_64_bytes_seconds"),
}


def profile(figures: dict[str, dict[str, Any]]) -> dict[str, float]:
    """What the simulator's clock takes from a machine (CANNSIM_PROFILE)."""
    return {name: figures[case][figure] for name, (case, figure) in PROFILE.items() if case in figures}


def verdict(steps: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What follows from the steps, in the order in which they run."""
    ordered = [steps[step.name] for step in STEPS if step.name in steps]
    figures = {case["case"]: case["figures"] for step in ordered for case in step["cases"] if "figures" in case}
    return {
        "ended": now(), "complete": sum(step["finished"] for step in ordered) == len(STEPS),
        "steps": ordered, "figures": figures,
        "profile": profile(figures),
        "left_the_device": left_the_device(ordered), "demoted": demoted(ordered),
        "passed": all(step["state"] != "failed" for step in ordered),
    }


def keep(record: dict[str, Any], steps: dict[str, dict[str, Any]]) -> None:
    """Writes the machine's file; who reads it meanwhile sees the one before."""
    path = path_of(record)
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".new", delete=False) as file:
        json.dump({**record, **verdict(steps)}, file)
    os.replace(file.name, path)
