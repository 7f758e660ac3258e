"""How a function of scipy.ndimage is written as a composition, and its arguments: what is unusual is left to SciPy."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.ndimage as _theirs

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.door import numpy_view
from asnumpy.host.numpys import derived
from asnumpy.scipy._host import on_host
from asnumpy.ufunc.functions import not_equal

FLOAT64 = np.dtype(np.float64)
BOOL = np.dtype(bool)
_OCTETS = np.dtype(np.uint8)
_TAKEN = frozenset(map(np.dtype, "?bhilBHIL")) | {np.dtype(np.longlong), np.dtype(np.float32), FLOAT64}
_THROUGH_INT32 = frozenset(map(np.dtype, "bhBH"))


class Left(Exception):
    """A call that SciPy's function is to answer: an unusual one, or an error, which is SciPy's to raise."""


def answered(body: Callable[..., Any], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """A function that `body` answers, and `otherwise` what that leaves."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return body(*args, **kwargs)
        except Left:
            pass
        return otherwise(*args, **kwargs)

    return call


def composed(body: Callable[..., Any]) -> Any:
    """SciPy's function of this name. `body` has its signature, writes nothing before it has met all reasons for Left,
    and gives the result, which is `output` itself where that is an array."""
    name = body.__name__
    theirs = getattr(_theirs, name)
    whole = on_host(theirs, f"scipy.ndimage.{name}")

    call = functools.update_wrapper(answered(body, whole), theirs)
    call.__module__ = "asnumpy.scipy.ndimage"
    shown: Any = beside(call, theirs)
    shown.body = body
    return shown


def plain(value: Any) -> ndarray:
    """An array of a dtype that SciPy's loops know."""
    if derived(value):
        raise Left
    a = asarray(value)
    if a.dtype not in _TAKEN or not a.size or not a.ndim:
        raise Left
    return a


def constant(value: Any, dtype: Any = None) -> np.ndarray:
    """What decides about the operations (weights, footprints): its values are needed at once."""
    if isinstance(value, ndarray) and _core.tracing():
        raise Left
    try:
        given = np.asarray(numpy_view(value))
    except (TypeError, ValueError):
        raise Left from None
    if given.dtype.kind not in "biuf":
        raise Left
    return given if dtype is None else given.astype(dtype, copy=False)


def number(value: Any) -> float:
    if type(value) is float:
        return value
    if isinstance(value, (str, bytes, complex)):
        raise Left
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Left from None


def integer(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise Left from None


def sequence(value: Any, count: int) -> list[Any]:
    """One for each of `count` axes."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value] * count
    made = list(numpy_view(value))
    if len(made) != count:
        raise Left
    return made


def chosen_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(ndim))
    given = [integer(axis) for axis in axes] if isinstance(axes, Iterable) else [integer(axes)]
    if any(not -ndim <= axis < ndim for axis in given) or len({axis % ndim for axis in given}) != len(given):
        raise Left
    return tuple(axis % ndim for axis in given)


def one_axis(axis: Any, ndim: int) -> int:
    (place,) = chosen_axes(integer(axis), ndim)
    return place


def origins_of(origin: Any, axes: tuple[int, ...], ndim: int) -> list[int]:
    """A window's displacements along all axes; those of some axes are in the order of these, as in SciPy."""
    given = [integer(one) for one in sequence(origin, len(axes))]
    if len(axes) == ndim:
        return given
    made = [0] * ndim
    for axis, one in zip(axes, given, strict=True):
        made[axis] = one
    return made


def reflected(origins: list[int], shape: tuple[int, ...]) -> list[int]:
    """The displacements of a window of this shape that is turned around."""
    return [-one - (size % 2 == 0) for one, size in zip(origins, shape, strict=True)]


def over_all_axes(given: np.ndarray, axes: tuple[int, ...], ndim: int) -> np.ndarray:
    """Weights or a footprint with an axis for each of the array's; those that are not among `axes` have one element."""
    if given.ndim != len(axes) or not given.size:
        raise Left
    if len(axes) == ndim:
        return given  # in the array's order, whatever the order of `axes`
    return np.expand_dims(given, tuple(axis for axis in range(ndim) if axis not in axes))


def target(output: Any, dtype: np.dtype, shape: tuple[int, ...]) -> tuple[np.dtype, ndarray | None]:
    """The dtype of the result, and the array that is to hold it where one is given."""
    if output is None:
        return dtype, None
    if isinstance(output, ndarray):
        if output.shape != shape or not output._flags_writeable or _core.overlaps_itself(output):
            raise Left
        wanted, out = output.dtype, output
    elif isinstance(output, (type, np.dtype, str)):
        try:
            wanted, out = np.dtype(output), None
        except TypeError:
            raise Left from None
        if wanted == BOOL and isinstance(output, str):
            raise Left
    else:
        raise Left
    if wanted not in _TAKEN:
        raise Left
    return wanted, out


def stored(made: ndarray, dtype: np.dtype) -> ndarray:
    """What C's conversion makes of the results: integers lose their fractions, and negative ones wrap around."""
    if made.dtype == dtype:
        return made
    if made.dtype.kind == "f":
        if dtype == BOOL:  # stored as an octet
            return not_equal(_core.cast(_core.cast(made, np.dtype(np.int32)), _OCTETS), 0)
        if dtype in _THROUGH_INT32:
            made = _core.cast(made, np.dtype(np.int32))
        elif dtype == np.uint32:
            made = _core.cast(made, np.dtype(np.int64))
    return _core.cast(made, dtype)


def between(dtype: np.dtype) -> np.dtype:
    """What SciPy's loops read and write between two of them: of booleans the octets, which may be any."""
    return _OCTETS if dtype == BOOL else dtype


def handed(made: ndarray, out: ndarray | None, source: ndarray | None = None) -> ndarray:
    """The result; a copy where it would look into the source."""
    if out is None:
        return made.copy() if source is not None and _core.may_share_memory(made, source) else made
    _core.assign(out, made)
    return out
