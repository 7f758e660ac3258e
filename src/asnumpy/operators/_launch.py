"""A kernel's launch by expressions over the declaration, so that Python and C do it alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy.operators._declaration import Declaration
from asnumpy.operators._expressions import KINDS, Scope, Value
from asnumpy.operators._operator import Operator
from asnumpy.operators._raw import RawKernel, RawModule


class Launch:
    """An implementation that launches one kernel, with arguments that are expressions.

    Attached like a function (``op.cpu(Launch(...))``, ``op.ascend(Launch(...))``), it does what the function would; but
    a library for C, MindSpore or JAX can launch it, too, without Python.

    Parameters
    ----------
    operator : Operator
        Whose implementation it is. Its attributes are int, float, bool, str or tuple, and never None.
    kernel : RawKernel
        The kernel, of its own or of a `RawModule`.
    blocks : str or int
        How many blocks.
    args : str
        Its arguments, between commas: inputs and outputs by their names, and expressions of numbers. These are made of
        the declaration's symbols (the lengths of axes), of attributes, ``threads``, ``size(x)``, ``min``, ``max``,
        ``+ - * / // %``, comparisons (of text, ``how == 'linear'``, too) and ``x if y else z``; ``len(axes)`` and
        ``axes[0]`` of tuples. ``int32(n)`` gives a number its type, where the kernel's
        declaration does not: of a file that was compiled before. An input that was left out is a null pointer, its
        size 0, and so are lengths that nothing else tells; ``given(bias)`` says whether it was there.
    workspace : str or int, optional
        Bytes of memory that the kernel gets behind `args`, as one more argument.
    tiling : str, optional
        Numbers that the kernel gets as a structure in memory, whose address is its last argument: ``"n, int32(rows)"``
        is ``struct { int64_t n; int32_t rows; }``. Without a type whole numbers are int64_t, others double.
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

    def __init__(self, operator: Operator, kernel: RawKernel, *, blocks: str | int, args: str,
                 workspace: str | int | None = None, tiling: str | None = None, **names: str) -> None:  # fmt: skip
        _expect(operator, kernel)
        self.operator, self.kernel = operator, kernel
        scope = Scope(operator.declaration, f"Launch: {operator.name}", outputs=True)
        for name, text in names.items():
            scope.define(name, text)
        self.blocks, self.args = _whole(scope, operator, "blocks", blocks), scope.values(args)
        self.workspace = None if workspace is None else _whole(scope, operator, "workspace", workspace)
        self.tiling = None if tiling is None else scope.values(tiling)
        if any(one.type == "tensor" for one in self.tiling or ()):
            raise ValueError(f"Launch: {operator.name}: tiling: expected numbers, got {tiling!r}")
        fields = [(f"f{i}", _FIELDS[c_type(one)]) for i, one in enumerate(self.tiling or ())]
        self._fields = np.dtype(fields, align=True)
        sizes = () if self.workspace is None else (self.workspace,)
        self._values = scope.function([self.blocks, *self.args])
        self._extras = scope.function([*sizes, *(self.tiling or ())])

    def __repr__(self) -> str:
        return f"<Launch of {self.kernel.name} for {self.operator.name}>"

    def __call__(self, *arrays: Any, **attributes: Any) -> None:
        """Launch the kernel on the inputs and the outputs."""
        blocks, *args = self._values(*arrays, **attributes)
        if self.workspace is None and self.tiling is None:
            self.kernel(blocks, args)
            return
        extras, workspace = list(self._extras(*arrays, **attributes)), 0
        if self.workspace is not None:
            workspace = extras.pop(0)
            if workspace < 0:
                raise ValueError(f"{self.kernel.name}: workspace: expected at least 0 bytes, got {workspace}")
            workspace = max(workspace, 1)  # there is an address in any case
        tiling = None if self.tiling is None else np.array(tuple(extras), self._fields)
        self.kernel(blocks, args, workspace=workspace, tiling=tiling)

    @property
    def module(self) -> RawModule:
        """What the kernel is of."""
        return self.kernel._module


_FIELDS = {
    **{f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "float": "float32", "double": "float64", "bool": "bool",
}  # fmt: skip


def c_type(value: Value) -> str:
    """Of a number in a structure."""
    return value.cast or {"int": "int64_t", "float": "double", "bool": "bool"}[value.type]


def _whole(scope: Scope, operator: Operator, what: str, text: str | int) -> Value:
    found = scope.number(text)
    if found.type != "int":
        raise ValueError(f"Launch: {operator.name}: {what}: expected an int, got a {found.type}: {text}")
    return found


def _expect(operator: Operator, kernel: RawKernel) -> None:
    for what, kind in ((operator, Operator), (kernel, RawKernel)):
        if not isinstance(what, kind):
            raise TypeError(f"Launch: expected one of {kind.__name__}, got {type(what).__name__}")
    if why := unfit(operator.declaration):
        raise ValueError(f"Launch: {operator.name}: {why}; attach a function that launches the kernel")


def unfit(declaration: Declaration) -> str:
    """Why expressions cannot say all of a call to a kernel; nothing where they can."""
    for one in declaration.attributes:
        if one.kind not in KINDS or one.default is None:
            kinds = f"{', '.join(KINDS[:-1])} or {KINDS[-1]}"
            return f"{one.name}: expected attributes of type {kinds} that are never None, got {one}"
    return ""
