"""ReductionKernel: a few lines of C before, between and after the elements of an axis are joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from asnumpy import creation, manipulation, reduction
from asnumpy.array import ndarray
from asnumpy.operators._arguments import Arguments, on
from asnumpy.operators._lanes import Lanes
from asnumpy.operators._syntax import Assign, Binary, Call, Expression, Name, Parser
from asnumpy.operators._types import dtype_of, is_type, parameters
from asnumpy.runtime import Stream
from asnumpy.ufunc import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    errstate,
)

# What joins a and b has a reduction of its own.
_KNOWN = {
    "+": reduction.sum, "*": reduction.prod, "max": reduction.amax, "min": reduction.amin, "&&": reduction.all,
    "||": reduction.any, "&": bitwise_and.reduce, "|": bitwise_or.reduce, "^": bitwise_xor.reduce,
}  # fmt: skip


def _joined_by(expression: Expression) -> str | None:
    """The sign or function, where the expression is one of a and b alone."""
    match expression:
        case Binary(sign=sign, left=Name(name=left), right=Name(name=right)) if {left, right} == {"a", "b"}:
            return sign if sign in _KNOWN else None
        case Call(name="min" | "max" as name, arguments=(Name(name=left), Name(name=right))) if {left, right} == {
            "a",
            "b",
        }:
            return name
    return None


class ReductionKernel:
    """A reduction of arrays whose steps are a few lines of C.

    Each element is mapped, mapped values are joined in pairs, and the last is mapped to the output. The lines are
    translated to asnumpy's own operations, as those of `ElementwiseKernel`.

    Parameters
    ----------
    in_params, out_params : str
        As those of `ElementwiseKernel`.
    map_expr : str
        The value of an element, an expression of the inputs: ``"x * x"``.
    reduce_expr : str
        What joins two values ``a`` and ``b``: ``"a + b"``, ``"max(a, b)"``, or any other expression in which their
        order does not matter.
    post_map_expr : str
        An assignment of the output from the joined value ``a``: ``"y = sqrt(a)"``. ``_in_ind.size()`` and
        ``_out_ind.size()`` are the numbers of elements before and after.
    identity : str or number
        What joins with any value to that value; the result of no elements. None: there is none.
    name : str
        What errors call it.
    reduce_type : str, optional
        The type of the values that are joined; otherwise the output's.
    reduce_dims, preamble, options
        For code that is compiled; a preamble is refused.

    Examples
    --------
    >>> import asnumpy as ap
    >>> norm = ap.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> norm(ap.array([[3.0, 4.0], [6.0, 8.0]]), axis=1)
    array([ 5., 10.])
    """

    def __init__(self, in_params: str, out_params: str, map_expr: str, reduce_expr: str, post_map_expr: str,
                 identity: Any, name: str = "reduce_kernel", reduce_type: str | None = None, reduce_dims: bool = True,
                 preamble: str = "", options: Sequence[str] = ()) -> None:  # fmt: skip
        if preamble.strip():
            raise ValueError(f"{name}: preamble: expected none; what a kernel needs stands in its expressions")
        self.name = name
        self.in_params = parameters(in_params, name, "in_params")
        self.out_params = parameters(out_params, name, "out_params")
        if len(self.out_params) != 1 or self.out_params[0].raw:
            raise ValueError(f"{name}: out_params: expected one output that is not raw, got {out_params!r}")
        self.identity = None if identity is None or identity == "" else identity
        self.reduce_type = reduce_type
        self._map_parser = Parser(map_expr, f"{name}, map_expr", is_type)
        self._map = self._map_parser.expression_alone()
        self._join_parser = Parser(reduce_expr, f"{name}, reduce_expr", is_type)
        self._join = self._join_parser.expression_alone()
        self._post_parser = Parser(
            post_map_expr.replace("_in_ind", "in").replace("_out_ind", "out"), f"{name}, post_map_expr", is_type
        )
        self._post = self._post_parser.statements()
        if not any(isinstance(each, Assign) for each in self._post):
            raise ValueError(f"{name}: post_map_expr: expected an assignment such as 'y = a', got {post_map_expr!r}")

    def __repr__(self) -> str:
        return f"<ReductionKernel {self.name}>"

    def __call__(
        self,
        *args: Any,
        out: ndarray | None = None,
        axis: int | tuple[int, ...] | None = None,
        keepdims: bool = False,
        stream: Stream | None = None,
    ) -> Any:
        """Reduce these inputs.

        Parameters
        ----------
        *args : ndarray or number
            The inputs, which broadcast, and then, if it is given, the output.
        out : ndarray, optional
            The output, which is filled.
        axis : int or tuple of int, optional
            Which axes; all of them otherwise.
        keepdims : bool
            Keep reduced axes with one element.
        stream : Stream, optional
            Where it runs; the current stream otherwise.

        Returns
        -------
        ndarray
        """
        with on(stream), errstate(all="ignore"):
            if out is None and len(args) > len(self.in_params):
                out, args = args[-1], args[:-1]
            arguments = Arguments(self.name, self.in_params, (), args, None)
            if out is not None:
                arguments.check_types(self.out_params, [out])
            values = arguments.values()
            lanes = Lanes(
                self._map_parser, arguments.letters, arguments.shape, values, arguments.raw, arguments.device
            )
            mapped = creation.asarray(lanes.value(self._map), device=arguments.device)
            dtype = self._reduced_dtype(arguments, mapped)
            mapped = manipulation.broadcast_to(mapped.astype(dtype), arguments.shape)
            axes = (
                tuple(range(mapped.ndim))
                if axis is None
                else np.lib.array_utils.normalize_axis_tuple(axis, mapped.ndim)
            )
            joined = self._joined(mapped, axes, dtype, arguments)
            shape = tuple(1 if k in axes else n for k, n in enumerate(mapped.shape) if keepdims or k not in axes)
            joined = joined.reshape(shape)
            result = self._finished(joined, arguments, mapped.size)
            if out is None:
                return result
            if out.shape != shape:
                raise ValueError(f"{self.name}: out: expected the shape {shape}, got {out.shape}")
            out[...] = result
            return out

    def _reduced_dtype(self, arguments: Arguments, mapped: ndarray) -> np.dtype:
        name = self.reduce_type or self.out_params[0].type
        return dtype_of(name, arguments.letters) or mapped.dtype

    def _joined(self, mapped: ndarray, axes: tuple[int, ...], dtype: np.dtype, arguments: Arguments) -> ndarray:
        kept = tuple(k for k in range(mapped.ndim) if k not in axes)
        flat = manipulation.transpose(mapped, (*kept, *axes)).reshape(*[mapped.shape[k] for k in kept], -1)
        if flat.shape[-1] == 0:
            if self.identity is None:
                raise ValueError(f"{self.name}: there are no elements, and the kernel has no identity")
            return creation.full(flat.shape[:-1], dtype.type(self.identity), device=arguments.device)
        known = _joined_by(self._join)
        if known in ("+", "*"):
            return creation.asarray(_KNOWN[known](flat, axis=-1, dtype=dtype)).astype(dtype)  # type: ignore[operator]
        if known is not None:
            return creation.asarray(_KNOWN[known](flat, axis=-1)).astype(dtype)  # type: ignore[operator]
        # Halves are joined with each other; an element that is left over waits for the next round.
        while (n := flat.shape[-1]) > 1:
            left, right = flat[..., : n // 2], flat[..., n // 2 : n // 2 * 2]
            lanes = Lanes(
                self._join_parser, arguments.letters, left.shape, {"a": left, "b": right}, {}, arguments.device
            )
            joined = manipulation.broadcast_to(creation.asarray(lanes.value(self._join)).astype(dtype), left.shape)
            flat = joined if n % 2 == 0 else manipulation.concatenate([joined, flat[..., -1:]], axis=-1)
        return flat[..., 0]

    def _finished(self, joined: ndarray, arguments: Arguments, count: int) -> ndarray:
        parameter = self.out_params[0]
        dtype = dtype_of(parameter.type, arguments.letters) or joined.dtype
        sizes = {"in": _Sized(count), "out": _Sized(joined.size)}
        values = {"a": joined, parameter.name: dtype.type(0)}
        lanes = Lanes(self._post_parser, arguments.letters, joined.shape, values, sizes, arguments.device)  # type: ignore[arg-type]
        lanes.run(self._post)
        result = creation.asarray(lanes.values[parameter.name], dtype=dtype, device=arguments.device)
        return manipulation.broadcast_to(result, joined.shape).copy() if result.shape != joined.shape else result


class _Sized:
    """What `_in_ind.size()` asks."""

    def __init__(self, size: int) -> None:
        self.size = size
