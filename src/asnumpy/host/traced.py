"""Calls of NumPy's functions within a function that is recorded: they come with each call of what was recorded.

What a call gives (how many arrays, their shapes and dtypes) is found by calling the function on two sets of samples in
place of the arrays, which have no values then. Where the two differ, the result's form depends on values, and the call
cannot be recorded; where a later call gives another form than the samples, that call is an error.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from asnumpy import _core
from asnumpy._core import TracingError
from asnumpy.runtime import recorded
from asnumpy.runtime.fallbacks import count_call
from asnumpy.runtime.tree import LEAF, flatten, unflatten


class _Slot(NamedTuple):
    """The place of an array in the list of a call's arrays."""

    place: int


class _Form(NamedTuple):
    """A leaf of a result: an array or number of NumPy's that is new, or what stands in `kept`."""

    shape: tuple[int, ...] = ()
    dtype: Any = None
    is_number: bool = False
    kept: Any = None  # a _Slot, or a value that is no array


def record_call(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], run: Callable[..., Any]
) -> Any:
    """The function's result as arrays of the trace under way; `run` calls a function on arrays of ours.

    Raises
    ------
    TracingError
        When what it gives depends on values, or it calls functions of the user's.
    """
    arrays: list[Any] = []
    given = _taken((args, kwargs), arrays, name)
    if not arrays:
        with_values: Any = function(*args, **kwargs)
        return _core.take_back(with_values, [], [], None)
    written, structure, forms = _outcome(function, name, given, arrays)
    wanted = [form for form in forms if form.dtype is not None]
    is_one = structure is LEAF and len(wanted) == 1
    fill = _filling(given)
    assert fill is not None  # there are arrays

    def take(result: Any, results: list[Any], copy: Callable[[Any, Any], Any]) -> None:
        if is_one and (dtype := getattr(result, "dtype", None)) is not None:  # the common one
            if dtype == wanted[0].dtype and result.shape == wanted[0].shape:
                copy(results[0], result)
                return
        made: list[Any] = []
        came = flatten(result, made)
        new = [one for one, form in zip(made, forms, strict=False) if form.dtype is not None]
        if came != structure or [(one.shape, one.dtype) for one in new] != [form[:2] for form in wanted]:
            raise TracingError(
                f"{name}: recorded with results of {_described(wanted)}, but these values give {_described(new)}: "
                "under jit the shapes and dtypes of results cannot depend on values"
            )
        for target, one in zip(results, new, strict=True):
            copy(target, one)

    def call(operands: list[Any], results: list[Any]) -> None:
        for operand, is_written in zip(operands, written, strict=True):
            operand._flags_writeable = is_written
        values, options = fill(operands)
        take(run(function, *values, **options), results, _core.assign)

    def call_on_views(operands: list[Any], results: list[Any]) -> None:
        count_call(name)
        values, options = fill(operands)
        take(function(*values, **options), results, _write)

    views = all(array._host_visible for array in arrays)
    like = [_like(form, arrays[0]) for form in wanted]
    made = iter(recorded.current_trace().add_call(
        name, call_on_views if views else call, arrays, written, like, views
    ))
    leaves = iter([
        next(made) if form.dtype is not None
        else arrays[form.kept.place] if isinstance(form.kept, _Slot) else form.kept for form in forms
    ])
    return unflatten(structure, leaves)


def _taken(value: Any, arrays: list[Any], name: str) -> Any:
    """The value with slots in the place of our arrays, which are appended, each once."""
    if isinstance(value, _core.Array):
        for place, one in enumerate(arrays):
            if one is value:
                return _Slot(place)
        arrays.append(value)
        return _Slot(len(arrays) - 1)
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([_taken(one, arrays, name) for one in value])
    if kind is dict:
        return {key: _taken(one, arrays, name) for key, one in value.items()}
    if kind is slice:
        return slice(*(_taken(one, arrays, name) for one in (value.start, value.stop, value.step)))
    if callable(value) and not isinstance(value, (type, np.ufunc)):
        raise TracingError(f"{name}: it calls {getattr(value, '__name__', value)} for values, which are not there yet")
    return value


def _filling(value: Any) -> Callable[[list[Any]], Any] | None:
    """What gives the value with a call's arrays in the place of its slots; None where it has no slots.

    It runs at every call of what was recorded, and is therefore made once.
    """
    kind = type(value)
    if kind is _Slot:
        return itemgetter(value.place)
    parts: list[Any] = []
    join: Callable[[list[Any]], Any] = kind
    if kind is tuple or kind is list:
        parts = list(value)
    elif kind is dict:
        parts = list(value.values())
        join = partial(_with_keys, tuple(value))
    elif kind is slice:
        parts = [value.start, value.stop, value.step]
        join = _as_slice
    filled = [(place, filling) for place, part in enumerate(parts) if (filling := _filling(part)) is not None]
    if not filled:
        return None

    def fill(arrays: list[Any]) -> Any:
        made = parts.copy()
        for place, filling in filled:
            made[place] = filling(arrays)
        return join(made)

    return fill


