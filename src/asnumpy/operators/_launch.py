"""A kernel's launch by expressions over the declaration, so that Python and C do it alike."""

from __future__ import annotations

from typing import Any

from asnumpy.operators._declaration import Declaration
from asnumpy.operators._expressions import KINDS, Scope
from asnumpy.operators._operator import Operator
from asnumpy.operators._raw import RawKernel, RawModule


class Launch:
    """An implementation that launches one kernel, with arguments that are expressions.

    Attached like a function (``op.cpu(Launch(...))``, ``op.ascend(Launch(...))``), it does what the function would; but
    a library for C, MindSpore or JAX can launch it, too, without Python.

    Parameters
    ----------
    operator : Operator
        Whose implementation it is. It has no inputs that may be left out; its attributes are int, float or bool.
    kernel : RawKernel
        The kernel, of its own or of a `RawModule`.
    blocks : str or int
        How many blocks.
    args : str
        Its arguments, between commas: inputs and outputs by their names, and expressions of numbers. These are made of
        the declaration's symbols (the lengths of axes), of attributes, ``threads``, ``size(x)``, ``min``, ``max``,
        ``+ - * / // %``, comparisons and ``x if y else z``. ``int32(n)`` gives a number its type, where the kernel's
        declaration does not: of a file that was compiled before.
    **names : str
        Expressions by names of their own, for use in the others.

    Examples
    --------
    >>> import asnumpy as ap
    >>> scaled = ap.operator("scaled(x: f8[...], *, by: float = 2.0) -> y: f8[...]")
    >>> kernel = ap.RawKernel('''
    ... #include <cstdint>
    ... extern "C" void scale(int64_t block, int64_t blocks, const double* x, double* y, double by, int64_t n) {
    ...     for (int64_t i = block; i < n; i += blocks) y[i] = x[i] * by;
    ... }
    ... ''', "scale")
    >>> launch = ap.operators.Launch(scaled, kernel, blocks="min(size(x), threads)", args="x, y, by, size(x)")
    >>> scaled.cpu(launch)
    <Launch of scale for scaled>
    >>> scaled(ap.arange(3.0, device="cpu"))
    array([0., 2., 4.])
    """

    def __init__(self, operator: Operator, kernel: RawKernel, *, blocks: str | int, args: str, **names: str) -> None:
        _expect(operator, kernel)
        self.operator, self.kernel = operator, kernel
        scope = Scope(operator.declaration, f"Launch: {operator.name}", outputs=True)
        for name, text in names.items():
            scope.define(name, text)
        self.blocks, self.args = scope.number(blocks), scope.values(args)
        if self.blocks.type != "int":
            raise ValueError(f"Launch: {operator.name}: blocks: expected an int, got a {self.blocks.type}: {blocks}")
        self._values = scope.function([self.blocks, *self.args])

    def __repr__(self) -> str:
        return f"<Launch of {self.kernel.name} for {self.operator.name}>"

    def __call__(self, *arrays: Any, **attributes: Any) -> None:
        """Launch the kernel on the inputs and the outputs."""
        blocks, *args = self._values(*arrays, **attributes)
        self.kernel(blocks, args)

    @property
    def module(self) -> RawModule:
        """What the kernel is of."""
        return self.kernel._module


def _expect(operator: Operator, kernel: RawKernel) -> None:
    for what, kind in ((operator, Operator), (kernel, RawKernel)):
        if not isinstance(what, kind):
            raise TypeError(f"Launch: expected one of {kind.__name__}, got {type(what).__name__}")
    if why := unfit(operator.declaration):
        raise ValueError(f"Launch: {operator.name}: {why}; attach a function that launches the kernel")


def unfit(declaration: Declaration) -> str:
    """Why expressions cannot say all of a call to a kernel; nothing where they can."""
    for tensor in declaration.inputs:
        if tensor.optional:
            return f"{tensor.name}: an input that may be left out is no argument of a kernel"
    for one in declaration.attributes:
        if one.kind not in KINDS or one.default is None:
            return f"{one.name}: expected attributes of type int, float or bool that are never None, got {one}"
    return ""
