"""The same data for other viewers: Chrome's and Perfetto's, and those that read msprof's summary of operators."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from asnumpy.profiles._tasks import Task
from asnumpy.profiles._units import Unit

HOST, DEVICES = 1, 2  # the processes of the trace: threads of the host, streams of devices

# As msprof writes them for operators that are launched one by one, without counters of the cores.
SUMMARY = (
    "Device_id", "Model ID", "Task ID", "Stream ID", "Op Name", "OP Type", "OP State", "Task Type",
    "Task Start Time(us)", "Task Duration(us)", "Task Wait Time(us)", "Block Dim", "Mix Block Dim", "HF32 Eligible",
    "Input Shapes", "Input Data Types", "Input Formats", "Output Shapes", "Output Data Types", "Output Formats",
)
ALONE = 4294967295  # msprof's model of an operator that belongs to none
UNKNOWN = "N/A"


def names(tracks: dict[int, dict[Any, str]]) -> list[dict[str, Any]]:
    """The events that name the processes and rows of a trace for Chrome's viewer."""
    titles = {HOST: "host", DEVICES: "devices"}
    named = [{"name": "process_name", "ph": "M", "pid": process, "args": {"name": titles[process]}}
             for process, rows in tracks.items() if rows]
    for process, rows in tracks.items():
        named += [{"name": "thread_name", "ph": "M", "pid": process, "tid": row, "args": {"name": title}}
                  for row, title in rows.items()]
    return named


def task_events(tasks: Iterable[Task]) -> list[dict[str, Any]]:
    """Tasks of streams as events of a trace for Chrome's viewer."""
    return [{"name": task.name, "cat": "task", "ph": "X", "ts": task.start / 1e3, "dur": (task.end - task.start) / 1e3,
             "pid": DEVICES, "tid": task.stream} for task in tasks]


def counter_events(memory: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """Memory as a counter, which the viewers draw as a curve."""
    return [{"name": "memory in use", "ph": "C", "ts": at / 1e3, "pid": HOST, "args": {"bytes": in_use}}
            for at, in_use in memory]


def _row(values: dict[str, Any]) -> list[Any]:
    return [values.get(name, UNKNOWN) for name in SUMMARY]


def summary(tasks: list[Task], devices: dict[int, str], slow: set[str], programs: list[Unit]) -> str:
    """The text of an op_summary.csv: the tasks of devices that are operators, or where there are none the programs.

    devices: of a stream. slow: the operators that ran on the AICPU. Times are the host's clock's.
    """
    found = io.StringIO()
    write = csv.writer(found, lineterminator="\n").writerow
    write(SUMMARY)
    ended: dict[int, int] = {}
    number = 0
    for task in sorted(tasks, key=lambda one: one.start):
        wait = max(task.start - ended.get(task.stream, task.start), 0)
        ended[task.stream] = task.end
        if task.name.startswith("aclrt"):
            continue  # msprof has copies and waits in files of their own
        name, device = task.name.removeprefix("aclnn"), devices.get(task.stream, "")
        write(_row({
            "Device_id": device.rpartition(":")[2] or UNKNOWN, "Model ID": ALONE, "Task ID": number,
            "Stream ID": task.stream, "Op Name": task.name, "OP Type": name, "OP State": "dynamic",
            "Task Type": "AI_CPU" if task.name in slow else "AI_CORE", "Task Start Time(us)": f"{task.start / 1e3:.3f}",
            "Task Duration(us)": f"{(task.end - task.start) / 1e3:.3f}", "Task Wait Time(us)": f"{wait / 1e3:.3f}",
        }))
        number += 1
    before = 0
    for number, unit in enumerate(programs if not tasks else []):
        wait = max(unit.start - before, 0) if before else 0
        before = unit.end
        write(_row({
            "Model ID": ALONE, "Task ID": number, "Stream ID": unit.thread, "Op Name": unit.name,
            "OP Type": unit.kind, "OP State": "dynamic", "Task Type": "CPU",
            "Task Start Time(us)": f"{unit.start / 1e3:.3f}", "Task Duration(us)": f"{unit.own / 1e3:.3f}",
            "Task Wait Time(us)": f"{wait / 1e3:.3f}",
        }))
    return found.getvalue()
