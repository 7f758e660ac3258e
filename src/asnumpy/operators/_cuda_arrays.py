"""Arrays in the memory of a CUDA device, of whatever library: what `__cuda_array_interface__` says of them."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any

import numpy as np

from asnumpy import creation
from asnumpy.array import ndarray
from asnumpy.dtypes.dtype import EXTENDED


@dataclass(frozen=True)
class CudaArray:
    """The object itself, and what it says."""

    array: Any
    shape: tuple[int, ...]
    dtype: np.dtype
    address: int
    contiguous: bool
    writeable: bool = True

    @property
    def size(self) -> int:
        """The number of its elements."""
        return int(np.prod(self.shape))


def cuda_array(value: Any) -> CudaArray | None:
    """What an object says of its memory on a CUDA device; None where it has none there."""
    if isinstance(value, ndarray | np.ndarray):
        return None
    # torch's tensors of the CPU have the attribute, which raises
    interface = getattr(value, "__cuda_array_interface__", None) if _has_interface(value) else None
    if interface is None:
        return None
    dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
    if dtype.kind == "V" or "bfloat16" in str(getattr(value, "dtype", "")):
        dtype = EXTENDED["bfloat16"]
    strides, step, contiguous = interface.get("strides"), dtype.itemsize, True
    if strides is not None and 0 not in shape:
        for n, stride in zip(reversed(shape), reversed(tuple(strides)), strict=True):
            contiguous = contiguous and (n == 1 or stride == step)
            step *= n
    address, read_only = interface["data"]
    return CudaArray(value, shape, dtype, int(address or 0), contiguous, not read_only)


def _has_interface(value: Any) -> bool:
    try:
        return hasattr(value, "__cuda_array_interface__")
    except (TypeError, RuntimeError):
        return False


def current_stream(model: CudaArray) -> int:
    """The address of the stream on which the library of an array works now; 0, the default one, where it is unknown."""
    module = type(model.array).__module__.partition(".")[0]
    if module == "torch":
        return int(importlib.import_module("torch").cuda.current_stream().cuda_stream)
    if module == "cupy":
        return int(importlib.import_module("cupy").cuda.get_current_stream().ptr)
    return 0


def empty_like(model: CudaArray, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """A new array beside another one, of the same library; TypeError where it is not known how that makes one."""
    array = model.array
    if hasattr(array, "new_empty"):  # torch
        torch = importlib.import_module("torch")
        return array.new_empty(shape, dtype=getattr(torch, dtype.name))
    if hasattr(array, "__array_namespace__"):  # CuPy
        return array.__array_namespace__().empty(shape, dtype=dtype)
    raise TypeError(f"expected out=, because {type(array).__name__} does not say how a new array is made")


def _maker() -> str:
    """The library whose arrays a check uses: one that is installed and finds a device; nothing where there is none."""
    if importlib.util.find_spec("cupy") is not None:
        try:
            if importlib.import_module("cupy").cuda.runtime.getDeviceCount():
                return "cupy"
        except Exception:  # of CUDA's: there is no driver or no device
            pass
    if importlib.util.find_spec("torch") is not None and importlib.import_module("torch").cuda.is_available():
        return "torch"
    return ""


def why_no_arrays() -> str:
    """Why no array can be made on a CUDA device here; nothing where one can."""
    return "" if _maker() else "neither CuPy nor PyTorch with a CUDA device is here, which would make its arrays"


def to_cuda(values: np.ndarray) -> Any:
    """A new array on a CUDA device."""
    if _maker() == "cupy":
        return importlib.import_module("cupy").asarray(values)
    torch = importlib.import_module("torch")
    if values.dtype == EXTENDED["bfloat16"]:
        return torch.as_tensor(values.astype(np.float32), device="cuda").to(torch.bfloat16)
    return torch.as_tensor(np.ascontiguousarray(values), device="cuda")


def from_cuda(array: Any) -> np.ndarray:
    """A copy of its values."""
    if hasattr(array, "get"):
        return np.asarray(array.get())
    if "bfloat16" in str(array.dtype):
        return np.asarray(array.float().cpu().numpy()).astype(EXTENDED["bfloat16"])
    return np.asarray(array.cpu().numpy() if hasattr(array, "cpu") else creation.asnumpy(array))
