"""asnumpy.scipy.special beside scipy.special: units in the last place, special values, dtypes, forms of calls."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.special as theirs

import asnumpy as ap
import asnumpy.scipy.special as special
from asnumpy.scipy._names import kind_of

NORMAL, NEAR, UNIT, POSITIVE, WIDE = "normal", "near", "unit", "positive", "wide"

# Of each composition: where its arguments come from, and how far it is from SciPy's value in float64 and float32, in
# units in the last place. SciPy's own error is in it: one to three units, more in the tails, where that of the
# argument is multiplied (27 for erfc, 40 for ndtr, 260 for cosm1, beside a library of many digits).
CASES: dict[str, tuple[tuple[str, ...], int, int]] = {
    "boxcox": ((POSITIVE, NEAR), 10, 1),
    "boxcox1p": ((POSITIVE, NEAR), 10, 1),
    "cbrt": ((WIDE,), 1, 2),
    "cosm1": ((NEAR,), 4, 4),
    "entr": ((POSITIVE,), 2, 2),
    "erf": ((NEAR,), 4, 4),
    "erfc": ((NEAR,), 12, 4),
    "erfcinv": ((UNIT,), 8, 1),
    "erfinv": ((UNIT,), 6, 1),
    "exp10": ((NORMAL,), 2, 2),
    "exp2": ((NORMAL,), 2, 2),
    "expit": ((NORMAL,), 4, 4),
    "expm1": ((NEAR,), 4, 2),
    "exprel": ((WIDE,), 3, 1),
    "huber": ((POSITIVE, NORMAL), 2, 2),
    "i0": ((NORMAL,), 4, 1),
    "i0e": ((WIDE,), 4, 1),
    "inv_boxcox": ((UNIT, UNIT), 4, 1),
    "inv_boxcox1p": ((UNIT, UNIT), 4, 1),
    "log1p": ((POSITIVE,), 2, 2),
    "log_expit": ((NORMAL,), 3, 3),
    "logit": ((UNIT,), 4, 4),
    "ndtr": ((NEAR,), 12, 1),
    "ndtri": ((UNIT,), 8, 1),
    "pseudo_huber": ((POSITIVE, NORMAL), 4, 1),
    "rel_entr": ((POSITIVE, POSITIVE), 4, 4),
    "xlog1py": ((NORMAL, POSITIVE), 3, 3),
    "xlogy": ((NORMAL, POSITIVE), 2, 2),
}
EDGES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 1e-20, -1e-20, 1e30, 5.0]
# differences of nearly equal numbers, and sinc, which is NumPy's
OTHERS = {"kl_div", "sinc", "log_softmax", "logsumexp", "softmax"}


def drawn(where: str, rng: np.random.Generator, count: int = 5000) -> np.ndarray:
    if where == NORMAL:
        return rng.normal(0, 3, count)
    if where == NEAR:
        return rng.uniform(-1.5, 1.5, count)
    if where == UNIT:
        return rng.uniform(1e-6, 1 - 1e-6, count)
    return rng.gamma(2.0, 1.5, count) if where == POSITIVE else rng.normal(0, 30, count)


def units(got: np.ndarray, wanted: np.ndarray) -> float:
    """The largest distance in units in the last place; infinite where NaN or infinities differ."""
    assert got.dtype == wanted.dtype
    finite = np.isfinite(wanted)
    if not np.array_equal(got[~finite], wanted[~finite], equal_nan=True) or not np.isfinite(got[finite]).all():
        return np.inf
    got, wanted = got[finite], wanted[finite]
    size = np.maximum(np.abs(wanted), np.finfo(wanted.dtype).tiny)
    return float(np.max(np.abs(got - wanted) / np.spacing(size), initial=0.0))


def test_every_composition_is_a_case() -> None:
    composed = {name for name in special.__all__ if kind_of(special, name) == "device"}
    assert composed == CASES.keys() | OTHERS


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values(name: str, dtype: Any) -> None:
    kinds, double, single = CASES[name]
    rng = np.random.default_rng(len(name))
    arrays = [drawn(kind, rng).astype(dtype) for kind in kinds]
    if name in ("erfinv",):
        arrays = [2 * arrays[0] - 1]
    if name == "erfcinv":
        arrays = [2 * arrays[0]]
    got = ap.to_numpy(getattr(special, name)(*map(ap.array, arrays)))
    # what SciPy's function of float64 makes of the numbers: its loops of float32 have errors of their own
    with np.errstate(over="ignore"):
        exact = getattr(theirs, name)(*[array.astype(np.float64) for array in arrays]).astype(dtype)
    assert got.dtype == getattr(theirs, name)(*arrays).dtype
    # a device's own functions are accurate to units of their own
    bound = (double if dtype == np.float64 else single) * (1 if ap.Device() == "cpu" else 3)
    assert units(got, exact) <= bound


@pytest.mark.parametrize("name", CASES)
def test_special_values(name: str) -> None:
    count = len(CASES[name][0])
    grids = [np.array(EDGES)] if count == 1 else [np.repeat(EDGES, len(EDGES)), np.tile(EDGES, len(EDGES))]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = getattr(theirs, name)(*grids)
    many = [np.tile(grid, 5000 // grid.size + 1) for grid in grids]  # few are left to SciPy
    got = ap.to_numpy(getattr(special, name)(*map(ap.array, many)))
    np.testing.assert_allclose(got[: wanted.size], wanted, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("name", ["expit", "xlogy", "erf", "ndtri"])
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int16, np.int64, np.uint8, np.float16])
def test_promotion(name: str, dtype: Any) -> None:
    arrays = [np.ones(3, dtype)] * len(CASES[name][0])
    wanted = getattr(theirs, name)(*arrays)
    got = getattr(special, name)(*map(ap.array, arrays))
    assert got.dtype == wanted.dtype
    # of each dtype the last digit but one; the accuracy of values is the other tests' matter
    np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=1e-3 if wanted.dtype.itemsize == 2 else 1e-6)


def test_broadcasting_and_numbers() -> None:
    x, y = np.arange(3.0)[:, None], np.arange(1.0, 5.0)
    np.testing.assert_allclose(ap.to_numpy(special.xlogy(ap.array(x), ap.array(y))), theirs.xlogy(x, y), rtol=1e-14)
    made = special.xlogy(2, ap.array(y.astype(np.float32)))
    wanted = theirs.xlogy(2, y.astype(np.float32))
    assert made.dtype == wanted.dtype
    np.testing.assert_allclose(ap.to_numpy(made), wanted, rtol=1e-6)
    assert float(special.expit(0.25)) == theirs.expit(0.25)
    number = special.expit(ap.array(0.25))
    assert number.shape == () and abs(float(number) - theirs.expit(0.25)) < 1e-15


def test_out_and_its_aliases() -> None:
    values = np.linspace(-4.0, 4.0, 12)
    x = ap.array(values)
    assert special.expit(x, out=x) is x
    np.testing.assert_allclose(ap.to_numpy(x), theirs.expit(values), rtol=1e-15)
    wide = ap.zeros((2, 12), dtype=np.float32)
    assert special.log_expit(ap.array(values), wide) is wide
    np.testing.assert_allclose(ap.to_numpy(wide), np.tile(theirs.log_expit(values), (2, 1)), rtol=1e-6)
    with pytest.raises(TypeError):
        special.expit(ap.array(values), out=ap.zeros(12, dtype=np.int64))
    with pytest.raises(ValueError):
        special.expit(ap.array(values), out=ap.zeros(5))
    theirs_out = np.zeros(12)
    special.expit(ap.array(values), out=theirs_out)
    np.testing.assert_allclose(theirs_out, theirs.expit(values), rtol=1e-15)


def test_where_and_dtype_are_scipys() -> None:
    values = np.linspace(-1.0, 1.0, 6)
    mask = values > 0
    out = ap.zeros(6)
    special.expit(ap.array(values), out=out, where=ap.array(mask))
    np.testing.assert_allclose(ap.to_numpy(out), np.where(mask, theirs.expit(values), 0.0), rtol=1e-15)
    assert special.expit(ap.array(values), dtype=np.float32).dtype == np.float32


def test_long_numbers() -> None:
    x = ap.array([0.5, 2.0], dtype=np.longdouble)
    assert special.expit(x).dtype == np.longdouble
    with pytest.raises(TypeError):
        special.erf(x)


def test_wrong_calls() -> None:
    for call in (lambda xp: xp.expit(), lambda xp: xp.xlogy(np.ones(2)), lambda xp: xp.expit(np.array(["a"]))):
        with pytest.raises(TypeError):
            call(special)
    with pytest.raises(ValueError):
        special.xlogy(ap.ones(3), ap.ones(4))


def test_strided_and_complex() -> None:
    values = np.random.default_rng(5).normal(size=(7, 9))
    x = ap.array(values)
    got = ap.to_numpy(special.expit(x[::2, ::-1].T))
    np.testing.assert_allclose(got, theirs.expit(values[::2, ::-1].T), rtol=1e-14)
    z = np.array([1 + 1j, 0.5 - 2j])
    np.testing.assert_allclose(ap.to_numpy(special.erf(ap.array(z))), theirs.erf(z), rtol=1e-14)


@pytest.mark.parametrize(
    ("shape", "axis"), [((40,), None), ((40,), 0), ((6, 7), 1), ((6, 7), 0), ((2, 3, 4), (0, 2)), ((6, 7), None)]
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_along_axes(shape: tuple[int, ...], axis: Any, dtype: Any) -> None:
    values = (np.random.default_rng(2).normal(0, 20, shape)).astype(dtype)
    for name in ("logsumexp", "softmax", "log_softmax"):
        got, wanted = getattr(special, name)(ap.array(values), axis=axis), getattr(theirs, name)(values, axis=axis)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        epsilon = float(np.finfo(wanted.dtype).eps)  # log_softmax loses what lies below it, here as in SciPy
        np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=20 * epsilon, atol=2 * epsilon)
    kept = special.logsumexp(ap.array(values), axis=axis, keepdims=True)
    assert kept.shape == theirs.logsumexp(values, axis=axis, keepdims=True).shape


@pytest.mark.parametrize(
    "row",
    [[np.inf, 1.0], [-np.inf, 1.0], [-np.inf, -np.inf], [np.nan, 1.0], [np.inf, -np.inf], [1e300, 1e300]],
)
def test_special_values_along_axes(row: list[float]) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("logsumexp", "softmax", "log_softmax"):
            np.testing.assert_allclose(
                ap.to_numpy(getattr(special, name)(ap.array(row))), getattr(theirs, name)(row), rtol=1e-14
            )


def test_weights_and_signs_are_scipys() -> None:
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0, 0.5])
    got = special.logsumexp(ap.array(a), b=ap.array(b), return_sign=True)
    wanted = theirs.logsumexp(a, b=b, return_sign=True)
    assert [float(one) for one in got] == pytest.approx([float(one) for one in wanted])


def test_nearly_equal_distributions() -> None:
    rng = np.random.default_rng(3)
    for dtype in (np.float64, np.float32):
        x = rng.uniform(0.1, 1, 500).astype(dtype)
        y = (x * rng.uniform(0.9, 1.1, 500)).astype(dtype)
        got = ap.to_numpy(special.kl_div(ap.array(x), ap.array(y)))
        np.testing.assert_allclose(got, theirs.kl_div(x, y), rtol=1e-6, atol=2e-16)
    edges = np.array([0.0, 1.0, -1.0, np.inf, np.nan])
    x, y = np.repeat(edges, 5), np.tile(edges, 5)
    np.testing.assert_array_equal(ap.to_numpy(special.kl_div(ap.array(x), ap.array(y))), theirs.kl_div(x, y))


def test_compositions_do_not_leave_the_device_and_the_rest_is_counted() -> None:
    x = ap.linspace(0.1, 0.9, 50)
    ap.forget_fallbacks()
    ap.eval(special.ndtr(special.expit(x)) + special.xlogy(x, 2.0) + special.logsumexp(x))
    assert not [name for name in ap.fallbacks() if "scipy" in str(name)]
    np.testing.assert_allclose(ap.to_numpy(special.gammaln(x)), theirs.gammaln(ap.to_numpy(x)), rtol=1e-14)
    assert "scipy.special.gammaln" in str(ap.fallbacks())


def test_names_are_scipys() -> None:
    assert set(special.__all__) == set(theirs.__all__)
    assert special.gamma.__doc__ == theirs.gamma.__doc__ and special.expit.__doc__ == theirs.expit.__doc__
    assert special.SpecialFunctionError is theirs.SpecialFunctionError
    assert ap.scipy.special is special
    with pytest.raises(AttributeError):
        special.no_such_function


def test_under_jit() -> None:
    x = ap.linspace(-2.0, 2.0, 64)
    made = ap.jit(lambda a: special.expit(a) * special.erf(a) + special.gammaln(a + 3.0))
    for _ in range(3):
        values = ap.to_numpy(x)
        wanted = theirs.expit(values) * theirs.erf(values) + theirs.gammaln(values + 3.0)
        np.testing.assert_allclose(ap.to_numpy(made(x)), wanted, rtol=1e-13, atol=1e-14)
