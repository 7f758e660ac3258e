"""What the core wants compiled is compiled here: beside the program in a thread, or at once where the program waits.

The core calls `compile` after work that made it want code. A function is installed in the core when it is there; what a
compiler refuses keeps running as before, and `failures` says why.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from typing import Any

from asnumpy import _core, config
from asnumpy.compiled import _cpp, _cuda, _rounds
from asnumpy.compiled._compiler import Compilation, CompileError, CompilerHangs, compiler, kept
from asnumpy.compiled._program import Program, pending
from asnumpy.runtime import machine_code

_SYMBOL = "asnumpy_strand"
_MOST_FAILURES = 3  # one after the other, after which the compiler is asked no more

_Wanted = tuple[int, tuple[Any, ...], bool]  # the core's number, the strand or round, whether it is worth a compiler

_making = threading.Lock()
_compilation = Compilation()
failures: list[str] = []  # why something has no code, each once
installed = 0             # functions that this process has
_failed = 0               # compilations one after the other


def compile() -> None:
    """Compiles what the core wants before it returns."""
    from asnumpy.look import bar  # only here: who does not wait is shown nothing

    with _making:  # who waits finds what another thread has begun
        while not _compilation.stopped and (taken := _core.programs.take_wanted()):
            with bar("compiling programs") as progress:
                _make(taken, beside=False, told=progress.to)


def make() -> None:
    """Compiles what the core wants while the program goes on; taken under the lock, so that who waits finds it made."""
    with _making:
        try:
            _make(_core.programs.take_wanted(), beside=True)
        except Exception as error:
            _give_up(f"{type(error).__name__}: {error}")


def _give_up(why: str) -> None:
    global _failed
    _failed = _MOST_FAILURES
    _note(why)


def _note(why: str) -> None:
    if why not in failures:
        failures.append(why)


def status() -> str:
    """The setting, the compiler, and what has become of this process's programs, in one line."""
    found = compiler() or "none was found; ASNUMPY_CXX names one"
    quicker, slower = _core.programs.use()
    running = f"{installed} functions made, {quicker} programs run with them"
    running += f", {slower} were quicker without" if slower else ""
    refused = f", not compiled: {'; '.join(' '.join(why.split()) for why in failures)}" if failures else ""
    return f"{config.machine_code}; compiler: {found}; {running}{refused}"


def source(coded: Program | _rounds.Round) -> str:
    """The file that is compiled for a strand, or for rounds."""
    return _cpp.source({_SYMBOL: coded}) if isinstance(coded, Program) else _rounds.source(_SYMBOL, coded)


def _read(data: tuple[Any, ...]) -> Program | _rounds.Round:
    return _rounds.Round.read(data) if len(data) == 2 else Program.read(data)


def _symbols(coded: Program | _rounds.Round) -> list[str]:
    return _cpp.symbols(_SYMBOL, coded) if isinstance(coded, Program) else [_SYMBOL]


def cuda_text(array: Any = None) -> str:
    """The programs that will run (for the value of this array when given) as CUDA C++, for operands without gaps."""
    programs = {f"program{number}": (one, _cuda.Layout.plain(one)) for number, (one, _) in enumerate(pending(array))}
    return f"\n{_cuda.source(programs)}" if programs else "nothing is recorded\n"


def text(array: Any = None) -> str:
    """The C++ of the strands of the programs that will run (for the value of this array when given)."""
    files = [source(strand) for _, strands in pending(array) for strand in strands]
    return "".join(f"\nstrand {number}:\n{one}" for number, one in enumerate(files)) or "no program has a strand\n"


def _make(taken: list[_Wanted], beside: bool, told: Callable[[float, str], None] | None = None) -> None:
    for position, (number, data, worth_compiling) in enumerate(taken):
        if told is not None:
            told(position / len(taken), f"{position} of {len(taken)}")
        try:
            _make_one(number, _read(data), worth_compiling, beside)
        except KeyboardInterrupt:  # the program waits no more; what is not there is wanted again
            _core.programs.forget_taken()
            raise
        except BaseException:
            for left, *_ in taken[position:]:
                _core.programs.refuse(left)
            raise


def _make_one(number: int, coded: Program | _rounds.Round, worth_compiling: bool, beside: bool) -> None:
    global installed, _failed
    try:
        text, names = source(coded), _symbols(coded)

        def right(made: list[int]) -> bool:
            return bool(_core.programs.computes(number, tuple(made)))

        if worth_compiling and _failed < _MOST_FAILURES:
            addresses = _compilation.functions(text, names, beside, right)
        elif (found := kept(text, names, right)) is not None:
            addresses = found
        else:
            (_core.programs.leave if _failed < _MOST_FAILURES else _core.programs.refuse)(number)
            return
        _core.programs.install(number, tuple(addresses))
        installed += 1
        _failed = 0
    except CompilerHangs as error:
        _core.programs.refuse(number)
        _give_up(str(error))
    except (CompileError, OSError) as error:
        _core.programs.refuse(number)
        _failed += 1
        _note(str(error))


def _end() -> None:
    """No compiler outlives the program, and the program does not wait for one."""
    beside, thread = machine_code.beside, machine_code.beside.thread
    beside.stopped = True
    _compilation.stop()
    if thread is not None:
        thread.join(2)  # which takes no time once the compiler is gone
        if thread.is_alive():
            _compilation.clear()


def _forget() -> None:
    global _making, _compilation
    _compilation.leave()
    _making, _compilation = threading.Lock(), Compilation()


atexit.register(_end)
os.register_at_fork(after_in_child=_forget)
