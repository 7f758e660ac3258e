"""Machine code beside a program, the default: who gets it, what it must not disturb, and compilers that misbehave."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from code_process import PROGRAM, fake, kept, process, variables

from asnumpy import config
from asnumpy.compiled._compiler import compiler

pytestmark = [
    pytest.mark.skipif(compiler() is None, reason="machine code needs a C++ compiler"),
    pytest.mark.host_memory,
]

# As users have it: what variables() says is taken back.
BACKGROUND = {"ASNUMPY_MACHINE_CODE": "background"}


def counting(folder: Path, then: str) -> tuple[str, Path]:
    """A compiler that writes a line to a file when it starts, and goes on as told."""
    log = folder / "started"
    return fake(folder / "counting", f"echo $$ >> {log}\n{then}"), log


def lines(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []


def gone(number: int) -> bool:
    """Whether a process has ended, waiting for it a while."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":  # nobody has asked for its status
            return True
        time.sleep(0.01)
    return False


def test_it_is_the_default(tmp_path: Path) -> None:
    code = "print(ap.config.machine_code, vars(type(ap.config))['machine_code'].given)"
    assert process(code, tmp_path, ASNUMPY_MACHINE_CODE="") == "background False"


def test_a_default_that_was_changed_for_a_while_is_a_default_again() -> None:
    before = (config.jit, vars(type(config))["jit"].given)
    with config.using(jit=not before[0]):
        assert vars(type(config))["jit"].given
    assert (config.jit, vars(type(config))["jit"].given) == before


def test_a_loop_gets_code_and_the_next_process_finds_it(tmp_path: Path) -> None:
    script, log = counting(tmp_path, f'exec {compiler()} "$@"')
    code = """
        from asnumpy import _core
        print(right(), _service.installed)
        print(soon(lambda: sum(_core.programs.use()), lambda: ap.eval(f())), right(), compiled.failures)
    """
    store = tmp_path / "store"
    for _ in range(2):
        assert process(code, store, ASNUMPY_MACHINE_CODE="", ASNUMPY_CXX=script) == "True 0\n1 True []"
        assert len(lines(log)) == 1 and len(kept(store)) == 1


def test_code_comes_beside_the_program(tmp_path: Path) -> None:
    code = """
        print(right(), _service.installed)
        print(soon(lambda: _service.installed == 1, lambda: ap.eval(f())), right(), compiled.failures)
    """
    assert process(code, tmp_path, **BACKGROUND) == "True 0\nTrue True []"


def test_lines_that_run_together_have_the_same_bits_in_every_turn(tmp_path: Path) -> None:
    code = """
        from asnumpy import _core
        m, n = x.reshape(300, 100), y.reshape(300, 100)
        def g():
            p = (m * n + m) * m - n
            e = ap.exp(p - p.max(axis=1, keepdims=True))
            return (e / e.sum(axis=1, keepdims=True) * 2 - n) * m + n
        with ap.config.using(machine_code="off"):
            expected = np.asarray(g()).tobytes()
        runs = []
        def turn():
            runs.append(np.asarray(g()).tobytes() == expected)
        print(soon(lambda: sum(_core.programs.use()) >= 2, turn), all(runs), compiled.failures)
    """
    assert process(code, tmp_path, **BACKGROUND) == "True True []"


def test_numbers_that_change_from_call_to_call_are_arguments(tmp_path: Path) -> None:
    code = """
        def g(i, dt):
            return (x * i + y * dt) * (z - i) + dt * 0.5
        def both(i):
            dt = np.float32(1 / (i + 1))
            return np.asarray(g(i, float(dt))), (a * i + b * float(dt)) * (c - i) + float(dt) * 0.5
        for i in range(30):
            got, expected = both(i)
            assert got.tobytes() == expected.tobytes(), i
        print(_service.installed, compiled.failures)
    """
    assert process(code, tmp_path) == "1 []"


ROUNDS = """
def work(x):
    for k in range(1, 2000):
        x[k] = x[k] * x[k - 1]
    return x
start = np.linspace(0.999, 1.001, 2000)
wanted, recorded = np.multiply.accumulate(start), ap.jit(work)
def again():
    assert (np.asarray(recorded(ap.array(start))) == wanted).all()
"""


def test_rounds_of_a_recorded_function_get_code_beside_it(tmp_path: Path) -> None:
    said = process(
        ROUNDS + """
again()
before = _service.installed
print(before, bool(soon(lambda: _service.installed, again)), _service.failures)
again()
print(recorded.compile(ap.array(start)).explain().splitlines()[0])
""", tmp_path, ASNUMPY_MACHINE_CODE="background",
    )
    assert said.splitlines() == [
        "0 True []", "programs 0 to 1998: 1999 rounds of 1, of which 1 run in machine code",
    ]  # fmt: skip


