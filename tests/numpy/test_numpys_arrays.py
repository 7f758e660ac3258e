"""NumPy's own arrays as targets of our functions, and ours as operands of NumPy's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from host_values import assert_as_numpy, copied, numbers

import asnumpy as ap

TARGETS: dict[str, Callable[[Any, np.ndarray], Any]] = {
    "copyto": lambda xp, out: xp.copyto(out, numbers(xp)),
    "copyto where": lambda xp, out: xp.copyto(out, numbers(xp), where=numbers(xp) > 2),
    "put": lambda xp, out: xp.put(out, xp.array([0, 3]), numbers(xp)),
    "place": lambda xp, out: xp.place(out, numbers(xp) > 2, numbers(xp)),
    "putmask": lambda xp, out: xp.putmask(out, numbers(xp) > 2, numbers(xp)),
    "put_along_axis": lambda xp, out: xp.put_along_axis(out, xp.array([1, 2]), 7.0, 0),
    "add out": lambda xp, out: xp.add(numbers(xp), 1, out=out),
    "add out by position": lambda xp, out: xp.add(numbers(xp), 1, out),
    "in place": lambda xp, out: out.__iadd__(numbers(xp)),
    "sum out": lambda xp, out: xp.sum(xp.ones((3, 4)), axis=0, out=out),
    "mean out": lambda xp, out: xp.mean(xp.ones((3, 4)), axis=0, out=out),
    "std out": lambda xp, out: xp.std(xp.ones((3, 4)), axis=0, out=out),
    "median out": lambda xp, out: xp.median(xp.ones((3, 4)), axis=0, out=out),
    "max out": lambda xp, out: xp.max(xp.ones((3, 4)), axis=0, out=out),
    "cumsum out": lambda xp, out: xp.cumsum(numbers(xp), out=out),
    "clip out": lambda xp, out: xp.clip(numbers(xp), 1, 2, out=out),
    "clip out by position": lambda xp, out: xp.clip(numbers(xp), 1, 2, out),
    "round out": lambda xp, out: xp.round(numbers(xp), 0, out),
    "take out": lambda xp, out: xp.take(numbers(xp), [3, 2, 1, 0], out=out),
    "take out by position": lambda xp, out: xp.take(numbers(xp), [3, 2, 1, 0], None, out),
    "choose out": lambda xp, out: xp.choose([0, 1, 0, 1], [numbers(xp), -numbers(xp)], out=out),
    "compress out": lambda xp, out: xp.compress([True] * 4, numbers(xp), out=out),
    "concatenate out": lambda xp, out: xp.concatenate([numbers(xp)[:2], numbers(xp)[2:]], out=out),
    "stack out": lambda xp, out: xp.stack([numbers(xp)[0], *numbers(xp)[1:]], out=out),
    "dot out": lambda xp, out: xp.dot(xp.ones((4, 4)), numbers(xp), out=out),
    "matmul out": lambda xp, out: xp.matmul(xp.ones((4, 4)), numbers(xp), out=out),
    "einsum out": lambda xp, out: xp.einsum("ij,j->i", xp.ones((4, 4)), numbers(xp), out=out),
    "outer out": lambda xp, out: xp.outer(xp.ones(1), numbers(xp), out=out.reshape(1, 4)),
    "accumulate out": lambda xp, out: xp.add.accumulate(numbers(xp), out=out),
    "reduce out": lambda xp, out: xp.add.reduce(xp.ones((3, 4)), out=out),
    "percentile out": lambda xp, out: xp.percentile(xp.ones((3, 4)), 50, axis=0, out=out),
    "nansum out": lambda xp, out: xp.nansum(xp.ones((3, 4)), axis=0, out=out),
    "nan_to_num": lambda xp, out: xp.nan_to_num(out, copy=False),
    "fill_diagonal": lambda xp, out: xp.fill_diagonal(out.reshape(2, 2), numbers(xp)[1]),
    "assignment": lambda xp, out: out.__setitem__(slice(1, 3), numbers(xp)[:2]),
    "assignment by a mask": lambda xp, out: out.__setitem__(numbers(xp) > 2, -1),
}


@pytest.mark.parametrize("name", TARGETS)
def test_numpys_arrays_are_written(name: str) -> None:
    expected, got = np.full(4, 5.0), np.full(4, 5.0)
    wanted = TARGETS[name](np, expected)
    made = TARGETS[name](ap, got)
    np.testing.assert_array_equal(got, expected)
    if wanted is not None:
        assert isinstance(made, np.ndarray)
        assert np.shares_memory(made, got)


# --- NumPy's protocols never fail where NumPy would have computed ---

DISPATCHED: dict[str, Callable[[Any], Any]] = {
    "broadcast_arrays": lambda a: np.broadcast_arrays(a, None),
    "where": lambda a: np.where(a > 1, "x", "y"),
    "concatenate": lambda a: np.concatenate([a, ["x"]]),
    "append": lambda a: np.append(a, None),
    "full_like": lambda a: np.full_like(a, "x", dtype="U1"),
    "stack": lambda a: np.stack([a, np.array([1, None, 2, 3], object)]),
    "isin": lambda a: np.isin(a, ["x"]),
    "add": lambda a: np.add(a, np.array([1, 2, 3, 4], object)),
    "equal": lambda a: np.equal(a, np.array(["a", "b", "c", "d"], object)),
    "copyto": lambda a: copied(np, np.zeros(4), a),
    "array_equal": lambda a: np.array_equal(a, ["x"]),
    "select": lambda a: np.select([a > 1], ["x"], "y"),
}


@pytest.mark.parametrize("name", DISPATCHED)
def test_numpys_functions_of_ours(name: str) -> None:
    plain = np.arange(4) * 1.5
    assert_as_numpy(DISPATCHED[name](plain), DISPATCHED[name](ap.from_numpy(plain)))


@pytest.mark.parametrize("sign", "+ - * / // % ** << >> & | ^ @ == != < <= > >=".split())
@pytest.mark.parametrize("dtype", ["int64", "float64"])
@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_and_masked_arrays_have_operators_of_their_own(sign: str, dtype: str) -> None:
    others = {
        "matrix": np.matrix([[2, 1], [0, 3]], dtype=dtype),
        "masked": np.ma.array([[1, 2], [3, 4]], dtype, mask=[[0, 1], [0, 0]]),
    }

    def found(xp: Any, other: Any, form: str) -> Any:
        a = xp.arange(1, 5).reshape(2, 2).astype(dtype)
        try:
            made = eval(form.replace("?", sign), {"a": a, "b": other})
        except Exception as error:
            return type(error)
        values = np.ma.getdata(made)
        kept = type(made) if isinstance(made, (np.matrix, np.ma.MaskedArray)) else "plain"
        return kept, values.dtype, repr(values.tolist()), np.ma.getmask(made).tolist()

    with np.errstate(all="ignore"):
        for other in others.values():
            for form in ("a ? b", "b ? a", "a[0] ? b", "b ? a[0]", "a[0, 0] ? b", "b ? a.sum()"):
                assert found(ap, other, form) == found(np, other, form), (form, other)
