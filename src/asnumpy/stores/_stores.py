"""The stores as data. Who keeps something writes and reads it in its own place; here it is looked at from outside."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from asnumpy import _core
from asnumpy.compiled._compiler import FORM as PROGRAMS
from asnumpy.runtime import machine
from asnumpy.stores._loading import that_do_not_load

# The kinds of what is kept, in the order in which they are told.
KINDS = {
    "programs": "machine code of programs that recur, for the CPU",
    "operators": "compiled kernels of operators, RawKernel and CudaKernel",
    "ascend": "the library's own kernels for an NPU: random draws, programs",
    "simulator": "what Ascend C becomes for the simulator",
    "machines": "what `python -m asnumpy check` found",
}
_NAMED = {  # what is kept under such names; anything else is somebody else's
    "kernels": re.compile(r"[0-9a-f]{32}"), "simulator": re.compile(r"[0-9a-f]{32}\.(so|files)"),
    "machines": re.compile(r".*\.json"),
}  # fmt: skip
SIMULATOR_LIMITS = (1024, 512 << 20)  # of ascendc/source/cache.hpp
_OF_OPERATORS = (b"cpu\0", b"cuda\0", b"ascend\0")  # with what sources of asnumpy.operators begin


@dataclass(frozen=True)
class Store:
    """A folder; most_files and most_bytes are 0 where nothing bounds them."""

    name: str
    folder: Path
    most_files: int = 0
    most_bytes: int = 0

    @property
    def wrong(self) -> str:
        """Why nothing here may be used; empty: it may, or there is nothing."""
        try:
            found = self.folder.lstat()
        except OSError:
            return ""
        if not stat.S_ISDIR(found.st_mode):
            return "is no folder"
        return machine.not_ours(found)


@dataclass(frozen=True)
class Entry:
    """Something that is kept, in one file or in several that belong together; `used` is the time of its last use."""

    kind: str
    store: Store
    files: tuple[Path, ...]
    bytes: int
    used: float
    wrong: str = ""

    @property
    def path(self) -> Path:
        """The file that gives it its name."""
        return self.files[0]


def stores() -> list[Store]:
    """The folders: those that are there, and those that would be made."""
    kernels, *limits = _core.kept_place()
    found = [Store("kernels", Path(kernels), *limits)] if kernels else []
    found += [Store("simulator", folder, *SIMULATOR_LIMITS) for folder in _of_the_simulator()]
    with suppress(RuntimeError):  # there is no home
        found.append(Store("machines", machine.folder()))
    return found


def entries(kinds: Iterable[str] = tuple(KINDS)) -> list[Entry]:
    """All that is kept of these kinds, what was used longest ago first."""
    wanted, found = set(kinds), []
    for store in stores():
        found += [one for one in _ENTRIES[store.name](store) if one.kind in wanted]
    return sorted(found, key=lambda one: one.used)


def verify(kinds: Iterable[str] = tuple(KINDS)) -> list[tuple[Path, str]]:
    """What is wrong: folders that may not be used, and entries that are damaged or do not load."""
    found = [(store.folder, store.wrong) for store in stores() if store.wrong]
    trusted = [one for one in entries(kinds) if not one.store.wrong]  # what others may have written is not loaded
    found += [(one.path, one.wrong) for one in trusted if one.wrong]
    return found + that_do_not_load([(one.path, one.kind) for one in trusted if not one.wrong])


def clear(kinds: Iterable[str] = tuple(KINDS), dry_run: bool = False) -> tuple[list[Entry], list[tuple[Path, str]]]:
    """Removes what is kept of these kinds: what was, and what could not be with the reason.

    A process that has loaded something goes on with it.
    """
    gone, left = [], []
    for one in entries(kinds):
        try:
            for path in () if dry_run else one.files:
                path.unlink(missing_ok=True)
            gone.append(one)
        except OSError as error:
            left.append((one.path, error.strerror or str(error)))
    return gone, left


def _files(store: Store) -> Iterator[tuple[Path, os.stat_result]]:
    """Files and links that have the names of what is kept; not what is being written."""
    try:
        found = sorted(store.folder.iterdir())
    except OSError:
        return
    for path in found:
        with suppress(OSError):  # another process tidies
            of_file = path.lstat()
            if not stat.S_ISDIR(of_file.st_mode) and _NAMED[store.name].fullmatch(path.name):
                yield path, of_file


def _kernels(store: Store) -> Iterator[Entry]:
    for path, found in _files(store):
        wrong, kind = "", "ascend"
        try:
            source = _core.kept_file(str(path))[0]
            if source.startswith(PROGRAMS.encode() + b"\0"):
                kind = "programs"
            elif source.startswith(_OF_OPERATORS):
                kind = "operators"
        except ValueError as error:
            wrong, kind = str(error), "operators"  # of which kind it was can no longer be told
        yield Entry(kind, store, (path,), found.st_size, found.st_mtime, wrong)


def _of_the_simulator() -> list[Path]:
    """Where the simulator's compiler puts libraries, after the places that it tries before (ascendc/source)."""
    if named := os.environ.get("ASCENDC_CACHE"):
        return [Path(named)]
    bases = [Path(os.environ[name], *below) for name, below in (("XDG_CACHE_HOME", ()), ("HOME", (".cache",)))
             if os.environ.get(name)]  # fmt: skip
    bases.append(Path(tempfile.gettempdir()))
    names = [*[("asnumpy", "ascendc")] * (len(bases) - 1), (f"asnumpy-ascendc-{os.getuid()}",)]
    found = []
    for base, name in zip(bases, names, strict=True):
        found.append(base.joinpath(*name))
        if _may_be_made(found[-1]) and not Store("simulator", found[-1]).wrong:
            break
    return found


def _may_be_made(folder: Path) -> bool:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return there.is_dir() and os.access(there, os.W_OK)


def _libraries(store: Store) -> Iterator[Entry]:
    """A library, and the record of the files that it was made from."""
    found = dict(_files(store))
    for path, of_file in found.items():
        if path.suffix == ".files":
            continue
        record = path.with_suffix(".files")
        together = [path, *([record] if record in found else [])]
        wrong = machine.not_ours(of_file) or ("" if stat.S_ISREG(of_file.st_mode) else "is no file")
        size = sum(found[one].st_size for one in together)
        yield Entry("simulator", store, tuple(together), size, max(found[one].st_mtime for one in together), wrong)


def _records(store: Store) -> Iterator[Entry]:
    for path, found in _files(store):
        wrong = machine.not_ours(found)
        try:
            json.loads(path.read_text())
        except (OSError, ValueError) as error:
            wrong = wrong or f"cannot be read: {error}"
        yield Entry("machines", store, (path,), found.st_size, found.st_mtime, wrong)


_ENTRIES = {"kernels": _kernels, "simulator": _libraries, "machines": _records}
