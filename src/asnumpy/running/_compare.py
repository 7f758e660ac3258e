"""`run --compare`: a program with NumPy and with asnumpy, each in a process of its own, and whether they agree."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asnumpy.running import _agree
from asnumpy.running._program import Program


@dataclass
class Run:
    """How one run went."""

    name: str
    status: int | None  # None: it was ended after the time that it was given
    output: str
    errors: str
    seconds: float | None  # None: it did not end as programs do
    files: dict[str, str]  # that it has written, by their path: where they are now

    def line(self) -> str:
        took = "did not come to its end" if self.seconds is None else f"{self.seconds:.3f} s"
        ended = "ended after its time was over" if self.status is None else f"exit status {self.status}"
        return f"{self.name:<8} {took:>12}   {ended}"


def _run(name: str, program: Program, folder: Path, timeout: float | None) -> Run:
    kind = "module" if program.is_module else "script"
    folder.mkdir()
    script = str(Path(__file__).with_name("_measured.py"))
    command = [sys.executable, script, str(folder), name.lower(), kind, program.name, *program.arguments]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=timeout, check=False)
        status, output, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as over:
        status, output, errors = None, over.stdout or b"", over.stderr or b""
    note: dict[str, Any] = {"seconds": None, "files": {}, "folders": []}
    with contextlib.suppress(OSError):
        note = json.loads((folder / "note.json").read_text())
    files = {path: path for path in note["files"] if os.path.isfile(path)}
    made = Run(name, status, output.decode(errors="replace"), errors.decode(errors="replace"), note["seconds"], files)
    if name == "NumPy":
        _set_aside(made, note["files"], note["folders"], folder)
    return made


def _set_aside(run: Run, before: dict[str, str | None], folders: list[str], folder: Path) -> None:
    """Takes away what a run has left, so that the next one begins as it did."""
    for number, path in enumerate(list(run.files)):
        kept = folder / "after" / str(number) / os.path.basename(path)
        kept.parent.mkdir(parents=True)
        shutil.move(path, kept)
        run.files[path] = str(kept)
    for path, copy in before.items():
        if copy is not None:
            shutil.copy2(copy, path)
    for made in reversed(folders):
        with contextlib.suppress(OSError):  # it holds more than what the program wrote
            os.rmdir(made)


def run(program: Program, options: argparse.Namespace) -> int:
    """Prints what agrees; returns 0, or 1 where something differs."""
    if not program.is_module and not os.path.exists(program.name):
        print(f"asnumpy run: there is no {program.name}", file=sys.stderr)
        return 2
    near = _agree.Nearness(options.rtol, options.atol, options.ignore)
    with tempfile.TemporaryDirectory() as folder:
        runs = [_run(name, program, Path(folder) / name, options.timeout) for name in ("NumPy", "asnumpy")]
        numpys, ours = runs
        lines, differ = compared(numpys, ours, near)
    for one in runs:
        print(one.line())
    if numpys.seconds and ours.seconds:
        print(f"asnumpy takes {ours.seconds / numpys.seconds:.2f} times NumPy's time, each measured once, "
              "from the program's first line to its end")
    print("\n".join(lines))
    for one in runs:
        if one.status != 0 and one.errors:
            print(f"{one.name} ended with:\n  " + "\n  ".join(one.errors.splitlines()[-8:]))
    failed = f", and both failed with exit status {ours.status}" if ours.status else ""
    print("verdict: the runs differ" if differ else f"verdict: the runs agree{failed}")
    return 1 if differ else 0


def compared(numpys: Run, ours: Run, near: _agree.Nearness) -> tuple[list[str], bool]:
    """A line for each thing that was compared, and whether any differs."""
    found = []
    if numpys.status != ours.status or numpys.status is None:
        found.append(("exit status", f"{numpys.status} with NumPy, {ours.status} with asnumpy"))
    found.append(("standard output", near.of_texts(numpys.output, ours.output)))
    lines = [f"{what}: {'differs: ' + why if why else 'agrees'}" for what, why in found]
    differ = any(why for _, why in found)
    for path in sorted({*numpys.files, *ours.files}):
        name = os.path.relpath(path)
        name = path if name.startswith("..") else name
        if path not in numpys.files or path not in ours.files:
            only = "NumPy" if path in numpys.files else "asnumpy"
            lines.append(f"{name}: differs: only the run with {only} has written it")
            differ = True
            continue
        why = near.of_files(numpys.files[path], ours.files[path])
        lines.append(f"{name}: {why or 'agrees'}")
        differ = differ or why.startswith("differs")
    return lines, differ
