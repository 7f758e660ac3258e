"""The arguments of a launch as C gets them, held to the kernel's declaration: for kernels of every device."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from asnumpy.operators._signature import Declared

_LIMITS = {dtype: (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) for dtype in map(np.dtype, "bhilqBHILQ")}


class Memory(ABC):
    """What arguments are to a kind of kernels: the arrays' class, and what a launch asks of one."""

    kind: type
    accepts: str        # what an argument may be, in errors
    by_bytes: bool      # whether values for which C has no type of its own may be given by their bytes

    @abstractmethod
    def contiguous(self, array: Any) -> bool:
        """Whether it lies in C order."""

    @abstractmethod
    def writeable(self, array: Any) -> bool:
        """Whether its elements may be written."""

    @abstractmethod
    def address(self, array: Any, written: bool) -> int:
        """Of its first element, after what is recorded of it; 0 where it has none."""


def pack(kernel: str, parameters: Sequence[Declared] | None, given: Sequence[Any], memory: Memory) -> list[Any]:
    """The arguments as objects of ctypes; by what they are where the kernel's parameters are not known (None).

    Raises
    ------
    TypeError
        If there are more or fewer than the kernel has, or one is not what is declared.
    ValueError
        If an array does not lie in C order, or may not be written and the kernel may write it.
    OverflowError
        If a whole number does not fit into its parameter.
    """
    if parameters is not None and len(given) != len(parameters):
        listed = ", ".join(one.text for one in parameters)
        raise TypeError(f"{kernel}: expected {len(parameters)} arguments, workspace and tiling with them ({listed}), "
                        f"got {len(given)}")
    kind, packed = memory.kind, []
    for place, value in enumerate(given):
        one = None if parameters is None else parameters[place]
        if value is None and (one is None or one.pointer):
            packed.append(ctypes.c_void_p())
        elif isinstance(value, kind):
            packed.append(ctypes.c_void_p(memory.address(value, _written(kernel, place, one, value, memory))))
        elif one is None or one.pointer or one.dtype is None:
            packed.append(_undeclared(kernel, place, one, value, memory))
        else:
            packed.append(_number(kernel, place, one, value, memory))
    return packed


def where(kernel: str, place: int, one: Declared | None) -> str:
    """The argument as errors call it."""
    return f"{kernel}: argument {place}" + (f" ({one.name})" if one is not None and one.name else "")


def _written(kernel: str, place: int, one: Declared | None, array: Any, memory: Memory) -> bool:
    """Whether the kernel may write an array that is given for the parameter."""
    if not memory.contiguous(array):
        raise ValueError(f"{kernel}: argument {place}: expected an array in C order; give a copy of it")
    if one is None:
        return True
    if not one.pointer:
        raise TypeError(f"{where(kernel, place, one)}: expected a number or a structure for '{one.text}', got an array")
    if one.dtype is not None and array.dtype is not one.dtype and array.dtype not in (one.dtype, np.uint8):
        # bytes are memory of whatever dtype
        raise TypeError(f"{where(kernel, place, one)}: expected an array of {one.dtype} for '{one.text}', got one of "
                        f"{array.dtype}")
    if one.written and not memory.writeable(array):
        raise ValueError(f"{where(kernel, place, one)}: expected an array that may be written for '{one.text}', got a "
                         f"read-only one; give a copy, or declare the parameter const where it is only read")
    return one.written is not False


def _number(kernel: str, place: int, one: Declared, value: Any, memory: Memory) -> Any:
    """What is declared to be a number: Python's are converted, NumPy's have its dtype."""
    dtype = one.dtype
    assert dtype is not None
    if (type(value) is float and dtype.kind == "f") or (type(value) is int and dtype.kind in "iuf"):
        if dtype.kind in "iu":
            least, most = _LIMITS[dtype]
            if not least <= value <= most:
                raise OverflowError(f"{where(kernel, place, one)}: {value} does not fit into '{one.text}'")
        kind = _c_type(dtype)
        return _object(kernel, place, dtype.type(value), memory) if kind is None else kind(value)
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        if value.dtype != dtype:
            raise TypeError(f"{where(kernel, place, one)}: expected {dtype} or a Python number for '{one.text}', got "
                            f"{value.dtype}")
        return _object(kernel, place, value, memory)
    if isinstance(value, float) and dtype.kind in "biu":
        raise TypeError(f"{where(kernel, place, one)}: expected a whole number for '{one.text}', got {value!r}")
    if isinstance(value, int | float):  # of a class derived from them, bool above all
        return _object(kernel, place, dtype.type(value), memory)
    return _undeclared(kernel, place, None, value, memory)


def _undeclared(kernel: str, place: int, one: Declared | None, value: Any, memory: Memory) -> Any:
    """What nothing is known of, or what is declared to be a pointer and is no array."""
    number = isinstance(value, np.generic) and value.dtype.kind in "biufc"
    if one is not None and one.pointer and (number or isinstance(value, int | float)):
        raise TypeError(f"{where(kernel, place, one)}: expected an array for '{one.text}', got {type(value).__name__}")
    if number:
        return _object(kernel, place, value, memory)
    if isinstance(value, float):
        return ctypes.c_double(value)
    if isinstance(value, ctypes.Structure):
        return value
    if isinstance(value, bytes | bytearray | np.void):
        if not memory.by_bytes:
            raise TypeError(f"{kernel}: argument {place}: on the CPU a structure by value is a ctypes.Structure")
        data = value.tobytes() if isinstance(value, np.void) else bytes(value)
        return _structure_of(len(data)).from_buffer_copy(data)
    hint = "; give an integer its type, such as numpy.int32(3)" if isinstance(value, int) else ""
    raise TypeError(f"{kernel}: argument {place}: expected {memory.accepts}, got {type(value).__name__}{hint}")


def _object(kernel: str, place: int, number: np.generic, memory: Memory) -> Any:
    dtype = number.dtype
    kind = _c_type(dtype)
    if kind is not None:
        return kind(number.item())
    if not memory.by_bytes:
        raise TypeError(f"{kernel}: argument {place}: a host's compiler has no type for {dtype}; give it in an array")
    return _unit_of(dtype).from_buffer_copy(number.tobytes())


@cache
def _c_type(dtype: np.dtype) -> Any:
    """C's type of a number; None where a host's compiler has none."""
    try:
        return np.ctypeslib.as_ctypes_type(dtype)
    except NotImplementedError:
        return None


@cache
def _unit_of(dtype: np.dtype) -> Any:
    """A type of ctypes with the size and the alignment of a dtype for which C has none."""
    units: dict[int, Any] = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}
    return units[dtype.alignment] * (dtype.itemsize // dtype.alignment)


@cache
def _structure_of(size: int) -> Any:
    return type("Bytes", (ctypes.Structure,), {"_fields_": [("data", ctypes.c_char * size)]})


def block(packed: Sequence[Any]) -> bytes:
    """What `pack` made as one block of memory, each at its alignment; structures at that of an address."""
    made = b""
    for one in packed:
        alignment = 8 if isinstance(one, ctypes.Structure) else ctypes.alignment(one)
        made += b"\0" * (-len(made) % alignment) + bytes(one)
    return made


def structure(kernel: str, value: Any) -> bytes:
    """The bytes of a structure."""
    if isinstance(value, ctypes.Structure | bytes | bytearray):
        return bytes(value)
    if isinstance(value, np.ndarray | np.void):
        return value.tobytes()
    raise TypeError(f"{kernel}: a structure: expected bytes, a NumPy or a ctypes structure, got {type(value).__name__}")
