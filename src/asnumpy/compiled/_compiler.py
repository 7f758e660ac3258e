"""From source to a loaded function: the host's compiler, and the store of what it has made."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from asnumpy import _core

FORM = "machine code 1"  # with which the key of all that is kept of it begins
_NICE = 10  # how far a compiler beside the program steps back


class CompileError(RuntimeError):
    """There is no compiler, or it refused, or what it made cannot be loaded."""


def include() -> Path:
    """The folder of the headers that define the rows: in the package, or in the checkout that it is imported from."""
    here = Path(__file__).resolve().parent
    for folder in (here / "include", here.parents[2] / "core"):
        if (folder / "ops" / "definition.hpp").exists():
            return folder
    raise CompileError(f"expected the headers of the rows in {here / 'include'}; install asnumpy again")


def compiler() -> str | None:
    """The C++ compiler for machine code: ``ASNUMPY_CXX``, else the first of c++, g++ and clang++ that is there."""
    asked = os.environ.get("ASNUMPY_CXX")
    names = [asked] if asked else ["c++", "g++", "clang++"]
    return next((found for name in names if (found := shutil.which(name))), None)


def options() -> list[str]:
    """The options that decide values: those of the row's own loops."""
    # Partial redundancies that GCC removes between the arms of choices become branches, which no vector has.
    own = ["-std=c++20", *_core.programs.kernel_options().split(), "-fno-tree-pre"]
    return [*own, "-fPIC", "-shared", "-Wl,--no-undefined"]


@cache
def _headers() -> str:
    """What the headers hold, in a few words."""
    found = hashlib.sha256()
    for path in sorted(path for room in ("base", "ops") for path in (include() / room).glob("*.hpp")):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


@cache
def _version(name: str) -> str:
    """Which compiler it is."""
    done = subprocess.run([name, "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.stdout or name


class Compilation:
    """Compiling one source after another, in one thread at a time; another one may stop it for good."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self.stopped = False

    def stop(self) -> None:
        """Ends the compiler that is running, and begins no other."""
        with self._lock:
            self.stopped = True
            if self._process is not None:
                with contextlib.suppress(ProcessLookupError):
                    self._process.kill()

    def functions(self, source: str, names: Sequence[str], beside: bool = False) -> list[int]:
        """The addresses of functions of a source, from the store or compiled now; beside: the program goes on."""
        key = "\0".join([FORM, *options(), _headers(), source]).encode()
        found = compiler()
        version = _version(found).encode() if found else b""
        binary = _core.kept_kernel(key, version)
        if binary is None:
            if found is None:
                asked = os.environ.get("ASNUMPY_CXX")
                tried = f"ASNUMPY_CXX names {asked}, which is not there" if asked else "found no c++, g++ or clang++"
                raise CompileError(f"{tried}; install a C++ compiler (with C++20), or let ASNUMPY_CXX name one")
            binary = self._compile(found, source, beside)
            _core.keep_kernel(key, version, binary)
        return _loaded(binary, names)

    def _compile(self, found: str, source: str, beside: bool) -> bytes:
        with tempfile.TemporaryDirectory(prefix="asnumpy-code-") as work:
            path, made = Path(work) / "strand.cpp", Path(work) / "strand.so"
            path.write_text(source)
            command = [found, *options(), f"-I{include()}", str(path), "-o", str(made)]
            with self._lock:
                if self.stopped:
                    raise CompileError("the program ends")
                process = self._process = subprocess.Popen(  # in a session of its own: an interrupt is the program's
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                    errors="replace", start_new_session=True,
                )
            try:
                if beside:
                    with contextlib.suppress(OSError):
                        os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
                said = process.communicate()[0]
            finally:
                if process.poll() is None:  # an interrupt came while it was waited for
                    process.kill()
                    process.communicate()
                with self._lock:
                    self._process = None
            if process.returncode:
                raise CompileError(f"{found} ended with {process.returncode}: {said.strip()[:2000]}")
            return made.read_bytes()


def _loaded(binary: bytes, names: Sequence[str]) -> list[int]:
    with tempfile.TemporaryDirectory(prefix="asnumpy-code-") as work:  # what is loaded needs its file no more
        path = Path(work) / "strand.so"
        path.write_bytes(binary)
        try:
            library = ctypes.CDLL(str(path))
            return [int(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0) for name in names]
        except (OSError, AttributeError) as error:
            raise CompileError(f"what the compiler made cannot be loaded: {error}") from None
