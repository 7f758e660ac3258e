"""Text of arrays, which NumPy writes from a zero-copy view."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ndarray


def plain(a: Any) -> np.ndarray:
    return _core.to_numpy_view(a, None) if isinstance(a, ndarray) else np.asarray(a)


@public
def array2string(
    a: Any, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None,
    separator: str = " ", prefix: str = "", *, formatter: Any = None, threshold: int | None = None,
    edgeitems: int | None = None, sign: Any = None, floatmode: Any = None, suffix: str = "", legacy: Any = None,
) -> str:
    return np.array2string(
        plain(a), max_line_width, precision, suppress_small, separator, prefix, formatter=formatter,
        threshold=threshold, edgeitems=edgeitems, sign=sign, floatmode=floatmode, suffix=suffix, legacy=legacy,
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
