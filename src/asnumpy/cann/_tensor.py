"""Memory of the device that is not an array: the result of another library, or an array in a format of its own."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.cann import _facts

ALIGNMENT = 32


class Tensor:
    """A tensor for `cann.op`: device memory with shape, dtype, strides and offset. `cann.tensor` makes them."""

    __slots__ = ("address", "device", "dtype", "format", "offset", "owner", "shape", "storage", "strides")

    address: int                      # of the storage
    shape: tuple[int, ...]
    dtype: np.dtype
    strides: tuple[int, ...]          # in elements, as the offset
    offset: int
    storage: tuple[int, ...]          # shape of the memory
    format: str
    device: int
    owner: Any                        # kept alive as long as the tensor

    @property
    def nbytes(self) -> int:
        """Bytes of its elements."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.shape)

    def __repr__(self) -> str:
        text = f"cann.tensor({self.address:#x}, {self.shape}, {self.dtype.name!r}"
        if self.strides != contiguous(self.shape):
            text += f", strides={self.strides}"
        if self.offset:
            text += f", offset={self.offset}"
        if self.format != "ND":
            text += f", format={self.format!r}"
        return f"{text}, device={self.device})"


def contiguous(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of a C-contiguous tensor."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _lengths(value: Any, what: str) -> tuple[int, ...]:
    try:
        lengths = (operator.index(value),) if not isinstance(value, Sequence) else tuple(map(operator.index, value))
    except TypeError:
        raise TypeError(f"cann.tensor: {what}: expected integers, got {value!r}") from None
    if any(one < 0 for one in lengths):
        raise ValueError(f"cann.tensor: {what}: expected integers of at least 0, got {value!r}")
    return lengths


def _format(name: str) -> str:
    if name not in _facts.formats():
        raise ValueError(f"cann.tensor: format: expected one of {', '.join(_facts.formats())}, got {name!r}")
    return name


def tensor(
    address: Any, shape: Any = None, dtype: Any = None, strides: Any = None, offset: int = 0, *, storage: Any = None,
    format: str = "ND", device: int = 0, owner: Any = None,
) -> Tensor:
    """Describes device memory that an operator shall read or write.

    Parameters: address, an int: where the memory starts, a multiple of 32; or an array of asnumpy on the device, whose
    shape and strides are taken (then only `format` is given); shape; dtype; strides and offset, in elements, as
    aclTensor counts them (None: C-contiguous); storage, the shape of the memory behind the view (None: one axis, as
    long as the view reaches); format, such as "NCHW" for convolutions; device, its number; owner, an object that is
    kept alive with the tensor. The memory must stay until the stream has passed the operators that use it.
    """
    made = Tensor()
    made.format = _format(format)
    if isinstance(address, ndarray):
        given = {"shape": shape, "dtype": dtype, "strides": strides, "storage": storage, "owner": owner}
        extra = [name for name, value in given.items() if value is not None]
        if extra or offset:
            raise TypeError(f"cann.tensor: an array brings its own {', '.join(extra or ['offset'])}")
        if str(address.device) == "cpu":
            raise ValueError(
                "cann.tensor: expected an array on an Ascend device, got one on cpu; to_device('ascend:0') moves it"
            )
        return of_array(address, made, written=True)
    if shape is None or dtype is None:
        raise TypeError("cann.tensor: expected an address with shape and dtype, or an array of asnumpy")
    try:
        made.address = operator.index(address)
    except TypeError:
        raise TypeError(f"cann.tensor: address: expected an int or an array of asnumpy, got {address!r}") from None
    made.shape, made.dtype = _lengths(shape, "shape"), np.dtype(dtype)
    made.strides = contiguous(made.shape) if strides is None else _lengths(strides, "strides")
    if len(made.strides) != len(made.shape):
        raise ValueError(f"cann.tensor: strides: expected {len(made.shape)}, one per axis, got {made.strides}")
    (made.offset,) = _lengths(offset, "offset")
    empty = 0 in made.shape
    reach = sum((length - 1) * step for length, step in zip(made.shape, made.strides, strict=True))
    reach = 0 if empty else made.offset + reach + 1
    made.storage = (reach,) if storage is None else _lengths(storage, "storage")
    if math.prod(made.storage) < reach:
        raise ValueError(f"cann.tensor: storage: expected at least {reach} elements for this view, got {made.storage}")
    if made.address % ALIGNMENT or (not made.address and not empty):
        raise ValueError(
            f"cann.tensor: address: expected a multiple of {ALIGNMENT}, got {made.address:#x}; give the address of the "
            "memory and the rest as offset"
        )
    made.device, made.owner = operator.index(device), owner
    return made


def of_array(array: ndarray, made: Tensor | None = None, *, written: bool = False) -> Tensor:
    """The array as a tensor of its device, which keeps it alive. ValueError where no aclTensor can say its strides.

    What is recorded and concerns it is enqueued. Afterwards, the tensor is in order with the array's other uses for as
    long as `refresh` is called before each use.
    """
    if made is None:
        made = Tensor()
        made.format = "ND"
    item = array.dtype.itemsize
    made.shape, made.dtype, made.owner = tuple(array.shape), array.dtype, array
    made.device = array.device.id
    made.strides = tuple(
        step // item if length > 1 else 1 for step, length in zip(array.strides, made.shape, strict=True)
    )
    if array.size and any(step < 0 for step in made.strides):
        raise ValueError("expected strides of at least 0, got a reversed view; give a copy of it")
    address = _core.cann_address(array, written) if array.size else 0
    rest = address % (2 * ALIGNMENT)
    if rest % item:
        raise ValueError(f"expected elements at multiples of their size ({item}), got {address:#x}; give a copy")
    made.address, made.offset = address - rest, rest // item
    reach = sum((length - 1) * step for length, step in zip(made.shape, made.strides, strict=True))
    made.storage = (made.offset + reach + 1 if array.size else 0,)
    return made


def refresh(tensor: Tensor, written: bool) -> None:
    """Enqueues what was recorded meanwhile and concerns the array behind the tensor, if that is one."""
    if isinstance(tensor.owner, ndarray) and tensor.owner.size:
        _core.cann_address(tensor.owner, written)
