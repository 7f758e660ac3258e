"""What a user asks of the machinery itself: wait, evaluate, explain, memory, threads, configuration."""

from __future__ import annotations

import platform
import sys
from typing import Any, TextIO, overload

import numpy as np

from asnumpy import _core, config
from asnumpy._public import public
from asnumpy._types import ndarray
from asnumpy.runtime import machine_code
from asnumpy.runtime.explanation import Explanation


def _array(value: Any, function: str) -> Any:
    if not isinstance(value, ndarray):
        raise TypeError(f"{function}: expected asnumpy arrays, got {type(value).__name__}; asarray() makes one")
    return value


@public
def synchronize() -> None:
    """Runs all that is recorded and waits for every device. What fails in an operation (memory) is raised here."""
    _core.synchronize()


@public
def flush() -> None:
    """Runs everything that is recorded; on a device it may still be under way. synchronize() waits as well."""
    _core.flush()


def eval(*arrays: ndarray) -> None:
    """Runs what the given arrays need, or everything when none is given."""
    _core.eval(*arrays)


eval.__module__ = "asnumpy"


@public
def explain(x: Any = None, *, code: bool | str = False, file: TextIO | None = None) -> Explanation:
    """Prints the fused programs that will run, and returns the text.

    Parameters: x, an array whose programs are shown, None for all that is recorded; code, whether to show the C++ too
    of which machine code for the CPU is made, or "cuda" for the programs as kernels in CUDA C++; file, where to print
    (None: the standard output). Returns the text as a str whose method `svg()` draws it as a graph, which notebooks
    show. TypeError where x is no array of asnumpy, ValueError for
    another code. Nothing is run.
    """
    if code not in (True, False, "cuda"):
        raise ValueError(f'explain: expected code to be True, False or "cuda", got {code!r}')
    array = None if x is None else _array(x, "explain")
    written = ""
    if code:
        made = machine_code.compiled()
        written = made.cuda_text(array) if code == "cuda" else made.text(array)
    explanation = Explanation(_core.explain(array), written)
    print(explanation, file=file)
    return explanation


@public
def pending_count() -> int:
    """How many operations are recorded and not yet run, as an int."""
    return int(_core.pending_count())


@overload
def memory_info(device: Any = None, *, holders: None = None) -> dict[str, int]: ...
@overload
def memory_info(device: Any = None, *, holders: int) -> dict[str, Any]: ...
@public
def memory_info(device: Any = None, *, holders: int | None = None) -> dict[str, Any]:
    """Figures of a device's memory pool.

    Parameters: device, a name or asnumpy.Device (None: where new arrays are made); holders, of how many lines of the
    program to tell what they hold. Returns a dict of ints:
    `in_use`, `cached`, `peak`, `limit` (0: none), `total` and `available` in bytes; `blocks`
    that the pool keeps; `requests` for memory and `hits`, those that it served from what it keeps. With holders also
    `holders`, a list of dicts, the most bytes first: `line` that made arrays which live ("file:number"), the `bytes`
    that they hold, how many `arrays` they are, `shape` and `dtype` of the largest. This knows of arrays that were made
    while `asnumpy.config.track_arrays` is on; ValueError where it is off.
    """
    info: dict[str, Any] = dict(_core.memory_info(device))
    if holders is not None:
        if not config.track_arrays:
            raise ValueError("memory_info: holders: expected asnumpy.config.track_arrays to be on, got False; "
                             "`with asnumpy.config.using(track_arrays=True)` is around what makes the arrays")
        from asnumpy.runtime.holders import holders as held  # only here: few ask

        info["holders"] = held(_core.default_device() if device is None else _core.device_name(device), holders)
    return info


@public
def free_all_blocks(device: Any = None) -> None:
    """Gives the memory that a device's pool keeps for reuse back to the system.

    Parameters: device, a name or asnumpy.Device (None: where new arrays are made).
    """
    _core.flush()
    _core.free_all_blocks(device)


@public
def reset_peak(device: Any = None) -> None:
    """Lets memory_info(device)["peak"] start again from what is in use now."""
    _core.reset_peak(device)


@public
def set_num_threads(n: int) -> None:
    """Sets how many threads share large work; the same as `asnumpy.config.num_threads = n`.

    Parameters: n, an int of at least 1; more than the machine has are not used. ValueError for anything else.
    """
    config.num_threads = n


@public
def get_num_threads() -> int:
    """How many threads share large work, as an int."""
    return int(_core.num_threads())


def _size(count: int) -> str:
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError


@public
def show_config(mode: str = "stdout") -> dict[str, Any] | None:
    """Prints what this installation is and how it is set up.

    Parameters: mode, 'stdout' to print, 'dicts' to return a dict instead. ValueError for another mode. Differs from
    NumPy: the keys are asnumpy's own: versions, device, instruction set, BLAS, threads, memory, CANN and what of
    its backend is verified, every setting.
    """
    if mode not in ("stdout", "dicts"):
        raise ValueError(f"show_config: expected mode 'stdout' or 'dicts', got {mode!r}")
    from asnumpy.runtime import diagnosis  # only here: it brings in subprocess, json and dataclasses

    memory = ""
    try:
        device, info = _core.default_device(), memory_info()
        memory = f"{_size(info['in_use'])} in use, {_size(info['cached'])} cached, {_size(info['peak'])} peak, "
        memory += f"limit {_size(info['limit'])}" if info["limit"] else "no limit"
    except (ValueError, RuntimeError) as error:  # ASNUMPY_DEVICE names one that cannot be used
        device = f"none: {error}"
    report: dict[str, Any] = {
        "asnumpy": sys.modules["asnumpy"].__version__, "numpy": np.__version__,
        "python": f"{platform.python_version()} on {sys.platform} {platform.machine()}",
        "device": device, "instruction set": _core.instruction_set(),
        "vector math": "yes" if _core.vector_math() else "no", "blas": _core.blas(),
        "machine code": machine_code.compiled().status(),
        "threads": f"{_core.num_threads()} of {_core.max_threads()}",
        "memory": memory,
        **diagnosis.summary(),
        "graphs": "; ".join(
            f"{name}: {one['captures']} captured, {one['replays']} replayed, {one['refused']} refused, "
            f"{one['kept']} kept with {_size(one['bytes'])}" for name, one in _core.cann_graphs().items()
        ) or "none",
    }
    for name, value in config.settings().items():
        report[f"config.{name}"] = f"{value}  ({config.variable(name)})"
    if mode == "dicts":
        return report
    width = max(map(len, report))
    print("\n".join(f"{name:<{width}}  {value}" for name, value in report.items()))
    return None
