"""`python -m asnumpy sim`: runs a program on the simulator and shows what it did there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from asnumpy import cannsim

# torch_npu launches from a queue of its own: an operator that fails there is told later, at another line, or never.
UNQUEUED = {"TASK_QUEUE_ENABLE": "0"}


def table(report: dict[str, Any], most: int = 30) -> str:
    """The report as text: tasks by modelled time, copies, memory, findings, what was refused."""
    lines = [f"CANN simulator, {report['chip']} (modelled figures come from a model, not from a chip)", ""]
    lines.append(f"{'task':40} {'count':>9} {'MB':>11} {'wall ms':>11} {'modelled ms':>12}")
    tasks = sorted(report["tasks"], key=lambda task: -task["modelled_seconds"])
    for task in tasks[:most]:
        lines.append(
            f"{task['name'][:40]:40} {task['count']:9} {task['bytes'] / 1e6:11.2f} {task['wall_seconds'] * 1e3:11.2f} "
            f"{task['modelled_seconds'] * 1e3:12.3f}"
        )
    if len(tasks) > most:
        lines.append(f"... and {len(tasks) - most} more")
    for copy in report["copies"]:
        lines.append(
            f"{copy['name'][:40]:40} {copy['count']:9} {copy['bytes'] / 1e6:11.2f} {'':11} "
            f"{copy['modelled_seconds'] * 1e3:12.3f}"
        )
    lines.append("")
    lines += [
        f"device {memory['device']}: peak {memory['peak'] / 1e6:.2f} MB, {memory['allocations']} allocations, "
        f"{memory['frees']} frees, "
        f"{memory['used'] / 1e6:.2f} MB in use at the end"
        for memory in report["memory"]
    ]
    if contested := report["contested"]:
        uses = ", ".join(f"{one['dtype']} as {one['name']}'s {one['parameter']}" for one in contested[:most])
        more = ", ..." * (len(contested) > most)
        lines.append(f"taken, though CANN's documents, headers and sources differ: {uses}{more}")
    found = report["findings"]
    lines.append(f"findings: {len(found) or 'none'}")
    lines += [f"  {one['kind']}: {one['function']}: {one['text']}" for one in found]
    if refused := report["refused"]:
        calls = ", ".join(f"{one['name']} ({one['code']}) {one['count']} times" for one in refused[:most])
        lines.append(f"operators refused: {calls}{', ...' * (len(refused) > most)}")
        lines.append("  values after the first of these are not to be trusted, unless the program has seen the error")
    return "\n".join(lines)


def run(command: Sequence[str], *, report: bool, trace: Path | None) -> int:
    """Runs the command with the simulator's libraries first on its path; gives its exit status."""
    if not (cannsim.folder() / "libcannsim.so").exists():
        print(f"asnumpy sim: there is no simulator in {cannsim.folder()}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report"
        settings = {"report": path} if report else {}
        if trace is not None:
            settings["trace"] = path.with_name("trace")
        try:
            status = subprocess.run(
                command, env={**UNQUEUED, **os.environ, **cannsim.environment(**settings)}, check=False
            ).returncode
        except OSError as error:
            print(f"asnumpy sim: cannot run {command[0]}: {error.strerror}", file=sys.stderr)
            return 127
        if report and path.exists():
            print(table(json.loads(path.read_text())), file=sys.stderr)
            if trace is not None:
                trace.write_bytes(path.with_name("trace").read_bytes())
                print(f"trace: {trace} (open it in chrome://tracing or ui.perfetto.dev)", file=sys.stderr)
        elif report:
            print("asnumpy sim: the program ended before the simulator could write its report", file=sys.stderr)
    return status if status >= 0 else 128 - status
