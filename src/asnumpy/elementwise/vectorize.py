"""vectorize and frompyfunc: Python functions of numbers applied to arrays, as array operations where possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import beside, public
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.dtypes.dtype import supported
from asnumpy.elementwise.lanes import Arguments, compiled, traceable
from asnumpy.host.door import host_result
from asnumpy.ufunc.folds import NO_VALUE
from asnumpy.ufunc.ufunc import of_numpy, ufuncs

_NUMBERS = (bool, int, float, complex, np.number, np.bool)


class _Untraceable(TypeError):
    """The function did something with its argument that is no operation on arrays."""


class _Tape:
    """What a function did to its arguments: ufuncs by name, their operands the numbers of steps, or constants."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, tuple[Any, ...]]] = []
        self.count = 0       # values so far
        self.spoiled = False  # something was asked that only a number can answer

    def value(self) -> _Traced:
        self.count += 1
        return _Traced(self, self.count - 1)

    def record(self, name: str, operands: tuple[Any, ...]) -> Any:
        read: list[Any] = []
        for one in operands:
            if isinstance(one, _Traced) and one.tape is self:
                read.append(("value", one.place))
            elif isinstance(one, _NUMBERS):
                # the text tells -0.0 from 0.0 and finds NaN equal to itself
                read.append(("constant", type(one), repr(one), one))
            else:
                self.spoil()
        self.steps.append((name, tuple(read)))
        count = ufuncs[name].nout
        return self.value() if count == 1 else tuple(self.value() for _ in range(count))

    def spoil(self) -> None:
        self.spoiled = True
        raise _Untraceable

    def text(self) -> list[Any]:
        """The steps as something that can be compared."""
        return [(name, [operand[:3] for operand in operands]) for name, operands in self.steps]


class _Traced:
    """Stands for an element while a function is traced; it knows arithmetic and ufuncs, nothing else."""

    __slots__ = ("place", "tape")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tape: _Tape, place: int) -> None:
        self.tape, self.place = tape, place

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        own = of_numpy(ufunc)
        if own is None or method != "__call__" or kwargs or own.signature is not None:
            self.tape.spoil()
        return self.tape.record(ufunc.__name__, inputs)

    def __getattr__(self, name: str) -> Any:
        self.tape.spoil()


def _operation(name: str, reflected: bool) -> Any:
    def apply(self: _Traced, *others: Any) -> Any:
        return self.tape.record(name, (*others, self) if reflected else (self, *others))

    return apply


for _dunder, _ufunc_name in {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "divmod": "divmod", "pow": "power", "lshift": "left_shift", "rshift": "right_shift",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
}.items():
    setattr(_Traced, f"__{_dunder}__", _operation(_ufunc_name, False))
    setattr(_Traced, f"__r{_dunder}__", _operation(_ufunc_name, True))
for _dunder, _ufunc_name in {
    "neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert", "lt": "less", "le": "less_equal",
    "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
}.items():
    setattr(_Traced, f"__{_dunder}__", _operation(_ufunc_name, False))
for _dunder in (
    "bool int float complex index len iter getitem contains round trunc floor ceil array array_function str format"
).split():
    setattr(_Traced, f"__{_dunder}__", lambda self, *args, **kwargs: self.tape.spoil())


def _trace(func: Callable[..., Any], count: int) -> tuple[_Tape, tuple[int, ...], bool] | None:
    """The steps of a function, the places of its results, whether they are a tuple. None: it has to be called."""
    tapes, results, several = [], [], False
    for _ in range(2):  # twice: a function that does not do the same again has to be called for each element
        tape = _Tape()
        try:
            made = func(*[tape.value() for _ in range(count)])
        except Exception:  # whatever it is, calling the function with an element shows whether it is its own
            return None
        several = isinstance(made, tuple)
        parts = made if isinstance(made, tuple) else (made,)
        if tape.spoiled or not parts or not all(isinstance(one, _Traced) and one.tape is tape for one in parts):
            return None
        tapes.append(tape)
        results.append(tuple(one.place for one in parts))
    if results[0] != results[1] or tapes[0].text() != tapes[1].text():
        return None
    return tapes[0], results[0], several


@beside
def _replay(
    tape: _Tape, inputs: list[ndarray], places: tuple[int, ...], wanted: Any, shape: tuple[int, ...],
) -> list[Any]:
    """The values at these places, of this shape, in the dtypes that are wanted, None: in their own."""
    values: list[Any] = list(inputs)
    for name, operands in tape.steps:
        made = ufuncs[name](*[values[one[1]] if one[0] == "value" else one[3] for one in operands])
        values.extend(made if isinstance(made, tuple) else (made,))
    results = []
    for number, place in enumerate(places):
        value = values[place]
        dtype = value.dtype if wanted is None else np.dtype(wanted[number])
        results.append(_core.cast(_core.broadcast_to(value, shape) if value.shape != shape else value, dtype))
    return results


