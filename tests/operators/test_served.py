"""NumPy's functions on an NPU by the library's kernels: by themselves, with NumPy's results, after the user's rules."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from host_compiler import needs_compiler

import asnumpy as ap
from asnumpy import operators
from asnumpy.runtime import kernels

ON_NPU = str(ap.Device()).startswith("ascend")
COMPILED = ON_NPU and not os.environ.get("CANNSIM_CANN", "9.0").startswith("8")
N = 1 << 16

on_npu = pytest.mark.skipif(not ON_NPU, reason="what runs on an NPU")
with_kernels = pytest.mark.skipif(not COMPILED, reason="only an NPU's CANN 9 compiles kernels at run time")


@pytest.fixture(autouse=True)
def counted_anew() -> Iterator[None]:
    operators.forget_runs()
    yield
    operators.use_rules(None)


def ran(function: str) -> list[str]:
    """What computed calls of a function; nothing where neither a kernel nor a rule had a say."""
    return [one["implementation"] for one in operators.runs() if one["operator"] == function]


def whole(dtype: str, n: int = N, most: int = 0) -> np.ndarray:
    info = np.iinfo(dtype)
    low, high = (0, most) if most else (info.min, info.max)
    return np.random.default_rng(n).integers(low, high, n, dtype, endpoint=True)


def complexes(n: int = N) -> np.ndarray:
    rng = np.random.default_rng(n)
    return (rng.normal(size=n) + 1j * rng.normal(size=n)).astype(np.complex64)


def divided_in_place(xp: Any, x: Any) -> Any:
    y = x.copy()
    y /= x[::-1]
    return y


def divided_into(xp: Any, x: Any) -> Any:
    out = xp.zeros(x.shape, np.complex64)
    assert xp.divide(x, x[::-1], out=out) is out
    return out


CALLS: dict[str, tuple[str, Callable[[Any, Any], Any], np.ndarray]] = {
    "sort": ("sort", lambda xp, x: xp.sort(x.reshape(-1, 1000)), whole("int64", 64000)),
    "sort equals": ("sort", lambda xp, x: xp.sort(x.reshape(-1, 4096)), whole("int64", most=9)),
    "sort unsigned": ("sort", lambda xp, x: xp.sort(x.reshape(-1, 33)), whole("uint64", 33000)),
    "sort down": ("sort", lambda xp, x: xp.sort(x.reshape(256, -1), axis=0, kind="stable"), whole("int64")),
    "argsort": ("argsort", lambda xp, x: xp.argsort(x.reshape(-1, 4096), stable=True), whole("int64", most=9)),
    "argsort unsigned": ("argsort", lambda xp, x: xp.argsort(x.reshape(-1, 100), axis=-1), whole("uint64", 32000)),
    "bitwise_count u4": ("bitwise_count", lambda xp, x: xp.bitwise_count(x), whole("uint32")),
    "bitwise_count u8": ("bitwise_count", lambda xp, x: xp.bitwise_count(x.reshape(2, -1).T), whole("uint64")),
    "bitwise_count i8": ("bitwise_count", lambda xp, x: xp.bitwise_count(x), whole("int64")),
    "cumsum": ("cumsum", lambda xp, x: xp.cumsum(x), whole("int64", 70001)),
    "cumsum unsigned": ("cumsum", lambda xp, x: xp.add.accumulate(x), whole("uint64")),
    "packbits": ("packbits", lambda xp, x: xp.packbits(x, bitorder="little"), whole("uint8", 66001, most=3)),
    "packbits bool": ("packbits", lambda xp, x: xp.packbits(x.reshape(2, -1) > 1), whole("uint8", most=3)),
    "unpackbits": ("unpackbits", lambda xp, x: xp.unpackbits(x), whole("uint8")),
    "unpackbits count": ("unpackbits", lambda xp, x: xp.unpackbits(x, count=-77), whole("uint8")),
    "searchsorted": ("searchsorted", lambda xp, x: xp.searchsorted(xp.sort(x[:4999]), x), whole("int64")),
    "searchsorted in a long table": (
        "searchsorted", lambda xp, x: xp.searchsorted(xp.sort(x[500:]), x[:900]), whole("int64", 30000),
    ),
    "searchsorted right": (
        "searchsorted", lambda xp, x: xp.searchsorted(xp.sort(x[:50]), x.reshape(64, -1), "right"),
        whole("int64", most=99),
    ),
    "divide": ("divide", lambda xp, x: x / x[::-1], complexes()),
    "divide by a number": ("divide", lambda xp, x: x / (2.5 - 1j), complexes()),
    "divide broadcast": ("divide", lambda xp, x: x.reshape(256, -1) / x[:256], complexes()),
    "divide in place": ("divide", divided_in_place, complexes()),
    "divide into": ("divide", divided_into, complexes()),
    "fft": ("fft.fft", lambda xp, x: xp.fft.fft(x), complexes()),
    "fft of rows": ("fft.fft", lambda xp, x: xp.fft.fft(x.reshape(-1, 2048), norm="ortho"), complexes()),
    "fft of 2**19": ("fft.fft", lambda xp, x: xp.fft.fft(x), complexes(1 << 19)),
    "ifft": ("fft.fft", lambda xp, x: xp.fft.ifft(x.reshape(-1, 1024), axis=0), complexes()),
    "fft of a prime": ("fft.fft", lambda xp, x: xp.fft.fft(x), complexes(10007)),
    "rfft": ("fft.fft", lambda xp, x: xp.fft.rfft(x.real.copy()), complexes()),
    "irfft": ("fft.fft", lambda xp, x: xp.fft.irfft(x[:32769]), complexes()),
    "fft2": ("fft.fft", lambda xp, x: xp.fft.fft2(x.reshape(8, -1)), complexes()),
}


def compare(name: str) -> None:
    _, function, x = CALLS[name]
    expected, made = function(np, x), function(ap, ap.array(x))
    got = ap.to_numpy(made)
    assert made.device == ap.Device() and got.dtype == expected.dtype and got.shape == expected.shape
    assert made.flags.c_contiguous == expected.flags.c_contiguous or "bitwise" in name or "fft" in name
    if "fft" not in name:
        np.testing.assert_array_equal(got, expected)
    else:
        assert np.abs(got - expected).max() <= 3e-6 * np.abs(expected).max()


@with_kernels
@needs_compiler
@pytest.mark.parametrize("name", CALLS)
def test_kernels_compute_what_numpy_does(name: str) -> None:
    with ap.config.using(kernels="wait"):
        compare(name)
    function = CALLS[name][0]
    row = next(one for one in kernels.TABLE if one.function == function)
    assert set(ran(function)) == {row.operator}


def test_every_function_of_the_table_is_compared() -> None:
    assert {function for function, *_ in CALLS.values()} == {row.function for row in kernels.TABLE}
    for row in kernels.TABLE:
        one = next(one for one in operators.get(row.operator).implementations if one.kind == "ascend")
        assert one is not None and 0 < row.least < row.below


@on_npu
@pytest.mark.parametrize("name", CALLS)
def test_without_kernels_all_runs_as_it_did(name: str) -> None:
    with ap.config.using(kernels="off"):
        compare(name)
    assert not ran(CALLS[name][0])


@on_npu
def test_the_compiler_runs_beside_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call does not wait for it; where there is none, nothing is told and nothing changes."""
    from asnumpy.operators import _served

    monkeypatch.setattr(_served, "_compiled", {})
    x = whole("int64")
    rows = ap.array(x).reshape(-1, 1024)
    expected = np.sort(x.reshape(-1, 1024))
    np.testing.assert_array_equal(ap.to_numpy(ap.sort(rows)), expected)
    until = time.monotonic() + 120
    while "being compiled" in str(operators.explain("sort", rows)) and time.monotonic() < until:
        time.sleep(0.05)
    np.testing.assert_array_equal(ap.to_numpy(ap.sort(rows)), expected)
    said = operators.explain(ap.sort, rows)
    if COMPILED and _has_compiler():
        assert said.chosen == "library.sort_int64" and ran("sort") == ["library.sort_int64"]
    else:
        assert said.chosen == "builtin" and "libacl_rtc" in str(said) and not ran("sort")


