"""RawKernel and RawModule: kernels that somebody wrote whole, launched in order with the arrays they get."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from asnumpy import _core, creation
from asnumpy.array import ndarray
from asnumpy.host.blocks import in_blocks
from asnumpy.operators import _signature
from asnumpy.operators._arguments import on
from asnumpy.operators._compiler import compile_ascend, compile_cpu
from asnumpy.operators._packing import Memory, block, pack, structure
from asnumpy.runtime import Stream


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
        self._declared: dict[tuple[str, str], tuple[_signature.Declared, ...] | None] = {}
        self._lock = threading.Lock()

    def get_function(self, name: str) -> RawKernel:
        """The kernel of that name, or of one of `name_expressions`."""
        return RawKernel._of(self, name)

    def _function(self, kind: str, name: str) -> Any:
        found = self._functions.get((kind, name))
        if found is not None:
            return found
        with self._lock:
            key = (kind, name)
            if key not in self._functions:
                if kind not in self._loaded:
                    make = compile_cpu if kind == "cpu" else compile_ascend
                    self._loaded[kind] = make(self.code, self.path, self.options, self.name_expressions)
                self._functions[key] = self._loaded[kind].function(name)
            return self._functions[key]

    def _parameters(self, kind: str, name: str) -> tuple[_signature.Declared, ...] | None:
        """Of the kernel, as the source declares them; None where there is none."""
        key = (kind, name)
        if key not in self._declared:
            found = None if self.code is None else _signature.declared(self.code, name)
            self._declared[key] = found[2:] if found and kind == "cpu" else found
        return self._declared[key]


class _HostMemory(Memory):
    """Arrays to kernels of the CPU."""

    kind, accepts, by_bytes = ndarray, "an array, a number or a structure", False

    def contiguous(self, array: ndarray) -> bool:
        return array._flags_c_contiguous

    def writeable(self, array: ndarray) -> bool:
        return array._flags_writeable

    def address(self, array: ndarray, written: bool) -> int:
        return _core.cann_address(array, written) if array.size else 0


class _NpuMemory(_HostMemory):
    """Arrays to kernels of an NPU, and what they use of its memory: (low, high, written)."""

    by_bytes = True

    def __init__(self) -> None:
        self.spans: list[tuple[int, int, bool]] = []

    def address(self, array: ndarray, written: bool) -> int:
        address = super().address(array, written)
        if address:
            self.spans.append((address, address + array.nbytes, written))
        return address


_HOST = _HostMemory()


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
            held to the declaration in the source: NumPy's numbers have its dtypes, Python's are converted, and an array
            whose parameter points to const is only read. Of a file that was compiled before nothing is known: Python's
            floats are doubles, whole numbers are NumPy's, arrays count as read and written. None is a null pointer.
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
        with on(stream):
            device = self._device(args)
            given = list(args)
            if workspace:
                given.append(creation.empty(workspace, dtype=np.uint8, device=device))
            if tiling is not None:
                given.append(creation.asarray(np.frombuffer(structure(self.name, tiling), np.uint8), device=device))
            if device == "cpu":
                self._on_cpu(blocks, given)
            else:
                self._on_npu(blocks, given, int(device.partition(":")[2]))

    def _device(self, args: Sequence[Any]) -> str:
        """Where the arrays lie, else where new ones are made."""
        names = {value._device_name for value in args if isinstance(value, ndarray)}
        if len(names) > 1:
            raise ValueError(f"{self.name}: expected all arrays on one device, got {', '.join(sorted(names))}")
        return names.pop() if names else str(creation.empty(0).device)

    def _on_cpu(self, blocks: int, given: list[Any]) -> None:
        function, of_blocks = self._module._function("cpu", self.name), ctypes.c_int64(blocks)
        values = pack(self.name, self._module._parameters("cpu", self.name), given, _HOST)

        def run(block: int) -> None:
            function(ctypes.c_int64(block), of_blocks, *values)  # lets go of the interpreter's lock

        in_blocks(run, blocks)

    def _on_npu(self, blocks: int, given: list[Any], device: int) -> None:
        from asnumpy.cann import _calls, _devices
        from asnumpy.cann._launch import noted

        _devices.use(device)
        function, memory = self._module._function("ascend", self.name), _NpuMemory()
        packed = block(pack(self.name, self._module._parameters("ascend", self.name), given, memory))
        spans = memory.spans
        for low, high, _ in spans:
            _core.cann_expect_whole(device, (low, high, False))
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
