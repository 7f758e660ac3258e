"""CANN's C functions, called in the libraries that the backend loads: checked results, descriptors, both phases."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from asnumpy.cann import _facts
from asnumpy.cann._tensor import Tensor
from asnumpy.runtime import cann_search
from asnumpy.runtime.cann_error import CannError

Pointer = ctypes.c_void_p
Size = ctypes.c_uint64
OUT_OF_MEMORY = 207001
BAD_ALLOC = 200000  # what null in the place of an object stands for
NUMBERS = {
    "int8_t": ctypes.c_int8, "int": ctypes.c_int, "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64, "float": ctypes.c_float, "double": ctypes.c_double, "bool": ctypes.c_bool,
    "char*": ctypes.c_char_p, "aclDataType": ctypes.c_int,
}


@cache
def _libraries(vendors_first: bool) -> tuple[ctypes.CDLL, ...]:
    found = cann_search.search()
    if found.failure:
        raise CannError(f"asnumpy.cann: {found.failure}")
    return tuple(map(ctypes.CDLL, found.opened(vendors_first)))


def forget_libraries() -> None:
    """What was found is of no use any more: the next call asks the core again, which says why."""
    for cached in (_libraries, function, _message_function):
        cached.cache_clear()


os.register_at_fork(after_in_child=forget_libraries)


def find(name: str) -> Any | None:
    """The function of that name in any of the libraries, or None. A vendor's own operator comes before CANN's."""
    for library in _libraries(name.startswith("aclnn")):
        try:
            return getattr(library, name)
        except AttributeError:
            continue
    return None


@cache
def function(name: str) -> Any:
    """The function of that name; CannError when this CANN has none."""
    found = find(name)
    if found is None:
        where = cann_search.search()
        raise CannError(f"{name}: CANN {where.version} in {where.folder or 'the loader path'} does not have it", name)
    if name.startswith("aclCreate"):
        found.restype = Pointer
    return found


@cache
def _message_function() -> Callable[[], bytes | None]:
    found: Any = function("aclGetRecentErrMsg")
    found.restype = ctypes.c_char_p
    return found  # type: ignore[no-any-return]


def told(code: int, name: str, about: str, message: str) -> str:
    """What an error says: the function that failed, the code, what it was given, CANN's own words."""
    text = f"{name} failed with {_facts.error_names().get(code, 'an unknown code')} ({code})"
    return text + f" for {about}" * bool(about) + f": {message.strip()}" * bool(message.strip())


def check(code: int, name: str, about: str = "") -> None:
    """CannError unless the code is 0."""
    if code:
        message = (_message_function()() or b"").decode(errors="replace")
        raise CannError(told(code, name, about, message), name, code, message)


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a code; CannError unless that is 0."""
    check(function(name)(*arguments), name)


@cache
def dtype_number(dtype: np.dtype) -> int:
    """The dtype's value of aclDataType."""
    number = _facts.dtype_numbers().get(dtype.name)
    if number is None:
        raise TypeError(f"CANN has no dtype for {dtype}")
    return number


def _array(kind: Any, values: Any) -> Any:
    return (kind * max(len(values), 1))(*values)


def _made(maker: str, handle: int | None) -> Any:
    if not handle:
        check(BAD_ALLOC, f"aclCreate{maker}")
    return Pointer(handle)


def create_tensor(tensor: Tensor) -> Any:
    """An aclTensor."""
    storage = _array(ctypes.c_int64, tensor.storage)
    return _made("Tensor", function("aclCreateTensor")(
        _array(ctypes.c_int64, tensor.shape), Size(len(tensor.shape)), dtype_number(tensor.dtype),
        _array(ctypes.c_int64, tensor.strides), ctypes.c_int64(tensor.offset), _facts.formats()[tensor.format], storage,
        Size(len(tensor.storage)), Pointer(tensor.address),
    ))


def create_scalar(value: np.generic) -> Any:
    """An aclScalar with the value's dtype."""
    data = np.array(value)
    return _made("Scalar", function("aclCreateScalar")(data.ctypes.data_as(Pointer), dtype_number(data.dtype)))


