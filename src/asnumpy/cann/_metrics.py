"""What each operator called through `asnumpy.cann` has cost: how often, how long, how many bytes."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from asnumpy import _core
from asnumpy.cann import _devices, _facts
from asnumpy.runtime import cann_search

WAITING = 256   # measurements that may wait for their events before they are read
RECENT = 1024   # calls of an operator from which its percentiles are taken
PERCENTILES = (50, 95, 99)


def _recent() -> deque[float]:
    return deque(maxlen=RECENT)


@dataclass
class Timed:
    """Of the calls of one operator whose time on the device was measured: the sums, and the latest ones."""

    count: int = 0
    bytes: int = 0
    seconds: float = 0.0
    recent: deque[float] = field(default_factory=_recent)


def percentiles(seconds: Iterable[float]) -> dict[str, float] | None:
    """p50, p95 and p99 by the nearest rank; None where nothing was measured."""
    ordered = sorted(seconds)
    if not ordered:
        return None
    return {f"p{p}": ordered[-(-p * len(ordered) // 100) - 1] for p in PERCENTILES}


_timed: dict[str, Timed] = {}
_waiting: list[tuple[str, int, Callable[[], float]]] = []
_lock = threading.Lock()
_timing = 0


def timed() -> bool:
    """Whether device time is to be measured."""
    return _timing > 0


@contextlib.contextmanager
def timing() -> Iterator[None]:
    """Within the block, each call's time on the device is measured by two events around it."""
    global _timing
    with _lock:
        _timing += 1
        _core.set_cann_timed(True)
    try:
        yield
    finally:
        with _lock:
            _timing -= 1
            _core.set_cann_timed(_timing > 0)


def record(name: str, nbytes: int, workspace: int, host_seconds: float) -> None:
    """Adds a call that the core's caller has not made."""
    if name in _facts.signatures():  # of packages' own operators there are no figures
        _core.cann_note_call(name, nbytes, workspace, host_seconds)


def record_time(name: str, nbytes: int, elapsed: Callable[[], float]) -> None:
    """Adds the time of a call on the device; `elapsed` waits for its end and gives the seconds."""
    with _lock:
        _waiting.append((name, nbytes, elapsed))
        full = len(_waiting) > WAITING
    if full:
        _settle()


def fail(name: str) -> None:
    """Adds a call that CANN refused."""
    if name in _facts.signatures():
        _core.cann_note_failure(name)


@_devices.in_child
def _forget() -> None:
    _waiting.clear()


@_devices.at_end
def _settle() -> None:
    """Reads the times that are waited for, and gives their events back."""
    with _lock:
        taken, _waiting[:] = list(_waiting), []
    for name, nbytes, elapsed in taken:
        seconds = elapsed()
        with _lock:
            one = _timed.setdefault(name, Timed())
            one.seconds += seconds
            one.recent.append(seconds)
            one.count += 1
            one.bytes += nbytes


def metrics() -> dict[str, dict[str, Any]]:
    """The figures of every operator called so far through `asnumpy.cann`, by its name.

    Returns a dict of dicts: `count`, `failures`, `bytes` (of the tensors that it read and wrote), `workspace_bytes`
    (the most that a call asked for), `host_seconds` (in both phases), `timed` (calls within `cann.timing()`),
    `device_seconds` of these, `bytes_per_second`, their throughput on the device (None: nothing was timed), and
    `host_percentiles` and `device_percentiles`, seconds of the latest 1024 calls as {"p50": , "p95": , "p99": } (None:
    none). Waits for the operators that are still being timed.
    """
    _settle()
    found = {}
    for name, (count, failures, nbytes, seconds, workspace, recent) in sorted(_core.cann_figures().items()):
        with _lock:
            timed = _timed.get(name, Timed())
            found[name] = {
                "count": count, "failures": failures, "bytes": nbytes, "host_seconds": seconds,
                "timed": timed.count, "device_seconds": timed.seconds,
                "bytes_per_second": timed.bytes / timed.seconds if timed.seconds else None,
                "workspace_bytes": workspace, "host_percentiles": percentiles(recent),
                "device_percentiles": percentiles(timed.recent),
            }
    return found


