"""Text of arrays, which NumPy writes from a zero-copy view, or from a copy of what it shows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import EXACT, ndarray
from asnumpy.runtime.explanation import look


def plain(a: Any, threshold: int | None = None, edgeitems: int | None = None) -> np.ndarray:
    """What NumPy writes in the place of an array: of a large one that lies on a device it has the edges alone."""
    if not isinstance(a, ndarray):
        return np.asarray(a)
    if a._host_visible:
        return _core.to_numpy_view(a, None)
    options = np.get_printoptions()
    most = options["threshold"] if threshold is None else threshold
    edge = options["edgeitems"] if edgeitems is None else edgeitems
    if edge < 1 or a.size <= most:
        return _core.numpy_copy(a)
    shown = np.zeros(a.shape, a.dtype)  # memory that nobody touches is not there
    sides = [(slice(0, edge), slice(n - edge, n)) if n > 2 * edge else (slice(0, n),) for n in a.shape]
    for corner in itertools.product(*sides):
        shown[corner] = _core.numpy_copy(a[corner])
    return shown


_shown: dict[str, type] = {}  # classes of NumPy's by the name that their text begins with


def representation(a: ndarray) -> str:
    """What `repr` gives: NumPy's text, which begins with the name of a derived class."""
    if type(a) in EXACT:
        return repr(plain(a))
    name = type(a).__name__
    return repr(plain(_core.as_plain(a)).view(_shown.setdefault(name, type(name, (np.ndarray,), {}))))


def html(a: ndarray) -> str | None:
    """What a notebook shows beside the text; None of a number. Nothing is run for it, and no large array copied.

    Values are shown where they are there: not of an array that is pending, nor of one that lies on a device and has
    more elements than NumPy's `threshold` for printing. What looks like an image has a small picture of it.
    """
    if a.ndim == 0:
        return None
    from html import escape  # only here: notebooks alone pay for its import

    facts = {"shape": a.shape, "dtype": a.dtype, "device": a._device_name, "bytes": f"{a.nbytes:,}"}
    picture = values = ""
    if a._pending:
        facts["state"] = "pending: recorded, and computed when a value is needed"
    else:
        picture = look().thumbnail(_core.as_plain(a)) if a.ndim in (2, 3) else ""
        if a._host_visible or a.size <= np.get_printoptions()["threshold"]:
            values = f"<pre>{escape(str(plain(_core.as_plain(a))))}</pre>"
        else:
            facts["state"] = "on the device: print() copies the edges, asnumpy.to_numpy() all of it"
    rows = "".join(f"<tr><th>{name}</th><td>{escape(str(value))}</td></tr>" for name, value in facts.items())
    name = f"{escape(type(a).__module__)}.{escape(type(a).__name__)}"
    return f"<div><b>{name}</b><table>{rows}</table>{picture}{values}</div>"


@public
def array2string(
    a: Any, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None,
    separator: str = " ", prefix: str = "", *, formatter: Any = None, threshold: int | None = None,
    edgeitems: int | None = None, sign: Any = None, floatmode: Any = None, suffix: str = "", legacy: Any = None,
) -> str:
    return np.array2string(
        plain(a, threshold, edgeitems), max_line_width, precision, suppress_small, separator, prefix,
        formatter=formatter, threshold=threshold, edgeitems=edgeitems, sign=sign, floatmode=floatmode, suffix=suffix,
        legacy=legacy,
    )


@public
def array_repr(
    arr: Any, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None,
) -> str:
    return np.array_repr(plain(arr), max_line_width, precision, suppress_small)


@public
def array_str(
    a: Any, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None,
) -> str:
    return np.array_str(plain(a), max_line_width, precision, suppress_small)
