"""NumPy's functions by kernels of the library: whether one is compiled, and its launch in place of CANN's operators.

A compiler takes seconds. Until a kernel is there, what ran before runs; the compiler runs beside it, in a thread for
each source and device. Where results may not depend on when that ends (`config.deterministic`), and where the user
says so (`config.kernels`), the first call waits.
"""

from __future__ import annotations

import os
import threading
from typing import Any

from asnumpy import config
from asnumpy.operators import _dispatch, _registry
from asnumpy.operators._compiler import CompileError
from asnumpy.operators._implementations import Implementation
from asnumpy.runtime.cann_error import CannError
from asnumpy.runtime.kernels import TABLE, Served, without

_lock = threading.Lock()
_compiled: dict[tuple[str, str], bool] = {}  # by theme and device: whether it is loaded; False: that is under way


def launch(row: Served, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """What the kernel makes; None where it does not take the call, or cannot be used."""
    device = args[0]._device_name
    if not device.startswith("ascend"):
        return None
    one = kernel(row)
    if one.lacks or not _at_hand(row.theme, device):
        return None
    try:
        call = _registry.get(row.operator).bind(*args, **attributes)
    except (TypeError, ValueError):
        return None
    if one.why_not(call):
        return None
    try:
        with without():  # what it makes on its way
            made = one.run(call)
    except (CompileError, CannError) as error:
        one.lacks = str(error)
        _dispatch.tell(row.operator, one)
        return None
    _dispatch.count(row.function, row.operator, device, because(row))
    return made


def kernel(row: Served) -> Implementation:
    """The operator's kernel."""
    return next(one for one in _registry.get(row.operator).implementations if one.kind == "ascend")


def because(row: Served) -> str:
    """Why the kernel computes a call."""
    return f"the library's kernel, from {row.least} elements on"


def why_not(row: Served, device: str) -> str:
    """Why the kernel would not compute a call now; nothing where it would."""
    one = kernel(row)
    if one.lacks:
        return one.lacks.splitlines()[0]
    with _lock:
        state = _compiled.get((row.theme, device))
    if state or _waits():
        return ""
    return "it is not compiled yet, which a call begins" if state is None else "it is being compiled"


def _waits() -> bool:
    return config.kernels == "wait" or bool(config.deterministic)


def _at_hand(theme: str, device: str) -> bool:
    """Whether the source is compiled and loaded; where it is not, that begins."""
    key = (theme, device)
    with _lock:
        state = _compiled.get(key)
        if state:
            return True
        begins = state is None and not _waits()
        if begins:
            _compiled[key] = False
    if begins:
        threading.Thread(target=_compile, args=(key,), name=f"asnumpy-compile-{theme}").start()
        return False
    if not _waits():
        return False
    _compile(key)
    with _lock:
        return _compiled.get(key, False)


def _compile(key: tuple[str, str]) -> None:
    from asnumpy.cann import _devices
    from asnumpy.operators.library import _kernels

    theme, device = key
    try:
        _devices.use(int(device.partition(":")[2] or 0))
        _kernels.module(theme, device)._function("ascend", _kernels.any_kernel(theme))
    except (CompileError, CannError) as error:
        for row in TABLE:
            if row.theme == theme:
                kernel(row).lacks = str(error)
        return
    with _lock:
        _compiled[key] = True


def _forget() -> None:
    global _lock
    _lock = threading.Lock()
    _compiled.clear()


os.register_at_fork(after_in_child=_forget)
