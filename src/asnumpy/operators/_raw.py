"""RawKernel and RawModule: kernels that somebody wrote whole, launched in order with the arrays they get."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from asnumpy import _core, creation
from asnumpy.array import ndarray
from asnumpy.operators import _signature
from asnumpy.operators._arguments import on
from asnumpy.operators._compiler import compile_ascend, compile_cpu
from asnumpy.runtime import Stream, get_num_threads


class RawModule:
    """Kernels of one source, or of a library that was compiled before.

    Parameters
    ----------
    code : str, optional
        Ascend C for arrays of an NPU, C++ for arrays of the CPU. It is compiled when the first kernel is launched.
    path : path, optional
        A file that is compiled already: of `python -m asnumpy ascendc build` or of CANN's compiler for an NPU, a
        library for the CPU. Give this or `code`.
    options : sequence of str
        More options of the compiler: ``-I``, ``-D``.
    name_expressions : sequence of str
        Instances of templates that are meant to be kernels, ``"fill<float>"``.

    Notes
    -----
    A kernel of an NPU is a ``__global__`` function, and runs on as many blocks as its launch says. A kernel of the CPU
    is an ``extern "C"`` function whose first two parameters are ``int64_t block, int64_t blocks``; it is called once
    for each block, on `asnumpy.get_num_threads()` threads, so that no block may need another one.
    """

    def __init__(self, code: str | None = None, *, path: str | Path | None = None, options: Sequence[str] = (),
                 name_expressions: Sequence[str] = ()) -> None:  # fmt: skip
        if (code is None) == (path is None):
            raise TypeError("RawModule: expected code= or path=, and not both")
        self.code, self.path = code, None if path is None else Path(path).absolute()
        self.options, self.name_expressions = tuple(options), tuple(name_expressions)
        self._functions: dict[tuple[str, str], Any] = {}
        self._loaded: dict[str, Any] = {}
        self._declared: dict[tuple[str, bool], tuple[_signature.Declared, ...] | None] = {}
        self._lock = threading.Lock()

    def get_function(self, name: str) -> RawKernel:
        """The kernel of that name, or of one of `name_expressions`."""
        return RawKernel._of(self, name)

    def _function(self, kind: str, name: str) -> Any:
        with self._lock:
            key = (kind, name)
            if key not in self._functions:
                if kind not in self._loaded:
                    make = compile_cpu if kind == "cpu" else compile_ascend
                    self._loaded[kind] = make(self.code, self.path, self.options, self.name_expressions)
                self._functions[key] = self._loaded[kind].function(name)
            return self._functions[key]

    def _fitted(self, name: str, given: list[Any], device: str) -> list[Any]:
        """The arguments as the source declares them; as they are where there is none."""
        with self._lock:
            if (name, device == "cpu") not in self._declared:
                found = None if self.code is None else _signature.declared(self.code, name)
                self._declared[name, device == "cpu"] = found[2:] if found and device == "cpu" else found
            parameters = self._declared[name, device == "cpu"]
        if parameters is None:
            return given
        return _signature.fitted(name, parameters, given, lambda value: isinstance(value, ndarray))


class RawKernel:
    """One kernel, written whole in Ascend C for arrays of an NPU or in C++ for arrays of the CPU.

    Parameters
    ----------
    code : str
        The source, as of `RawModule`.
    name : str
        The function's name.
    options : sequence of str
        More options of the compiler.

    Examples
    --------
    >>> import asnumpy as ap, numpy as np
    >>> kernel = ap.RawKernel('''
    ... #include <cstdint>
    ... extern "C" void scale(int64_t block, int64_t blocks, double* x, double factor, int64_t n) {
    ...     for (int64_t i = block; i < n; i += blocks) x[i] *= factor;
    ... }
    ... ''', "scale")
    >>> x = ap.arange(4.0)
    >>> kernel(2, (x, 10.0, np.int64(4)))
    >>> x
    array([ 0., 10., 20., 30.])
    """

    def __init__(self, code: str, name: str, options: Sequence[str] = ()) -> None:
        self.name, self._module = name, RawModule(code, options=options)

    @classmethod
    def _of(cls, module: RawModule, name: str) -> RawKernel:
        made = cls.__new__(cls)
        made.name, made._module = name, module
        return made

    def __repr__(self) -> str:
        return f"<RawKernel {self.name}>"

    def __call__(self, blocks: int, args: Sequence[Any], *, stream: Stream | None = None, workspace: int = 0,
                 tiling: Any = None) -> None:  # fmt: skip
        """Launch the kernel. Nothing waits: it runs in order with the other work on its arrays.

        Parameters
        ----------
        blocks : int
            How many blocks.
        args : sequence
            Its arguments in their order: arrays, which must lie in C order and of which the kernel gets the first
            element's address; numbers; structures as bytes, as a NumPy structure or as a ctypes one, by value. They are
            held to the declaration in the source: NumPy's numbers have its dtypes, Python's are converted. Of a file
            that was compiled before nothing is known: Python's floats are doubles, whole numbers are NumPy's.
        stream : Stream, optional
            Where it runs; the current stream otherwise.
        workspace : int
            Bytes of memory of the device that the kernel gets behind `args`; their contents are whatever was there.
        tiling : bytes, numpy.ndarray or ctypes.Structure, optional
            What is brought to the device and given by its address, behind the workspace.

        Raises
        ------
        asnumpy.operators.CompileError
            If the compiler refuses the source; the message is what it printed.
        TypeError, ValueError, OverflowError
            If an argument is nothing that the kernel can get, or not all arrays lie on one device.
        """
        if blocks < 1:
            raise ValueError(f"{self.name}: blocks: expected at least 1, got {blocks}")
        arrays = [value for value in args if isinstance(value, ndarray)]
        devices = {str(array.device) for array in arrays}
        if len(devices) > 1:
            raise ValueError(f"{self.name}: expected all arrays on one device, got {', '.join(sorted(devices))}")
        for place, array in enumerate(args):
            if isinstance(array, ndarray) and not array.flags.c_contiguous:
                raise ValueError(f"{self.name}: argument {place}: expected an array in C order; give a copy of it")
        with on(stream):
            device = arrays[0].device if arrays else creation.empty(0).device
            given = list(args)
            if workspace:
                given.append(creation.empty(workspace, dtype=np.uint8, device=device))
            if tiling is not None:
                given.append(creation.asarray(np.frombuffer(_structure(self.name, tiling), np.uint8), device=device))
            if str(device) == "cpu":
                self._on_cpu(blocks, given)
            else:
                self._on_npu(blocks, given, device.id)

    def _on_cpu(self, blocks: int, given: list[Any]) -> None:
        function = self._module._function("cpu", self.name)
        values: list[Any] = []
        for place, value in enumerate(self._module._fitted(self.name, given, "cpu")):
            if isinstance(value, ndarray):
                values.append(ctypes.c_void_p(value.__array_interface__["data"][0] if value.size else 0))
            elif isinstance(value, ctypes.Structure):
                values.append(value)
            elif isinstance(value, bytes | bytearray | np.void):
                raise TypeError(f"{self.name}: argument {place}: on the CPU a structure by value is a ctypes.Structure")
            else:
                values.append(_host_number(self.name, place, _number(self.name, place, value)))
        def run(block: int) -> None:
            function(ctypes.c_int64(block), ctypes.c_int64(blocks), *values)  # lets go of the interpreter's lock

        if blocks == 1 or (threads := get_num_threads()) == 1:
            for block in range(blocks):
                run(block)
        else:
            for _ in _pool(threads).map(run, range(blocks)):
                pass

    def _on_npu(self, blocks: int, given: list[Any], device: int) -> None:
        from asnumpy.cann import _calls, _devices
        from asnumpy.cann._launch import noted

        _devices.use(device)
        function = self._module._function("ascend", self.name)
        packed, spans = b"", []
        for place, value in enumerate(self._module._fitted(self.name, given, "ascend")):
            if isinstance(value, ndarray):
                address = _core.cann_address(value, True) if value.size else 0
                if value.size:
                    spans.append((address, address + value.nbytes, True))
                part, alignment = int(address).to_bytes(8, "little"), 8
            elif isinstance(value, ctypes.Structure | bytes | bytearray | np.void):
                part, alignment = _structure(self.name, value), 8
            else:
                number = _number(self.name, place, value)
                part, alignment = number.tobytes(), number.dtype.alignment
            packed += b"\0" * (-len(packed) % alignment) + part
        for span in spans:
            _core.cann_expect_whole(device, (*span[:2], False))
        handle = _devices.default_stream(device)
        _core.cann_uses(device, spans)
        _tell_memory(_calls, spans)
        with noted(device, handle, self.name, spans, []):
            _launch(_calls, function, blocks, handle, packed)
        _core.cann_uses(device, spans)


def _tell_memory(calls: Any, spans: Sequence[tuple[int, int, bool]]) -> None:
    """The simulator finds accesses beside the arguments, also where those are pieces of one allocation of CANN's."""
    tell = calls.find("cannsim_kernel_memory")
    if tell is not None:
        begins = (ctypes.c_void_p * len(spans))(*[begin for begin, *_ in spans])
        sizes = (ctypes.c_uint64 * len(spans))(*[end - begin for begin, end, *_ in spans])
        tell(begins, sizes, ctypes.c_uint64(len(spans)))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="asnumpy-blocks")