def _has_compiler() -> bool:
    from host_compiler import compiler

    return compiler() is not None


@with_kernels
@needs_compiler
def test_results_do_not_depend_on_when_a_compiler_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    from asnumpy.operators import _served

    monkeypatch.setattr(_served, "_compiled", {})
    with ap.config.using(deterministic=True):
        ap.fft.fft(ap.array(complexes()))
    assert ran("fft.fft") == ["library.fft_rows"]


@with_kernels
@needs_compiler
@pytest.mark.parametrize(
    "call",
    [
        lambda xp, x: xp.sort(x[:4096].reshape(4, -1)),                    # too few
        lambda xp, x: xp.sort(x),                                          # too long a row
        lambda xp, x: xp.cumsum(x.reshape(4, -1), axis=1),                 # another form
        lambda xp, x: xp.bitwise_count(x, where=x > 0, out=xp.zeros(x.shape, np.uint8)),
        lambda xp, x: xp.sort(x.astype(np.int32).reshape(-1, 1024)),       # another dtype
        lambda xp, x: xp.bitwise_count(x, dtype=np.uint8),
    ],
)
def test_what_a_kernel_does_not_take_stays(call: Callable[[Any, Any], Any]) -> None:
    x = whole("int64")
    with ap.config.using(kernels="wait"):
        made = call(ap, ap.array(x))
    np.testing.assert_array_equal(ap.to_numpy(made), call(np, x))
    assert not operators.runs()


