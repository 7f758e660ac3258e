"""ElementwiseKernel: a few lines of C for every element, run as operations that fuse on every device."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from asnumpy import creation, manipulation
from asnumpy.array import ndarray
from asnumpy.operators._lanes import Lanes
from asnumpy.operators._syntax import Parser, Statement
from asnumpy.operators._types import Parameter, dtype_of, is_letter, is_type, parameters
from asnumpy.runtime import Stream
from asnumpy.ufunc import errstate


class Arguments:
    """A call's arrays by the kernel's parameters: types of letters, the common shape, raw arrays."""

    def __init__(self, kernel: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter], given: Sequence[Any],
                 size: int | None) -> None:  # fmt: skip
        if len(given) not in (len(inputs), len(inputs) + len(outputs)):
            raise TypeError(
                f"{kernel}: expected {len(inputs)} arguments, or {len(inputs) + len(outputs)} with the outputs, "
                f"got {len(given)}"
            )
        self._kernel, self._outputs = kernel, outputs
        self.letters: dict[str, np.dtype] = {}
        self.inputs = [self._input(parameter, value) for parameter, value in zip(inputs, given, strict=False)]
        self.given_outputs = [self._output(*pair) for pair in zip(outputs, given[len(inputs) :], strict=False)]
        self._types(inputs, self.inputs)
        self._types(outputs, self.given_outputs)
        self.inputs = [self._scalar(*pair) for pair in zip(inputs, self.inputs, strict=True)]
        self.shape = self._shape(inputs, size)
        self.raw = {
            parameter.name: value
            for parameter, value in [
                *zip(inputs, self.inputs, strict=True),
                *zip(outputs, self.given_outputs, strict=False),
            ]
            if parameter.raw
        }
        arrays = [value for value in [*self.inputs, *self.given_outputs] if isinstance(value, ndarray)]
        self.device = arrays[0].device if arrays else None

    def dtype(self, parameter: Parameter) -> np.dtype:
        """The dtype of a parameter, whose letter an argument has told."""
        dtype = dtype_of(parameter.type, self.letters)
        if dtype is None:
            raise TypeError(
                f"{self._kernel}: no argument tells the type {parameter.type!r} of {parameter.name!r}; give the output"
            )
        return dtype

    def _input(self, parameter: Parameter, value: Any) -> Any:
        if isinstance(value, ndarray):
            return value
        if isinstance(value, np.ndarray):
            return creation.asarray(value)
        if parameter.raw or not isinstance(value, bool | int | float | complex | np.generic):
            expected = "an array" if parameter.raw else "an array or a number"
            raise TypeError(f"{self._kernel}: {parameter.name!r}: expected {expected}, got {type(value).__name__}")
        return value

    def _output(self, parameter: Parameter, value: Any) -> ndarray:
        if not isinstance(value, ndarray):
            raise TypeError(
                f"{self._kernel}: the output {parameter.name!r}: expected an asnumpy array, got {type(value).__name__}"
            )
        return value

    def _types(self, declared: Sequence[Parameter], values: Sequence[Any]) -> None:
        for parameter, value in zip(declared, values, strict=False):
            if not isinstance(value, ndarray | np.generic):
                continue
            expected = dtype_of(parameter.type, self.letters)
            if is_letter(parameter.type):
                expected = self.letters.setdefault(parameter.type, value.dtype)
            if isinstance(value, ndarray) and expected != value.dtype:
                raise TypeError(
                    f"{self._kernel}: {parameter.name!r}: expected {expected} ({parameter.type}), got {value.dtype}; "
                    f"convert it with astype"
                )

    def _scalar(self, parameter: Parameter, value: Any) -> Any:
        if isinstance(value, ndarray):
            return value
        dtype = dtype_of(parameter.type, self.letters)
        if dtype is None:  # numbers alone: as NumPy takes them
            dtype = self.letters.setdefault(parameter.type, np.asarray(value).dtype)
        return dtype.type(value)

    def _shape(self, inputs: Sequence[Parameter], size: int | None) -> tuple[int, ...]:
        arrays = [*zip(inputs, self.inputs, strict=True)]
        shapes = [value.shape for parameter, value in arrays if isinstance(value, ndarray) and not parameter.raw]
        outputs = [*zip(self._outputs, self.given_outputs, strict=False)]
        if not shapes:
            shapes = [value.shape for parameter, value in outputs if not parameter.raw][:1]
        if size is not None:
            if shapes:
                raise ValueError(f"{self._kernel}: size is for calls whose arrays are all raw")
            return (int(size),)
        if not shapes and any(isinstance(value, ndarray) for value in self.inputs):
            raise ValueError(f"{self._kernel}: all arrays are raw: say how many elements are meant by size=")
        shape = np.broadcast_shapes(*shapes)
        for parameter, value in outputs:
            if not parameter.raw and value.shape != shape:
                raise ValueError(
                    f"{self._kernel}: the output {parameter.name!r}: expected the shape {shape}, got {value.shape}"
                )
        return shape


def on(stream: Stream | None) -> Any:
    """The stream as the current one, or none."""
    return nullcontext() if stream is None else stream


class ElementwiseKernel:
    """A function of arrays whose elements are computed by a few lines of C.

    The lines are translated to asnumpy's own operations: they run on every device, deferred and fused with what stands
    around them, and need no compiler.

    Parameters
    ----------
    in_params, out_params : str
        Types and names, with commas between them: ``"T x, raw float32 table"``. A type is C's, NumPy's, or a capital
        letter for the type of whatever argument comes. Arguments broadcast; a ``raw`` one does not and is indexed,
        ``table[i]``.
    operation : str
        Statements of C: declarations, assignments (also ``+=`` and its like, ``++``), ``if`` and ``else``, ``?:``,
        arithmetic, comparisons, bits, casts and functions (``exp``, ``min``, ``pow``...). ``i`` is the element's index,
        ``n`` (or ``_ind.size()``) their number, ``table.size()`` that of a raw array. Types are C's: small integers
        compute as int, quotients of integers are cut towards zero, ``1.0`` is a double and ``1.0f`` a float.
    name : str
        What errors call it.
    reduce_dims : bool
        Accepted for CuPy's sake: it changes no value.
    return_tuple : bool
        Give a tuple for a single output, too.
    preamble, options, loop_prep, after_loop, no_return, doc
        For code that is compiled; a preamble or loop code is refused.

    Raises
    ------
    ValueError
        If the text is not in that subset of C: with line, column and the line itself.

    Examples
    --------
    >>> import asnumpy as ap
    >>> squared_difference = ap.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
    >>> squared_difference(ap.arange(4.0), 1.0)
    array([1., 0., 1., 4.])
    """

    def __init__(self, in_params: str, out_params: str, operation: str, name: str = "kernel", reduce_dims: bool = True,
                 preamble: str = "", no_return: bool = False, return_tuple: bool = False, loop_prep: str = "",
                 after_loop: str = "", options: Sequence[str] = (), doc: str | None = None) -> None:  # fmt: skip
        for what, code in (("preamble", preamble), ("loop_prep", loop_prep), ("after_loop", after_loop)):
            if code.strip():
                raise ValueError(f"{name}: {what}: expected none; what a kernel needs stands in its operation")
        self.name, self.operation, self.return_tuple, self.no_return = name, operation, return_tuple, no_return
        self.in_params = parameters(in_params, name, "in_params")
        self.out_params = parameters(out_params, name, "out_params")
        names = [parameter.name for parameter in (*self.in_params, *self.out_params)]
        if len(set(names)) != len(names):
            raise ValueError(f"{name}: a parameter's name stands twice in {names}")
        if not self.out_params:
            raise ValueError(f"{name}: expected an output in out_params")
        self._parser = Parser(operation, name, is_type)
        self._statements: tuple[Statement, ...] = self._parser.statements()
        self.__doc__ = doc if doc is not None else type(self).__doc__

    def __repr__(self) -> str:
        return f"<ElementwiseKernel {self.name}>"

    def __call__(
        self, *args: Any, size: int | None = None, stream: Stream | None = None, block_size: int | None = None
    ) -> Any:
        """Compute the outputs of these inputs.

        Parameters
        ----------
        *args : ndarray or number
            The inputs, and then, if they are given, the outputs, which are filled.
        size : int, optional
            How many elements are meant, where every array is raw.
        stream : Stream, optional
            Where it runs; the current stream otherwise.
        block_size : int, optional
            Accepted for CuPy's sake.

        Returns
        -------
        ndarray or tuple of ndarray
        """
        with on(stream):
            arguments = Arguments(self.name, self.in_params, self.out_params, args, size)
            values = {
                parameter.name: value
                for parameter, value in zip(self.in_params, arguments.inputs, strict=True)
                if not parameter.raw
            }
            for place, parameter in enumerate(self.out_params):
                if parameter.raw and not arguments.given_outputs:
                    raise TypeError(f"{self.name}: the output {parameter.name!r} is raw and has to be given")
                if not parameter.raw:
                    given = arguments.given_outputs[place : place + 1]
                    values[parameter.name] = given[0] if given else arguments.dtype(parameter).type(0)
            lanes = Lanes(self._parser, arguments.letters, arguments.shape, values, arguments.raw, arguments.device)
            with errstate(all="ignore"):
                lanes.run(self._statements)
                results = [self._result(lanes, arguments, place) for place in range(len(self.out_params))]
        if self.no_return:
            return None
        return results[0] if len(results) == 1 and not self.return_tuple else tuple(results)

    def _result(self, lanes: Lanes, arguments: Arguments, place: int) -> ndarray:
        parameter = self.out_params[place]
        if parameter.raw:
            return arguments.given_outputs[place]
        value = lanes.values[parameter.name]
        if arguments.given_outputs:
            output = arguments.given_outputs[place]
            if value is not output:
                output[...] = value
            return output
        if (
            isinstance(value, ndarray)
            and value.shape == arguments.shape
            and all(value is not each for each in arguments.inputs)
        ):
            return value
        dtype = arguments.dtype(parameter)
        return manipulation.broadcast_to(
            creation.asarray(value, dtype=dtype, device=arguments.device), arguments.shape
        ).copy()
