"""Compiling and loading kernels: C++ for the CPU by the host's compiler, Ascend C by CANN's compiler at run time."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from asnumpy.runtime.machine import cache_folder


class CompileError(RuntimeError):
    """A compiler refused a kernel, or there is none; the message is what it printed."""


class CompilerMissing(CompileError):
    """There is no compiler for a kernel."""


class CpuLibrary:
    """Functions of a library of the host."""

    def __init__(self, path: Path) -> None:
        self._library, self._path = ctypes.CDLL(str(path)), path

    def function(self, name: str) -> Any:
        """The function of that name."""
        try:
            found = getattr(self._library, name)
        except AttributeError:
            raise ValueError(f'{name}: {self._path} has no such function; declare it extern "C"') from None
        found.restype = None
        return found


class AscendBinary:
    """Kernels of a binary that CANN has loaded."""

    def __init__(self, handle: Any, lowered: dict[str, str]) -> None:
        self._handle, self._lowered = handle, lowered

    def function(self, name: str) -> Any:
        """The kernel of that name, or of one of the instances that were asked for."""
        from asnumpy.cann import _calls

        found = ctypes.c_void_p()
        symbol = self._lowered.get(name, name).encode()
        _calls.call("aclrtBinaryGetFunction", self._handle, symbol, ctypes.byref(found))
        return found


def compiler() -> str:
    """The host's C++ compiler; CompileError where there is none."""
    for name in (os.environ.get("CXX"), "g++", "clang++"):
        if name and shutil.which(name):
            return name
    raise CompilerMissing(
        "expected a C++ compiler: neither $CXX nor g++ nor clang++ was found; install one, or give path= of a library"
    )


def cpu_command() -> list[str]:
    """The host's compiler, and how it makes a library of kernels."""
    return [compiler(), "-std=c++17", "-O3", "-march=native", "-fPIC", "-shared"]


def compile_cpu(code: str | None, path: Path | None, options: Sequence[str], names: Sequence[str]) -> CpuLibrary:
    """A library of C++ functions, kept in the user's cache by its text, its options, the compiler and the processor.

    A source that includes files by name is compiled anew in each process: they may have changed.
    """
    if path is not None:
        return CpuLibrary(path)
    assert code is not None
    command = [*cpu_command(), *options]
    key = hashlib.sha256("\0".join([*command, _compiles_for(command[0]), code]).encode()).hexdigest()[:24]
    own = '#include "' in code or any(option.startswith(("-I", "-include", "-isystem")) for option in options)
    folder = None if own else cache_folder("kernels")
    if folder is not None:
        with contextlib.suppress(OSError):  # no place to keep it, or none that may be written
            folder.mkdir(parents=True, exist_ok=True)
            library = folder / f"{key}.so"
            if not library.exists():
                _compile(command, code, library)
            return CpuLibrary(library)
    library = Path(_folder().name) / f"{key}.so"
    if not library.exists():
        _compile(command, code, library)
    return CpuLibrary(library)


def _compile(command: Sequence[str], code: str, library: Path) -> None:
    """Written under another name first: other processes see it whole or not at all."""
    with tempfile.TemporaryDirectory(prefix=f"{library.stem}-", dir=library.parent) as work:
        source, made = Path(work) / "kernel.cpp", Path(work) / library.name
        source.write_text(code)
        done = subprocess.run([*command, str(source), "-o", str(made)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise CompileError(done.stderr.replace(str(source), "kernel.cpp"))
        made.replace(library)


@cache
def _compiles_for(name: str) -> str:
    """The compiler's version and what its -march=native is here: other machines may share the cache."""
    asked = [name, "-march=native", "-E", "-dM", "-x", "c++", os.devnull]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="asnumpy-kernels-")  # removed when the process ends


def compile_ascend(code: str | None, path: Path | None, options: Sequence[str], names: Sequence[str]) -> AscendBinary:
    """A binary that CANN has loaded: of a file, or of a source that its run-time compiler takes."""
    from asnumpy.ascendc import templates
    from asnumpy.cann import _calls

    handle = ctypes.c_void_p()
    if path is not None:
        _calls.call("aclrtBinaryLoadFromFile", str(path).encode(), None, ctypes.byref(handle))
        return AscendBinary(handle, {})
    assert code is not None
    words = ["--npu-arch=dav-2201", *options, f"-I{templates()}"]
    data, lowered = _run_time_compiler().run(code, "kernel.cpp", words, names)
    _calls.call("aclrtBinaryLoadFromData", data, ctypes.c_size_t(len(data)), None, ctypes.byref(handle))
    return AscendBinary(handle, lowered)


@dataclass(frozen=True)
class RunTimeCompiler:
    """A library that compiles at run time, and what its functions are called."""

    library: ctypes.CDLL
    create: str
    add_name: str
    compile: str
    log_size: str
    log: str
    size: str
    data: str
    lowered: str
    destroy: str

    def run(
        self, code: str, name: str, options: Sequence[str], names: Sequence[str]
    ) -> tuple[bytes, dict[str, str]]:
        """What became of a source that goes by a file's name, and the symbols of these instances of templates."""
        program = ctypes.c_void_p()
        self._call(self.create, ctypes.byref(program), code.encode(), name.encode(), 0, None, None)
        try:
            for each in names:
                self._call(self.add_name, program, each.encode())
            given = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
            if getattr(self.library, self.compile)(program, len(given), given):
                raise CompileError(self._bytes(self.log_size, self.log, program).rstrip(b"\0").decode(errors="replace"))
            data = self._bytes(self.size, self.data, program)
            return data, {each: self._symbol(program, each) for each in names}
        finally:
            getattr(self.library, self.destroy)(ctypes.byref(program))

    def _symbol(self, program: ctypes.c_void_p, name: str) -> str:
        found = ctypes.c_char_p()
        self._call(self.lowered, program, name.encode(), ctypes.byref(found))
        return (found.value or b"").decode()

    def _bytes(self, size: str, get: str, program: ctypes.c_void_p) -> bytes:
        bytes_ = ctypes.c_size_t()
        self._call(size, program, ctypes.byref(bytes_))
        made = ctypes.create_string_buffer(bytes_.value)
        self._call(get, program, made)
        return made.raw

    def _call(self, function: str, *arguments: Any) -> None:
        code = getattr(self.library, function)(*arguments)
        if code:
            raise CompileError(f"{function} failed with {code}")


@cache
def _run_time_compiler() -> RunTimeCompiler:
    from asnumpy.runtime import cann_search

    found = cann_search.search()
    name = "libacl_rtc.so"
    for place in [*(str(Path(opened).parent / name) for opened in found.opened(False)), name]:
        with contextlib.suppress(OSError):
            return RunTimeCompiler(
                ctypes.CDLL(place), create="aclrtcCreateProg", add_name="aclrtcAddNameExpr",
                compile="aclrtcCompileProg", log_size="aclrtcGetCompileLogSize", log="aclrtcGetCompileLog",
                size="aclrtcGetBinDataSize", data="aclrtcGetBinData", lowered="aclrtcGetLoweredName",
                destroy="aclrtcDestroyProg",
            )
    raise CompilerMissing(
        f"expected {name}, CANN's compiler at run time, beside CANN {found.version} in "
        f"{found.folder or 'the loader path'}; it comes with CANN 9; with an older one compile before and give path="
    )
