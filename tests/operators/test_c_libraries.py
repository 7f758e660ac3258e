"""Operators as libraries of C: MindSpore's form, called as it calls it, and functions with a header."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from host_compiler import needs_compiler

import asnumpy as ap
from asnumpy.operators import CompileError
from operators.c_calls import called

ON_CPU = str(ap.zeros(1).device) == "cpu"
OLD = os.environ.get("CANNSIM_CANN", "9.0").startswith("8")
pytestmark = needs_compiler

LAYER_SCALE = """
import numpy as np
import asnumpy as ap

KERNEL = ap.RawKernel('''
#include <cstdint>
extern "C" void squares(int64_t block, int64_t blocks, const float* x, float* y, int64_t n) {
    for (int64_t i = block; i < n; i += blocks) y[i] = x[i] * x[i];
}
''', "squares")

squares = ap.operator("squares(x: f4[n]) -> y: f4[n]")

@squares.cpu
def _(x, y):
    KERNEL(2, (x, y, np.int64(x.size)))

layer_scale = ap.operator("c.layer_scale(x: T[..., n], gamma: T[n], *, eps: float = 1e-5) -> y: T[..., n]", T="f2 f4")

@layer_scale.composed
def _(x, gamma, *, eps):
    return x * gamma / (1 + eps)

counted = ap.operator("counted(x: i4[m, n], shift: i8[n] = None, *, by: int, more: bool = True, at: tuple = (1, 2), "
                      "kind: dtype = float32) -> first: kind[m, n], count: i8[m]")

@counted.composed
def _(x, shift, *, by, more, at, kind):
    assert more is True and at == (1, 2)
    moved = x if shift is None else x + shift
    return (moved * by).astype(kind), (moved > by).sum(axis=1)
