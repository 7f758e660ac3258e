"""What the core wants compiled is compiled here: beside the program in a thread, or at once where the program waits.

The core calls `compile` after work that made it want code. A function is installed in the core when it is there; what a
compiler refuses keeps running as before, and `failures` says why.
"""

from __future__ import annotations

import atexit
import os
import threading
from typing import Any

from asnumpy import _core, config
from asnumpy.compiled import _cpp, _cuda
from asnumpy.compiled._compiler import Compilation, CompileError, compiler
from asnumpy.compiled._program import Program, pending

_SYMBOL = "asnumpy_strand"

_starting = threading.Lock()
_making = threading.Lock()
_thread: threading.Thread | None = None
_compilation = Compilation()
failures: list[str] = []  # why something has no code, each once
installed = 0             # functions that this process has


def compile(wait: bool) -> None:
    """Compiles what the core wants: before this returns, or beside the program."""
    global _thread
    if wait:
        _make(beside=False)
        return
    with _starting:
        if _compilation.stopped or (_thread is not None and _thread.is_alive()):
            return
        _thread = threading.Thread(target=_make, args=(True,), name="asnumpy-compile", daemon=True)
        try:
            _thread.start()
        except RuntimeError:  # the interpreter begins to end
            _compilation.stop()


def status() -> str:
    """The setting, the compiler, and what has become of this process's programs, in one line."""
    found = compiler() or "none was found; ASNUMPY_CXX names one"
    refused = f", not compiled: {'; '.join(failures)}" if failures else ""
    return f"{config.machine_code}; compiler: {found}; {installed} functions in use{refused}"


def source(program: Program) -> str:
    """The file that is compiled for a strand."""
    return _cpp.source({_SYMBOL: program})


def cuda_text(array: Any = None) -> str:
    """The programs that will run (for the value of this array when given) as CUDA C++, for operands without gaps."""
    programs = {f"program{number}": (one, _cuda.Layout.plain(one)) for number, (one, _) in enumerate(pending(array))}
    return f"\n{_cuda.source(programs)}" if programs else "nothing is recorded\n"


def text(array: Any = None) -> str:
    """The C++ of the strands of the programs that will run (for the value of this array when given)."""
    files = [source(strand) for _, strands in pending(array) for strand in strands]
    return "".join(f"\nstrand {number}:\n{one}" for number, one in enumerate(files)) or "no program has a strand\n"


def _make(beside: bool) -> None:
    with _making:  # who waits finds what another thread has begun
        while not _compilation.stopped and (taken := _core.programs.take_wanted()):
            for position, (number, data) in enumerate(taken):
                try:
                    _make_one(number, Program.read(data), beside)
                except KeyboardInterrupt:  # the program waits no more; what is not there is wanted again
                    _core.programs.forget_taken()
                    raise
                except BaseException:
                    for left, _ in taken[position:]:
                        _core.programs.refuse(left)
                    raise


def _make_one(number: int, strand: Program, beside: bool) -> None:
    global installed
    try:
        _core.programs.install(number, _compilation.functions(source(strand), [_SYMBOL], beside)[0])
        installed += 1
    except (CompileError, OSError) as error:
        _core.programs.refuse(number)
        if str(error) not in failures:
            failures.append(str(error))


def _end() -> None:
    """No compiler outlives the program, and the program does not wait for one."""
    _compilation.stop()
    thread = _thread
    if thread is not None and thread.is_alive():
        thread.join(5)


def _forget() -> None:
    global _starting, _making, _thread, _compilation
    _starting, _making, _thread, _compilation = threading.Lock(), threading.Lock(), None, Compilation()
    _core.programs.forget_taken()


atexit.register(_end)
os.register_at_fork(after_in_child=_forget)
