"""ElementwiseKernel: a few lines of C for every element, run as operations that fuse on every device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from asnumpy import creation, manipulation
from asnumpy.array import ndarray
from asnumpy.operators._arguments import Arguments, on
from asnumpy.operators._lanes import Lanes
from asnumpy.operators._syntax import Parser, Statement
from asnumpy.operators._types import is_type, parameters
from asnumpy.runtime import Stream
from asnumpy.ufunc import errstate


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
            values = arguments.values()
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
