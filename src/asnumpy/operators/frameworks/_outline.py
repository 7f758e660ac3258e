"""What a call gives by the shapes and dtypes of its inputs alone: for frameworks that trace programs without values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from asnumpy.operators._binding import Binder
from asnumpy.operators._call import full_shape
from asnumpy.operators._declaration import Declaration, Tensor, dtype_named


@dataclass(frozen=True)
class Outline:
    """An array without elements. A length may be a framework's symbol."""

    shape: tuple[Any, ...]
    dtype: np.dtype

    @property
    def ndim(self) -> int:
        """How many axes."""
        return len(self.shape)

    @property
    def size(self) -> Any:
        """How many elements."""
        return math.prod(self.shape)


class Outliner(Binder):
    """A declaration's outputs; `broadcast` is for lengths that NumPy's own cannot compare."""

    def __init__(self, declaration: Declaration, broadcast: Callable[..., Any] = np.broadcast_shapes) -> None:
        super().__init__(declaration)
        self._broadcast = broadcast

    def outputs(self, given: Sequence[Outline | None], attributes: dict[str, Any]) -> list[Outline]:
        """Those of a call with such inputs, None for what is left out; TypeError, ValueError as a call has them."""
        for tensor, value in zip(self.declaration.inputs, given, strict=True):
            if value is None and not tensor.optional:
                self.refuse(TypeError, tensor.name, "an array", "None")
        letters = self._letters(list(given), attributes)
        sizes, batch = self._sizes(list(given), attributes)
        return [Outline(shape, dtype) for shape, dtype in self._outputs(batch, sizes, letters, attributes)]

    def kernel_inputs(self, given: Sequence[Outline | None],
                      attributes: dict[str, Any]) -> tuple[list[Outline], dict[str, np.dtype]]:  # fmt: skip
        """What a kernel gets for such inputs, none of which is left out: whole shapes, the dtypes of letters."""
        letters = self._letters(list(given), attributes)
        sizes, batch = self._sizes(list(given), attributes)
        wanted = []
        for tensor in self.declaration.inputs:
            dtype = letters.get(tensor.type) or dtype_named(tensor.type)
            assert dtype is not None
            wanted.append(Outline(full_shape(tensor, batch, sizes), dtype))
        return wanted, letters

    def attributes(self, given: dict[str, Any]) -> dict[str, Any]:
        """Checked, as an operator's implementations get them."""
        return {one.name: self._attribute(one, given[one.name]) for one in self.declaration.attributes}

    def _batch(self, batches: list[tuple[Tensor, tuple[int, ...]]]) -> tuple[int, ...]:
        if not batches or self._broadcast is np.broadcast_shapes:
            return super()._batch(batches)
        return tuple(self._broadcast(*(axes for _, axes in batches)))
