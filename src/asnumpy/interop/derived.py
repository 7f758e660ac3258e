"""Calls of the package's functions with arrays of derived classes: which look at plain arrays, which give the class.

The outermost function is run once, on plain views of the arrays. Whose class its results get is a matter of the
function, as in NumPy: its functions begin with asarray, with asanyarray, or end in a method of the first argument.
"""

from __future__ import annotations

import inspect
from types import MethodDescriptorType
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import ANSWERED
from asnumpy._types import EXACT, ndarray
from asnumpy.host.numpys import made_like
from asnumpy.interop.asked import answers_ufuncs, asked
from asnumpy.ufunc.derived import is_derived, own_wrap, plain, wrapped
from asnumpy.ufunc.operands import call_overrides, overrides, priority


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# NumPy's functions that look at plain arrays.
_PLAIN = _names(
    "apply_over_axes arange argwhere asarray asarray_chkfinite ascontiguousarray asfortranarray bincount convolve "
    "cov corrcoef cross diag_indices_from digitize einsum einsum_path fft fft2 fftfreq fftn fftshift flatnonzero "
    "from_dlpack frombuffer fromiter hfft histogram histogram2d histogram_bin_edges histogramdd ifft ifft2 ifftn "
    "ifftshift ihfft interp irfft irfft2 irfftn isin ix_ lexsort nonzero outer pad poly polyder polyfit polyint "
    "polymul rfft rfft2 rfftfreq rfftn roots searchsorted select sinc sort_complex tensordot tril "
    "tril_indices_from triu triu_indices_from unravel_index unwrap vander where"
)
_PLAIN_MODULES = ("numpy.lib.scimath", "numpy.lib._scimath_impl")
_PLAIN_LINALG = _names(
    "cond cross det eigvals eigvalsh matrix_norm matrix_rank norm outer slogdet svdvals tensordot vector_norm"
)
# Of the highest priority above an array's own.
_JOINED = _names(
    "append block column_stack concat concatenate dstack hstack intersect1d ravel_multi_index resize row_stack "
    "setxor1d stack union1d vstack"
)
_PRODUCTS = _names("correlate dot inner multi_dot vdot")  # of the first's class, or that of a higher priority
# Made of ufuncs of all arguments. What is not NumPy's is such a function too.
_OF_ALL = _names("allclose average geomspace isclose kron linspace logspace matmul polyadd polysub trapezoid vecdot")
# The argument of whose class they are, where that is not the first.
_PLACE = {"apply_along_axis": 2, **dict.fromkeys(_names("compress extract lstsq polyval solve tensorsolve"), 1)}
_EACH = _names("atleast_1d atleast_2d atleast_3d broadcast_arrays meshgrid")
# Plain or not by the argument of that name.
_SUBOK = _names(
    "array astype as_strided broadcast_arrays broadcast_to copy empty_like full_like ones_like "
    "sliding_window_view zeros_like"
)
# The places of results that are of the class.
_SOME: dict[str, tuple[int, ...]] = {
    "average": (0,), "unique_all": (0, 1), "unique_counts": (0,), "unique_inverse": (0,), "lstsq": (0, 1),
    "eigh": (1,), "eig": (1,), "svd": (0, 2), "polydiv": (1,),
}
# An array of the class without axes where others give a number.
_REDUCTIONS = _names(
    "all amax amin any average max mean median min nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar "
    "prod ptp std sum trapezoid var"
)
_WRAPPED = _REDUCTIONS | _names(
    "angle around cholesky clip cumprod cumsum cumulative_prod cumulative_sum delete diagflat diff ediff1d eig "
    "eigh fix i0 insert inv isclose isneginf isposinf kron lstsq matmul matrix_power nancumprod nancumsum pinv "
    "polyadd polysub polyval qr round solve svd tensorsolve vecdot"
)
_NUMBERS_TOO = _REDUCTIONS | _names("angle clip fix i0 isclose iscomplex isneginf isposinf isreal matmul vecdot")
_CALLING_BACK = _names("apply_along_axis apply_over_axes piecewise")  # with parts of what they were given
_OF_OBJECTS = _names("array_repr array_str dump dumps setflags view")  # of the very object


