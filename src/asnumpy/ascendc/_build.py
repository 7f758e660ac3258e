"""From a file of kernels to a library that any program of CANN's can load and launch from."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from asnumpy.ascendc import _tiling
from asnumpy.cannsim import folder

Progress = Callable[[str], None]


class BuildError(RuntimeError):
    """A compiler refused the kernels; the text is what it printed, with the lines of the source."""


def include() -> Path:
    """The folder of the headers that kernels include when they are compiled for the simulator."""
    for up in folder().parents[1:3]:
        if (up / "ascendc" / "include" / "kernel_operator.h").exists():
            return up / "ascendc" / "include"
    raise FileNotFoundError(f"asnumpy.ascendc: expected the Ascend C headers near {folder()}; install asnumpy again")


def templates() -> Path:
    """The folder from which kernels include `matmul/matmul.hpp`, for the simulator and for a device."""
    return include().parent


def build(
    source: str | Path, output: str | Path, options: Sequence[str] = (), *, bisheng: bool = False,
    progress: Progress | None = None,
) -> list[Path]:
    """Compile a file of kernels.

    Parameters
    ----------
    source : path
        A file in Ascend C. For the simulator, a kernel in ``op_kernel/`` whose ``GET_TILING_DATA`` reads a structure
        of its operator's host finds it in the headers of ``op_host/``.
    output : path
        The library, or with a name that ends with ``.o`` an object file, from which a library of one's own is linked
        (with ``-lascendcl``). Beside it a header ``aclrtlaunch_<kernel>.h`` is written for each kernel, which declares
        ``uint32_t aclrtlaunch_<kernel>(uint32_t blocks, void* stream, ...)``.
    options : sequence of str
        More options of the compiler: ``-I``, ``-D``, ``-O0``, ``-g``.
    bisheng : bool
        Compile for a device with CANN's compiler, which has to be on the path; else for the simulator, with ``$CXX``,
        g++ or clang++.
    progress : callable, optional
        Is given a word on what is done now.

    Returns
    -------
    list of Path
        The library or the object, and the headers.

    Raises
    ------
    BuildError
        If the compiler refuses the source.
    """
    source, output = Path(source), Path(output)
    if not source.is_file():
        raise FileNotFoundError(f"ascendc build: expected a file of kernels, got {source}, which does not exist")
    if bisheng and shutil.which("bisheng") is None:
        raise FileNotFoundError(
            "ascendc build: expected CANN's compiler bisheng on the path; source CANN's set_env.sh, "
            "or leave --bisheng out"
        )
    options = [*options, f"-I{templates()}"]
    if not bisheng:
        structures = _tiling.host_structures(source)
        if structures is None:
            return _build_for_simulator(source, output, options, progress)
        with tempfile.TemporaryDirectory() as work:
            header = Path(work) / "tiling_data.h"
            header.write_text(structures)
            return _build_for_simulator(source, output, [*options, "-include", str(header)], progress)
    with tempfile.TemporaryDirectory() as work:
        # The simulator's build finds the kernels and writes their headers; the launchers are the same text.
        made = _build_for_simulator(source, Path(work) / output.name, options, progress)
        headers = list(made[1:])
        unit = Path(work) / "unit.cpp"
        unit.write_text("\n".join([f'#line 1 "{source}"', source.read_text(), *map(_launcher, headers)]))
        if progress:
            progress("compiling with bisheng")
        command = ["bisheng", "-x", "asc", "-std=c++17", "-O2", "-c" if output.suffix == ".o" else "-shared", "-fPIC",
                   "--npu-arch=dav-2201"]  # fmt: skip
        command += [f"-I{source.resolve().parent}", *options, str(unit), "-o", str(output)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BuildError(done.stdout + done.stderr)
        return [output, *(Path(shutil.copy(path, output.parent)) for path in headers)]


def _launcher(header: Path) -> str:
    """The definition of what a header declares, in the language of CANN's compiler."""
    declaration = next(line for line in header.read_text().splitlines() if line.startswith("uint32_t aclrtlaunch_"))
    name = header.stem.removeprefix("aclrtlaunch_")
    given = declaration[declaration.index("(") + 1 : declaration.rindex(")")].split(", ")[2:]
    values = ", ".join(
        f"(GM_ADDR){each.split()[-1]}" if each.startswith("void*") else each.split()[-1] for each in given
    )
    head = declaration.rstrip(";")
    return f'extern "C" {head} {{ {name}<<<blocks, nullptr, stream>>>({values}); return 0; }}'


def _build_for_simulator(source: Path, output: Path, options: Sequence[str], progress: Progress | None) -> list[Path]:
    library = ctypes.CDLL(str(folder("9.0") / "libcannsim.so"))
    library.aclGetRecentErrMsg.restype = ctypes.c_char_p
    told = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
    printed: list[str] = []
    show = told(lambda text: progress(text.decode()) if progress else None)
    keep = told(lambda text: printed.append(text.decode(errors="replace")))
    words = (ctypes.c_char_p * len(options))(*[each.encode() for each in options])
    before = {path: path.stat().st_mtime_ns for path in output.parent.glob("aclrtlaunch_*.h")}
    code = library.cannsim_ascendc_build(
        str(source).encode(), str(output).encode(), len(options), words, show, keep
    )
    if code:
        message = library.aclGetRecentErrMsg()
        raise BuildError("".join(printed) or (message.decode() if message else f"the build gave {code}"))
    if printed and progress:
        progress("".join(printed).rstrip())
    headers = sorted(output.parent.glob("aclrtlaunch_*.h"))
    return [output, *(path for path in headers if before.get(path) != path.stat().st_mtime_ns)]