def engine_metrics(device: Any = 0) -> dict[str, dict[str, Any]]:
    """The same of the operators that the programs of arrays called on a device since the process started.

    Parameters: device, a number or "ascend:1". Returns a dict of dicts by operator: `count`, `reused` (calls that took
    the executor of an earlier one, or came with a graph), `replayed` (of these, those with a graph), `host_seconds`, of
    these `cann_seconds` within CANN's functions, and `bytes`. ValueError where there is no such device.
    """
    counts = _core.cann_call_counts(_devices.checked(device, "cann.engine_metrics"))
    return {
        name: {
            "count": calls, "reused": reused, "replayed": replayed, "host_seconds": total / 1e9,
            "cann_seconds": inside / 1e9, "bytes": nbytes,
        }
        for name, (calls, reused, total, nbytes, inside, replayed) in sorted(counts.items())
    }


def graph_metrics() -> dict[str, dict[str, int]]:
    """What became of recurring programs, by device that was used in this process.

    A launch is that of a program, or of all programs that a function under jit has between two controls.

    Returns a dict of dicts: `captures` (launches that were captured as a graph), `replays` (launches that one call
    of a graph replaced, those captured included), `refused` (launches that recur and cannot be captured), `kept`
    (graphs that are ready) and `bytes` (device memory that is theirs). See `asnumpy.config.graph_replay`.
    """
    return _core.cann_graphs()


def reset_metrics() -> None:
    """Forgets the figures."""
    _settle()
    _core.cann_forget_figures()
    with _lock:
        _timed.clear()


# Prometheus' name of each figure, its kind and what it says.
EXPORTED = {
    "count": ("calls_total", "counter", "Calls of the operator."),
    "failures": ("failures_total", "counter", "Calls that CANN refused."),
    "bytes": ("bytes_total", "counter", "Bytes of the tensors that the calls read and wrote."),
    "host_seconds": ("host_seconds_total", "counter", "Time of the host in both phases."),
    "timed": ("timed_calls_total", "counter", "Calls whose time on the device was measured."),
    "device_seconds": ("device_seconds_total", "counter", "Time on the device of the calls that were measured."),
    "bytes_per_second": ("bytes_per_second", "gauge", "Throughput on the device of the calls that were measured."),
    "workspace_bytes": ("workspace_bytes", "gauge", "The largest workspace that a call asked for."),
}
# Times as summaries: the percentiles, with the figures that are their count and sum.
SUMMARIES = {
    "host_percentiles": ("call_host_seconds", "count", "host_seconds", "Time of the host in a call, of the latest."),
    "device_percentiles": ("call_device_seconds", "timed", "device_seconds", "Time on the device of a measured call."),
}


@dataclass(frozen=True)
class Family:
    """One of Prometheus' metrics: its samples are an ending of the name, labels and a value each."""

    name: str
    kind: str
    text: str
    samples: list[tuple[str, dict[str, str], float]]


def families() -> list[Family]:
    """The figures of `metrics()` as Prometheus' metrics; the label `simulated` says whether there was an NPU."""
    figures, simulated = metrics(), str(cann_search.simulated()).lower()
    labelled = [({"operator": operator, "simulated": simulated}, one) for operator, one in figures.items()]
    made = [
        Family(name, kind, text, [("", labels, one[key]) for labels, one in labelled if one[key] is not None])
        for key, (name, kind, text) in EXPORTED.items()
    ]
    for key, (name, count, total, text) in SUMMARIES.items():
        samples: list[tuple[str, dict[str, str], float]] = []
        for labels, one in labelled:
            if one[key] is None:
                continue
            samples += [("", {**labels, "quantile": str(float(p[1:]) / 100)}, value) for p, value in one[key].items()]
            samples += [("_sum", labels, one[total]), ("_count", labels, one[count])]
        made.append(Family(name, "summary", text, samples))
    return [Family(f"asnumpy_cann_{one.name}", one.kind, one.text, one.samples) for one in made]


def metrics_text() -> str:
    """The figures of `metrics()` in Prometheus' text format; the label `simulated` says whether there was an NPU."""
    lines = []
    for one in families():
        lines += [f"# HELP {one.name} {one.text}", f"# TYPE {one.name} {one.kind}"]
        for ending, labels, value in one.samples:
            named = ",".join(f'{label}="{text}"' for label, text in labels.items())
            lines.append(f"{one.name}{ending}{{{named}}} {value!r}")
    return "\n".join(lines) + "\n"
