"""Kernels in CUDA C++: compiled at run time by NVRTC, launched by the CUDA driver on arrays of any library."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import threading
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from asnumpy.operators import _kept, _signature
from asnumpy.operators._compiler import CompilerMissing, RunTimeCompiler
from asnumpy.operators._cuda_arrays import CudaArray, cuda_array, current_stream
from asnumpy.operators._packing import Memory, pack

_LOWEST = "compute_75"  # what is compiled for where no device says what it is


def _load(name: str) -> ctypes.CDLL:
    """NVRTC by its path or name. What it loads by name alone, from beside it, is found where it is loaded already."""
    path = Path(name)
    for needed in path.parent.glob("libnvrtc-builtins.so.*") if path.is_absolute() else ():
        ctypes.CDLL(str(needed))
    return ctypes.CDLL(name)


@cache
def _nvrtc() -> RunTimeCompiler:
    """NVRTC: of the wheels nvidia-cuda-nvrtc and nvidia-cuda-nvrtc-cu12, else the system's."""
    names = ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"]
    found = importlib.util.find_spec("nvidia")
    for folder in (found.submodule_search_locations or []) if found is not None else []:
        names = [str(path) for path in sorted(Path(folder).glob("*/lib/libnvrtc.so.*"))] + names
    for name in names:
        with contextlib.suppress(OSError):
            return RunTimeCompiler(
                _load(name), create="nvrtcCreateProgram", add_name="nvrtcAddNameExpression",
                compile="nvrtcCompileProgram", log_size="nvrtcGetProgramLogSize", log="nvrtcGetProgramLog",
                size="nvrtcGetPTXSize", data="nvrtcGetPTX", lowered="nvrtcGetLoweredName",
                destroy="nvrtcDestroyProgram",
            )
    raise CompilerMissing(
        'expected NVRTC, the compiler of CUDA C++: neither a wheel of it nor libnvrtc.so was found; install it with: '
        'pip install "asnumpy[cuda]"'
    )


def compile_cuda(code: str, options: Sequence[str] = (), architecture: str = "", name: str = "kernel.cu") -> bytes:
    """Compile CUDA C++ to PTX, which needs no GPU. What was compiled is kept on disk, as other kernels are.

    Parameters
    ----------
    code : str
        The source.
    options : sequence of str
        Options of NVRTC: ``--use_fast_math``, ``-I``, ``-D``.
    architecture : str
        For which devices, ``"compute_90"``; otherwise for the one that is here, or for all from compute_75 on.
    name : str
        What the compiler's errors call the source.

    Returns
    -------
    bytes
        The text of the program in PTX.

    Raises
    ------
    CompileError
        If the source is refused, with what the compiler printed; or if there is no compiler.
    """
    words = [f"--gpu-architecture={architecture or _architecture()}"]
    if not any(option.startswith("--std=") for option in options):
        words.append("--std=c++17")

    def make() -> bytes:
        return _nvrtc().run(code, name, [*words, *options], ())[0]

    source = _kept.made_from(code, options, (), of_compiler=False)
    return _kept.compiled(None if source is None else "\0".join(["cuda", name, *words, source]), _version(), make)


def _version() -> str:
    """NVRTC's; nothing where there is none."""
    try:
        library = _nvrtc().library
    except CompilerMissing:
        return ""
    numbers = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(*map(ctypes.byref, numbers))
    return "NVRTC {}.{}".format(*(number.value for number in numbers))


@cache
def _driver() -> ctypes.CDLL | None:
    """The CUDA driver; None where there is none."""
    with contextlib.suppress(OSError):
        driver = ctypes.CDLL("libcuda.so.1")
        if driver.cuInit(0) == 0:
            return driver
    return None


def _call(name: str, *arguments: Any) -> None:
    driver = _driver()
    if driver is None:
        raise RuntimeError(f"{name}: expected the CUDA driver, libcuda.so.1, with a device")
    code = getattr(driver, name)(*arguments)
    if code:
        text = ctypes.c_char_p()
        driver.cuGetErrorName(code, ctypes.byref(text))
        raise RuntimeError(f"{name} failed with {(text.value or b'an unknown error').decode()} ({code})")


def _architecture() -> str:
    if _driver() is None:
        return _LOWEST
    device, numbers = ctypes.c_int(), []
    _call("cuDeviceGet", ctypes.byref(device), 0)
    for attribute in (75, 76):  # the compute capability
        value = ctypes.c_int()
        _call("cuDeviceGetAttribute", ctypes.byref(value), attribute, device)
        numbers.append(value.value)
    return "compute_{}{}".format(*numbers)