def _with_keys(keys: tuple[Any, ...], values: list[Any]) -> dict[Any, Any]:
    return dict(zip(keys, values, strict=True))


def _as_slice(parts: list[Any]) -> slice:
    return slice(*parts)


def _write(target: np.ndarray, value: Any) -> None:
    target[...] = value


class _Trial:
    """A call with samples in the place of the arrays, some of which may only be read."""

    def __init__(
        self, function: Callable[..., Any], given: Any, arrays: list[Any], sample: Callable[..., np.ndarray],
        read_only: Iterable[int] = (),
    ) -> None:
        self.samples = [_as_given(sample(array.shape, array.dtype), array) for array in arrays]
        for place in read_only:
            if isinstance(self.samples[place], np.ndarray):
                self.samples[place].flags.writeable = False
        before = [one.tobytes() for one in self.samples]
        fill = _filling(given)
        values, options = fill(self.samples) if fill is not None else given
        self.result: Any = None
        self.error: Exception | None = None
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.result = function(*values, **options)
            except Exception as error:
                self.error = error
        self.changed = [one.tobytes() != was for one, was in zip(self.samples, before, strict=True)]

    @property
    def may_not_write(self) -> bool:
        """Whether the function wanted to write what may only be read."""
        return isinstance(self.error, ValueError) and "read-only" in str(self.error)


def _outcome(
    function: Callable[..., Any], name: str, given: Any, arrays: list[Any]
) -> tuple[list[bool], Any, list[_Form]]:
    """Which arrays the function writes, and the structure and forms of what it gives."""
    written = [False] * len(arrays)
    places = range(len(arrays))
    first = _Trial(function, given, arrays, _rising, places)
    if first.error is not None:
        if first.may_not_write:
            written = [
                len(arrays) == 1 or _Trial(function, given, arrays, _rising, [place]).may_not_write for place in places
            ]
        first = _Trial(function, given, arrays, _rising)
    found: list[tuple[Any, list[_Form]]] = []
    for trial in (first, _Trial(function, given, arrays, _repeating)):
        if trial.error is not None:  # of the sample: the other one may do
            continue
        written = [is_known or changed for is_known, changed in zip(written, trial.changed, strict=True)]
        leaves: list[Any] = []
        structure = flatten(trial.result, leaves)
        found.append((structure, [_form(leaf, trial.samples, name) for leaf in leaves]))
    if not found:
        assert first.error is not None
        raise first.error
    if _is_at(function) and isinstance(target := given[0][0], _Slot):
        written[target.place] = True  # whatever the values; NumPy does so even where it may only read
    if any(other != found[0] for other in found):
        raise TracingError(
            f"{name}: the number, shapes or dtypes of its results depend on values, which are not there while the "
            "function is traced; compute this outside of the function"
        )
    return written, *found[0]


def _is_at(function: Callable[..., Any]) -> bool:
    return getattr(function, "__name__", "") == "at" and isinstance(getattr(function, "__self__", None), np.ufunc)


def _rising(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Regular matrices, rising lines; of integers zeros, which are right as indices; truths that are all true."""
    if dtype.kind in "iu":
        return np.zeros(shape, dtype)
    if dtype.kind == "b":
        return np.ones(shape, dtype)
    if len(shape) < 2:
        return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    return np.broadcast_to(2 * np.eye(shape[-2], shape[-1]), shape).astype(dtype)


def _repeating(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """The same with other eigenvalues, with elements that are equal, with both truths, and with zeros and ones."""
    if dtype.kind in "iub":
        return (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(dtype)
    if len(shape) < 2:
        return (np.arange(np.prod(shape, dtype=int)) // 2).reshape(shape).astype(dtype)
    rows, columns = shape[-2:]
    matrix = 4 * np.eye(rows, columns) + np.eye(rows, columns, 1) - np.eye(rows, columns, -1)
    return np.broadcast_to(matrix, shape).astype(dtype)


def _as_given(sample: np.ndarray, array: Any) -> Any:
    return sample[()] if _core.is_number(array) else sample


def _form(leaf: Any, samples: list[Any], name: str) -> _Form:
    for place, sample in enumerate(samples):
        if leaf is sample:
            return _Form(kept=_Slot(place))
    if isinstance(leaf, (np.ndarray, np.generic)):
        if leaf.dtype.kind in "OSUVMm":
            raise TracingError(f"{name}: its result of dtype {leaf.dtype} is none that can be recorded")
        return _Form(leaf.shape, leaf.dtype, isinstance(leaf, np.generic))
    return _Form(kept=leaf)


def _like(form: _Form, beside: Any) -> Any:
    array = _core.empty(form.shape, form.dtype, "C", beside)
    return _core.returned(array) if form.is_number else array


def _described(forms: list[Any]) -> str:
    return ", ".join(f"{form.dtype}{list(form.shape)}" for form in forms) or "nothing"
