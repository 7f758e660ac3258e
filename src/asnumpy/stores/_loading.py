"""Whether what is kept loads, found out in a process of its own: what is damaged may end the one that loads it."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from asnumpy import _core
from asnumpy.look import bar

SECONDS = 120
_MAGIC, _MACHINE = b"\x7fELF", slice(18, 20)  # of an ELF file: how it begins, and for which processor it is


def that_do_not_load(files: Sequence[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """Of files and their kinds those that do not load, with the reason."""
    binaries = [(path, kind) for path, kind in files if kind != "machines"]
    wrong: list[tuple[Path, str]] = []
    done = 0

    def note(why: str) -> None:
        nonlocal done
        path = binaries[done][0]
        if why:
            wrong.append((path, why))
        done += 1
        shown.to(done / len(binaries), path.name)

    with bar("loading") as shown:
        while done < len(binaries):
            ended = _load(binaries[done:], note)
            if done < len(binaries):  # it has ended at the next one; those behind it are still to be loaded
                note(ended)
    return wrong


def _load(binaries: Sequence[tuple[Path, str]], tell: Callable[[str], None]) -> str:
    """Loads them in a process, and tells of each as it comes; how that has ended, if before the last one."""
    command, late = [sys.executable, "-m", "asnumpy.stores._loading"], threading.Event()
    with tempfile.TemporaryFile("w+") as given:
        json.dump([[str(path), kind] for path, kind in binaries], given)
        given.seek(0)
        process = subprocess.Popen(
            command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
        )

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(SECONDS, stop)
    timer.start()
    with process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                tell(json.loads(line))
            process.wait()
        except BaseException:
            process.kill()
            raise
        finally:
            timer.cancel()
    if late.is_set():
        return f"did not load within {SECONDS} s"
    return f"ended a process that loaded it ({process.returncode})"


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