@contextlib.contextmanager
def _in_context_of(address: int) -> Iterator[int]:
    """The context in which an array's memory was made; gives its address."""
    context = ctypes.c_void_p()
    _call("cuPointerGetAttribute", ctypes.byref(context), 1, ctypes.c_uint64(address))
    _call("cuCtxPushCurrent_v2", context)
    try:
        yield context.value or 0
    finally:
        _call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


class _CudaMemory(Memory):
    """Arrays to kernels of a CUDA device."""

    kind, accepts, by_bytes = CudaArray, "an array of a CUDA device or a number", True

    def contiguous(self, array: CudaArray) -> bool:
        return array.contiguous

    def writeable(self, array: CudaArray) -> bool:
        return array.writeable

    def address(self, array: CudaArray, written: bool) -> int:
        return array.address


_MEMORY = _CudaMemory()


class CudaKernel:
    """A kernel in CUDA C++ for arrays that have ``__cuda_array_interface__``: CuPy's, PyTorch's.

    Parameters
    ----------
    code : str
        The source; the kernel is ``extern "C" __global__``. It is compiled by NVRTC when it is first launched.
    name : str
        The kernel's name.
    options : sequence of str
        More options of NVRTC.
    """

    def __init__(self, code: str, name: str, options: Sequence[str] = ()) -> None:
        self.code, self.name, self.options = code, name, tuple(options)
        self._ptx: bytes | None = None
        self._functions: dict[int, Any] = {}  # by context
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<CudaKernel {self.name}>"

    @property
    def ptx(self) -> bytes:
        """The compiled program; it needs no GPU."""
        with self._lock:
            if self._ptx is None:
                self._ptx = compile_cuda(self.code, self.options)
            return self._ptx

    def __call__(self, grid: int | Sequence[int], block: int | Sequence[int], args: Sequence[Any], *,
                 shared_mem: int = 0, stream: int | None = None) -> None:  # fmt: skip
        """Launch the kernel; nothing waits.

        Parameters
        ----------
        grid, block : int or sequence of int
            How many blocks, and how many threads each has, in up to three axes.
        args : sequence
            Its arguments, held to the kernel's declaration: arrays in C order, numbers, structures as bytes or as a
            NumPy structure.
        shared_mem : int
            Bytes of shared memory for each block.
        stream : int
            The address of a cudaStream; otherwise the current one of the library of the first array.

        Raises
        ------
        CompileError
            If NVRTC refuses the source, or is not there.
        TypeError, ValueError, OverflowError
            If an argument is nothing that the kernel can get.
        """
        values, first = self._arguments(args)
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(one) for one in values])
        sizes = [ctypes.c_uint(n) for n in (*_three(self.name, "grid", grid), *_three(self.name, "block", block))]
        ptx = self.ptx
        with _in_context_of(first.address) as context:
            function = self._function(context, ptx)
            shared = ctypes.c_uint(shared_mem)
            queue = ctypes.c_void_p(current_stream(first) if stream is None else stream)
            _call("cuLaunchKernel", function, *sizes, shared, queue, pointers, None)

    def _arguments(self, args: Sequence[Any]) -> tuple[list[Any], CudaArray]:
        """The values as C sees them, and the first array."""
        given: list[Any] = [cuda_array(value) or value for value in args]
        packed = pack(self.name, self._declared, given, _MEMORY)
        first = next((value for value in given if isinstance(value, CudaArray) and value.address), None)
        if first is None:
            raise TypeError(f"{self.name}: expected an array of a CUDA device among the arguments, got none with "
                            f"elements")
        return packed, first

    @cached_property
    def _declared(self) -> tuple[_signature.Declared, ...] | None:
        return _signature.declared(self.code, self.name)

    def _function(self, context: int, ptx: bytes) -> Any:
        with self._lock:
            if context not in self._functions:
                module, function = ctypes.c_void_p(), ctypes.c_void_p()
                _call("cuModuleLoadData", ctypes.byref(module), ptx)
                _call("cuModuleGetFunction", ctypes.byref(function), module, self.name.encode())
                self._functions[context] = function
            return self._functions[context]


def _three(kernel: str, what: str, given: int | Sequence[int]) -> tuple[int, int, int]:
    axes = [int(n) for n in ([given] if isinstance(given, int) else given)]
    if not 1 <= len(axes) <= 3 or min(axes) < 1:
        raise ValueError(f"{kernel}: {what}: expected one to three numbers of at least 1, got {given!r}")
    x, y, z = [*axes, 1, 1][:3]
    return x, y, z
