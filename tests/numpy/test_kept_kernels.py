"""Compiled kernels of users', kept on disk for other processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from device_marks import needs_own_kernels

import asnumpy as ap

ON_CPU = str(ap.zeros(1).device) == "cpu"
pytestmark = needs_own_kernels

HOST = """
#include <cstdint>
#include "{header}"
extern "C" void twice(int64_t block, int64_t, float* x, uint32_t n) {{
    for (uint32_t i = 0; i < n && !block; ++i) x[i] *= FACTOR;
}}
"""
NPU = """
#include "kernel_operator.h"
#include "{header}"
template <class T> __global__ __aicore__ void twice(GM_ADDR x, uint32_t n) {{
    for (uint32_t i = 0; i < n && !AscendC::GetBlockIdx(); ++i) ((__gm__ T*)x)[i] *= FACTOR;
}}
"""
# Prints how often a compiler ran, and what the kernel made of 1.
PROGRAM = """
import sys
import asnumpy as ap
from asnumpy.operators import _compiler
ran = []
compile_cpu, run = _compiler._compile, _compiler.RunTimeCompiler.run
_compiler._compile = lambda *given: ran.append(1) or compile_cpu(*given)
_compiler.RunTimeCompiler.run = lambda *given: ran.append(1) or run(*given)
folder, code, name, expressions = sys.argv[1:]
x = ap.ones(3, dtype="f4")
module = ap.RawModule(code, options=(f"-I{folder}",), name_expressions=expressions.split())
module.get_function(name)(1, (x, 3))
print(len(ran), x[0].item())
"""


class Machine:
    """Processes that share a cache."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.headers = folder, folder / "headers"
        self.headers.mkdir()
        (self.headers / "factor.h").write_text('#include "deeper.h"\n')
        self.factor(2)

    def factor(self, value: int) -> None:
        (self.headers / "deeper.h").write_text(f"#define FACTOR {value}\n")

    def run(self, headers: Path | None = None, header: str = "factor.h", **variables: str) -> list[str]:
        name, expressions, code = ("twice", "", HOST) if ON_CPU else ("twice<float>", "twice<float>", NPU)
        environment = {
            **os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "XDG_CACHE_HOME": str(self.folder), **variables
        }
        command = [sys.executable, "-c", PROGRAM, str(headers or self.headers), code.format(header=header), name,
                   expressions]  # fmt: skip
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    @property
    def kept(self) -> list[Path]:
        return sorted((self.folder / "asnumpy" / "kernels").iterdir())


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_what_is_compiled_is_kept_with_what_it_includes(machine):
    assert machine.run() == ["1", "2.0"]
    (file,) = machine.kept
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700
    assert machine.run() == ["0", "2.0"]
    machine.factor(5)  # a file that the source includes by way of another one
    assert machine.run() == ["1", "5.0"]
    machine.factor(2)
    assert machine.run() == ["0", "2.0"] and len(machine.kept) == 2
    elsewhere = machine.headers.rename(machine.folder / "elsewhere")
    assert machine.run(elsewhere) == ["0", "2.0"]


def test_what_was_damaged_or_may_be_others_is_compiled_again(machine):
    machine.run()
    (file,) = machine.kept
    file.write_bytes(file.read_bytes()[:-1])
    assert machine.run() == ["1", "2.0"]
    assert machine.run() == ["0", "2.0"]
    file.chmod(0o666)
    assert machine.run() == ["1", "2.0"]
    for each in machine.kept:
        each.unlink()
    file.parent.chmod(0o777)
    assert machine.run() == ["1", "2.0"] and not machine.kept
    file.parent.rmdir()
    file.parent.write_text("")  # no folder can be made there
    assert machine.run() == ["1", "2.0"]


def test_what_cannot_be_said_is_not_kept(machine):
    (machine.headers / "by_macro.h").write_text('#define NAME "factor.h"\n#include NAME\n')
    for _ in range(2):
        assert machine.run(header="by_macro.h") == ["1", "2.0"]
    assert not (machine.folder / "asnumpy" / "kernels").exists()


def test_without_a_compiler_what_was_kept_runs(machine):
    machine.run()
    nowhere = {"CXX": "", "PATH": str(machine.folder)}
    assert machine.run(**nowhere) == ["0", "2.0"]
    assert machine.run() == ["0", "2.0"]
