"""NumPy's judgement of a call before its arrays are looked at: the function gets small stand-ins of their dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy._types import ndarray


def _stand_in(value: Any, length: int) -> Any:
    if isinstance(value, ndarray):
        return np.zeros((length,) * value.ndim, value.dtype)
    return type(value)(_stand_in(one, length) for one in value) if type(value) in (tuple, list) else value


def judged(function: Callable[..., Any], *args: Any, length: int = 1, **kwargs: Any) -> Any:
    """What NumPy's function makes of zeros in place of our arrays: `length` of them along each axis.

    It raises what NumPy would for these dtypes, numbers of axes and options; what it returns tells its dtype.
    """
    return function(*[_stand_in(one, length) for one in args], **kwargs)
