"""Kernels through CANN's interface: compiled at run time by aclrtc, loaded, launched on simulated memory."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from host_compiler import compiler

from cannsim import acl
from cannsim.acl import AclError, Memory, P, call

AICORE_EXCEPTION, VECTOR_CORE_TIMEOUT, VECTOR_CORE_EXCEPTION = 507015, 507034, 507035
HEAD = '#include "kernel_operator.h"\nusing namespace AscendC;\n'


def compiles() -> bool:
    """Whether kernels can be compiled here: CANN 8 has no library for it, and a compiler is needed."""
    return compiler() is not None and (acl.folder_of_version() / "libacl_rtc.so").exists()


class Refused(AssertionError):
    """The compiler refused a kernel; the text is its log."""


@cache
def _rtc() -> ctypes.CDLL:
    return ctypes.CDLL(str(acl.folder_of_version() / "libacl_rtc.so"))


def build(source: str, name: str = "kernel.cpp", options: Sequence[str] = (), names: Sequence[str] = ()) -> bytes:
    """The compiled binary of a source."""
    rtc, program, size = _rtc(), P(), ctypes.c_size_t()
    assert rtc.aclrtcCreateProg(ctypes.byref(program), source.encode(), name.encode(), 0, None, None) == 0
    try:
        for each in names:
            assert rtc.aclrtcAddNameExpr(program, each.encode()) == 0
        given = (ctypes.c_char_p * (len(options) + 1))(b"--npu-arch=dav-2201", *[each.encode() for each in options])
        if rtc.aclrtcCompileProg(program, len(given), given):
            assert rtc.aclrtcGetCompileLogSize(program, ctypes.byref(size)) == 0
            log = ctypes.create_string_buffer(size.value)
            assert rtc.aclrtcGetCompileLog(program, log) == 0
            raise Refused(log.value.decode())
        assert rtc.aclrtcGetBinDataSize(program, ctypes.byref(size)) == 0
        data = ctypes.create_string_buffer(size.value)
        assert rtc.aclrtcGetBinData(program, data) == 0
        return data.raw
    finally:
        assert rtc.aclrtcDestroyProg(ctypes.byref(program)) == 0


class Binary:
    """A loaded binary and its kernels: of bytes, or of a file."""

    def __init__(self, data: bytes | str) -> None:
        self.handle = P()
        if isinstance(data, str):
            call("aclrtBinaryLoadFromFile", data.encode(), None, ctypes.byref(self.handle))
        else:
            call("aclrtBinaryLoadFromData", data, ctypes.c_size_t(len(data)), None, ctypes.byref(self.handle))

    def function(self, name: str) -> Any:
        found = P()
        call("aclrtBinaryGetFunction", self.handle, name.encode(), ctypes.byref(found))
        return found

    def launch(self, name: str, blocks: int, *values: Any, stream: Any = None, seconds: int = 0) -> None:
        """Queues the kernel. Memory is passed by its address, NumPy's numbers by their bytes."""
        function, arguments, parameter = self.function(name), P(), P()
        call("aclrtKernelArgsInit", function, ctypes.byref(arguments))
        for value in values:
            raw = ctypes.c_uint64(value.address.value or 0) if isinstance(value, Memory) else value
            data = bytes(raw) if isinstance(raw, ctypes.c_uint64) else np.asarray(raw).tobytes()
            call("aclrtKernelArgsAppend", arguments, data, ctypes.c_size_t(len(data)), ctypes.byref(parameter))
        call("aclrtKernelArgsFinalize", arguments)
        attribute = (ctypes.c_uint32 * 5)(7, seconds, 0, 0, 0)
        configuration = (ctypes.c_void_p * 2)(ctypes.addressof(attribute), 1 if seconds else 0)
        call("aclrtLaunchKernelWithConfig", function, blocks, P(stream), configuration, arguments, None)

    def unload(self) -> None:
        call("aclrtBinaryUnLoad", self.handle)


def wait(stream: Any = None) -> None:
    call("aclrtSynchronizeStream", P(stream))


def memory_of(array: np.ndarray) -> Memory:
    made = Memory(array.nbytes)
    made.write(array.tobytes())
    return made


def array_of(memory: Memory, dtype: Any) -> np.ndarray:
    return np.frombuffer(memory.read(), dtype)


__all__ = ["AclError", "Binary", "Refused", "array_of", "build", "compiles", "memory_of", "wait"]