def test_rounds_without_a_compiler(tmp_path: Path) -> None:
    said = process(
        ROUNDS + """
compiled = recorded.compile(ap.array(start))
again(); again()
print(compiled.explain().splitlines()[0])
""", tmp_path, ASNUMPY_CXX="/nowhere/c++",
    )
    assert said == "programs 0 to 1998: 1999 rounds of 1, without machine code"


def test_short_programs_start_no_compiler(tmp_path: Path) -> None:
    script, log = counting(tmp_path, f'exec {compiler()} "$@"')
    code = """
        small = x[:2000]
        for k in range(60):  # what has run three times may never run again, however long it took
            for _ in range(3):
                r = small
                for _ in range(k):
                    r = r * small + 1
                ap.eval(r)
        print(beside().thread, _service.installed)
    """
    assert process(code, tmp_path / "store", ASNUMPY_CXX=script, **BACKGROUND) == "None 0"
    assert lines(log) == [] and kept(tmp_path / "store") == []


ENDS = {
    "returns": "sys.exit(0)",
    "fails": "raise SystemExit(0) from ValueError('why')",
    "ends at once": "os._exit(0)",
    "is ended": "os.kill(os.getpid(), 9)",
    "becomes another program": 'os.execv("/bin/true", ["true"])',
}


