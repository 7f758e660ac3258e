"""CANN's C interface through ctypes, as any program would call it: libraries by name, memory, tensors, operators.

Nothing of the package's own engine is used: values come from NumPy and go back to it.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

ACL_DTYPES = {
    "float32": 0,
    "float16": 1,
    "int8": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 6,
    "uint16": 7,
    "uint32": 8,
    "int64": 9,
    "uint64": 10,
    "float64": 11,
    "bool": 12,
    "complex64": 16,
    "complex128": 17,
    "bfloat16": 27,
}
NUMPY_DTYPES = {
    number: np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name) for name, number in ACL_DTYPES.items()
}
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
ND = 2


def folder() -> Path:
    """Where the simulator's libraries are: ASNUMPY_CANNSIM_LIB, or the installed package's folder."""
    if "ASNUMPY_CANNSIM_LIB" in os.environ:
        return Path(os.environ["ASNUMPY_CANNSIM_LIB"])
    import importlib.util

    spec = importlib.util.find_spec("asnumpy")
    assert spec and spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations))) / "cannsim" / "lib"


def folder_of_version() -> Path:
    """The folder for the version that CANNSIM_CANN names: those of CANN 8 lack functions."""
    return folder() / ("older" if os.environ.get("CANNSIM_CANN", "").startswith("8.") else "")


rt = ctypes.CDLL(str(folder_of_version() / "libascendcl.so"))
nn = ctypes.CDLL(str(folder_of_version() / "libopapi.so"))
sim = ctypes.CDLL(str(folder_of_version() / "libcannsim.so"))
rt.aclGetRecentErrMsg.restype = ctypes.c_char_p
for maker in ("Tensor", "Scalar", "IntArray", "FloatArray", "BoolArray", "TensorList", "ScalarList"):
    getattr(nn, f"aclCreate{maker}").restype = ctypes.c_void_p

P, I64, U64 = ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint64


class AclError(RuntimeError):
    def __init__(self, function: str, code: int) -> None:
        message = rt.aclGetRecentErrMsg()
        self.code, self.text = code, message.decode() if message else ""
        super().__init__(f"{function} gave {code}: {self.text}")


def call(function: str, *arguments: Any) -> None:
    """Calls a function of the runtime; AclError unless it gives 0."""
    code = getattr(rt, function)(*arguments)
    if code:
        raise AclError(function, code)


def dtype_number(dtype: Any) -> int:
    return ACL_DTYPES[np.dtype(dtype).name]


class Memory:
    """One device allocation."""

    def __init__(self, nbytes: int) -> None:
        self.address = P()
        self.nbytes = nbytes
        call("aclrtMalloc", ctypes.byref(self.address), ctypes.c_size_t(max(nbytes, 1)), 0)

    def write(self, data: bytes) -> None:
        call(
            "aclrtMemcpy", self.address, ctypes.c_size_t(self.nbytes), data, ctypes.c_size_t(len(data)), HOST_TO_DEVICE
        )

    def read(self) -> bytes:
        out = ctypes.create_string_buffer(self.nbytes)
        call(
            "aclrtMemcpy", out, ctypes.c_size_t(self.nbytes), self.address, ctypes.c_size_t(self.nbytes), DEVICE_TO_HOST
        )
        return out.raw

    def free(self) -> None:
        call("aclrtFree", self.address)


class Tensor:
    """An aclTensor over memory of its own, with the layout of a NumPy array: strides, offset and gaps are kept."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        base = array
        while isinstance(base.base, np.ndarray):
            base = base.base
        if not base.flags.c_contiguous:
            base = array = np.ascontiguousarray(array)
        self.base = base
        item = array.itemsize
        self.offset = (
            (array.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // item if array.size else 0
        )
        self.strides = [
            stride // item if length > 1 else 1 for stride, length in zip(array.strides, array.shape, strict=True)
        ]
        self.shape = list(array.shape)
        self.dtype = array.dtype
        self.memory = Memory(base.nbytes)
        if base.nbytes:
            self.memory.write(base.tobytes())
        self.handle = create_tensor(self.shape, self.dtype, self.strides, self.offset, [base.size], self.memory.address)

    def numpy(self) -> np.ndarray:
        raw = (
            np.frombuffer(bytearray(self.memory.read()), self.base.dtype)
            if self.base.nbytes
            else np.empty(0, self.base.dtype)
        )
        steps = [stride * self.dtype.itemsize for stride in self.strides]
        return (
            np.ndarray(self.shape, self.dtype, raw, self.offset * self.dtype.itemsize, steps)
            if raw.size
            else np.empty(self.shape, self.dtype)
        )

    def view_shape(self) -> tuple[int, ...]:
        dims, count = ctypes.POINTER(I64)(), U64()
        assert nn.aclGetViewShape(P(self.handle), ctypes.byref(dims), ctypes.byref(count)) == 0
        return tuple(dims[i] for i in range(count.value))

    def destroy(self) -> None:
        assert nn.aclDestroyTensor(P(self.handle)) == 0
        self.memory.free()


def create_tensor(
    shape: Sequence[int], dtype: Any, strides: Sequence[int], offset: int, storage: Sequence[int], address: Any
) -> int:
    dims = (I64 * max(len(shape), 1))(*shape)
    steps = (I64 * max(len(strides), 1))(*strides)
    stored = (I64 * max(len(storage), 1))(*storage)
    number = dtype if isinstance(dtype, int) else dtype_number(dtype)
    handle = nn.aclCreateTensor(
        dims, U64(len(shape)), number, steps, I64(offset), ND, stored, U64(len(storage)), address
    )
    if not handle:
        raise AclError("aclCreateTensor", -1)
    return handle


class Scalar:
    def __init__(self, value: Any, dtype: Any) -> None:
        data = np.array(value, dtype)
        self.handle = nn.aclCreateScalar(data.ctypes.data_as(P), dtype_number(dtype))

    def destroy(self) -> None:
        assert nn.aclDestroyScalar(P(self.handle)) == 0


class IntArray:
    def __init__(self, values: Sequence[int]) -> None:
        self.handle = nn.aclCreateIntArray((I64 * max(len(values), 1))(*values), U64(len(values)))

    def destroy(self) -> None:
        assert nn.aclDestroyIntArray(P(self.handle)) == 0


class BoolArray:
    def __init__(self, values: Sequence[bool]) -> None:
        self.handle = nn.aclCreateBoolArray((ctypes.c_bool * max(len(values), 1))(*values), U64(len(values)))

    def destroy(self) -> None:
        assert nn.aclDestroyBoolArray(P(self.handle)) == 0


class TensorList:
    """Takes its tensors over."""

    def __init__(self, arrays: Sequence[np.ndarray | Tensor | None]) -> None:
        self.tensors = [one if isinstance(one, Tensor) or one is None else Tensor(one) for one in arrays]
        handles = (P * max(len(arrays), 1))(*[one.handle if one else None for one in self.tensors])
        self.handle = nn.aclCreateTensorList(handles, U64(len(arrays)))

    def destroy(self) -> None:
        assert nn.aclDestroyTensorList(P(self.handle)) == 0
        for tensor in self.tensors:
            if tensor:
                tensor.memory.free()


def argument(value: Any) -> Any:
    """A value as C sees it: objects by their handle, NumPy's booleans and Python's numbers by their type."""
    if value is None:
        return P()
    if hasattr(value, "handle"):
        return P(value.handle)
    if isinstance(value, bool):
        return ctypes.c_bool(value)
    if isinstance(value, int):
        return I64(value)
    if isinstance(value, float):
        return ctypes.c_double(value)
    if isinstance(value, str):
        return value.encode()
    return value


def plan(name: str, *arguments: Any) -> tuple[int, Any]:
    """Phase one: the workspace's size and the executor; AclError when it is refused."""
    size, executor = U64(), P()
    code = getattr(nn, f"{name}GetWorkspaceSize")(*map(argument, arguments), ctypes.byref(size), ctypes.byref(executor))
    if code:
        raise AclError(name, code)
    return size.value, executor


def launch(name: str, size: int, executor: Any, stream: Any = None) -> Memory | None:
    workspace = Memory(size) if size else None
    code = getattr(nn, name)(workspace.address if workspace else P(), U64(size), executor, P(stream))
    if code:
        raise AclError(name, code)
    return workspace


def run(name: str, *arguments: Any, stream: Any = None) -> None:
    """Both phases of an operator, and the wait for it. Arrays become tensors; read the output tensors."""
    made = [Tensor(one) if isinstance(one, np.ndarray) else one for one in arguments]
    size, executor = plan(name, *made)
    workspace = launch(name, size, executor, stream)
    call("aclrtSynchronizeStream", P(stream))
    if workspace:
        workspace.free()
    for before, after in zip(arguments, made, strict=True):
        if before is not after:
            after.destroy()


def result(name: str, *arguments: Any, out: np.ndarray) -> np.ndarray:
    """Runs an operator whose parameter `...` (Ellipsis) is its only output, shaped like `out`; gives what it wrote."""
    target = Tensor(out)
    run(name, *[target if one is Ellipsis else one for one in arguments])
    value = np.array(target.numpy())
    target.destroy()
    return value


@contextmanager
def refused(code: int, *words: str) -> Iterator[None]:
    """The block must raise AclError with the code, and a message with all the words."""
    try:
        yield
    except AclError as error:
        assert error.code == code, f"expected {code}, got {error}"
        for word in words:
            assert word in error.text, f"expected '{word}' in '{error.text}'"
    else:
        raise AssertionError(f"expected the code {code}, got 0")


def start(device: int = 0) -> None:
    code = rt.aclInit(None)
    assert code in (0, 100002), code
    call("aclrtSetDevice", device)