class vectorize(np.vectorize):
    """A function of numbers as a function of arrays.

    A function that chooses is compiled, if its source is found: `if`, conditional expressions, `and`, `or`, `not`,
    chained comparisons, `for` over `range` of numbers that all elements share, `while`, `break`, `continue`, `else`
    of loops, `return` anywhere, assignments (of tuples, too), `assert`, `raise`, calls of other such functions, of
    `abs`, `bool`, `complex`, `divmod`, `float`, `int`, `max`, `min`, `pow`, `round`, most of `math`, and NumPy's ufuncs
    of floats, with numbers of the closure and of the module. All ways are computed for whole arrays, deferred and
    fused, and masks choose; loops go on until every element has ended. Results are those of Python's arithmetic:
    elements that would raise, or need an int beyond 64 bits, are looked for when it is called, and `pyfunc` is called
    with them. Looking for them, or for the end of a `while`, runs what is recorded.

    A function of plain arithmetic and ufuncs is traced: it is called twice with stand-ins that record operations. If
    both runs recorded the same and nothing else was asked of the arguments, those are applied to whole arrays.

    Any other function is called with every element on the host, as NumPy does: one that reads or writes lists,
    attributes or outer variables, catches exceptions, prints, draws random numbers, uses texts, recurses by a value,
    returns what is no number; decides by what may differ in its last digits (`x ** 2 - y ** 2 > 4` with floats; not
    `x * x - y * y > 4`); takes lists or long doubles; has a `signature`, or `cache=True` and no `otypes`; and so is
    any function for a few elements, or inside `errstate` that watches errors.

    Differs from NumPy where the function is compiled: functions of `math`, powers of floats and moduli of complex
    numbers may end in other digits (as ufuncs do), and warnings of the loop, or of NumPy's scalars in it, are not
    given. Where it is traced: it computes by the rules of arrays and in their dtype (division by zero gives inf and
    does not raise ZeroDivisionError, integers wrap, float32 is rounded at each step), and what it does besides
    computing is done twice, not once for each element.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.pyfunc is NO_VALUE or self.signature is not None:
            args = tuple(np.asarray(one) if isinstance(one, ndarray) else one for one in args)
            kwargs = {key: np.asarray(one) if isinstance(one, ndarray) else one for key, one in kwargs.items()}
        elif self.otypes is not None or not self.cache:
            found = compiled(self.pyfunc, Arguments(args, dict(kwargs), self.excluded), self.otypes)
            if found is not None:
                return tuple(map(_own, found)) if isinstance(found, tuple) else _own(found)
        made = super().__call__(*args, **kwargs)
        if self.pyfunc is NO_VALUE or made is self:  # it was used as a decorator with arguments
            return made
        return tuple(map(_own, made)) if isinstance(made, tuple) else _own(made)

    def _vectorize_call(self, func: Callable[..., Any], args: Any) -> Any:
        """NumPy's own step after `excluded` and keywords are dealt with."""
        if self.signature is None and args and (self.otypes is not None or not self.cache):
            made = self._traced(func, args) if traceable(self.pyfunc) else None
            if made is not None:
                return made
        plain = [np.asarray(one) if isinstance(one, ndarray) else one for one in args]
        return super()._vectorize_call(func=func, args=plain)  # type: ignore[misc]

    def _traced(self, func: Callable[..., Any], args: Any) -> Any:
        try:
            inputs = [asarray(one) for one in args]
            shape = np.broadcast_shapes(*(one.shape for one in inputs))
        except (TypeError, ValueError):  # text, objects, shapes that do not fit: NumPy words the error
            return None
        if 0 in shape and self.otypes is None:
            return None
        found = _trace(func, len(inputs))
        if found is None:
            return None
        tape, places, several = found
        wanted = self.otypes
        if wanted is not None and (len(wanted) != len(places) or not all(supported(np.dtype(one)) for one in wanted)):
            return None
        try:
            made = _replay(tape, inputs, places, wanted, shape)
        except (TypeError, ValueError, OverflowError):  # numbers know more operations than arrays do: -2, complex < ...
            return None
        return tuple(made) if several else made[0]


def _own(value: Any) -> Any:
    plain = np.asarray(value) if not isinstance(value, ndarray) else value
    return asarray(plain) if supported(plain.dtype) else value


vectorize.__module__ = "asnumpy"
vectorize.__doc__ = f"{vectorize.__doc__}\n\n{np.vectorize.__doc__}"


class _PythonFunction:
    """What frompyfunc makes: a ufunc of NumPy's that calls Python, which takes arrays of ours."""

    def __init__(self, made: np.ufunc) -> None:
        self.numpy = made
        self.__name__ = self.__qualname__ = made.__name__
        self.__doc__ = made.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return host_result(self.numpy, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.numpy, name)
        if not callable(found):
            return found
        return lambda *args, **kwargs: host_result(found, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"


@public
def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, **kwargs: Any) -> Any:
    """The ufunc runs on the host; its results are NumPy's arrays of objects."""
    return _PythonFunction(np.frompyfunc(func, nin, nout, **kwargs))
