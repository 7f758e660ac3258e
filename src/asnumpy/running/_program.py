"""Runs a program in this process as `python` itself would; nothing here is asnumpy's, so that NumPy alone will do."""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Compile = Callable[[bytes, str], types.CodeType]
OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
SPAWNED = "_ASNUMPY_RUN_PROGRAM"  # tells a process that multiprocessing starts afresh what the program is


@dataclass(frozen=True)
class Program:
    """A script by its path ("-": the standard input), or a module by its name; with arguments."""

    name: str
    is_module: bool
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """A program's text, and what `__main__` knows of it."""

    source: bytes
    path: str
    argument: str  # sys.argv[0]
    folder: str    # sys.path[0]
    package: str | None = None


class Missing(Exception):
    """There is no such program: the text that Python gives, and its exit status."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


class _MainSpec(importlib.machinery.ModuleSpec):
    """Names the module that a spawned process runs in the place of `__main__`; relative imports are the program's."""

    package = ""

    @property
    def parent(self) -> str:
        return self.package


def find(program: Program) -> Found:
    """Reads the program. The modules of its packages are imported on the way, as `python -m` does."""
    if program.is_module:
        sys.path[:1] = [os.getcwd()] if not sys.flags.safe_path else sys.path[:1]
        return _module(program.name)
    if program.name == "-":
        return Found(sys.stdin.buffer.read(), "<stdin>", "-", "")
    path = os.path.abspath(program.name)
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        path, folder = os.path.join(path, "__main__.py"), path
    try:
        with open(path, "rb") as file:
            return Found(file.read(), path, program.name, folder)
    except OSError as error:
        why = f"[Errno {error.errno}] {error.strerror}"
        raise Missing(f"{sys.executable}: can't open file {path!r}: {why}", 2) from None


def _module(name: str) -> Found:
    try:
        spec = importlib.util.find_spec(name)
        package = spec is not None and spec.submodule_search_locations is not None
        if package:
            name += ".__main__"
            spec = importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        raise Missing(f"{sys.executable}: Error while finding module specification for {name!r} "
                      f"({type(error).__name__}: {error})", 1) from None
    if spec is None:
        raise Missing(f"{sys.executable}: No module named {name}", 1)
    if not isinstance(spec.loader, importlib.machinery.SourceFileLoader) or spec.origin is None:
        raise Missing(f"{sys.executable}: {name} is not a module with a source, which `asnumpy run -m` needs", 1)
    return Found(spec.loader.get_data(spec.origin), spec.origin, spec.origin, os.getcwd(), name.rpartition(".")[0])


def main_module(found: Found, name: str = "__main__", afresh: str | None = None) -> dict[str, Any]:
    """The names that a program begins with; afresh: the module that stands for it in a process that begins afresh."""
    spec = None
    if afresh is not None and found.path != "<stdin>":
        spec = _MainSpec(afresh, None, origin=found.path)
        spec.package = found.package or ""
    return {
        "__name__": name, "__doc__": None, "__package__": found.package, "__spec__": spec, "__builtins__": builtins,
        **({} if found.path == "<stdin>" else {
            "__file__": found.path, "__cached__": None,
            "__loader__": importlib.machinery.SourceFileLoader(name, found.path),
        }),
    }


_kept: list[types.ModuleType] = []  # the command line's own `__main__`, whose names would be emptied


def run(program: Program, found: Found, compiled: Compile, afresh: str | None = None) -> None:
    """Runs it as `__main__`. SystemExit where the program leaves so, or after an exception that nobody caught."""
    sys.argv[:] = [found.argument, *program.arguments]
    if not sys.flags.safe_path:
        sys.path[:1] = [found.folder]
    os.environ[SPAWNED] = f"{'module' if program.is_module else 'script'}:{program.name}"
    module = types.ModuleType("__main__")
    module.__dict__.update(main_module(found, afresh=afresh))
    _kept.append(sys.modules["__main__"])
    sys.modules["__main__"] = module
    try:
        exec(compiled(found.source, found.path), module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        clean(error)
        sys.excepthook(type(error), error, error.__traceback__)
        raise SystemExit(130 if isinstance(error, KeyboardInterrupt) else 1) from None


def spawned() -> Program:
    """What the process that started this one runs."""
    kind, _, name = os.environ[SPAWNED].partition(":")
    return Program(name, kind == "module")


def clean(error: BaseException | None, seen: frozenset[int] = frozenset()) -> None:
    """Takes the frames of this folder out of an exception's traceback, and of those that it came from."""
    if error is None or id(error) in seen:
        return
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    ours = [frame.tb_frame.f_code.co_filename.startswith(OWN) for frame in frames]
    # Python takes its own frames of an import out of a SyntaxError's, unless others stand between them.
    within = any(ours[1:]) and isinstance(error, SyntaxError)
    kept = [frame for frame, own in zip(frames, ours, strict=True) if not own and not (
        within and frame.tb_frame.f_code.co_filename.startswith("<frozen importlib"))]
    after = None
    for frame in reversed(kept):
        frame.tb_next = after
        after = frame
    error.__traceback__ = after
    for other in (error.__cause__, error.__context__):
        clean(other, seen | {id(error)})
