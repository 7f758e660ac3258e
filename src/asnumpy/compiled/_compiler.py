"""From source to a loaded function: the host's compiler, and the store of what it has made."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from asnumpy import _core

FORM = "machine code 2"  # with which the key of all that is kept of it begins
_NICE = 10  # how far a compiler beside the program steps back
LONGEST = 120.0  # seconds that a compiler may take: some two hundred times what it needs
_HEADERS = ("base/*.hpp", "ops/*.hpp", "kernels/fold.hpp")  # that sources include


class CompileError(RuntimeError):
    """There is no compiler, or it refused, or what it made cannot be used."""


class CompilerHangs(CompileError):
    """It did not end, and was ended."""


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
    for path in sorted(path for files in _HEADERS for path in include().glob(files)):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def _which(name: str) -> bytes:
    """Which compiler it is, by its file: to ask it would start a process before it is known whether one is needed."""
    path = os.path.realpath(name)
    facts = os.stat(path)
    return f"{path} {facts.st_size} {facts.st_mtime_ns}".encode()


# A shell stands between, so that a compiler ends with its program however that ends: when the program's end of the pipe
# is gone, all that the compiler has started is ended, and its folder, the first argument, removed.
_SUPERVISED = """
exec 3<&0 </dev/null
(trap '' TERM; read -r never <&3; kill -TERM 0; rm -rf -- "$0"; kill -KILL 0) &
"$@" 3<&-
status=$?
{ kill -KILL $!; wait $!; } 2>/dev/null
exit $status
"""


class Compilation:
    """Compiling one source after another, in one thread at a time; another one may stop it for good."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self._lock = threading.Lock()
        self.stopped = False

    def stop(self) -> None:
        """Ends the compiler that is running, and begins no other."""
        with self._lock:
            self.stopped = True
            if self._process is not None:
                _end(self._process)

    def clear(self) -> None:
        """Removes the folder of a compiler that was stopped, where its thread has not come to that."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def leave(self) -> None:
        """In a forked child: the compiler is the parent's, and ends when the parent does."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):
                self._process.stdin.close()

    def functions(
        self, source: str, names: Sequence[str], beside: bool = False, right: Callable[[list[int]], bool] = all,
    ) -> list[int]:
        """The addresses of functions of a source, from the store or compiled now.

        beside: the program goes on meanwhile. right: whether the functions may be used, and what is made be kept.
        """
        found = compiler()
        key, which = _key(source), _which(found) if found else b""
        if (there := _kept(key, which, names, right)) is not None:
            return there
        if found is None:
            asked = os.environ.get("ASNUMPY_CXX")
            tried = f"ASNUMPY_CXX names {asked}, which is not there" if asked else "found no c++, g++ or clang++"
            raise CompileError(f"{tried}; install a C++ compiler (with C++20), or let ASNUMPY_CXX name one")
        binary = self._compile(found, source, beside)
        made = _loaded(binary, names)
        if not right(made):
            raise CompileError(f"what {found} made gives other values than asnumpy's own loops")
        _core.keep_kernel(key, which, binary)
        return made

    def _compile(self, found: str, source: str, beside: bool) -> bytes:
        # Not one of tempfile's objects, which a forked child would remove at its own end.
        folder = tempfile.mkdtemp(prefix="asnumpy-code-")
        try:
            path, made, said = (os.path.join(folder, name) for name in ("strand.cpp", "strand.so", "said"))
            Path(path).write_text(source)
            status = self._run([found, *options(), f"-I{include()}", path, "-o", made], folder, said, beside)
            if status:
                text = Path(said).read_text(errors="replace").strip()
                raise CompileError(f"{found} ended with {status}: {text[:2000]}")
            return Path(made).read_bytes()
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _run(self, command: list[str], folder: str, said: str, beside: bool) -> int:
        with open(said, "wb") as output, self._lock:
            if self.stopped:
                raise CompileError("the program ends")
            self._folder = folder
            process = self._process = subprocess.Popen(  # in a session of its own: an interrupt is the program's
                ["/bin/sh", "-c", _SUPERVISED, folder, *command], stdin=subprocess.PIPE, stdout=output, stderr=output,
                start_new_session=True, env={**os.environ, "TMPDIR": folder},
            )
        try:
            if beside:
                with contextlib.suppress(OSError):
                    nice = os.getpriority(os.PRIO_PROCESS, 0) + _NICE
                    os.setpriority(os.PRIO_PGRP, process.pid, nice)
            if not _left(process, LONGEST):
                raise CompilerHangs(f"{command[0]} did not end within {LONGEST:g} seconds")
            return process.wait()
        finally:
            with self._lock:
                if process.poll() is None:  # it hangs, or an interrupt came while it was waited for
                    _end(process)
                    process.wait()
                self._process = None
                if process.stdin is not None:
                    process.stdin.close()


def _left(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Waits until nobody reads the pipe to the process: its own wait, with a limit, looks now and then."""
    assert process.stdin is not None
    poll = select.poll()
    poll.register(process.stdin, 0)
    return bool(poll.poll(seconds * 1000))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a compiler with all that it has started."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _key(source: str) -> bytes:
    return "\0".join([FORM, *options(), _headers(), source]).encode()


def kept(source: str, names: Sequence[str], right: Callable[[list[int]], bool]) -> list[int] | None:
    """The addresses of functions of a source, where what is made of it is kept and right."""
    found = compiler()
    return _kept(_key(source), _which(found) if found else b"", names, right)


def _kept(key: bytes, which: bytes, names: Sequence[str], right: Callable[[list[int]], bool]) -> list[int] | None:
    binary = _core.kept_kernel(key, which)
    if binary is not None:
        with contextlib.suppress(CompileError):  # made again
            made = _loaded(binary, names)
            return made if right(made) else None
    return None


def _loaded(binary: bytes, names: Sequence[str]) -> list[int]:
    with tempfile.TemporaryDirectory(prefix="asnumpy-code-") as work:  # what is loaded needs its file no more
        path = Path(work) / "strand.so"
        path.write_bytes(binary)
        try:
            library = ctypes.CDLL(str(path))
            return [int(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0) for name in names]
        except (OSError, AttributeError) as error:
            raise CompileError(f"what the compiler made cannot be loaded: {error}") from None