class _Call:
    """One call: plain views of the arrays of derived classes, and those that they show."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.theirs: Any = getattr(function, "numpy", None)
        self.method = isinstance(self.theirs, MethodDescriptorType)
        self.name = getattr(self.theirs, "__name__", None) or function.__name__
        self.shown: dict[int, tuple[Any, Any]] = {}  # by the view's id, the view with what it shows
        self.found: list[Any] = []

    def plain(self, value: Any) -> Any:
        if type(value) in (list, tuple):
            view = type(value)(map(self.plain, value))
            if all(one is other for one, other in zip(view, value, strict=True)):
                return value
        elif is_derived(value):
            view = plain(value)
            self.found.append(value)
        else:
            return value
        self.shown[id(view)] = (view, value)
        return view

    def own_objects(self, result: np.ndarray) -> np.ndarray:
        """An array of objects holds what it was given, not views of that."""
        line = result.reshape(-1)  # NumPy's flat has at most 32 axes
        for place, element in enumerate(line):
            if id(element) in self.shown:
                line[place] = self.shown[id(element)][1]
        return line.reshape(result.shape)

    def signature(self, parameter: str) -> Any:
        given = inspect.signature(self.function).bind(*self.args, **self.kwargs)
        given.apply_defaults()
        return given.arguments.get(parameter, True)

    def module(self) -> str:
        return getattr(self.theirs, "__module__", None) or ""

    def looks_at_plain_arrays(self) -> bool:
        name = self.name
        if name in _SUBOK:
            return not self.signature("subok")
        if name == "diag":
            return np.ndim(self.args[0]) != 2 if self.args else False
        if name == "iscomplex":
            return self.first() is not None and self.first().dtype.kind != "c"
        if name == "unique":
            return self.signature("axis") is not None
        if name == "require":
            return any(str(one).upper() in ("E", "ENSUREARRAY") for one in self.signature("requirements") or ())
        if name == "svd":
            return not self.signature("compute_uv")
        if name in ("round", "around"):
            return _is_scaled(self)
        if self.module().startswith("numpy.linalg"):
            return name in _PLAIN_LINALG
        return name in _PLAIN or self.module() in _PLAIN_MODULES

    def joins(self) -> bool:
        longer = not self.kwargs.keys().isdisjoint(("prepend", "append"))
        return self.name in _JOINED or (self.name == "diff" and longer)

    def first(self) -> Any:
        return self.args[0] if self.args else next(iter(self.kwargs.values()), None)

    def source(self) -> Any:
        """The array whose class results get; None: they stay plain."""
        inputs = [value for value in self.found if value is not self.kwargs.get("out")]
        if not inputs:
            return None
        name, first = self.name, self.first()
        best = max(inputs, key=priority)
        if self.joins():
            return best if priority(best) > 0 else None
        place = 0 if self.method else _PLACE.get(name, 0)
        if 0 < place < len(self.args):
            return self.args[place] if is_derived(self.args[place]) else None
        if name in _OF_ALL or self.theirs is None or name in ("percentile", "quantile", "clip"):
            return best
        if name in _PRODUCTS:
            ordered = [value for value in _flat((*self.args, *self.kwargs.values())) if isinstance(value, ndarray)]
            first = max(ordered, key=priority, default=None)
        return first if is_derived(first) else None

    def answer(self, result: Any, source: Any) -> Any:
        """`result` as the program gets it: of the class of `source`, None: plain; what was given, as it was given."""
        if result is None or isinstance(result, (bool, str, bytes, int, np.generic)):
            return result
        known = self.shown.get(id(result))
        if known is not None and (source is not None or known[1] is self.kwargs.get("out")):
            return known[1]
        if any(result is value for value in (*self.args, *self.kwargs.values())):
            return result
        if isinstance(result, (tuple, list)):
            return self.several(result, source)
        if type(result) is np.ndarray and result.dtype.kind == "O":
            return self.own_objects(result)
        if source is None or not isinstance(result, ndarray):
            return plain(result)
        if _core.is_number(result) and self.name not in _NUMBERS_TOO:
            return result
        if self.joins() or self.name in ("packbits", "unpackbits"):  # which NumPy makes of no array
            return _core.Array.__new__(type(source), result, None)
        if own_wrap(source) and self.name in _WRAPPED:
            return wrapped(result, source)
        return _core.of_class(source, _core.as_plain(result) if _core.is_number(result) else result)

    def several(self, result: Any, source: Any) -> Any:
        if self.name in _EACH and not self.looks_at_plain_arrays():
            given = self.args
            sources = [value if is_derived(value) else None for value in given]
            if len(sources) != len(result):
                sources = [source] * len(result)
            made = [self.answer(one, own) for one, own in zip(result, sources, strict=True)]
        else:
            places = _SOME.get(self.name, range(len(result)))
            if self.name == "unique":
                places = (0, 1) if self.signature("return_index") else (0,)
            made = [self.answer(one, source) if place in places else one for place, one in enumerate(result)]
            if self.name == "average":  # the sum of the weights, of their class
                weights = self.signature("weights")
                made[1] = self.answer(result[1], weights if is_derived(weights) else None)
        return type(result)._make(made) if hasattr(type(result), "_make") else type(result)(made)


def _flat(values: Any) -> Any:
    for value in values:
        if type(value) in (list, tuple):
            yield from _flat(value)
        else:
            yield value


def _is_scaled(call: _Call) -> bool:
    """Whether rounding to other than whole numbers, in which NumPy loses the class."""
    decimals = call.signature("decimals")
    kind = call.first().dtype.kind if isinstance(call.first(), ndarray) else "f"
    return bool(decimals) and kind != "c" and not (kind in "biu" and decimals > 0)


def _overrides_method(value: Any, name: str) -> bool:
    """Whether its class has another method of that name than arrays have."""
    return all(getattr(type(value), name) is not getattr(kind, name) for kind in EXACT)


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dispatches: bool = True) -> Any:
    """`function(*args, **kwargs)`, one of the package's, of which some arguments are arrays of derived classes."""
    if "like" in kwargs and is_derived(kwargs["like"]) and "like" in inspect.signature(function).parameters:
        others = {name: value for name, value in kwargs.items() if name != "like"}
        return _core.call_back(made_like, (function, args, others, kwargs["like"]), {})
    made = _Call(function, args, kwargs)
    given = tuple(map(made.plain, args))
    named = {name: made.plain(value) for name, value in kwargs.items()}
    theirs: Any = made.theirs
    name, method, first = made.name, made.method, made.first()
    if dispatches and hasattr(theirs, "_implementation"):
        if any(_overrides_method(value, "__array_function__") for value in made.found):
            return _core.call_back(theirs, args, kwargs)
    if made.theirs is None and args and isinstance(args[0], _core.Ufunc):  # a ufunc's method, which knows of classes
        ufunc: Any = args[0]
        if overrides(_flat((*args[1:], kwargs.get("out")))):
            return call_overrides(ufunc, function.__name__, args[1:], kwargs)
        return function.__wrapped__(*args, **kwargs)
    if name in _OF_OBJECTS or (name == "resize" and method):
        return function.__wrapped__(*args, **kwargs)
    if not method and is_derived(first) and name in ANSWERED and getattr(np, name, None) is theirs:
        if _overrides_method(first, ANSWERED[name] or name):
            return _core.call_back(function.numpy.__wrapped__, args, kwargs)
    if is_derived(first) and answers_ufuncs(first):
        answer = asked(function, name, args, kwargs)
        if answer is not NotImplemented:
            return answer
    source = None if made.looks_at_plain_arrays() else made.source()
    if name in _CALLING_BACK:
        return made.answer(function.__wrapped__(*args, **kwargs), source)
    return made.answer(function(*given, **named), source)


_core.set_hooks({"derived": call})
