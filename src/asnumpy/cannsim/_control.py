"""The simulator's library, loaded at the first use, and what it is told and asked."""

from __future__ import annotations

import ctypes
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from asnumpy import _core

SETTINGS = (
    "strict", "devices", "memory", "chip", "profile", "compute", "clock", "log", "report", "trace",
    "findings", "lag", "threads", "kernel_seconds",
)
PLANNED = ("cann", "faults", "task_faults", "lost_device", "corrupt", "hang", "crash")


def folder(cann: str | None = None) -> Path:
    """The folder of the simulator's libraries; ASNUMPY_CANNSIM_LIB names another one.

    An older CANN lacks functions, and so do the libraries in the folder for that version: `cann`, "8.1" (None: what
    CANNSIM_CANN says).
    """
    return Path(_core.simulator_folder(os.environ.get("CANNSIM_CANN", "") if cann is None else cann))


@cache
def _library() -> ctypes.CDLL:
    path = folder() / "libcannsim.so"
    if not path.exists():
        raise ImportError(
            f"asnumpy.cannsim: expected the simulator at {path}; "
            "this build has none (it needs Linux and ASNUMPY_SIMULATOR=ON)"
        )
    library = ctypes.CDLL(str(path))
    for name in ("report", "log", "timeline", "operators"):
        getattr(library, f"cannsim_{name}_json").restype = ctypes.c_char_p
    library.cannsim_modelled_seconds.restype = ctypes.c_double
    library.aclGetRecentErrMsg.restype = ctypes.c_char_p
    return library


def _check(code: int) -> None:
    if code:
        message = _library().aclGetRecentErrMsg()
        raise ValueError(message.decode() if message else f"the simulator gave the code {code}")


def configure(**settings: object) -> None:
    """Changes settings of this process's simulator; each has an environment variable ``CANNSIM_<NAME>``.

    strict    what a finding does: "abort", "error" (the call is refused) or "log"
    devices   how many there are
    memory    bytes of each device, a number or "4G"
    chip      "Ascend910B1" to "Ascend910B4", "Ascend910_9391"
    profile   "backend", "eager" (each call planned and launched by interpreted code), or a file that
              `python -m asnumpy check` wrote: the model takes launches, links and memory as measured there
    compute   False: operators check everything and compute nothing
    clock     "wall" or "model": what events measure
    log       True keeps every call with its arguments; a path also writes them there when the process ends
    report    a path: the report, and beside it a trace for Chrome's viewer, written when the process ends
    trace     True keeps the timeline, with what each pipe of a kernel's cores did when, for `timeline`; a path also
              writes it there when the process ends
    findings  a path to which every finding is appended
    lag       microseconds from a task's launch to its start, at least: shows missing waits
    threads   for large loops, and for the cores of a kernel
    kernel_seconds  after which a kernel of the program's own is ended; a whole number
    """
    for name, value in settings.items():
        if name not in SETTINGS:
            raise TypeError(f"configure() got an unexpected setting '{name}'; there are {', '.join(SETTINGS)}")
        text = str(int(value)) if isinstance(value, bool) else str(value)
        _check(_library().cannsim_set(name.upper().encode(), text.encode()))


def environment(**settings: object) -> dict[str, str]:
    """The variables with which another program finds the simulator in place of CANN, with these settings."""
    for name in settings:
        if name not in (*SETTINGS, *PLANNED):
            raise TypeError(f"environment() got an unexpected setting '{name}'")
    version = None if settings.get("cann") is None else str(settings["cann"])
    paths = [str(folder(version)), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    chosen = {
        f"CANNSIM_{name.upper()}": str(int(value)) if isinstance(value, bool) else str(value)
        for name, value in settings.items()
    }
    return {"LD_LIBRARY_PATH": os.pathsep.join(paths), **chosen}


def refuse(operator: str, dtypes: str | None = None, code: int = 161002) -> None:
    """From now on CANN's operator is refused for tensors of these dtypes, "float32, float32"; None: for any."""
    given = None if dtypes is None else dtypes.encode()
    _check(_library().cannsim_refuse(operator.encode(), given, code))


def fail(function: str, nth: int = 1, code: int = 500000) -> None:
    """The nth call from now of CANN's function (0: every call; "*": any function) fails with the code."""
    _check(_library().cannsim_fail(function.encode(), ctypes.c_uint64(nth), code))


def fail_task(nth: int = 1, code: int = 507015, operator: str = "*", lasting: bool = False) -> None:
    """The nth task from now that runs and uses memory (0: every one) fails with the code, and leaves rubbish.

    The call that enqueued it has returned by then: the code comes with the next wait for its stream. `operator` is the
    task's name, "aclnnAdd" or "aclrtMemcpyAsync"; "*" is any. A `lasting` one breaks its stream: nothing runs there any
    more, and every wait for it gives the code.
    """
    _check(_library().cannsim_fail_task(operator.encode(), ctypes.c_uint64(nth), code, int(lasting)))


def lose_device(device: int) -> None:
    """Every later call on the device fails, as when its driver lost it."""
    _check(_library().cannsim_lose_device(device))


def corrupt(operator: str) -> None:
    """From now on the first element of each of the operator's results is wrong. Several names: with commas."""
    _check(_library().cannsim_set(b"CORRUPT", operator.encode()))


def hang(operator: str) -> None:
    """From now on the operator's work does not end. Several names: with commas."""
    _check(_library().cannsim_set(b"HANG", operator.encode()))


def crash(operator: str) -> None:
    """From now on the operator's work ends the process, as a broken library does. Several names: with commas."""
    _check(_library().cannsim_set(b"CRASH", operator.encode()))


def clear_faults() -> None:
    """Forgets planned faults, lost devices and operators that misbehave."""
    _check(_library().cannsim_clear_faults())


def report() -> dict[str, Any]:
    """Operators and copies with count, bytes, wall and modelled time, memory, findings, since the start or `clear`."""
    result: dict[str, Any] = json.loads(_library().cannsim_report_json())
    return result


def findings(kind: str | None = None) -> list[dict[str, str]]:
    """What the simulator found wrong: kind, function and text of each; of one kind if it is given."""
    return [one for one in report()["findings"] if kind in (None, one["kind"])]


def log() -> list[dict[str, Any]]:
    """The calls since ``configure(log=True)``: function, arguments, code, start, end, modelled time, thread."""
    result: list[dict[str, Any]] = json.loads(_library().cannsim_log_json())
    return result


def timeline() -> dict[str, Any]:
    """The tasks of all streams in the format of Chrome's trace viewer, by the host's clock.

    Since ``configure(trace=True)`` every kernel of the program's own too, by its model: a process a launch, a row a
    pipe of each core, with cycles, waits and conflicts of UB's banks.
    """
    result: dict[str, Any] = json.loads(_library().cannsim_timeline_json())
    return result


def operators() -> dict[str, bool]:
    """Every operator of CANN's by name: True where the simulator computes it."""
    result: dict[str, bool] = json.loads(_library().cannsim_operators_json())
    return result


def modelled_seconds() -> float:
    """The modelled time of the host so far."""
    return float(_library().cannsim_modelled_seconds())


def clear() -> None:
    """Forgets findings, the log and the sums of the report."""
    _check(_library().cannsim_clear())
