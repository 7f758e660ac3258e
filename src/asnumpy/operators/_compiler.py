"""Compiling and loading kernels: C++ for the CPU by the host's compiler, Ascend C by CANN's compiler at run time."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from asnumpy import _core
from asnumpy.operators import _kept
from asnumpy.runtime import cann_search
from asnumpy.runtime.cann_error import CannError

_CPU_OPTIONS = ("-std=c++17", "-O3", "-march=native", "-fPIC", "-shared")


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
    return [compiler(), *_CPU_OPTIONS]


def compile_cpu(code: str | None, path: Path | None, options: Sequence[str], names: Sequence[str]) -> CpuLibrary:
    """A library of C++ functions, kept on disk by its text, its options, the compiler and the processor."""
    if path is not None:
        return CpuLibrary(path)
    assert code is not None
    try:
        command: list[str] = cpu_command()
    except CompilerMissing:
        command = []

    def make() -> bytes:
        return _compile([*(command or cpu_command()), *options], code)

    source = _kept.made_from(code, options, (), of_compiler=False)
    kept = None if source is None else "\0".join(["cpu", *_CPU_OPTIONS, _kept.processor(), source])
    return _loaded(_kept.compiled(kept, _compiles_for(command[0]) if command else "", make))


def _loaded(binary: bytes) -> CpuLibrary:
    library = Path(_folder().name) / f"{hashlib.sha256(binary).hexdigest()[:24]}.so"
    if not library.exists():
        made = library.with_suffix(f".{threading.get_ident()}")
        made.write_bytes(binary)
        made.replace(library)
    return CpuLibrary(library)


def _compile(command: Sequence[str], code: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="asnumpy-kernel-") as work:
        source, made = Path(work) / "kernel.cpp", Path(work) / "kernel.so"
        source.write_text(code)
        done = subprocess.run([*command, str(source), "-o", str(made)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise CompileError(done.stderr.replace(str(source), "kernel.cpp"))
        return made.read_bytes()


@cache
def _compiles_for(name: str) -> str:
    """The compiler's version and what its -march=native is here."""
    asked = [name, "-march=native", "-E", "-dM", "-x", "c++", os.devnull]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="asnumpy-kernels-")  # removed when the process ends


def compile_ascend(code: str | None, path: Path | None, options: Sequence[str], names: Sequence[str]) -> AscendBinary:
    """A binary that CANN has loaded: of a file, or of a source that its run-time compiler takes or has taken before."""
    from asnumpy.ascendc import templates
    from asnumpy.cann import _calls

    if path is not None:
        handle = ctypes.c_void_p()
        _calls.call("aclrtBinaryLoadFromFile", str(path).encode(), None, ctypes.byref(handle))
        return AscendBinary(handle, {})
    assert code is not None
    _calls.find("aclInit")  # without CANN nothing below can be asked
    target, identity = _core.kernel_compiler()
    if identity and cann_search.search().simulated:
        identity += _headers()

    def make() -> bytes:
        words = ["--npu-arch=dav-2201", *options, f"-I{templates()}"]
        data, lowered = _run_time_compiler().run(code, "kernel.cpp", words, names)
        return json.dumps(lowered).encode() + b"\n" + data

    source = _kept.made_from(code, options, [templates()], of_compiler=True)
    kept = None if source is None else "\0".join(["ascend", target, *names, source])
    try:
        return _binary(_kept.compiled(kept, identity, make))
    except CannError:
        if not _kept.drop(kept):
            raise
    return _binary(_kept.compiled(kept, identity, make))  # what was kept may be of a compiler that has changed since


@cache
def _headers() -> str:
    """The headers of Ascend C on the host, which are the simulator's compiler as much as its library is."""
    from asnumpy.ascendc import include

    files = sorted(path for path in include().rglob("*") if path.is_file())
    return "".join(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}\n" for path in files)


def _binary(made: bytes) -> AscendBinary:
    from asnumpy.cann import _calls

    lowered, _, data = made.partition(b"\n")
    handle = ctypes.c_void_p()
    _calls.call("aclrtBinaryLoadFromData", data, ctypes.c_size_t(len(data)), None, ctypes.byref(handle))
    return AscendBinary(handle, json.loads(lowered))


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
