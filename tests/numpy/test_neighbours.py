"""pandas, xarray, sympy and others, which asnumpy tells about its arrays: NumPy's results, and ours stay ours."""

from __future__ import annotations

import operator
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
import sympy
import xarray as xr

import asnumpy as ap

MATRIX, LINE = np.arange(12.0).reshape(3, 4) % 5 + 1, np.linspace(0.1, 2, 20)
FRAME = pd.DataFrame(np.arange(12.0).reshape(3, 4) % 7, columns=list("abcd"))
SERIES = pd.Series([0.5, 1.0, np.nan, 3.0])
OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
]


@pytest.mark.parametrize("name", OPERATORS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8"])
def test_a_matrix_beside_a_frame(name: Any, dtype: str) -> None:
    plain = MATRIX.astype(dtype)
    for layout in (lambda x: x, lambda x: x[:1], lambda x: x[:, :1], lambda x: x[::-1]):
        ours, numpys = layout(ap.array(plain)), layout(plain)
        for got, expected in ((name(ours, FRAME), name(numpys, FRAME)), (name(FRAME, ours), name(FRAME, numpys))):
            pd.testing.assert_frame_equal(got, expected)
            assert type(got.to_numpy()) is np.ndarray
    np.testing.assert_array_equal(ap.to_numpy(ap.array(plain)), plain)


def test_ufuncs_of_frames_series_and_arrays() -> None:
    b, line = ap.array(MATRIX), ap.array(LINE[:4])
    pd.testing.assert_frame_equal(ap.hypot(FRAME, b), np.hypot(FRAME, MATRIX))
    pd.testing.assert_frame_equal((b > 2) & (FRAME > 2), (MATRIX > 2) & (FRAME > 2))
    pd.testing.assert_series_equal(np.maximum(SERIES, line), np.maximum(SERIES, LINE[:4]))
    pd.testing.assert_series_equal(line * SERIES, LINE[:4] * SERIES)
    pd.testing.assert_index_equal(ap.array([3, 1]) * pd.Index([1, 2]), pd.Index([3, 2]))
    whole = pd.Series([1, 2], dtype="Int64")
    pd.testing.assert_series_equal(ap.array([3, 1]) * whole, np.array([3, 1]) * whole)
    for got, expected in zip(divmod(FRAME, b), divmod(FRAME, MATRIX), strict=True):
        pd.testing.assert_frame_equal(got, expected)


def test_a_frame_that_does_not_fit() -> None:
    for numpys in (MATRIX[:2, :2], MATRIX[:2]):
        for make in (np.array, ap.array):
            with pytest.raises(ValueError, match="coerce"):
                FRAME * make(numpys)


def test_results_into_arrays() -> None:
    """The memory of the target gets them, whoever holds it."""
    target, numpys = ap.zeros((3, 4)), np.zeros((3, 4))
    np.add(ap.array(MATRIX), FRAME, out=target)
    np.add(MATRIX, FRAME, out=numpys)
    np.testing.assert_array_equal(ap.to_numpy(target), numpys)
    a = ap.array(MATRIX)
    alias = a[1]
    a += FRAME
    assert isinstance(a, pd.DataFrame)
    np.testing.assert_array_equal(ap.to_numpy(alias), MATRIX[1] + FRAME.to_numpy()[1])


KEYED: dict[str, Any] = {
    "rows": lambda m, k: TALL.iloc[m], "rows and a column": lambda m, k: TALL.iloc[m, 0],
    "rows and columns": lambda m, k: TALL.iloc[m, k[:2] % 2], "of a column": lambda m, k: TALL.x.iloc[m],
    "by label": lambda m, k: TALL.loc[m], "and one column": lambda m, k: TALL.loc[m, "y"],
    "in brackets": lambda m, k: TALL[m], "a column's": lambda m, k: TALL.x[m], "of labels": lambda m, k: TALL.loc[k],
    "places": lambda m, k: TALL.iloc[k], "index": lambda m, k: TALL.index[m],
    "places in it": lambda m, k: TALL.index[k], "of names": lambda m, k: TALL.set_index("name").index[m],
    "of pairs": lambda m, k: PAIRS[m], "of dates": lambda m, k: pd.date_range("2020", periods=6)[m],
    "a table": lambda m, k: TALL[["x", "y"]][m[:, None] & (m[:2] | True)],
}
TALL = pd.DataFrame({"x": np.arange(6.0), "y": np.arange(6) * 2, "name": list("abcdef")})
PAIRS = pd.MultiIndex.from_arrays([[1, 1, 2, 2, 3, 3], list("ababab")])


def equal(got: Any, expected: Any) -> bool:
    return got.equals(expected) if hasattr(expected, "equals") else bool(got == expected)


@pytest.mark.parametrize("what", KEYED)
def test_masks_and_places_in_brackets(what: str) -> None:
    mask, places = np.array([False, False, True, True, False, True]), np.array([4, 1, 1])
    got, expected = KEYED[what](ap.array(mask), ap.array(places)), KEYED[what](mask, places)
    assert type(got) is type(expected) and equal(got, expected)


def test_keys_that_are_assigned_to() -> None:
    mask, places = np.array([False, False, True, True, False, True]), np.array([4, 1])
    frames = []
    for make in (np.array, ap.array):
        m, k, frame = make(mask), make(places), TALL.copy()
        frame.iloc[m, 0] = -1.0
        frame.loc[m, "y"] = 7
        frame.iloc[k] = frame.iloc[k[::-1]].to_numpy()
        column = frame.x.copy()
        column[m], column.iloc[k] = 5.0, make([8.0, 9.0])
        frame["z"] = column
        frame.loc[make(~mask), ["x", "y"]] = 0
        numbers = frame[["x", "y", "z"]]
        numbers[make(numbers.to_numpy() > 5)] = 3
        frames.append((frame, numbers))
    for one, other in zip(*frames, strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_a_mask_that_does_not_fit() -> None:
    for make in (np.array, ap.array):
        for take in (lambda m: TALL.iloc[m], lambda m: TALL[m], lambda m: TALL.index[m]):
            with pytest.raises((IndexError, ValueError)):
                take(make([True, False]))


@pytest.mark.parametrize("values", [[1.0, np.nan], [1, 3], [True], [], [2**53]], ids=str)
def test_isin(values: list[Any]) -> None:
    ours, numpys = ap.array(values), np.array(values)
    frame = SERIES.to_frame()
    pd.testing.assert_series_equal(SERIES.isin(ours), SERIES.isin(numpys))
    pd.testing.assert_frame_equal(frame.isin(ours), frame.isin(numpys))
    np.testing.assert_array_equal(pd.Index([1, 3]).isin(ours), pd.Index([1, 3]).isin(numpys))


def test_isin_of_what_is_no_line() -> None:
    for make in (np.array, ap.array):
        with pytest.raises(ValueError, match="dimensions"):
            SERIES.isin(make([[1.0], [2.0]]))


def test_replace_by_lines() -> None:
    pd.testing.assert_series_equal(SERIES.replace(ap.array([1.0, 3.0]), 9), SERIES.replace(np.array([1.0, 3.0]), 9))


def test_to_numpy_as_pandas_calls_it() -> None:
    x = ap.array([1.5, 0.0])
    made = x.to_numpy(dtype=bool, copy=True, na_value=False)
    assert made.dtype == bool and made.tolist() == [True, False]
    assert x.to_numpy().dtype == float and x.to_numpy("float32").dtype == np.float32


COORDINATES = {"y": np.arange(8.0), "x": np.arange(8.0) * 2}
CELLS = np.arange(64.0).reshape(8, 8)
PLACES = xr.DataArray(np.array([1, 3, 2]), dims="n")
NUMBERS = ap.array([3, 1, 2])
LABELLED = {
    "interp": lambda d: d.interp(x=[1.0, 3.0]),
    "interp along two": lambda d: d.interp(x=[1.0, 3.0], y=[0.5]),
    "interp by splines": lambda d: d.interp(x=3.0, method="cubic"),
    "interp at points": lambda d: d.interp(x=PLACES * 1.0, y=PLACES * 1.0),
    "interp of integers": lambda d: d.astype(int).interp(x=[1.0]),
    "interp_like": lambda d: d.interp_like(d.isel(x=[0, 1])),
    "interp of a Dataset": lambda d: d.to_dataset(name="v").interp(x=[1.0]).v,
    "interpolate_na": lambda d: d.where(d % 3 > 0).interpolate_na("x"),
    "interpolate_na with a limit": lambda d: d.where(d % 3 > 0).interpolate_na("x", limit=1),
    "isel": lambda d: d.isel(y=PLACES, x=PLACES),
    "isel of one axis": lambda d: d.isel(x=PLACES),
    "isel by a number": lambda d: d.isel(x=NUMBERS[1]),
    "isel by an array without axes": lambda d: d.isel(x=ap.asarray(2)),
    "isel by a number and places": lambda d: d.isel(y=NUMBERS[1], x=PLACES),
    "a Variable in brackets": lambda d: d.variable[NUMBERS[0]],
    "brackets with a number": lambda d: d[NUMBERS[0], 1:],
    "shift, roll and pad by numbers": lambda d: d.shift(x=NUMBERS[1]).roll(y=NUMBERS[2]).pad(x=NUMBERS[0]),
    "sel by a number": lambda d: d.sel(y=NUMBERS[2], x=NUMBERS[0], method="nearest").expand_dims("n"),
    "sel": lambda d: d.sel(y=PLACES.astype(float), x=PLACES * 2.0),
}


@pytest.mark.parametrize("name", LABELLED)
@pytest.mark.parametrize("chunked", [False, True], ids=["array", "chunks"])
def test_xarray(name: str, chunked: bool) -> None:
    ours = xr.DataArray(ap.array(CELLS), dims=("y", "x"), coords=COORDINATES)
    expected = LABELLED[name](xr.DataArray(CELLS, dims=("y", "x"), coords=COORDINATES))
    got = LABELLED[name](ours.chunk({"y": 4}) if chunked else ours)
    values = got.data.compute() if chunked else got.data
    assert isinstance(values, ap.ndarray)
    assert got.dims == expected.dims and got.dtype == expected.dtype
    np.testing.assert_allclose(ap.to_numpy(values), expected.data, rtol=1e-12)


def test_xarray_of_numpys_stays_numpys() -> None:
    plain = xr.DataArray(CELLS, dims=("y", "x"), coords=COORDINATES)
    for work in LABELLED.values():
        assert type(work(plain).data) is np.ndarray


def test_xarray_assigns_by_places() -> None:
    ours, plain = (xr.DataArray(make(CELLS), dims=("y", "x")) for make in (ap.array, np.array))
    for one in (ours, plain):
        one[{"y": PLACES, "x": PLACES}] = -1
        one[{"y": NUMBERS[1]}] = -2
        one[NUMBERS[2], NUMBERS[0]] = -3
    assert isinstance(ours.data, ap.ndarray)
    np.testing.assert_array_equal(ap.to_numpy(ours.data), plain.data)


def test_scikit_learn_takes_floats_of_ours() -> None:
    decomposition = pytest.importorskip("sklearn.decomposition")
    selection = pytest.importorskip("sklearn.model_selection")
    half, two = ap.array([0.5, 2])
    for share in (half, ap.array([0.5], dtype=np.float32)[0], 0.5):
        assert len(selection.train_test_split(CELLS, test_size=share, random_state=1)[0]) == 4
    assert decomposition.PCA(half).fit(CELLS).n_components_ == decomposition.PCA(0.5).fit(CELLS).n_components_
    with pytest.raises(ValueError, match="test_size"):
        selection.train_test_split(CELLS, test_size=two)


def test_zarr_takes_lengths_of_ours() -> None:
    zarr = pytest.importorskip("zarr")
    five, two = ap.array([5, 2])
    assert zarr.zeros((five, 3)).shape == (5, 3) and zarr.zeros(five).shape == (5,)
    array = zarr.full([five, two], 1.5, chunks=(two, 1))
    assert array.shape == (5, 2) and array.chunks == (2, 1)
    array.resize((two, two))
    assert array.shape == (2, 2)
    for wrong in (-two, (two, -1), ap.array([1.5])[0], (two, 1.5)):
        with pytest.raises((TypeError, ValueError), match="Expected"):
            zarr.zeros(wrong)


U, V = sympy.symbols("u v")
EXPRESSIONS = {
    "arithmetic": sympy.sin(U) * V + sympy.exp(-U**2) + sympy.Abs(U - 1) + sympy.Mod(U, V),
    "cases": sympy.Piecewise((U, U > 1), (V, U > 0.5), (0, True)),
    "extremes": sympy.Max(U, V) + sympy.Min(U, 1) + sympy.conjugate(U) + sympy.Heaviside(U - 1),
    "special functions": sympy.erf(U) + sympy.gamma(U) + sympy.besselj(0, U) + sympy.uppergamma(2, U),
    "conditions": sympy.And(U > 0.5, U < V),
    "constants": sympy.pi * U + sympy.E + sympy.EulerGamma,
}


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("modules", ["asnumpy", ap, ["asnumpy", "math"]], ids=["name", "module", "two"])
def test_lambdify(name: str, modules: Any) -> None:
    function = sympy.lambdify((U, V), EXPRESSIONS[name], modules=modules)
    got = function(ap.array(LINE), ap.array(LINE[::-1].copy()))
    expected = sympy.lambdify((U, V), EXPRESSIONS[name], modules=["scipy", "numpy"])(LINE, LINE[::-1])
    assert isinstance(got, ap.ndarray)
    np.testing.assert_allclose(ap.to_numpy(got), expected, rtol=1e-6)


def test_lambdify_of_matrices_and_functions_of_ones_own() -> None:
    made = sympy.lambdify(U, sympy.Matrix([[U, U**2], [1, 2]]), modules="asnumpy")(2.0)
    assert isinstance(made, ap.ndarray) and made.tolist() == [[2, 4], [1, 2]]
    twice = sympy.Function("twice")
    own = sympy.lambdify(U, twice(U) + sympy.sin(U), modules=[{"twice": lambda x: 2 * x}, "asnumpy"])(ap.array(LINE))
    np.testing.assert_allclose(ap.to_numpy(own), 2 * LINE + np.sin(LINE), rtol=1e-12)


def test_lambdify_for_others_is_as_it_was() -> None:
    for modules in (None, "numpy", "math"):
        value = sympy.lambdify(U, sympy.sin(U), modules=modules)(0.5)
        assert type(value).__module__ in ("numpy", "builtins") and float(value) == pytest.approx(0.479425538604203)
    with pytest.raises(NameError, match="lambdification"):
        sympy.lambdify(U, U, modules="asnump")


def test_numbers_in_mpmath_and_sympy() -> None:
    x = ap.array([0.4, 2.5])
    assert mpmath.mpf(x[0]) == 0.4 and sympy.Float(x[0]) == sympy.Float(0.4) and mpmath.mpf(x[1]) + x[1] == 5
    assert mpmath.mpmathify(ap.array([1 + 2j])[0]) == mpmath.mpc(1, 2)


def test_they_may_come_first() -> None:
    """In the other order than here; a warning would say that one of them was not told."""
    program = """
import einops, pandas as pd, sympy, xarray as xr
import asnumpy as ap
x, u = ap.arange(4.0).reshape(2, 2), sympy.Symbol("u")
frame = pd.DataFrame([[1.0, 2.0], [3.0, float("nan")]])
assert (frame * x).shape == (2, 2) and frame[1].isin(ap.array([float("nan")])).tolist() == [False, True]
assert isinstance(sympy.lambdify(u, u + 1, modules="asnumpy")(x), ap.ndarray)
assert isinstance(xr.DataArray(x, dims=("p", "q"), coords={"p": [0, 1]}).interp(p=0.5).data, ap.ndarray)
assert einops.rearrange(x, "p q -> q p").shape == (2, 2)
"""
    folders = os.pathsep.join([str(Path(ap.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", program], capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": folders},
    )
    assert done.returncode == 0, done.stderr
