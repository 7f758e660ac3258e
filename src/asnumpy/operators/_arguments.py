"""A call's arguments by the parameters of a kernel: what ElementwiseKernel and ReductionKernel share."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from asnumpy import creation
from asnumpy.array import ndarray
from asnumpy.operators._types import Parameter, dtype_of, is_letter
from asnumpy.runtime import Stream


class Arguments:
    """A call's arrays by the kernel's parameters: types of letters, the common shape, raw arrays."""

    def __init__(self, kernel: str, inputs: Sequence[Parameter], outputs: Sequence[Parameter], given: Sequence[Any],
                 size: int | None) -> None:  # fmt: skip
        if len(given) not in (len(inputs), len(inputs) + len(outputs)):
            raise TypeError(
                f"{kernel}: expected {len(inputs)} arguments, or {len(inputs) + len(outputs)} with the outputs, "
                f"got {len(given)}"
            )
        self._kernel, self._inputs, self._outputs = kernel, inputs, outputs
        self.letters: dict[str, np.dtype] = {}
        self.inputs = [self._input(parameter, value) for parameter, value in zip(inputs, given, strict=False)]
        self.given_outputs = [self._output(*pair) for pair in zip(outputs, given[len(inputs) :], strict=False)]
        self.check_types(inputs, self.inputs)
        self.check_types(outputs, self.given_outputs)
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

    def values(self) -> dict[str, Any]:
        """The inputs by name, but those that are raw."""
        pairs = zip(self._inputs, self.inputs, strict=True)
        return {parameter.name: value for parameter, value in pairs if not parameter.raw}

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

    def check_types(self, declared: Sequence[Parameter], values: Sequence[Any]) -> None:
        """TypeError for arrays whose dtypes are not those of their parameters; a letter's first array tells it."""
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
