"""What runs together: explain() shows the programs.

A debug build of the core (-DCMAKE_BUILD_TYPE=Debug) checks the grammar of every program before it runs it; here the
text of the programs is checked in backend/explained.py.
"""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from backend.explained import programs
from seeded import generator

import asnumpy as ap
from asnumpy import _core

pytestmark = pytest.mark.usefixtures("deferred")

N = 5000  # more than two tiles


def data(*shape: int, dtype: object = np.float64) -> tuple[np.ndarray, ap.ndarray]:
    plain = generator().integers(1, 50, shape).astype(dtype)
    return plain, ap.from_numpy(plain)


def equal(got: ap.ndarray, expected: np.ndarray) -> None:
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(np.asarray(got), expected)


@pytest.mark.parametrize("length", [1, 2, 5, 30])
def test_chain_is_one_program(length: int) -> None:
    plain, x = data(N)
    y, expected = x, plain
    for k in range(length):
        y, expected = (y * 0.5, expected * 0.5) if k % 2 else (y + x, expected + plain)
    (program,) = programs(y)
    assert len(program.steps) == length
    assert len(program.stores) == 1  # the intermediates are dead
    assert program.inputs.count("float64") == len(program.inputs) <= 2
    equal(y, expected)
    assert programs(y) == []


def test_long_chain_stays_exact_and_bounded() -> None:
    plain, x = data(N, dtype=np.int64)
    y, expected = x, plain
    for k in range(1000):
        y, expected = y * 3 + x + k, expected * 3 + plain + k
        assert _core.pending_count() <= 256
    equal(y, expected)


def test_what_is_still_held_is_stored() -> None:
    plain, x = data(N)
    kept = x + 1
    y = (kept * 2 - x) * kept
    (program,) = programs(y)
    assert len(program.stores) == 2
    equal(y, ((plain + 1) * 2 - plain) * (plain + 1))
    equal(kept, plain + 1)


def test_dropped_work_does_not_run() -> None:
    _, x = data(N)
    y = (x + 1) * 2
    assert len(programs()) == 1
    del y
    assert programs() == []


def test_common_subexpressions_are_computed_once() -> None:
    plain_a, a = data(N)
    plain_b, b = data(N)
    y = (a * b + 1) / (a * b + 1 + a) + (a * b)
    (program,) = programs(y)
    assert program.steps.count("multiply") == 1
    assert len(program.steps) == 5  # a*b, +1, +a, /, +
    assert len(program.inputs) == 3
    product = plain_a * plain_b
    equal(y, (product + 1) / (product + 1 + plain_a) + product)


def test_overwritten_operand_is_not_taken_for_the_same_subexpression() -> None:
    plain, x = data(N)
    first = x * 2
    x += 1
    second = x * 2
    total = first + second
    assert sum(program.steps.count("multiply") for program in programs(total)) == 2
    equal(total, plain * 2 + (plain + 1) * 2)
    equal(x, plain + 1)


def test_scalars_of_different_value_stay_apart() -> None:
    plain, x = data(N)
    y = (x + 1.0) * (x + 2.0) * (x + 0.0) * (x + -0.0)
    equal(y, (plain + 1) * (plain + 2) * plain * plain)
    zero = ap.zeros(N)
    equal(1 / (zero * 0.0) - 1 / (zero * -0.0), np.full(N, np.inf))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reduction_is_the_tail_of_its_program(axis: int | None) -> None:
    plain_a, a = data(70, 90)
    plain_b, b = data(70, 90)
    total = (a * b + 2).sum(axis)
    (program,) = programs(total)
    assert program.reductions == ["add"] and program.stores == [] and program.steps == ["multiply", "add"]
    equal(total, (plain_a * plain_b + 2).sum(axis))


def test_several_reductions_share_a_pass() -> None:
    plain, x = data(N)
    y = x * x
    results = [y.sum(), y.max(), y.min()]
    (program,) = programs()
    assert sorted(program.reductions) == ["add", "maximum", "minimum"] and len(program.stores) == 1
    for got, expected in zip(
        results, [(plain * plain).sum(), (plain * plain).max(), (plain * plain).min()], strict=True
    ):
        equal(got, np.asarray(expected))


def test_reductions_over_different_axes_do_not_share_a_pass() -> None:
    plain, x = data(70, 90)
    results = [x.sum(0), x.sum(1), x.sum()]
    assert len(programs()) == 3
    for got, axis in zip(results, (0, 1, None), strict=True):
        equal(got, np.asarray(plain.sum(axis)))


