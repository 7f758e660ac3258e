"""Short launches of a recorded function that come in rounds and run as one function in machine code: the bits of the
function without jit, whatever lies between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from host_compiler import needs_compiler
from jit.compared import THREADS, check_rounds, copies, in_threads, values

import asnumpy as ap
from programs.factorisations import levinson as levinson_of

pytestmark = needs_compiler


@pytest.fixture(autouse=True)
def deferred_on_the_cpu() -> Iterator[None]:
    """Sums of what runs at once may end in other digits than those of the programs that are recorded."""
    with ap.config.using(eager=False, eager_size=0, device="cpu"):
        yield


def gauss_seidel(u: Any) -> Any:
    for _ in range(3):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) * 0.25
    return u.sum()


def running(x: Any) -> Any:
    """Each element from the one before: a chain within one array."""
    for k in range(1, len(x)):
        x[k] = x[k] * x[k - 1] + x[k]
    return x[::3].copy()


def levinson(r: Any) -> Any:
    """Lines of changing length, backwards too, with a product and single numbers between them."""
    return levinson_of(ap, r)


def elimination(a: Any) -> Any:
    """Blocks that shrink: rows and columns that are broadcast, columns with gaps between their elements."""
    for k in range(a.shape[0] - 1):
        a[k + 1 :, k] = a[k + 1 :, k] / a[k, k]
        a[k + 1 :, k + 1 :] = a[k + 1 :, k + 1 :] - a[k + 1 :, k : k + 1] * a[k, k + 1 :]
    return a


def prices(c: Any) -> Any:
    """Reductions of lines that grow, each with a sum before it."""
    n = len(c)
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            c[i, j] = (c[i, i:j] + c[i + 1 : j + 1, j]).min() + c[i, i] * c[j, j]
    return c


def cubes(u: Any) -> Any:
    """Three loops around an element: neighbours along each axis, other axes and gaps, blocks that shrink, planes and
    lines that are broadcast."""
    n = u.shape[0]
    for k in range(n - 2):
        u[1:-1, 1:-1, 1:-1] = (u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, 1:-1, :-2]) * 0.25
        u[k:, 1::2, k:] -= u.transpose(2, 1, 0)[k:, ::2, k:] * u[k, 0, k:]
        u[: n - k, :, 1:4] += u[k, :, 4:7] * u[: n - k, :1, :1]
    return u


def totals(x: Any) -> Any:
    """Sums, products and largest of lines of one, few and many elements, which give the next line."""
    for k in range(1, 60):
        line = x[: k * 7]
        x[k] = line.sum() * 0.01
        x[k + 60] = (line * line - 1).sum() / (1 + line.max())
        x[k + 120] = line[:k].prod() * 0.5
    return x


def of_functions(x: Any) -> Any:
    total = x[0] * 0
    for k in range(len(x)):
        total = total + ap.tanh(x[k]) * ap.exp(-x[k])
        x[k] = ap.hypot(total, x[k])
    return total


# A compiler takes most of the time: each pair is another text for it.
@pytest.mark.parametrize(("work", "dtype"), [
    (gauss_seidel, "float64"), (gauss_seidel, "complex64"), (running, "float32"), (running, "complex128"),
    (levinson, "float64"), (levinson, "float32"), (elimination, "float64"), (elimination, "float32"),
    (cubes, "float64"), (cubes, "complex64"),
], ids=lambda one: getattr(one, "__name__", one))  # fmt: skip
def test_bits_of_floats(work: Callable[..., Any], dtype: str) -> None:
    shape = (30,) if work is running else (80,) if work is levinson else (12, 8, 12) if work is cubes else (20, 24)
    given = values(dtype, *shape)
    check_rounds(work, given / np.asarray(40, dtype) if work is levinson else given)


@pytest.mark.parametrize(("work", "dtype"), [
    (prices, "float32"), (prices, "int64"), (totals, "float64"), (totals, "complex64"),
], ids=lambda one: getattr(one, "__name__", one))  # fmt: skip
def test_bits_of_reductions(work: Callable[..., Any], dtype: str) -> None:
    check_rounds(work, values(dtype, 18, 18) if work is prices else values(dtype, 500) / np.asarray(2, dtype))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "bool"])
def test_integers(dtype: str) -> None:
    def work(x: Any, y: Any) -> Any:
        for k in range(1, len(x)):
            x[k] = x[k] ^ x[k - 1] | y[k]
            y[: len(x) - k] = ap.where(x[k:] > y[k - 1], y[: len(x) - k] & x[k], x[k:])
        return x[::-1].copy()

    check_rounds(work, values(dtype, 40), values(dtype, 40))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_functions_of_single_elements(dtype: str) -> None:
    check_rounds(of_functions, values(dtype, 60))


def test_neutral_elements_and_zeros() -> None:
    def work(x: Any) -> Any:
        for k in range(1, 30):
            x[k] = x[30 : 30 + k].sum()
            x[k + 60] = x[30 : 30 + k].max()
        return x

    given = np.full(100, -0.0)
    given[45] = 0.0
    check_rounds(work, given)
    given[50] = np.nan
    check_rounds(work, given)


def test_arrays_of_all_kinds() -> None:
    """Columns, every other element, arrays of the function's own, numbers that change with the round."""

    def work(a: Any, b: Any) -> Any:
        rows = [a[k] * (k + 0.5) for k in range(20)]
        for k in range(1, 20):
            rows[k] = rows[k] + rows[k - 1] * b[::2, k][:15]
            b[:, k] = b[:, k - 1] * 0.5 - k
            a[k, 1::2] -= b[k, : a.shape[1] // 2] * 2
        return ap.stack(rows)

    check_rounds(work, values("float64", 20, 15), values("float64", 30, 20))


def test_an_index_out_of_range_within_the_rounds() -> None:
    def work(x: Any, index: Any) -> Any:
        for k in range(20):
            x[k] = x[k] * 2 + 1
            x[k + 1] = x[index[k : k + 1]][0] + x[k]
        return x

    given, index = values("float64", 40), np.arange(20) % 7
    compiled = ap.jit(work).compile(*copies((given, index)))
    assert "in machine code" in compiled.explain()
    wanted, got = ap.array(given), ap.array(given)
    np.testing.assert_array_equal(compiled(got, ap.array(index)), work(wanted, ap.array(index)))
    index[13] = 40
    with pytest.raises(IndexError, match="index 40 is out of bounds for axis 0 with size 40"):
        compiled(ap.array(given), ap.array(index))
    index[13] = 0
    np.testing.assert_array_equal(compiled(ap.array(given), ap.array(index)), work(ap.array(given), ap.array(index)))


def test_threads_have_memory_of_their_own() -> None:
    given = [values("float64", 90) / (20 + k) for k in range(THREADS)]
    compiled = ap.jit(levinson).compile(ap.array(given[0]))
    expected = [np.asarray(levinson(ap.array(one))) for one in given]

    def run(k: int) -> bool:
        return all(np.asarray(compiled(ap.array(given[k]))).tobytes() == expected[k].tobytes() for _ in range(30))

    assert in_threads(run) == [True] * THREADS


def test_memory_that_is_not_aligned_and_who_watches() -> None:
    given = values("float64", 90) / 40
    compiled = ap.jit(levinson).compile(ap.array(given))
    expected = np.asarray(levinson(ap.array(given)))
    memory = np.zeros(given.nbytes + 3, np.uint8)
    placed = memory[3:].view(given.dtype)
    placed[:] = given
    aligned, misplaced = ap.array(given), ap.asarray(placed)
    for one in (misplaced, aligned, aligned, misplaced, misplaced, aligned, aligned):
        assert np.asarray(compiled(one)).tobytes() == expected.tobytes()
    with ap.profiler.record() as trace:
        watched = compiled(ap.array(given))
    assert np.asarray(watched).tobytes() == expected.tobytes()
    assert sum(event["name"] == "program" for event in trace.events) > 89


def test_without_code_the_programs_run_one_by_one() -> None:
    given = values("float64", 12, 12)
    with ap.config.using(machine_code="off"):
        compiled = ap.jit(gauss_seidel).compile(ap.array(given))
        one, other = ap.array(given), ap.array(given)
        assert float(compiled(one)) == float(gauss_seidel(other))
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()
        assert compiled.explain().splitlines()[0] == "programs 0 to 299: 300 rounds of 1, without machine code"


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int64"])
def test_products_of_small_matrices(dtype: str) -> None:
    """Vectors backwards and with gaps, matrices that grow, and products that are added."""

    def work(a: Any, b: Any) -> Any:
        total = ap.zeros((3, 4), a.dtype)
        for k in range(2, 30):
            b[k, 0] = a[k, :k][::-1] @ b[:k, 1]
            b[k, :4] = a[k, ::2] @ b[: a.shape[1] // 2 + a.shape[1] % 2, :4]
            total = total + a[:3, :k] @ a[:k, :4]
            a[k, :k] = b[:k, :2] @ b[k, :2]
        return total

    a = values(dtype, 30, 30)
    check_rounds(work, a if dtype == "int64" else a / np.asarray(50, dtype), values(dtype, 30, 5))
