"""Functions that are traced once for each form of their arguments, and from then on are one call into the core."""

from __future__ import annotations

import functools
import gc
import inspect
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from types import MethodType
from typing import Any, overload

from asnumpy import _core, config
from asnumpy._core import TracingError
from asnumpy._types import ndarray
from asnumpy.runtime import recorded
from asnumpy.runtime.tree import flatten
from asnumpy.tracing._call import Call, Parameters
from asnumpy.tracing._compiled import Compiled, Given
from asnumpy.ufunc.errstate import watching

_PACKAGE = Path(__file__).resolve().parents[1]
_MOST_FORMS = 256  # that one function keeps
_UNKNOWN: Any = object()


class Function(_core.JitFunction):
    """What `asnumpy.jit` makes of a function."""

    def __init__(self, function: Callable[..., Any], static_argnames: Iterable[str], donate: Iterable[str]) -> None:
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        functools.update_wrapper(self, function)
        self._function = function
        static, donated = _names("static_argnames", static_argnames, function), _names("donate", donate, function)
        if both := sorted(static & donated):
            raise ValueError(f"jit: {', '.join(both)} cannot be both static and donated")
        self._compiled: dict[Any, Compiled | None] = {}  # None: what it met cannot be recorded once for all calls
        signature = inspect.signature(function) if static or donated else None
        self._parameters = Parameters(function, signature, static, donated)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        """A call that the core has not answered by itself."""
        if not config.jit or _core.tracing() or watching():
            return self._function(*args, **kwargs)
        call = self._parameters.call(args, kwargs)
        compiled = self._compiled_for(call)
        if compiled is None or not compiled.takes(call.arguments):
            return self._function(*args, **kwargs)
        static, signature = self._parameters.static, self._parameters.signature
        if not kwargs and not static and (signature is None or call.has_all_of(args)):
            compiled.quicken(self, args)
        return compiled.run(call.arguments)

    def compile(self, *args: Any, **kwargs: Any) -> Compiled:
        """Records the function for arguments of these forms, without running it, and makes its machine code.

        Arrays stand for their shapes, dtypes and devices alone: ``asnumpy.empty(shape, dtype)`` takes no memory.

        Raises
        ------
        TracingError
            When the function cannot be recorded.
        """
        compiled = self._compiled_for(self._parameters.call(args, kwargs))
        if compiled is None:
            raise TracingError(
                f"{self.__name__}: an argument is an array that the function uses by another name as well"
            )
        compiled.make_ready()
        return compiled

    def _compiled_for(self, call: Call) -> Compiled | None:
        try:
            known = self._compiled.get(call.form, _UNKNOWN)  # asked once: another thread may clear them
        except TypeError:
            raise call.unhashable(self.__name__) from None
        return self._trace(call) if known is _UNKNOWN else known

    def _trace(self, call: Call) -> Compiled | None:
        if len(self._compiled) >= _MOST_FORMS:
            self._compiled.clear()
        trace = _core.Trace(call.arguments)
        recording = recorded.begin(trace)
        try:
            stand_ins = [trace.argument(k, one, k >= call.arrays) for k, one in enumerate(call.arguments)]
            result = call.run_with(stand_ins)
            made: list[Any] = []
            shape = flatten(result, made)
            out: list[Any] = []
            kept: list[Given | None] = []
            for one in made:
                same = next((k for k, argument in enumerate(stand_ins) if one is argument), -1)
                is_new = isinstance(one, ndarray) and trace.stands_alone(one)
                if (same >= 0 and same not in call.donated) or not is_new:
                    kept.append(Given(same, None if same >= 0 else one))
                else:
                    kept.append(None)
                    out.append(one)
            trace.end(out)
            numbers = [bool(_core.is_number(one)) for one in out]
            one = None
            del result, made, out, stand_ins
            if trace.meets_arguments():
                self._compiled[call.form] = None
                return None
            try:
                replay = _core.Replay(trace, call.donated)
            except TracingError:  # what hangs in a cycle is nobody's
                gc.collect()
                replay = _core.Replay(trace, call.donated)
        except TracingError as error:
            raise _placed(error, self.__name__) from None
        finally:
            recorded.end()
            trace.drop()
        compiled = Compiled(
            self.__name__, self._parameters, call, replay, recording.drawn(), shape, kept, numbers
        )
        self._compiled[call.form] = compiled
        return compiled


def _names(keyword: str, given: Iterable[str], function: Callable[..., Any]) -> frozenset[str]:
    names = frozenset([given] if isinstance(given, str) else given)
    unknown = sorted(names - inspect.signature(function).parameters.keys()) if names else []
    if unknown:
        raise ValueError(f"jit: {keyword} names {', '.join(unknown)}, which the function does not take")
    return names


def _placed(error: BaseException, name: str) -> TracingError:
    """The error with the line of the program that it happened at."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame for frame in frames if not Path(frame.filename).is_relative_to(_PACKAGE)]
    if not lines:
        return TracingError(f"{name}: {error}")
    last = lines[-1]
    return TracingError(f"{name}, {last.filename}:{last.lineno}: {(last.line or '').strip()}\n{error}")


@overload
def jit(
    function: Callable[..., Any], /, *, static_argnames: Iterable[str] = ..., donate: Iterable[str] = ...
) -> Function: ...
@overload
def jit(
    *, static_argnames: Iterable[str] = ..., donate: Iterable[str] = ...
) -> Callable[[Callable[..., Any]], Function]: ...
def jit(
    function: Callable[..., Any] | None = None, /, *, static_argnames: Iterable[str] = (), donate: Iterable[str] = ()
) -> Any:
    """A function of arrays as one call into the core.

    The first call with arguments of new shapes, dtypes, strides or devices runs the Python function on arrays without
    values and records what it does to them. Calls with arguments of the same form run what was recorded, without
    Python: fused, with the results of the function without `jit`.

    Parameters
    ----------
    function : callable
        Takes and returns arrays, numbers, and lists, tuples, dicts and dataclasses of them. Without it, `jit` returns
        a decorator.
    static_argnames : iterable of str, optional
        Arguments whose values decide what is recorded (lengths, flags). Each value is recorded by itself. What is no
        array and no float is so by itself.
    donate : iterable of str, optional
        Arguments whose arrays the caller does not need after the call: results take their memory where shape and dtype
        allow it. Whoever uses such an array afterwards gets a RuntimeError.

    Returns
    -------
    Function
        Called as the function; `compile` records ahead of time.

    Raises
    ------
    TracingError
        At a call, where the function needs the value of an array (``if x.max() > 0``, ``float(x)``, ``x[x > 1]``), with
        the line. `asnumpy.where`, `asnumpy.cond`, `asnumpy.while_loop` and `asnumpy.range` choose and repeat by
        values.

    Notes
    -----
    Python's loops unroll. Updates in place of arguments and of arrays from outside happen at each call, random
    generators advance at each call. Python's floats are arguments; other numbers, strings and objects are values that
    are recorded. `asnumpy.config.jit` (ASNUMPY_JIT=0) switches it off.

    Examples
    --------
    >>> import asnumpy as ap
    >>> @ap.jit
    ... def step(u, v, dt):
    ...     u[1:-1] += dt * (v[2:] - v[:-2])
    ...     return u.max()
    >>> u, v = ap.zeros(5), ap.arange(5.0)
    >>> float(step(u, v, 0.5))
    1.0
    """
    if function is None:
        return lambda given: Function(given, static_argnames, donate)
    if not callable(function):
        raise TypeError(f"jit: expected a function, got {type(function).__name__}")
    return Function(function, static_argnames, donate)
