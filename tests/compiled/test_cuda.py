"""Programs as CUDA C++: all rows become PTX, which needs no GPU; the same text on the host has NumPy's values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cuda_launches import (
    ROWS,
    TABLES,
    OnGpu,
    OnHost,
    Programs,
    needs_compiler,
    needs_nvrtc,
    programs_of_rows,
)
from device_marks import needs_gpu
from seeded import generator

import asnumpy as ap
from asnumpy import compiled, config
from asnumpy.compiled import Program, Reduction, Step, _cuda
from asnumpy.compiled._compiler import CompileError
from asnumpy.compiled._cuda import Layout
from asnumpy.operators import compile_cuda


def ptx(programs: dict[str, tuple[Program, Layout]]) -> str:
    made = compile_cuda(_cuda.source(programs), _cuda.options(), "compute_80").decode()
    for name in programs:
        assert f".visible .entry {name}(" in made
    assert ".extern .func" not in made  # a function that no GPU has
    return made


class Writing:
    """A program that is written step by step: each row by the dtypes of its operands."""

    def __init__(self, *inputs: str) -> None:
        self.inputs, self.dtypes, self.steps = inputs, list(inputs), list[Step]()

    def step(self, name: str, *operands: int) -> int:
        """The number of the first result."""
        row = next(row for row in ROWS if row["name"] == name)
        takes = tuple(self.dtypes[value] for value in operands)
        loops = [tuple(tuple(dtype.name for dtype in dtypes) for dtypes in signature) for signature in row["loops"]]
        loop, outs = next((k, outs) for k, (ins, outs) in enumerate(loops) if ins == takes)
        first = len(self.dtypes)
        made = tuple(range(first, first + len(outs)))
        self.steps.append(Step(name, loop, operands, made, outs))
        self.dtypes += outs
        return first

    def reduction(self, name: str, value: int) -> Reduction:
        row = next(row for row in ROWS if row["name"] == name)
        dtype = self.dtypes[value]
        loops = [tuple(d.name for d in (*ins, *outs)) for ins, outs in row["loops"]]
        return Reduction(name, loops.index((dtype, dtype, dtype)), value)

    def program(self, *stores: int, reductions: Sequence[Reduction] = ()) -> Program:
        return Program(self.inputs, tuple(self.steps), stores, tuple(reductions))


@needs_nvrtc
@pytest.mark.parametrize("table", TABLES)
def test_every_loop_of_every_row_becomes_ptx(table: str) -> None:
    ptx(programs_of_rows(table, folded=True))


@needs_nvrtc
def test_arithmetic_rounds_operation_by_operation() -> None:
    w = Writing("float32", "float32", "float32")
    one = w.program(w.step("add", w.step("multiply", 0, 1), 2), w.step("sqrt", 0), w.step("divide", 0, 1))
    made = ptx({"f": (one, Layout.plain(one))})
    body = made[made.index(".visible .entry f("):]
    assert "mul.rn.f32" in body and "add.rn.f32" in body and "sqrt.rn.f32" in body and "div.rn.f32" in body
    assert "fma" not in body and ".ftz" not in body


@needs_nvrtc
def test_recorded_programs_become_ptx() -> None:
    with config.using(device="cpu", eager=False, eager_size=0):
        x, y = ap.asarray(np.linspace(0, 1, 60, dtype="f4").reshape(6, 10)), ap.asarray(np.ones(10, "f4"))
        shown = ap.where(x > y, ap.exp(x * 2 - y), ap.sin(y)) / (1 + x)
        text = ap.explain(shown, code="cuda")
        found = [program for program, _ in compiled.pending(shown)]
    assert {"exp", "where", "divide"} <= {row for program in found for row in program.rows}
    programs = {f"program{number}": (one, Layout.plain(one)) for number, one in enumerate(found)}
    assert _cuda.source(programs) in text
    ptx(programs)
    with pytest.raises(ValueError, match="code"):
        ap.explain(shown, code="fortran")


@pytest.fixture(params=[
    pytest.param(OnHost, id="host", marks=needs_compiler),
    pytest.param(OnGpu, id="GPU", marks=[needs_nvrtc, needs_gpu]),
])  # fmt: skip
def kernels_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Programs], OnHost | OnGpu]:
    """Makes the kernels of programs, where they are to run."""
    return lambda programs: request.param(tmp_path, programs)


def same(got: np.ndarray, wanted: np.ndarray) -> None:
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    assert got.tobytes() == wanted.tobytes()


def test_operands_of_every_layout(kernels_of: Callable[[Programs], Any]) -> None:
    w = Writing("float32", "float32", "float32")
    chain = w.step("add", w.step("multiply", 0, 1), 2)
    one = w.program(chain, w.step("subtract", chain, 0))
    layouts = {
        "lines": Layout(("line",) * 5),
        "strides": Layout(("strided",) * 5, kept=2),
        "mixed": Layout(("line", "strided", "number", "line", "strided"), kept=2),
    }
    kernels = kernels_of({name: (one, layout) for name, layout in layouts.items()})
    rng = generator()
    shape = 7, 13
    a, b, c = (rng.standard_normal(shape).astype("f4") for _ in range(3))
    row, number = b[0], np.float32(1.25)
    for name, operands in [
        ("lines", (a, b, c)),
        ("strides", (a[::-1, ::-1], np.broadcast_to(row, shape), np.asfortranarray(c))),
        ("strides", (np.repeat(a, 2, axis=1)[:, ::2], np.broadcast_to(b[:, :1], shape), c)),
        ("mixed", (a, np.broadcast_to(row, shape), number)),
    ]:
        x, y, z = operands
        wanted = x * y + z, (x * y + z) - x
        for blocks in (1, 2, 50):
            outs = np.full(shape, np.nan, "f4"), np.full(shape, np.nan, "f4")
            flat = [o.reshape(-1) if name == "lines" else o for o in (*operands, *outs)]
            kernels.run(name, flat, (91,) if name == "lines" else shape, blocks=(blocks, 1))
            for got, right in zip(outs, wanted, strict=True):
                same(got, right)
    inside = a.copy()  # an output may be exactly an input
    kernels.run("strides", (inside, b, c, inside, outs[1]), shape)
    same(inside, a * b + c)


def rows_on_host() -> list[tuple[str, tuple[str, ...], Callable[..., Any]]]:
    """Rows beside what NumPy has for them, for operands in which both are exact."""
    real = ["int8", "uint16", "int32", "int64", "float16", "float32", "float64"]
    pairs = ["add", "multiply", "subtract", "maximum", "minimum", "less", "equal", "remainder", "floor_divide"]
    both = [(name, (dtype, dtype), getattr(np, name)) for dtype in real for name in pairs]
    one = [(name, (dtype,), getattr(np, name)) for name in ("negative", "absolute", "square", "sign") for dtype in real]
    floats = [(name, (dtype,), getattr(np, name)) for name in ("sqrt", "floor", "rint", "isnan", "signbit")
              for dtype in ("float16", "float32", "float64")]  # fmt: skip
    parts = [(name, (dtype,) * n, getattr(np, name)) for dtype in ("complex64", "complex128")
             for name, n in (("add", 2), ("multiply", 2), ("conjugate", 1), ("absolute", 1), ("real", 1))]  # fmt: skip
    bits = [(name, ("uint32", "uint32"), getattr(np, name)) for name in ("bitwise_and", "bitwise_xor")]
    return [*both, *one, *floats, *parts, *bits, ("logical_and", ("bool", "bool"), np.logical_and),
            ("modf", ("float64",), np.modf), ("divmod", ("int32", "int32"), np.divmod)]  # fmt: skip


def test_rows_have_numpys_values(kernels_of: Callable[[Programs], Any]) -> None:
    programs, wanted = {}, {}
    rng = generator()
    for number, (name, takes, function) in enumerate(rows_on_host()):
        w = Writing(*takes)
        first = w.step(name, *range(len(takes)))
        one = w.program(*range(first, len(w.dtypes)))
        operands = [np.asarray(rng.integers(1, 100, 40)).astype(dtype) for dtype in takes]
        if operands[0].dtype.kind in "fc":
            operands[0][:3] = np.nan, -0.0, np.inf
            if name in ("multiply", "absolute"):  # complex infinities are as the compiler multiplies
                operands[0][2] = 2
        with np.errstate(all="ignore"):
            results = function(*operands)
        programs[f"k{number}"] = one, Layout.plain(one)
        wanted[f"k{number}"] = operands, results if isinstance(results, tuple) else (results,), name
    kernels = kernels_of(programs)
    for name, (operands, results, row) in wanted.items():
        outs = [np.zeros(40, right.dtype) for right in results]
        kernels.run(name, [*operands, *outs], (40,))
        for got, right in zip(outs, results, strict=True):
            np.testing.assert_array_equal(got, right, err_msg=f"{row} {operands[0].dtype}", strict=True)


def test_folding_with_one_block_and_with_parts(kernels_of: Callable[[Programs], Any]) -> None:
    w = Writing("int64", "int64")
    product = w.step("multiply", 0, 1)
    one = w.program(product, reductions=[w.reduction("add", product), w.reduction("maximum", 0)])
    layout = Layout(("strided",) * 5, kept=1, folded=2)
    programs = {"both": (one, layout)}
    rests = [_cuda.rest(reduction, "int64") for reduction in one.reductions]
    programs |= {f"rest{k}": (rest, Layout.plain(rest)) for k, rest in enumerate(rests)}
    kernels = kernels_of(programs)
    rng = generator()
    for kept, rows, columns in itertools.product((1, 3), (1, 9), (1, 8, 23)):
        a, b = rng.integers(-9, 9, (2, kept, rows, columns))
        a = np.asfortranarray(a)
        wanted = (a * b).sum(axis=(1, 2)), a.max(axis=(1, 2))
        product_out = np.zeros((kept, rows, columns), "i8")
        outs = np.zeros(kept, "i8"), np.zeros(kept, "i8")
        kernels.run("both", (a, b, product_out, *outs), (kept,), (rows, columns), blocks=(1, 2))
        same(product_out, np.ascontiguousarray(a * b))
        for got, right in zip(outs, wanted, strict=True):
            same(got, right)
        most = -(-rows * columns // kernels.threads)  # each block has an element
        parts = np.zeros((2, kept, most), "i8")
        step = parts.itemsize
        kernels.run("both", (a, b, product_out, parts[0, :, 0], parts[1, :, 0]), (kept,), (rows, columns),
                    blocks=(most, 2), part=(0, 0, 0, step, step))  # fmt: skip
        for k, right in enumerate(wanted):
            got = np.zeros(kept, "i8")
            kernels.run(f"rest{k}", (parts[k], got), (kept,), (most,), blocks=(1, 1))
            same(got, right)


def test_sums_of_floats_are_close_and_halves_are_folded_as_float32(kernels_of: Callable[[Programs], Any]) -> None:
    programs = {}
    dtypes = "float16", "float32", "float64", "complex64"
    for dtype in dtypes:
        w = Writing(dtype)
        one = w.program(reductions=[w.reduction("add", 0)])
        programs[f"sum_{dtype}"] = one, Layout.plain(one)
    kernels = kernels_of(programs)
    rng = generator()
    for dtype in dtypes:
        x = rng.random((2, 3001)).astype(dtype)
        got = np.zeros(2, dtype)
        kernels.run(f"sum_{dtype}", (x, got), (2,), (3001,), blocks=(1, 1))
        exact = x.astype("c16" if dtype == "complex64" else "f8").sum(axis=1)
        # A thread adds 188 numbers, then the tree: the error is below 200 units of the sum, of float32 for float16
        unit = np.finfo("f4" if dtype == "float16" else dtype).eps
        bound = 200 * unit + (np.finfo("f2").eps if dtype == "float16" else 0)
        assert np.all(np.abs(got - exact) <= bound * np.abs(exact))


def test_what_no_kernel_can_be_made_of_is_refused() -> None:
    one = Program(("longdouble",), (), (0,))
    with pytest.raises(CompileError, match="longdouble"):
        _cuda.source({"f": (one, Layout.plain(one))})
    w = Writing("float32", "float32")
    with pytest.raises(ValueError, match="expected 3 operands, got 2"):
        _cuda.source({"f": (w.program(w.step("add", 0, 1)), Layout(("line", "line")))})


def test_headers_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cuda, "_header_folders", lambda: iter(()))
    with pytest.raises(CompileError, match=r"nvidia-cuda-cccl-cu12.*asnumpy\[cuda\]"):
        _cuda.options()