def test_result_of_a_reduction_is_read_in_a_later_program() -> None:
    plain, x = data(70, 90)
    y = x - x.max(axis=1, keepdims=True)
    first, second = programs(y)
    assert first.reductions == ["maximum"] and second.steps == ["subtract"]
    equal(y, plain - plain.max(axis=1, keepdims=True))


def test_broadcast_operands_join() -> None:
    plain, x = data(70, 90)
    plain_row, row = data(90)
    plain_column, column = data(70, 1)
    y = (x + row) * column - x
    (program,) = programs(y)
    assert len(program.steps) == 3
    equal(y, (plain + plain_row) * plain_column - plain)


def test_casts_comparisons_and_choices_join() -> None:
    plain, x = data(N, dtype=np.float32)
    plain_i, i = data(N, dtype=np.int16)
    y = ap.where((x > 20) & (i != 3), x * 2, i.astype(np.float32)).astype(np.float64) + i
    (program,) = programs(y)
    assert "where" in program.steps and "cast" in program.steps and len(program.stores) == 1
    equal(
        y, np.where((plain > 20) & (plain_i != 3), plain * 2, plain_i.astype(np.float32)).astype(np.float64) + plain_i
    )


def test_operations_with_two_results_join() -> None:
    plain, x = data(N, dtype=np.int32)
    quotient, rest = ap.divmod(x, 7)
    y = quotient * 7 + rest
    (program,) = programs(y)
    assert "divmod" in program.steps and len(program.stores) == 3
    del quotient
    (program,) = programs(y)
    assert len(program.stores) == 2
    equal(y, plain)
    equal(rest, plain % 7)


def test_different_iteration_spaces_do_not_join_but_interleave() -> None:
    plain_a, a = data(N)
    plain_b, b = data(60, 70)
    for k in range(4):
        a, b = a + k, b * (k + 1)
    assert sorted(len(program.steps) for program in programs()) == [4, 4]
    equal(a, plain_a + 0 + 1 + 2 + 3)
    equal(b, plain_b * 24)


def test_in_place_updates_of_one_array_are_one_program() -> None:
    plain, x = data(N)
    x += 1
    x *= 2
    x -= x * 0.5
    (program,) = programs(x)
    assert len(program.stores) == 1 and len(program.steps) == 4
    equal(x, (plain + 1) * 2 - (plain + 1))


@pytest.mark.parametrize("shift", [1, 3, 2500])
def test_overlapping_update_reads_before_it_writes(shift: int) -> None:
    plain, x = data(N)
    x[shift:] += x[:-shift]
    assert len(programs(x)) == (1 if 2 * shift >= N else 2)  # where they overlap: into a temporary, then back
    plain[shift:] += plain[:-shift]
    equal(x, plain)
    x[:-shift] -= x[shift:]
    x[shift:] *= x[:-shift] + 1
    plain[:-shift] -= plain[shift:]
    plain[shift:] *= plain[:-shift] + 1
    equal(x, plain)


def test_reader_of_old_values_is_not_fused_with_the_writer() -> None:
    plain, x = data(N)
    before = x[1:] * 2  # reads what the next line overwrites, at other points
    x[:-1] = x[1:] + before
    after = x[1:] * 2
    expected = plain.copy()
    expected_before = expected[1:] * 2
    expected[:-1] = expected[1:] + expected_before
    equal(after, expected[1:] * 2)
    equal(before, expected_before)
    equal(x, expected)


def test_jacobi_sweeps() -> None:
    plain, u = data(60, 70)
    for _ in range(5):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        plain[1:-1, 1:-1] = 0.25 * (plain[:-2, 1:-1] + plain[2:, 1:-1] + plain[1:-1, :-2] + plain[1:-1, 2:])
    steps = programs(u)
    assert len(steps) == 7  # a copy, a stencil per sweep, and what the odd one copies back
    equal(u, plain)


def test_disjoint_views_of_one_buffer() -> None:
    plain, x = data(N)
    x[::2] += 5
    x[1::2] *= x[::2]
    plain[::2] += 5
    plain[1::2] *= plain[::2]
    equal(x, plain)


def test_reversed_and_transposed_readers_do_not_see_new_values() -> None:
    plain, x = data(80, 80)
    y = x + x.T
    x[...] = x.T * 2 - y[::-1]
    expected_y = plain + plain.T
    expected = plain.T * 2 - expected_y[::-1]
    equal(x, expected)
    equal(y, expected_y)


def test_matrix_product_stands_alone_and_may_take_the_addition() -> None:
    plain_a, a = data(40, 30)
    plain_b, b = data(30, 50)
    plain_c, c = data(40, 50)
    y = (a + 1) @ b + c
    shown = programs(y)
    assert [program.structured for program in shown].count("matmul") == 1
    equal(y, (plain_a + 1) @ plain_b + plain_c)
    d = a @ b
    y = d + c
    equal(y, plain_a @ plain_b + plain_c)
    equal(d, plain_a @ plain_b)