os.register_at_fork(after_in_child=_pool.cache_clear)


def _launch(calls: Any, function: Any, blocks: int, stream: int, packed: bytes) -> None:
    """By the newer function where this CANN has it, else by an argument list."""
    name = "aclrtLaunchKernelWithHostArgs"
    size, pointer = ctypes.c_size_t(len(packed)), ctypes.c_void_p
    if calls.find(name):
        none = ctypes.c_size_t(0)
        calls.call(name, function, ctypes.c_uint32(blocks), pointer(stream), None, packed, size, None, none)
        return
    arguments, parameter = pointer(), pointer()
    calls.call("aclrtKernelArgsInit", function, ctypes.byref(arguments))
    calls.call("aclrtKernelArgsAppend", arguments, packed, size, ctypes.byref(parameter))
    calls.call("aclrtKernelArgsFinalize", arguments)
    calls.call("aclrtLaunchKernelWithConfig", function, ctypes.c_uint32(blocks), pointer(stream), None, arguments, None)


def _number(kernel: str, place: int, value: Any) -> np.generic:
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return value
    if isinstance(value, float):
        return np.float64(value)
    hint = "; give an integer its type, such as numpy.int32(3)" if isinstance(value, int) else ""
    got = type(value).__name__
    raise TypeError(f"{kernel}: argument {place}: expected an array, a number or a structure, got {got}{hint}")


def _host_number(kernel: str, place: int, number: np.generic) -> Any:
    try:
        kind = _c_type(number.dtype)
    except NotImplementedError:
        raise TypeError(
            f"{kernel}: argument {place}: a host's compiler has no type for {number.dtype}; give it in an array"
        ) from None
    return kind(number.item())


@cache
def _c_type(dtype: np.dtype) -> Any:
    return np.ctypeslib.as_ctypes_type(dtype)


def _structure(kernel: str, value: Any) -> bytes:
    if isinstance(value, ctypes.Structure | bytes | bytearray):
        return bytes(value)
    if isinstance(value, np.ndarray | np.void):
        return value.tobytes()
    raise TypeError(f"{kernel}: a structure: expected bytes, a NumPy or a ctypes structure, got {type(value).__name__}")

