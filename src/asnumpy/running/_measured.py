"""One run of a comparison, a script of its own: notes the time that a program takes and the files that it writes.

    python _measured.py FOLDER (numpy | asnumpy) (script | module) NAME ARGUMENTS...

With `numpy` nothing of asnumpy is imported. What FOLDER gets is for `_compare.py`.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import json
import os
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Any


class Watch:
    """Notes files that are opened for writing, with copies of those that were there, and folders that are made."""

    def __init__(self, keep: Path) -> None:
        self.keep = keep
        self.files: dict[str, str | None] = {}  # by path: the copy of what was there before
        self.folders: list[str] = []
        self.within = threading.local()

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("open", "os.rename", "os.mkdir") or getattr(self.within, "copies", False):
            return
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            return
        name = arguments[1 if event == "os.rename" else 0]
        if isinstance(name, int) or name is None:
            return
        path = os.path.abspath(os.fsdecode(name))
        if event == "os.mkdir":
            self.folders.append(path)
        elif path not in self.files and "__pycache__" not in path and not path.startswith(("/dev/", "/proc/")):
            self.within.copies = True
            try:
                self.files[path] = self.copy(path)
            finally:
                self.within.copies = False

    def copy(self, path: str) -> str | None:
        if not os.path.isfile(path):
            return None
        kept = self.keep / str(len(self.files))
        self.keep.mkdir(exist_ok=True)
        shutil.copy2(path, kept)
        return str(kept)


def _alone() -> Any:
    """`_program.py` without the package that it belongs to."""
    spec = importlib.util.spec_from_file_location("_program", Path(__file__).with_name("_program.py"))
    assert spec is not None and spec.loader is not None
    module = sys.modules["_program"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(folder: Path, which: str, kind: str, name: str, arguments: list[str]) -> None:
    """Runs the program; does not return."""
    runner: Any = importlib.import_module("asnumpy.running._program") if which == "asnumpy" else _alone()
    program = runner.Program(name, kind == "module", tuple(arguments))
    importlib.import_module("numpy")  # counts for neither
    watch = Watch(folder / "before")
    start = time.perf_counter()

    def end() -> None:
        note = {"seconds": time.perf_counter() - start, "files": watch.files, "folders": watch.folders}
        watch.within.copies = True
        (folder / "note.json").write_text(json.dumps(note))

    atexit.register(end)
    sys.addaudithook(watch)
    try:
        _run(runner, program, which)
    except runner.Missing as missing:
        print(missing, file=sys.stderr)
        sys.exit(missing.status)
    sys.exit(0)


def _run(runner: Any, program: Any, which: str) -> None:
    if which == "asnumpy":
        importlib.import_module("asnumpy.running._asnumpys").run(program, numpy_random=True)
    else:
        found = runner.find(program)
        runner.run(program, found, lambda source, path: compile(source, path, "exec", dont_inherit=True))


if __name__ == "__main__":
    if not sys.flags.safe_path:
        sys.path[0] = os.getcwd()  # this folder is nobody's
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