def test_explain_runs_nothing() -> None:
    plain, x = data(N)
    y = x + 1
    assert programs(y) == programs(y) and y._pending
    assert _core.pending_count() == 1
    equal(y, plain + 1)
    assert not y._pending and _core.pending_count() == 0


def test_explain_shows_what_one_array_needs() -> None:
    _, x = data(N)
    _, z = data(40, 50)
    y, w = x + 1, z * 2
    assert [program.steps for program in programs(y)] == [["add"]]
    assert [program.steps for program in programs(w)] == [["multiply"]]
    assert len(programs()) == 2


def test_explain_shows_constants_with_their_values() -> None:
    _, x = data(N)
    for value, shown in ((1.5, "1.5"), (-3, "-3"), (float("inf"), "inf"), (0.1, "0.1"), (2 - 1j, "(2-1j)")):
        assert [program.constants for program in programs(x + value)] == [[shown]]
    assert programs(x.astype("f4") * ap.float32(0.1))[0].constants == ["0.1"]
    assert programs(ap.logical_or(x > 0, True))[0].constants == ["0", "True"]


def test_explain_tells_arrays_apart() -> None:
    """Each has a name, the same wherever it comes."""
    _, x = data(40, 50)
    text = _core.explain((x[1:] + x[:-1]) @ (x.T * x.sum(axis=1)))
    assert re.findall(r"(a\d+\(.*?\)(?: from byte \d+)?)\n", text) == [
        "a0(39, 50) from byte 400", "a0(39, 50)", "a1(39, 50)",  # the sum of two views
        "a0(40, 50)", "a2(40,)", "a0(50, 40)", "a2(1, 40)", "a3(50, 40)",
        "a1(39, 50)", "a3(50, 40)", "a4(39, 40)",
    ]


def test_nothing_is_pending_when_eager() -> None:
    plain, x = data(N)
    with ap.config.using(eager=True):
        y = x + 1
        assert not y._pending and programs(y) == []
    equal(y, plain + 1)


def test_lists_that_look_alike() -> None:
    """What differs only in views, constants, sizes, or who still looks, is not taken for one another."""

    def body(x, first, second, shift, hold):  # type: ignore[no-untyped-def]
        n = x.shape[0]
        y = x * first
        z = y + second
        x[shift : shift + n - 20] = z[10 : n - 10]
        u = x + z
        return (y, z, u) if hold else (u,)

    kinds = list(itertools.product([2, 3], [2, 3], [0, 10, 20], [False, True], [N, N + 1]))
    for first, second, shift, hold, length in generator().permutation(kinds * 2).tolist():
        plain, x = data(length)
        expected = body(plain, first, second, shift, hold)
        for one, other in zip(body(x, first, second, shift, hold), expected, strict=True):
            equal(one, other)
        equal(x, plain)


LIGHT = ["add", "subtract", "multiply"]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "int16", "complex64"])
@pytest.mark.parametrize("inner", LIGHT)
@pytest.mark.parametrize("outer", LIGHT)
def test_pairs_of_light_rows(inner: str, outer: str, dtype: str) -> None:
    """They run in one loop where the inner result has no other reader; integers wrap, signed zeros and NaN stay."""
    rng = generator()
    plain = [rng.integers(-(2**15), 2**15, N).astype(dtype) for _ in range(4)]
    if plain[0].dtype.kind == "f":
        for a in plain:
            a[rng.integers(0, N, 200)] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30], 200)

    def body(xp, a, b, c, d):  # type: ignore[no-untyped-def]
        one, two = getattr(xp, inner), getattr(xp, outer)
        inside = one(a, b)
        results = [two(one(a, b), c), two(c, one(a, b)), two(one(a, a), one(b, 3)), two(one(c, d), one(c, d))]
        results += [two(inside, c), inside]
        d[...] = two(d, one(d, a))
        a[1:] = two(one(a[:-1], b[1:]), a[1:])
        return [*results, two(two(two(one(b, c), c), b), c).sum() if plain[0].dtype.kind == "i" else b, a, d]

    with np.errstate(all="ignore"):
        expected = body(np, *(a.copy() for a in plain))
    for one, other in zip(body(ap, *(ap.from_numpy(a) for a in plain)), expected, strict=True):
        got = np.asarray(one)
        np.testing.assert_array_equal(got, other)
        if got.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(got[~np.isnan(got)]), np.signbit(other[~np.isnan(other)]))