@with_kernels
@needs_compiler
def test_classes_errors_and_watched_errors_stay_numpys() -> None:
    x = ap.array(complexes())
    with ap.config.using(kernels="wait"):
        with pytest.raises(ValueError, match="broadcast"):
            ap.divide(x, x[:-1])
        with pytest.raises(np.exceptions.AxisError):
            ap.sort(ap.array(whole("int64")).reshape(-1, 1024), axis=2)
        with pytest.raises(ValueError, match="broadcast"):
            ap.divide(x, x, out=ap.zeros(3, np.complex64))
        with ap.errstate(divide="raise", invalid="raise"), pytest.raises(FloatingPointError):
            ap.divide(x, ap.zeros(N, np.complex64))

        class Mine(ap.ndarray):
            pass

        made = ap.divide(x.view(Mine), x)
        assert type(made) is Mine
        np.testing.assert_array_equal(ap.to_numpy(ap.asarray(made)), complexes() / complexes())
        wide = ap.divide(x, ap.array(complexes().astype(np.complex128)))
        assert wide.dtype == np.complex128


@with_kernels
@needs_compiler
def test_other_work_stays_recorded() -> None:
    if ap.config.eager:
        pytest.skip("nothing is recorded")
    rows = ap.array(whole("int64")).reshape(-1, 1024)
    with ap.config.using(kernels="wait"):
        ap.sort(rows)  # compiled, loaded
        ap.synchronize()
        other = ap.arange(100000, dtype=np.float32) + 1
        before = ap.pending_count()
        made = ap.sort(rows)
        assert before and ap.pending_count() >= before
        total = ap.cumsum(made.ravel()[::2])
    np.testing.assert_array_equal(ap.to_numpy(total), np.cumsum(np.sort(whole("int64").reshape(-1, 1024)).ravel()[::2]))
    assert float(other[-1]) == 100000


@on_npu
def test_a_rule_of_the_users_comes_first(tmp_path: Any) -> None:
    pytest.importorskip("yaml", reason="PyYAML is not installed")
    path = tmp_path / "mine.yaml"
    path.write_text(
        "rules:\n  - builtin: [sort, divide]\n    order: [builtin]\n  - builtin: cumsum\n    order: [host]\n"
    )
    operators.use_rules(path)
    x, z = whole("int64"), complexes()
    with ap.config.using(kernels="wait"):
        assert operators.explain("sort", ap.array(x).reshape(-1, 1024)).chosen == "builtin"
        assert operators.explain("divide", ap.array(z), 2.0).chosen == "builtin"
        assert operators.explain("cumsum", ap.array(x)).chosen == "host"
        np.testing.assert_array_equal(ap.to_numpy(ap.sort(ap.array(x).reshape(-1, 1024))), np.sort(x.reshape(-1, 1024)))
        np.testing.assert_array_equal(ap.to_numpy(ap.array(z) / ap.array(z[::-1].copy())), z / z[::-1])
        np.testing.assert_array_equal(ap.to_numpy(ap.cumsum(ap.array(x))), np.cumsum(x))
    assert ran("sort") == ran("divide") == ["builtin"] and ran("cumsum") == ["host"]


def test_calls_on_the_cpu_ask_for_no_kernel() -> None:
    with ap.Device("cpu"), ap.config.using(kernels="wait"):
        values = whole("int64").reshape(-1, 1024)
        x = ap.array(values)
        np.testing.assert_array_equal(ap.to_numpy(ap.sort(x)), np.sort(values))
        ap.bitwise_count(x)
        ap.fft.fft(ap.array(complexes()))
        said = str(operators.explain("bitwise_count", x))
    assert not operators.runs() and "runs builtin" in said and "library" not in said