"""


@pytest.fixture(scope="module")
def operators(tmp_path_factory):
    """The folder of libraries, and of the module that declares the operators."""
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "declared_for_c.py").write_text(LAYER_SCALE)
    sys.path.insert(0, str(folder))
    import declared_for_c

    for device in ("cpu", "ascend"):
        ap.operators.to_library(declared_for_c.layer_scale, folder / device, device=device, eps=0.5)
        ap.operators.to_library("counted", folder / device, device=device, by=3)
    yield folder
    sys.path.remove(str(folder))


def test_in_the_form_of_mindspore(operators):
    library = ctypes.CDLL(str(operators / "cpu" / "libc_layer_scale.so"))
    for dtype in (np.float16, np.float32):
        x = np.arange(24, dtype=dtype).reshape(2, 3, 4)
        gamma, y = np.arange(4, dtype=dtype), np.zeros((2, 3, 4), dtype)
        arrays = [x, gamma, y]
        assert called(library, "c_layer_scale", [one.ctypes.data for one in arrays], arrays) == 0
        np.testing.assert_allclose(y, x * gamma / 1.5, rtol=1e-3 if dtype == np.float16 else 1e-6)
    empty = [np.zeros((0, 4), np.float32), np.zeros(4, np.float32), np.zeros((0, 4), np.float32)]
    assert called(library, "c_layer_scale", [0, empty[1].ctypes.data, 0], empty) == 0


def test_a_kernel_of_the_cpu(operators, tmp_path):
    ap.operators.to_library("squares", tmp_path)
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    ap.operators.forget_runs()
    library = ctypes.CDLL(str(tmp_path / "libsquares.so"))
    assert called(library, "squares", [x.ctypes.data, y.ctypes.data], [x, y]) == 0
    np.testing.assert_array_equal(y, x * x)
    assert [run["implementation"] for run in ap.operators.runs()] == ["cpu"]


def test_several_outputs_and_inputs_that_are_left_out(operators):
    library = ctypes.CDLL(str(operators / "cpu" / "libcounted.so"))
    x, shift = np.arange(12, dtype=np.int32).reshape(3, 4), np.array([1, 0, -1, 2])
    first, count = np.zeros((3, 4), np.float32), np.zeros(3, np.int64)
    for arrays, moved in (([x, first, count], x), ([x, shift, first, count], x + shift)):
        assert called(library, "counted", [one.ctypes.data for one in arrays], arrays) == 0
        np.testing.assert_array_equal(first, moved * 3)
        np.testing.assert_array_equal(count, (moved > 3).sum(axis=1))


def test_what_is_wrong_is_told(operators, capfd):
    library = ctypes.CDLL(str(operators / "cpu" / "libc_layer_scale.so"))
    library.asnumpy_c_layer_scale_error.restype = ctypes.c_char_p
    arrays = [np.zeros((2, 3), np.float32), np.zeros(4, np.float32), np.zeros((2, 3), np.float32)]
    addresses = [one.ctypes.data for one in arrays]
    assert called(library, "c_layer_scale", addresses, arrays) == 1
    text = library.asnumpy_c_layer_scale_error().decode()
    assert "ValueError: c.layer_scale: gamma: expected n = 3" in text and text in capfd.readouterr().err
    assert called(library, "c_layer_scale", addresses[:2], arrays[:2]) == 1
    assert "expected 3 tensors, inputs and outputs, got 2" in library.asnumpy_c_layer_scale_error().decode()
    assert called(library, "c_layer_scale", addresses * 2, arrays * 2) == 1
    assert "expected at most 3 parameters, got 6" in capfd.readouterr().err
    arrays[1] = np.zeros(3, "S4")
    assert called(library, "c_layer_scale", addresses, arrays) == 1
    assert "expected a dtype that arrays have" in library.asnumpy_c_layer_scale_error().decode()
    with pytest.raises(TypeError, match=r"to_library: counted has no attribute 'eps'; it is counted\("):
        ap.operators.to_library("counted", operators, eps=1)
    with pytest.raises(ValueError, match='device: expected "cpu" or "ascend", got "npu"'.replace('"npu"', "'npu'")):
        ap.operators.to_library("counted", operators, device="npu")
    with pytest.raises(TypeError, match="expected an operator or its name, got int"):
        ap.operators.to_library(3, operators)


@pytest.mark.skipif(ON_CPU, reason="memory and streams of an NPU")
def test_on_an_npu_in_order_with_the_callers_stream(operators):
    from asnumpy.cann import _calls, _devices

    library = ctypes.CDLL(str(operators / "ascend" / "libc_layer_scale.so"))
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    there = [ap.array(x), ap.array(np.arange(4, dtype=np.float32)), ap.zeros((3, 4), dtype=np.float32)]
    ap.synchronize()
    _devices.use(0)
    stream = ctypes.c_void_p()
    _calls.call("aclrtCreateStream", ctypes.byref(stream))
    try:
        for _ in range(4):
            addresses = [one.data.ptr for one in there]
            assert called(library, "c_layer_scale", addresses, [x, x[0], x], stream.value or 0) == 0
            there[0], there[2] = there[2], there[0]
        _calls.call("aclrtSynchronizeStream", stream)
    finally:
        _calls.call("aclrtDestroyStream", stream)
    ap.synchronize()
    np.testing.assert_allclose(ap.to_numpy(there[0]), x * (np.arange(4) / 1.5) ** 4, rtol=1e-5)


@pytest.mark.skipif(ON_CPU, reason="a kernel of an NPU")
@pytest.mark.skipif(OLD, reason="CANN 8 has no compiler at run time")
def test_a_kernel_of_an_npu(operators, tmp_path):
    ap.operators.to_library("library.rms_norm", tmp_path, device="ascend")
    x, weight = np.random.default_rng(1).standard_normal((30, 64)).astype(np.float32), np.ones(64, np.float32)
    there = [ap.array(x), ap.array(weight), ap.zeros((30, 64), dtype=np.float32)]
    ap.synchronize()
    ap.operators.forget_runs()
    library = ctypes.CDLL(str(tmp_path / "liblibrary_rms_norm.so"))
    stream = ap.current_stream(there[0].device).ptr
    assert called(library, "library_rms_norm", [one.data.ptr for one in there], [x, weight, x], stream) == 0
    ap.synchronize()
    expected = x / np.sqrt((x.astype(np.float64) ** 2).mean(axis=1, keepdims=True) + 1e-6)
    np.testing.assert_allclose(ap.to_numpy(there[2]), expected, rtol=1e-4, atol=1e-4)
    assert [run["implementation"] for run in ap.operators.runs()] == ["ascend"]


PROGRAM = """
#include <stdio.h>
#include "counted.h"
int main(void) {
    int32_t x[6] = {0, 1, 2, 3, 4, 5};
    double first[6];
    int64_t shift[3] = {1, 1, 1}, count[2], matrix[2] = {2, 3}, row[1] = {3}, column[1] = {2};
    asnumpy_tensor a = {x, 2, matrix, "int32"}, s = {shift, 1, row, "int64"};
    asnumpy_tensor b = {first, 2, matrix, "float64"}, c = {count, 1, column, "int64"};
    if (asnumpy_counted(&a, &s, &b, &c, 2, 1, "float64", NULL)) return puts(asnumpy_counted_error()), 1;
    for (int i = 0; i < 6; ++i) printf("%g ", first[i]);
    if (asnumpy_counted(&a, NULL, &b, &c, 3, 1, "float64", NULL)) return puts(asnumpy_counted_error()), 1;
    for (int i = 0; i < 6; ++i) printf("%g ", first[i]);
    printf("%d %d\\n", (int)count[0], (int)count[1]);
    printf("%d ", asnumpy_counted(&a, &b, &b, &c, 3, 1, "float64", NULL));
    printf("%s\\n", asnumpy_counted_error());
    return 0;
}
"""


@pytest.mark.skipif(not sysconfig.get_config_var("Py_ENABLE_SHARED"), reason="this Python has no shared library")
def test_a_program_in_c(operators, tmp_path):
    """Which starts Python by its first call."""
    made = ap.operators.to_library("counted", tmp_path, module="declared_for_c", by=1)
    assert [path.name for path in made] == ["libcounted.so", "counted.h", "counted.cpp"]
    (tmp_path / "program.c").write_text(PROGRAM)
    python = Path(sysconfig.get_config_var("LIBDIR"))
    command = ["gcc" if shutil.which("gcc") else "clang", "-std=c11", "-Wall", "-Wextra", "-Werror", "program.c",
               "-o", "program", "-L.", "-lcounted", f"-L{python}", f"-lpython{sysconfig.get_config_var('LDVERSION')}",
               f"-Wl,-rpath,{python}", "-Wl,-rpath,."]  # fmt: skip
    subprocess.run(command, cwd=tmp_path, check=True)
    path = os.pathsep.join([str(Path(ap.__file__).parents[1]), str(operators), *filter(None, sys.path)])
    done = subprocess.run(["./program"], cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}, capture_output=True,
                          text=True, check=False, timeout=120)  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == "2 4 6 8 10 12 0 3 6 9 12 15 0 2"
    assert second == "1 TypeError: counted: shift: expected int64, got float64"


def test_the_compilers_words(operators, tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", "false")
    with pytest.raises(CompileError):
        ap.operators.to_library("counted", tmp_path)