LISTS: dict[str, tuple[str, Any]] = {
    "ints": ("IntArray", ctypes.c_int64), "floats": ("FloatArray", ctypes.c_float),
    "bools": ("BoolArray", ctypes.c_bool),
}


@dataclass(slots=True)
class Slot:
    """A tensor of a call; an operator's tensors are counted in this order, those of a list each."""

    parameter: str
    handle: Any
    tensor: Tensor | None


class Arguments:
    """The values of one call as C sees them, with the CANN objects made for them, which it destroys."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.slots: list[Slot] = []
        self._destroy: list[tuple[str, Any]] = []

    def add(self, parameter: _facts.Parameter, value: Any) -> None:
        """Appends a checked value."""
        kind = parameter.kind
        if value is None:
            handle: Any = Pointer()
            if parameter.is_tensor:
                self.slots.append(Slot(parameter.name, handle, None))
        elif kind == "tensor":
            handle = self._keep("Tensor", create_tensor(value))
            self.slots.append(Slot(parameter.name, handle, value))
        elif kind == "tensors":
            handle, handles = self._objects("Tensor", create_tensor, value)
            self.slots += [Slot(parameter.name, one, tensor) for one, tensor in zip(handles, value, strict=True)]
        elif kind == "scalar":
            handle = self._keep("Scalar", create_scalar(value))
        elif kind == "scalars":
            handle, _ = self._objects("Scalar", create_scalar, value)
        elif kind in LISTS:
            name, ctype = LISTS[kind]
            handle = self._list(name, ctype, value)
        elif kind == "text":
            handle = value.encode()
        elif kind == "dtype":
            handle = ctypes.c_int(dtype_number(value))
        else:
            handle = NUMBERS[parameter.ctype](value)
        self.values.append(handle)

    def _objects(self, kind: str, create: Callable[[Any], Any], values: Any) -> tuple[Any, list[Any]]:
        """A list of CANN's objects, which takes them over, and the objects."""
        made: list[Any] = []
        try:
            for value in values:
                made.append(Pointer() if value is None else create(value))
            return self._list(f"{kind}List", Pointer, [one.value for one in made]), made
        except BaseException:
            for one in made:
                if one.value:
                    call(f"aclDestroy{kind}", one)
            raise

    def _list(self, kind: str, ctype: Any, values: Any) -> Any:
        return self._keep(kind, _made(kind, function(f"aclCreate{kind}")(_array(ctype, values), Size(len(values)))))

    def _keep(self, kind: str, handle: Any) -> Any:
        self._destroy.append((f"aclDestroy{kind}", handle))
        return handle

    def close(self) -> None:
        """Destroys what was made for the call."""
        while self._destroy:
            name, handle = self._destroy.pop()
            call(name, handle)


def phase_one(name: str, arguments: Arguments, about: Callable[[], str]) -> tuple[int, Any]:
    """The workspace's size and the executor."""
    size, executor = Size(), Pointer()
    first = f"{name}GetWorkspaceSize"
    code = function(first)(*arguments.values, ctypes.byref(size), ctypes.byref(executor))
    if code:
        check(code, first, about())
    return size.value, executor


def phase_two(name: str, workspace: int, size: int, executor: Any, stream: int, about: Callable[[], str]) -> None:
    """Enqueues the work."""
    code = function(name)(Pointer(workspace), Size(size), executor, Pointer(stream))
    if code:
        check(code, name, about())


@cache
def _delete_array() -> Any:
    return ctypes.CDLL("libstdc++.so.6")._ZdaPv  # C++'s delete[]


def view_shape(handle: Any) -> tuple[int, ...]:
    """The shape that a tensor has, which an operator may have set."""
    dims, count = ctypes.POINTER(ctypes.c_int64)(), Size()
    call("aclGetViewShape", handle, ctypes.byref(dims), ctypes.byref(count))
    shape = tuple(dims[axis] for axis in range(count.value))
    _delete_array()(dims)
    return shape
