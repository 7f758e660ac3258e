"""What left its device for the host, or deferral for NumPy: one count, one report, one warning."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from typing import Any

from asnumpy import _core, config
from asnumpy._public import public

# NumPy's and SciPy's functions by name, for arrays whose memory the host reads; what lies on a device the core counts.
_calls: Counter[str] = Counter()
_reported: set[str] = set()


class FallbackWarning(RuntimeWarning):
    """Work or an array left its device for the host, or deferral for a call of NumPy's.

    `asnumpy.config.fallback`, `.implicit_copies` and `.host_calls` say what is counted, warned of and refused.
    """


FallbackWarning.__module__ = "asnumpy"


def report(text: str) -> None:
    """Warns where the program called this package."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "asnumpy":
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, FallbackWarning, stacklevel=depth)


_core.set_hooks({"report": report})


def allow_call(name: str) -> None:
    """What `config.host_calls` says of a call of NumPy's: nothing, a warning for the first of the name, an error."""
    policy = config.host_calls
    if policy == "count":
        return
    text = f"{name} runs on the host (NumPy), which ends the deferral of its arguments"
    if policy == "error":
        raise RuntimeError(f"{text}; asnumpy.config.host_calls is 'error', set it to 'count' or 'warn' to allow it")
    if name not in _reported:
        _reported.add(name)
        silence = "asnumpy.config.host_calls = 'count' is silent"
        report(f"{text}; reported once, asnumpy.fallbacks() counts them, {silence}")


def count_call(name: str) -> None:
    """Counts a call of NumPy's whose arrays lie in the host's memory."""
    _calls[name] += 1


@public
def fallbacks() -> list[dict[str, Any]]:
    """What ran on the host, or was copied there, since the process started: those of most bytes first, then most often.

    Returns a list of dicts:

    * `kind`: "operation", one that the array's device lacks; "copy", one that the language or another library implies;
      "call", one of NumPy's or SciPy's functions, which ends deferral.
    * `function`, `dtypes` of its operands, `device` (of a call with the CPU's arrays "cpu": it reads their memory),
      `reason`, `count`, and `bytes`, those of operands and results that crossed between device and host.

    Work that a program wanted and that turned out not to be needed counts as well.
    """
    quick = {f"numpy.{name.removeprefix('ndarray.')}": count for name, count in _core.counted_quickly().items()}
    calls = [
        {"kind": "call", "function": name, "dtypes": "", "device": "cpu", "count": count, "bytes": 0,
         "reason": f"{'SciPy' if name.startswith('scipy.') else 'NumPy'} computes it at once"}
        for name, count in (_calls + Counter(quick)).most_common()
    ]
    return [*_core.fallbacks(), *calls]


@public
def forget_fallbacks() -> None:
    """Empties fallbacks(): what falls back from now on is counted, and reported, anew."""
    _core.forget_fallbacks()
    _core.forget_counted_quickly()
    _calls.clear()
    _reported.clear()
