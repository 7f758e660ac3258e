"""One file of kernels to one file of machine code, by the compiler of its device."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from asnumpy.operators import _compiler, _cuda


def one(device: str, source: Path, output: Path) -> Path:
    """Compile a file.

    Raises
    ------
    asnumpy.operators.CompileError
        If the compiler refuses it; the message is what it printed, with the file's own lines.
    """
    return BY_DEVICE[device](source, output)


def _to_library(source: Path, output: Path) -> Path:
    made = output / f"{source.stem}.so"
    command = [*_compiler.cpu_command(), "-Wall", "-Wextra", str(source), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise _compiler.CompileError(done.stderr)
    return made


def _to_binary(source: Path, output: Path) -> Path:
    from asnumpy import ascendc

    made = output / f"{source.stem}.so"
    try:
        ascendc.build(source, made)
    except ascendc.BuildError as error:
        raise _compiler.CompileError(str(error)) from None
    return made


def _to_ptx(source: Path, output: Path) -> Path:
    made = output / f"{source.stem}.ptx"
    made.write_bytes(_cuda.compile_cuda(source.read_text(), name=str(source)))
    return made


BY_DEVICE: dict[str, Callable[[Path, Path], Path]] = {
    "cpu": _to_library, "ascend": _to_binary, "cuda": _to_ptx,
}  # fmt: skip
