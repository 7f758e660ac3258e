"""Which of NumPy's functions a kernel of the operator library computes on a device, and whether one may now.

The functions ask here where their arrays lie on a device. What launches kernels stands above and is loaded at the first
call that a kernel may compute; without a kernel the functions do what they did.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from asnumpy import config


class Limit(NamedTuple):
    """Beyond how many elements CANN's operators or the host are quicker."""

    text: str
    holds: Callable[..., bool]  # of the operands


class Served(NamedTuple):
    """A function of NumPy's, the operator whose kernel computes it, and of which first operands."""

    function: str
    operator: str
    theme: str                    # the source that has the kernel
    dtypes: tuple[np.dtype, ...]
    least: int                    # between how many elements it is quicker, by the simulator's clock
    below: int = 1 << 62
    only: Limit | None = None


def _of(*names: str) -> tuple[np.dtype, ...]:
    return tuple(map(np.dtype, names))


_ROWS = Limit("in rows of up to 4096", lambda x: x.shape[-1] <= 4096)
_TABLES = Limit(
    "tables of up to 8192, longer ones for up to 65536", lambda table, x: table.size <= 8192 or x.size <= 65536,
)

TABLE = (
    Served("argsort", "library.argsort_int64", "order", _of("i8", "u8"), 1 << 14, 1 << 20, _ROWS),
    Served("bitwise_count", "library.bit_count", "bits", _of("u4", "i8", "u8"), 1 << 14),
    Served("cumsum", "library.running_sum", "sums", _of("i8", "u8"), 1 << 14),
    Served("divide", "library.complex_divide", "complex", _of("c8"), 1 << 14),
    Served("fft.fft", "library.fft_rows", "transforms", _of("c8"), 1 << 12),
    Served("packbits", "library.pack_bits", "bits", _of("u1"), 1 << 16),
    Served("searchsorted", "library.search_int64", "places", _of("i8"), 1 << 14, only=_TABLES),
    Served("sort", "library.sort_int64", "order", _of("i8", "u8"), 1 << 14, 1 << 20, _ROWS),
    Served("unpackbits", "library.unpack_bits", "bits", _of("u1"), 1 << 14),
)

# `launch` finds what makes a call by a kernel, or None: (row, arguments, keywords). The package says it.
offered: dict[str, Callable[[], Callable[[Served, tuple[Any, ...], dict[str, Any]], Any]]] = {}
ITSELF = object()  # what a rule gives for a call that the built-in operation computes, and no kernel
_rows: dict[tuple[str, np.dtype], Served] = {
    (row.function, dtype): row for row in TABLE for dtype in row.dtypes
}
_local = threading.local()  # .without: whether this thread has said that no kernel is to be used


def find(function: str, dtype: np.dtype, size: int) -> Served | None:
    """The row for a call whose first operand has this dtype, and whose largest has so many elements."""
    row = _rows.get((function, dtype))
    if row is None or not row.least <= size < row.below or config.kernels == "off" or getattr(_local, "without", False):
        return None
    return row


def made_by_kernel(function: str, *arrays: Any, **attributes: Any) -> Any:
    """What a kernel makes of arrays on a device; None where none computes the call."""
    row = find(function, arrays[0].dtype, max(one.size for one in arrays))
    if row is None or (row.only is not None and not row.only.holds(*arrays)):
        return None
    return offered["launch"]()(row, arrays, attributes)


def ufunc_by_kernel(function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The same for a ufunc: of plain arrays of one dtype, and no keyword but an array to write to."""
    first = args[0]
    row = find(function, first.dtype, first.size)
    if row is None or not kwargs.keys() <= {"out"}:
        return None
    given = kwargs.get("out")
    out: Any = given[0] if isinstance(given, tuple) and len(given) == 1 else given
    kind = type(first)
    for other in args[1:]:
        if type(other) is kind:
            if other.dtype != first.dtype or other._device_name != first._device_name:
                return None
        elif type(other) not in (float, complex):
            return None
    if out is None:
        return offered["launch"]()(row, args, {})
    if type(out) is not kind or out._device_name != first._device_name or not out._flags_writeable:
        return None
    return offered["launch"]()(row, args, {"out": out})


@contextmanager
def without() -> Iterator[None]:
    """For the time of a `with` block this thread uses no kernel: what it calls runs as it did before."""
    before, _local.without = getattr(_local, "without", False), True
    try:
        yield
    finally:
        _local.without = before
