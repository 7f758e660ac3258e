"""Loops and choices by the values of arrays: Python runs them step by step, and `jit` records them as they are."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._core import TracingError
from asnumpy._types import ndarray
from asnumpy.creation import asarray, copy
from asnumpy.runtime import recorded
from asnumpy.runtime.tree import flatten, unflatten


class _Meets(Exception):
    """A function uses an array that it also gets as an argument: what it writes to one would show in the other."""


class _Part:
    """A function recorded for arrays of the trace around it."""

    def __init__(self, what: str, function: Callable[..., Any], structure: Any, arrays: list[Any]) -> None:
        trace = _core.Trace(arrays)
        recording = recorded.begin(trace)
        try:
            stand_ins = [trace.argument(k, one) for k, one in enumerate(arrays)]
            leaves: list[Any] = []
            self.structure = flatten(function(*unflatten(structure, iter(stand_ins))), leaves)
            out: list[Any] = []
            for leaf in leaves:
                one = _array(what, leaf)
                is_own = trace.stands_alone(one) and one.base is None and one._flags_c_contiguous
                if not is_own or any(one is other for other in out):
                    one = _copied(one)
                out.append(one)
            self.like = [(one.shape, one.dtype, bool(_core.is_number(one))) for one in out]
            trace.end(out)
            one = leaf = None
            del leaves, out, stand_ins
            if trace.meets_arguments():
                raise _Meets
            self.replay = _core.Replay(trace, ())
        finally:
            recorded.end()
            trace.drop()
        if recording.drawn():
            raise TracingError(f"{what}: random numbers cannot be drawn where values decide how often; draw before")

    def differs(self, other: list[tuple[Any, Any, bool]]) -> str:
        """How its results differ in shape or dtype from others; empty: not at all."""
        if len(self.like) != len(other):
            return f"{len(self.like)} arrays and not {len(other)}"
        for k, (mine, wanted) in enumerate(zip(self.like, other, strict=True)):
            if mine[:2] != wanted[:2]:
                return f"at place {k} shape {mine[0]} and dtype {mine[1]}, not {wanted[0]} and {wanted[1]}"
        return ""


def _copied(array: Any) -> Any:
    return _core.returned(copy(array)) if _core.is_number(array) else copy(array, order="C")


def _array(what: str, leaf: Any) -> Any:
    if isinstance(leaf, ndarray):
        return leaf
    if isinstance(leaf, (bool, int, float, complex, np.generic)):
        return _core.returned(asarray(leaf))
    raise TypeError(
        f"{what}: expected arrays and numbers, or lists, tuples, dicts and dataclasses of them, "
        f"got {type(leaf).__name__}"
    )


def _parts(what: str, functions: list[Callable[..., Any]], structure: Any, arrays: list[Any]) -> list[_Part]:
    """The functions, recorded for these arrays, or for copies, which then take their places in the list."""
    try:
        return [_Part(what, function, structure, arrays) for function in functions]
    except _Meets:
        arrays[:] = [_copied(one) for one in arrays]
        return [_Part(what, function, structure, arrays) for function in functions]


def _own(what: str, leaves: list[Any]) -> list[Any]:
    """The leaves as arrays in C order, no two of them in one memory."""
    made: list[Any] = []
    for leaf in leaves:
        one = _array(what, leaf)
        if one.base is not None or not one._flags_c_contiguous or any(one is other for other in made):
            one = copy(one, order="C")
        made.append(one)
    return made


def while_loop(test: Callable[[Any], Any], body: Callable[[Any], Any], state: Any) -> Any:
    """Repeats ``state = body(state)`` as long as ``test(state)`` is true.

    Parameters
    ----------
    test : callable
        From a state to one truth.
    body : callable
        From a state to the next, of the same structure, shapes and dtypes.
    state : array, number, or list, tuple, dict or dataclass of them
        Where it begins.

    Returns
    -------
    The last state.

    Raises
    ------
    TypeError
        Under `jit`, where the next state has other shapes or dtypes.

    Notes
    -----
    Under `asnumpy.jit` the functions are recorded once, and the loop runs without Python; else Python runs it.

    Examples
    --------
    >>> import asnumpy as ap
    >>> ap.while_loop(lambda x: x.max() < 100, lambda x: x * 2, ap.array([1, 3]))
    array([ 64, 192])
    """
    if not _core.tracing():
        while test(state):
            state = body(state)
        return state
    leaves: list[Any] = []
    structure = flatten(state, leaves)
    arrays = _own("while_loop", leaves)
    proof, step = _parts("while_loop", [test, body], (tuple, 1, (structure,)), arrays)
    if len(proof.like) != 1 or proof.like[0][:2] != ((), np.dtype(np.bool)):
        raise TypeError("while_loop: expected a test that gives one truth (a bool without axes)")
    wrong = step.differs([(array.shape, array.dtype, False) for array in arrays])
    if step.structure != structure or wrong:
        raise TypeError(
            f"while_loop: expected a body that gives a state like the one it gets, got {wrong or 'another structure'}"
        )
    made = recorded.current_trace().add_loop(proof.replay, step.replay, arrays)
    return unflatten(structure, iter(made))


def range(start: int, stop: Any, body: Callable[[Any, Any], Any], state: Any) -> Any:
    """Repeats ``state = body(i, state)`` for i from `start` to below `stop`.

    Parameters
    ----------
    start, stop : int or integer number
        The bounds, which may be values that were computed.
    body : callable
        From an integer and a state to the next state, of the same structure, shapes and dtypes.
    state : array, number, or list, tuple, dict or dataclass of them
        Where it begins.

    Returns
    -------
    The last state.

    Notes
    -----
    As `asnumpy.while_loop`: under `asnumpy.jit` recorded once, however many times it repeats.

    Examples
    --------
    >>> import asnumpy as ap
    >>> ap.range(0, 5, lambda i, x: x + i, ap.zeros(2))
    array([10., 10.])
    """
    if not _core.tracing():
        for i in builtins.range(int(start), int(stop)):
            state = body(i, state)
        return state
    first, last = (_core.returned(asarray(bound, dtype=np.int64)) for bound in (start, stop))

    def test(current: tuple[Any, Any, Any]) -> Any:
        return current[0] < current[1]

    def step(current: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        return current[0] + 1, current[1], body(current[0], current[2])

    return while_loop(test, step, (first, last, state))[2]


def cond(chosen: Any, first: Callable[..., Any], second: Callable[..., Any], *operands: Any) -> Any:
    """``first(*operands)`` where a truth is true, else ``second(*operands)``.

    Parameters
    ----------
    chosen : bool or number
        What is asked.
    first, second : callable
        Functions of the operands with results of the same structure, shapes and dtypes.
    *operands : array, number, or list, tuple, dict or dataclass of them
        What they get.

    Returns
    -------
    The result of the one that was called.

    Raises
    ------
    TypeError
        Under `jit`, where the results differ in structure, shape or dtype.

    Notes
    -----
    Under `asnumpy.jit` both are recorded, and one of them runs.

    Examples
    --------
    >>> import asnumpy as ap
    >>> x = ap.array([1.0, 4.0])
    >>> ap.cond(x.sum() > 3, ap.sqrt, ap.negative, x)
    array([1., 2.])
    """
    if not _core.tracing() or not isinstance(chosen, ndarray):
        return first(*operands) if chosen else second(*operands)
    leaves: list[Any] = []
    structure = flatten(operands, leaves)
    arrays = [_array("cond", leaf) for leaf in leaves]
    one, other = _parts("cond", [first, second], structure, arrays)
    wrong = other.differs(one.like)
    if one.structure != other.structure or wrong:
        raise TypeError(f"cond: expected two functions with results alike, got {wrong or 'two structures'}")
    if chosen.size != 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous; cond asks for one truth"
        )
    truth = chosen.reshape(()).astype(np.bool)
    like = [_core.empty(shape, dtype) for shape, dtype, _ in one.like]
    like = [_core.returned(array) if number else array for array, (_, _, number) in zip(like, one.like, strict=True)]
    made = recorded.current_trace().add_choice(truth, one.replay, other.replay, arrays, like)
    return unflatten(one.structure, iter(made))