@pytest.mark.parametrize("end", ENDS)
def test_a_program_that_ends_meanwhile_ends_its_compiler(tmp_path: Path, end: str) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    # The compiler starts processes of its own, and files beside its source, as compilers do.
    script, log = counting(tmp_path, f"touch $TMPDIR/half\nsleep 600 &\necho $! >> {tmp_path}/started\nwait")
    code = f"""
        def begun():
            return os.path.exists({str(log)!r}) and len(open({str(log)!r}).read().split()) == 2
        assert soon(begun, lambda: ap.eval(f())) and right()
        print("begun", flush=True)
        {ENDS[end]}
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + textwrap.dedent(code)], capture_output=True, text=True, timeout=240,
        check=False, env=variables(tmp_path / "store", TMPDIR=str(folder), ASNUMPY_CXX=script, **BACKGROUND),
    )  # fmt: skip
    assert done.stdout == "begun\n" and done.stderr == "", done.stderr
    assert done.returncode == (-signal.SIGKILL if end == "is ended" else 0)
    numbers = [int(number) for number in lines(log)]
    assert len(numbers) == 2 and all(gone(number) for number in numbers)
    deadline = time.monotonic() + 60
    while list(folder.iterdir()) and time.monotonic() < deadline:  # the shell that was between them removes it
        time.sleep(0.01)
    assert list(folder.iterdir()) == [] and kept(tmp_path / "store") == []


@pytest.mark.parametrize("child_ends", ["os._exit(0 if done else 1)", "sys.exit(0 if done else 1)"])
def test_a_forked_child_makes_its_own(tmp_path: Path, child_ends: str) -> None:
    code = f"""
        import threading
        soon(lambda: any(t.name == "asnumpy-compile" for t in threading.enumerate()), lambda: ap.eval(f()))
        child = os.fork()
        if child == 0:
            done = soon(lambda: _service.installed == 1, lambda: ap.eval(f())) and right()
            {child_ends}
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        print(soon(lambda: _service.installed == 1, lambda: ap.eval(f())), right(), compiled.failures)
    """
    script = fake(tmp_path / "slow", f'sleep 1\nexec {compiler()} "$@"')
    assert process(code, tmp_path / "store", ASNUMPY_CXX=script, **BACKGROUND) == "0\nTrue True []"


def test_a_child_that_ends_leaves_the_compiler_of_its_parent_alone(tmp_path: Path) -> None:
    go = tmp_path / "go"
    script, log = counting(tmp_path, f'while [ ! -e {go} ]; do sleep 0.01; done\nexec {compiler()} "$@"')
    code = f"""
        assert soon(lambda: os.path.exists({str(log)!r}), lambda: ap.eval(f()))
        child = os.fork()
        if child == 0:
            sys.exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        open({str(go)!r}, "w").close()
        print(soon(lambda: _service.installed == 1), right(), compiled.failures)
    """
    assert process(code, tmp_path / "store", ASNUMPY_CXX=script, **BACKGROUND) == "0\nTrue True []"


def test_processes_that_compile_at_the_same_time(tmp_path: Path) -> None:
    code = "print(soon(lambda: _service.installed == 1, lambda: ap.eval(f())), right(), compiled.failures)"
    started = [
        subprocess.Popen([sys.executable, "-c", PROGRAM + code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, env=variables(tmp_path, **BACKGROUND))
        for _ in range(3)
    ]  # fmt: skip
    assert [one.communicate(timeout=240)[0] for one in started] == ["True True []\n"] * 3
    (file,) = kept(tmp_path)
    assert file.suffix == ""


# Each is asked once, the program goes on, and `info` says in one line what it was.
MISBEHAVING = {
    "refuses": ("echo no such luck; exit 3", "ended with 3: no such luck"),
    "makes nothing": ("exit 0", "strand.so"),
    "makes something else": ('while [ "$1" != -o ]; do shift; done; echo garbage > "$2"', "cannot be loaded"),
    "makes another function": (
        'for one; do last=$one; done; src=${last%.so}.cpp; sed -i s/asnumpy_strand/another/ "$src"; exec CXX "$@"',
        "cannot be loaded",
    ),
    "computes something else": (
        'for one; do last=$one; done; src=${last%.so}.cpp; sed -i \'s/"subtract"/"add"/\' "$src"; exec CXX "$@"',
        "gives other values",
    ),
    "hangs": ("sleep 600 & wait", "did not end within 0.2 seconds"),
}


@pytest.mark.parametrize("how", MISBEHAVING)
def test_a_compiler_that_misbehaves(tmp_path: Path, how: str) -> None:
    body, said = MISBEHAVING[how]
    folder = tmp_path / "tmp"
    folder.mkdir()
    script, log = counting(tmp_path, body.replace("CXX", str(compiler())))
    code = f"""
        from asnumpy import _core
        from asnumpy.compiled import _compiler
        if {how == "hangs"}:
            _compiler.LONGEST = 0.2
        print(soon(lambda: compiled.failures, lambda: ap.eval(f())) and right(), _service.installed)
        print(soon(lambda: beside().thread is None), _core.programs.use())
        print(ap.show_config("dicts")["machine code"])
    """
    told = process(code, tmp_path / "store", TMPDIR=str(folder), ASNUMPY_CXX=script, **BACKGROUND).splitlines()
    assert told[:2] == ["True 0", "True (0, 0)"]
    assert len(told) == 3 and said in told[2]
    assert len(lines(log)) == 1 and gone(int(lines(log)[0]))
    assert kept(tmp_path / "store") == [] and list(folder.iterdir()) == []


@pytest.mark.parametrize("how, asked", [("exit 1", 3), ("sleep 600", 1)], ids=["fails", "hangs"])
def test_a_compiler_is_not_asked_without_end(tmp_path: Path, how: str, asked: int) -> None:
    script, log = counting(tmp_path, how)
    code = """
        from asnumpy.compiled import _compiler
        LONGEST
        for k in range(6):
            r, other = x, a
            for _ in range(k + 2):
                r, other = r * y + z, other * b + c
            assert (np.asarray(r) == other).all()
        print(_service.installed)
    """
    code = code.replace("LONGEST", "_compiler.LONGEST = 0.2" if asked == 1 else "")
    assert process(code, tmp_path / "store", ASNUMPY_CXX=script) == "0"
    assert len(lines(log)) == asked


@pytest.mark.parametrize(
    "environment",
    [{"XDG_CACHE_HOME": "/proc/nowhere"}, {"XDG_CACHE_HOME": "", "HOME": ""}, {"XDG_CACHE_HOME": "", "HOME": "/proc"}],
    ids=["no folder for caches", "no home", "a home that cannot be written"],
)
def test_nothing_can_be_kept(tmp_path: Path, environment: dict[str, str]) -> None:
    code = "print(soon(lambda: _service.installed == 1, lambda: ap.eval(f())), right(), compiled.failures)"
    assert process(code, tmp_path, **BACKGROUND, **environment) == "True True []"


def test_nothing_can_be_written(tmp_path: Path) -> None:
    code = """
        import tempfile
        tempfile.tempdir = "/proc/nowhere"
        print(soon(lambda: compiled.failures, lambda: ap.eval(f())) and right(), _service.installed)
    """
    assert process(code, tmp_path, **BACKGROUND) == "True 0"


def test_a_thread_cannot_be_started(tmp_path: Path) -> None:
    code = """
        import threading
        def refuse(self):
            raise RuntimeError("can't start new thread")
        threading.Thread.start = refuse
        begin = time.perf_counter()
        while time.perf_counter() - begin < 1:
            ap.eval(f())
        print(right(), beside().thread, _service.installed)
    """
    assert process(code, tmp_path, **BACKGROUND) == "True None 0"
