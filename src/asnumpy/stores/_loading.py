"""Whether what is kept loads, found out in a process of its own: what is damaged may end the one that loads it."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from asnumpy import _core

SECONDS = 120
_MAGIC, _MACHINE = b"\x7fELF", slice(18, 20)  # of an ELF file: how it begins, and for which processor it is


def that_do_not_load(files: Sequence[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """Of files and their kinds those that do not load, with the reason."""
    binaries = [(path, kind) for path, kind in files if kind != "machines"]
    wrong: list[tuple[Path, str]] = []
    while binaries:
        command = [sys.executable, "-m", "asnumpy.stores._loading"]
        given = json.dumps([[str(path), kind] for path, kind in binaries])
        try:
            done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=SECONDS, check=False)
            said, ended = done.stdout, f"ended a process that loaded it ({done.returncode})"
        except subprocess.TimeoutExpired as error:
            said, ended = (error.stdout or b"").decode(), f"did not load within {SECONDS} s"
        told = [json.loads(line) for line in said.splitlines()]
        wrong += [(path, why) for (path, _), why in zip(binaries, told, strict=False) if why]
        if len(told) < len(binaries):  # it has ended at the next one; those behind it are still to be loaded
            wrong.append((binaries[len(told)][0], ended))
        binaries = binaries[len(told) + 1 :]
    return wrong


def _why_not(path: str, kind: str) -> str:
    """Why something does not load; empty: it does."""
    binary = Path(path).read_bytes() if kind == "simulator" else _core.kept_file(path)[2]
    if kind == "operators" and binary.startswith(b"{"):  # names come before what is for an NPU
        binary = binary.partition(b"\n")[2]
    if not binary.startswith(_MAGIC):
        return "" if kind == "operators" else "expected an ELF file"  # CUDA's is text
    if kind == "ascend":
        return ""  # for a device, which alone could load it
    with open(sys.executable, "rb") as own:
        if kind == "operators" and own.read(20)[_MACHINE] != binary[_MACHINE]:
            return ""  # so is this
    with tempfile.TemporaryDirectory(prefix="asnumpy-verify-") as folder:
        copy = Path(folder) / "copy.so"
        copy.write_bytes(binary)
        try:
            ctypes.CDLL(str(copy), mode=os.RTLD_LAZY)
        except OSError as error:
            return f"cannot be loaded: {str(error).replace(str(copy), 'the binary')}"
    return ""


def _main() -> None:
    for path, kind in json.load(sys.stdin):
        try:
            why = _why_not(path, kind)
        except (OSError, ValueError) as error:
            why = str(error)
        print(json.dumps(why), flush=True)


if __name__ == "__main__":
    _main()
