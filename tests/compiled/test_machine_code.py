"""Programs that run as machine code: the bits of the same programs without it, and what befalls the code on its way."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from both_ways import WITH_CODE, arrays, in_both
from code_process import kept, process
from seeded import generator

import asnumpy as ap
from asnumpy import config
from asnumpy.compiled import _service
from asnumpy.compiled._compiler import compiler

pytestmark = WITH_CODE


def test_a_chain_of_arithmetic() -> None:
    x, y, z = arrays(100_003)
    before = _service.installed
    in_both(lambda: [(((x * y + z) * x - y) * z + x) / (ap.absolute(y) + 1)])
    assert _service.installed > before


def test_vector_functions_between_strands() -> None:
    x, y, z = arrays(50_001, dtype="f8")

    def run() -> list[Any]:
        a = ap.exp(-((x * y - z) * x + y) ** 2) * y - z + x
        return [ap.sin(a * a + x - y) * z + a - x, a]

    in_both(run)


def test_choices_between_numbers_of_several_widths() -> None:
    r, g, b = arrays(30_000)

    def run() -> list[Any]:
        most, least = ap.maximum(ap.maximum(r, g), b), ap.minimum(ap.minimum(r, g), b)
        delta = most - least
        hue = ap.where(most == r, (g - b) / delta, ap.where(most == g, 2 + (b - r) / delta, 4 + (r - g) / delta))
        hue = ap.where(delta == 0, 0, hue * 60)
        return [hue, (hue > 90) & (delta < 1), hue.astype("f8") * 2 - delta, (most * 255).astype("i4") + 3]

    in_both(run)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "c8", "c16"])
def test_other_kinds_of_numbers(dtype: str) -> None:
    x, y, z = (ap.asarray(np.asarray(one).real.astype(dtype)) for one in arrays(20_011))
    in_both(lambda: [((x * y + z) * z - x) * y + x, (x + y == z) | (x * y == y)])


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_products_of_complex_numbers_with_the_other_sign(dtype: str) -> None:
    """Whole numbers, of which many products have a part that is zero, and its sign."""
    rng = np.random.default_rng(3)
    x, y = (ap.asarray((rng.integers(-2, 3, 5003) + 1j * rng.integers(-2, 3, 5003)).astype(dtype)) for _ in range(2))
    in_both(lambda: [-(x * y), (x * y).conj(), -((x * y).conj() * x), -ap.square(x) * y])


def test_reductions_behind_strands_add_in_the_same_order() -> None:
    x, y, z = arrays(301, 517)

    def run() -> list[Any]:
        a = (x * y + z) * x - y * 2
        return [a.sum(), a.sum(axis=0), a.sum(axis=1), ((a - z) * (a + z) * y).sum(axis=1), (a * y + z).max(axis=0), a]

    in_both(run)


def test_lines_that_run_together() -> None:
    x, y, z = arrays(700, 900)

    def run() -> list[Any]:
        a = (x * y + z) * x - y
        e = ap.exp(a - a.max(axis=1, keepdims=True))
        return [(e / e.sum(axis=1, keepdims=True) * 2 - z) * y + x]

    in_both(run)


def test_strided_reversed_and_broadcast_operands() -> None:
    x, y, z = arrays(200, 300)

    def run() -> list[Any]:
        a, b, c = x[::2, 1:-1:3], y[::-2, 298:0:-3], z[0, 1:-1:3]
        return [(a * b + c) * a - b + c[0], ((x.T * y.T + z[:, 0]) * x.T - z[3][:, None]) * 2]

    in_both(run)


def test_in_place_and_shared_arrays() -> None:
    x, y, z = arrays(40_000)

    def run() -> list[Any]:
        a, b = x.copy(), y.copy()
        a += (b * z + a) * b
        b -= (a * z - b) * a
        view = a[5:]
        view *= (view - b[5:]) * view + a[:-5]
        a[:] = (a * b - a[::-1]) * a
        return [a, b, view]

    in_both(run)


def test_rounding_and_infinities() -> None:
    x, y, z = arrays(9_000, dtype="f8")

    def run() -> list[Any]:
        a = (x / (y - y) + z) * 0.0
        b = ap.floor(x * 3) + ap.rint(y) - ap.trunc(z * 2)
        whole, rest = ap.modf(x * y + z)[::-1]
        return [a, b, ap.copysign(b, -z) + ap.sign(a), (whole - rest) * 2 + b, ap.isnan(a + b) | ap.isinf(a - b)]

    in_both(run)


def random_program(rng: np.random.Generator) -> Callable[[], list[Any]]:
    """A function of a few operations on values of several dtypes, some of them on views, with stores and reductions."""
    n = int(rng.integers(3, 5000))
    first = [ap.asarray((rng.standard_normal((2, n)) * 9).astype(d)) for d in rng.choice(["f4", "f8", "i4", "i2"], 3)]
    binary = [ap.add, ap.subtract, ap.multiply, ap.maximum, ap.minimum, ap.fmax]
    unary = [
        ap.negative, ap.absolute, ap.square, ap.floor, ap.sign, ap.isfinite, ap.exp2,
        lambda v: v[::-1], lambda v: v[:1],
    ]
    plan = [
        (int(rng.integers(3)), int(rng.integers(1 << 30)), int(rng.integers(1 << 30)), int(rng.integers(1 << 30)))
        for _ in range(int(rng.integers(4, 18)))
    ]

    def run() -> list[Any]:
        values = list(first)
        for kind, i, j, k in plan:
            x, y = values[i % len(values)], values[j % len(values)]
            if kind == 0:
                values.append(unary[k % len(unary)](x))
            elif kind == 1:
                values.append(binary[k % len(binary)](x, y))
            else:
                values.append(ap.where(x > y, x, values[k % len(values)]))
        last = ap.asarray(values[-1])
        return [last, values[-2], values[-1].sum(axis=0), last.max()]

    return run


@pytest.mark.parametrize("seed", generator().integers(1 << 31, size=6).tolist())
def test_random_programs(seed: int) -> None:
    in_both(random_program(np.random.default_rng(seed)))


def test_threads_that_want_the_same_and_other_code() -> None:
    x, y, z = arrays(20_000)
    functions = [
        lambda: (x * y + z) * x - z * 3, lambda: (x - y) * (y - z) * (z - x), lambda: ((x + y) * 2 + z) * x - y + 1,
        lambda: (x * y + z) * x - z * 3,
    ]
    with config.using(machine_code="off"):
        wanted = [np.asarray(one()).tobytes() for one in functions]
    got: list[bool] = []

    def work(k: int) -> None:
        for _ in range(20):
            got.append(np.asarray(functions[k]()).tobytes() == wanted[k])

    with config.using(machine_code="wait"):
        threads = [threading.Thread(target=work, args=(k,)) for k in range(len(functions))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert got == [True] * 80


# --- in processes of their own


ONCE = "print(right(), _service.installed, len(compiled.failures))"


def test_code_is_kept_and_damaged_files_are_made_again(tmp_path: Path) -> None:
    assert process(ONCE, tmp_path) == "True 1 0"
    (file,) = kept(tmp_path)
    made = file.stat().st_mtime_ns
    whole = file.read_bytes()
    assert process(ONCE, tmp_path) == "True 1 0"
    assert [one.read_bytes() for one in kept(tmp_path)] == [whole]
    for damaged in (whole[: len(whole) // 2], whole[:-9] + b"\0" * 9, b""):
        file.write_bytes(damaged)
        assert process(ONCE, tmp_path) == "True 1 0"
        assert file.read_bytes().startswith(b"asnumpy kernel") and len(file.read_bytes()) == len(whole)
    assert file.stat().st_mtime_ns > made


def test_another_compiler_makes_its_own(tmp_path: Path) -> None:
    script, store = tmp_path / "other", tmp_path / "store"
    script.write_text(f'#!/bin/sh\nexec {compiler()} "$@"\n')
    script.chmod(0o755)
    assert process(ONCE, store) == "True 1 0"
    (first,) = kept(store)
    before = first.read_bytes()
    assert process(ONCE, store, ASNUMPY_CXX=str(script)) == "True 1 0"
    assert str(script).encode() in first.read_bytes() and first.read_bytes() != before


def test_without_a_compiler_the_results_are_the_same(tmp_path: Path) -> None:
    code = "print(right(), right(), _service.installed, compiled.failures)"
    said = process(code, tmp_path, ASNUMPY_CXX="/nowhere/c++")
    assert said.startswith("True True 0") and "/nowhere/c++" in said and kept(tmp_path) == []
    assert process(ONCE, tmp_path) == "True 1 0"
    assert process(ONCE, tmp_path, ASNUMPY_CXX="/nowhere/c++") == "True 1 0"  # what another one has made will do


def test_a_compiler_that_refuses(tmp_path: Path) -> None:
    script = tmp_path / "refuses"
    script.write_text("#!/bin/sh\necho no such luck\nexit 3\n")
    script.chmod(0o755)
    said = process("print(right(), right(), _service.installed, compiled.failures)", tmp_path, ASNUMPY_CXX=str(script))
    assert said.startswith("True True 0") and "no such luck" in said


@pytest.mark.skipif(os.geteuid() != 0 and not os.access("/", os.W_OK), reason="the owner of a folder is changed")
def test_a_folder_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    assert process(ONCE, tmp_path) == "True 1 0"
    folder = tmp_path / "asnumpy" / "kernels"
    folder.chmod(folder.stat().st_mode | stat.S_IWOTH)
    before = [(one, one.stat().st_atime_ns, one.read_bytes()) for one in kept(tmp_path)]
    (tmp_path / "asnumpy" / "kernels" / before[0][0].name).write_bytes(b"not to be run")
    assert process(ONCE, tmp_path) == "True 1 0"
    assert before[0][0].read_bytes() == b"not to be run"


def test_a_store_that_cannot_be(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert process(ONCE, blocked) == "True 1 0"


def test_explain_shows_the_code() -> None:
    x, y, z = arrays(100)
    text = ap.explain((x * y + z) * x - y, code=True, file=open(os.devnull, "w"))
    assert "row_multiply::call<float>" in text and "%3 = multiply" in text
    assert "row_" not in ap.explain(x + y, code=True, file=open(os.devnull, "w")).partition("strand")[0]


def test_info_names_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    told = ap.show_config("dicts")
    assert told is not None and str(compiler()) in told["machine code"]
    monkeypatch.setenv("ASNUMPY_CXX", "/nowhere/c++")
    told = ap.show_config("dicts")
    assert told is not None and "none was found" in told["machine code"]


def test_the_setting() -> None:
    with pytest.raises(ValueError, match="expected 'background', 'wait' or 'off', got 'on'"):
        config.machine_code = "on"
