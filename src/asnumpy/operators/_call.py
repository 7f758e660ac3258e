"""A call that was checked, and its form: what calls that are alike share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import EllipsisType
from typing import Any

import numpy as np

from asnumpy import manipulation
from asnumpy.operators._cuda_arrays import CudaArray
from asnumpy.operators._declaration import Declaration, Tensor, length


@dataclass(frozen=True)
class Form:
    """What follows from a call's dtypes, shapes, device and attributes alone: alike calls share it."""

    declaration: Declaration
    device: str                                     # "cpu", "ascend:0"..., "cuda"
    letters: Mapping[str, np.dtype]
    sizes: Mapping[str, int]
    batch: tuple[int, ...]                          # what `...` stands for
    outputs: tuple[tuple[tuple[int, ...], np.dtype], ...]
    inputs: tuple[tuple[tuple[int, ...], np.dtype] | None, ...]  # once they have the operator's dtypes
    kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # what others make of it

    @cached_property
    def kind(self) -> str:
        """The kind of the device."""
        return self.device.partition(":")[0]

    @cached_property
    def dtypes(self) -> list[np.dtype]:
        """Those of the inputs that came."""
        return [one[1] for one in self.inputs if one is not None]

    @cached_property
    def size(self) -> int:
        """The number of elements of the largest array."""
        shapes = [one[0] for one in self.inputs if one is not None] + [shape for shape, _ in self.outputs]
        return max(map(math.prod, shapes), default=0)

    @cached_property
    def writes(self) -> bool:
        """Whether there is an element to write."""
        return any(math.prod(shape) for shape, _ in self.outputs)

    @cached_property
    def kernel_shapes(self) -> tuple[tuple[int, ...] | None, ...]:
        """The inputs' shapes as kernels get them; None where they are those already."""
        full = [one and full_shape(tensor, self.batch, self.sizes)
                for tensor, one in zip(self.declaration.inputs, self.inputs, strict=True)]
        return tuple(None if one is None or one[0] == shape else shape
                     for one, shape in zip(self.inputs, full, strict=True))


@dataclass(slots=True)
class Call:
    """One call, checked. `given` are the arrays as they came, in no order of memory; None for what was left out."""

    form: Form
    given: list[Any]
    attributes: dict[str, Any]
    out: tuple[Any, ...] | None
    _kernel_inputs: list[Any] | None = field(default=None, repr=False)

    @property
    def declaration(self) -> Declaration:
        """The operator's."""
        return self.form.declaration

    @property
    def device(self) -> str:
        """Where its arrays lie."""
        return self.form.device

    @property
    def kind(self) -> str:
        """The kind of the device."""
        return self.form.kind

    @property
    def letters(self) -> Mapping[str, np.dtype]:
        """The dtype of each letter."""
        return self.form.letters

    @property
    def sizes(self) -> Mapping[str, int]:
        """The length of each symbol."""
        return self.form.sizes

    @property
    def batch(self) -> tuple[int, ...]:
        """What `...` stands for."""
        return self.form.batch

    @property
    def outputs(self) -> tuple[tuple[tuple[int, ...], np.dtype], ...]:
        """Shape and dtype of each output."""
        return self.form.outputs

    @property
    def dtypes(self) -> list[np.dtype]:
        """Those of the inputs that came."""
        return self.form.dtypes

    @property
    def size(self) -> int:
        """The number of elements of the largest array."""
        return self.form.size

    def kernel_inputs(self) -> list[Any]:
        """As kernels get them: each in C order, and those with `...` as large as it is."""
        if self._kernel_inputs is None:
            if self.form.kind == "cuda":
                self._kernel_inputs = [value.array if isinstance(value, CudaArray) else value for value in self.given]
            else:
                self._kernel_inputs = [
                    value if shape is None and (value is None or value._flags_c_contiguous) else _full(value, shape)
                    for value, shape in zip(self.given, self.form.kernel_shapes, strict=True)
                ]
        return self._kernel_inputs


def _full(value: Any, shape: tuple[int, ...] | None) -> Any:
    if shape is not None:
        if math.prod(shape) == value.size:
            value = value.reshape(shape)  # axes of one element: such a view may be written where the array may
        else:
            value = manipulation.broadcast_to(value, shape)
    return value if value._flags_c_contiguous else value.copy(order="C")


def full_shape(tensor: Tensor, batch: tuple[int, ...], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """A shape with the values of its symbols."""
    made: list[int] = []
    for axis in tensor.shape:
        made += batch if isinstance(axis, EllipsisType) else [length(axis, sizes)]
    return tuple(made)
