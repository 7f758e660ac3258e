"""asnumpy.scipy.interpolate beside SciPy's: classes, their methods and attributes, functions, errors."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate

import asnumpy as ap

own: Any = ap.scipy.interpolate
theirs: Any = scipy.interpolate
X = np.array([0.0, 0.5, 1.5, 2.0, 3.5, 4.0, 5.5, 6.0])
Y = np.sin(X) + 0.3 * X
PLACES = np.array([[-1.0, 0.0, 0.25, 0.5], [1.0, 3.999, 6.0, 7.5]])
WITHIN = np.linspace(0, 6, 13)


def near(got: Any, wanted: Any, rtol: float = 1e-12) -> None:
    if isinstance(wanted, (tuple, list)):
        assert type(got) is type(wanted) and len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            near(one, other, rtol)
    elif isinstance(wanted, np.ndarray):
        assert isinstance(got, ap.ndarray) and got.shape == wanted.shape and got.dtype == wanted.dtype
        np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=rtol, atol=rtol)
    else:
        assert float(got) == pytest.approx(float(wanted), rel=rtol)


PIECEWISE = ["CubicSpline", "PchipInterpolator", "Akima1DInterpolator"]


@pytest.mark.parametrize("name", PIECEWISE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_piecewise_polynomials(name: str, dtype: Any) -> None:
    ours, wanted = getattr(own, name)(ap.array(X), ap.array(Y)), getattr(theirs, name)(X, Y)
    places = PLACES.astype(dtype)
    near(ours(ap.array(places)), wanted(places))
    near(ours(ap.array(places.T)), wanted(places.T))
    near(ours(ap.array(places[:, ::2])), wanted(places[:, ::2]))
    near(ours(ap.array(places), extrapolate=False), wanted(places, extrapolate=False))
    near(ours(ap.array(places), 1), wanted(places, 1))
    near(ours(ap.array(places), nu=2, extrapolate=True), wanted(places, nu=2, extrapolate=True))
    near(ours(1.25), wanted(1.25))
    near(ours([1.25, 2.5]), wanted([1.25, 2.5]))
    near(ours(ap.array([np.nan, 1.0, np.inf])), wanted(np.array([np.nan, 1.0, np.inf])))
    near(ours(ap.zeros((0, 2))), wanted(np.zeros((0, 2))))


def test_periodic_and_constant_pieces() -> None:
    around = np.append(Y[:-1], Y[0])
    ours = own.CubicSpline(ap.array(X), ap.array(around), bc_type="periodic")
    near(ours(ap.array(PLACES)), theirs.CubicSpline(X, around, bc_type="periodic")(PLACES))
    for c in (np.ones((1, 7)), np.arange(14.0).reshape(2, 7), np.arange(7.0).reshape(1, 7)):
        for extrapolate in (True, False, "periodic"):
            near(own.PPoly(ap.array(c), ap.array(X), extrapolate=extrapolate)(ap.array(PLACES)),
                 theirs.PPoly(c, X, extrapolate=extrapolate)(PLACES))
    near(own.PPoly(ap.array([[1.0, 2.0]]), ap.array([4.0, 2.0, 0.0]))(ap.array([1.0, 3.0])),
         theirs.PPoly(np.array([[1.0, 2.0]]), np.array([4.0, 2.0, 0.0]))(np.array([1.0, 3.0])))


def test_several_columns() -> None:
    columns = np.stack([Y, Y**2, -Y], 1)
    for name in (*PIECEWISE, "interp1d", "make_interp_spline", "KroghInterpolator", "BarycentricInterpolator"):
        ours, wanted = getattr(own, name), getattr(theirs, name)
        options = {"axis": 0}
        near(ours(ap.array(X), ap.array(columns), **options)(ap.array(WITHIN)), wanted(X, columns, **options)(WITHIN))
        options = {"axis": 1}
        near(ours(ap.array(X), ap.array(columns).T, **options)(ap.array(WITHIN)),
             wanted(X, columns.T, **options)(WITHIN))


def test_methods_and_attributes() -> None:
    ours, wanted = own.CubicSpline(ap.array(X), ap.array(Y)), theirs.CubicSpline(X, Y)
    near(ours.c, wanted.c)
    near(ours.x, wanted.x)
    slope = ours.derivative()
    assert type(slope) is own.CubicSpline or isinstance(slope, own.PPoly)
    near(slope(ap.array(PLACES)), wanted.derivative()(PLACES))
    near(ours.antiderivative()(ap.array(PLACES)), wanted.antiderivative()(PLACES))
    near(ours.integrate(0.5, 3.0), wanted.integrate(0.5, 3.0))
    near(ours.solve(0.7), wanted.solve(0.7))
    assert isinstance(ours, own.PPoly) and issubclass(own.CubicSpline, own.PPoly)
    assert ours.extrapolate == wanted.extrapolate
    assert "antiderivative" in dir(ours)
    with pytest.raises(AttributeError):
        _ = ours.no_such_attribute
    ours.extrapolate = wanted.extrapolate = False
    near(ours(ap.array(PLACES)), wanted(PLACES))
    ours.c = ap.zeros(ours.c.shape)
    near(ours(ap.array(WITHIN)), np.zeros(WITHIN.shape))


def test_splines() -> None:
    ours, wanted = own.make_interp_spline(ap.array(X), ap.array(Y), k=3), theirs.make_interp_spline(X, Y, k=3)
    assert type(ours) is own.BSpline
    near(ours(ap.array(PLACES)), wanted(PLACES))
    near(ours.t, wanted.t)
    near(own.PPoly.from_spline(ours)(ap.array(WITHIN)), theirs.PPoly.from_spline(wanted)(WITHIN))
    near(own.splev(ap.array(WITHIN), ours), theirs.splev(WITHIN, wanted))
    near(own.BSpline.basis_element(ap.array([0.0, 1.0, 2.0, 3.0]))(ap.array(WITHIN)),
         theirs.BSpline.basis_element([0.0, 1.0, 2.0, 3.0])(WITHIN))
    knots, coefficients, degree = own.splrep(ap.array(X), ap.array(Y))
    near((knots, coefficients), theirs.splrep(X, Y)[:2])
    near(own.splev(ap.array(WITHIN), (knots, coefficients, degree)), theirs.splev(WITHIN, theirs.splrep(X, Y)))
    smooth, beside = own.UnivariateSpline(ap.array(X), ap.array(Y), s=0.1), theirs.UnivariateSpline(X, Y, s=0.1)
    near(smooth(ap.array(WITHIN)), beside(WITHIN))
    near(smooth.get_knots(), beside.get_knots())
    near(smooth.derivative()(ap.array(WITHIN)), beside.derivative()(WITHIN))


@pytest.mark.parametrize("kind", ["linear", "nearest", "previous", "cubic"])
def test_one_dimension(kind: str) -> None:
    near(own.interp1d(ap.array(X), ap.array(Y), kind)(ap.array(WITHIN)), theirs.interp1d(X, Y, kind)(WITHIN))
    for fill in ("extrapolate", 2.5, (1.0, 2.0)):
        options = {"kind": kind, "bounds_error": False, "fill_value": fill}
        near(own.interp1d(ap.array(X), ap.array(Y), **options)(ap.array(PLACES)),
             theirs.interp1d(X, Y, **options)(PLACES))


def test_several_dimensions() -> None:
    axes = (X, np.array([0.0, 1.0, 4.0]))
    table = np.cos(X)[:, None] * axes[1]
    points = np.array([[0.2, 0.3], [5.0, 3.0], [3.5, 1.0]])
    beyond = np.vstack([points, [[-1.0, 0.5], [2.0, 9.0], [np.nan, 1.0], [2.0, 4.0], [6.0, 0.0]]])
    for method in ("linear", "nearest"):
        ours = own.RegularGridInterpolator(tuple(map(ap.array, axes)), ap.array(table), method)
        near(ours(ap.array(points)), theirs.RegularGridInterpolator(axes, table, method)(points))
        for fill in (None, -3.5, np.nan):
            options = {"method": method, "bounds_error": False, "fill_value": fill}
            ours = own.RegularGridInterpolator(tuple(map(ap.array, axes)), ap.array(table), **options)
            wanted = theirs.RegularGridInterpolator(axes, table, **options)
            for places in (beyond, beyond[:, None, :], beyond[::2].astype(np.float32)):
                near(ours(ap.array(places)), wanted(places))
            near(ours(ap.array(beyond), method="linear"), wanted(beyond, method="linear"))
    near(ours.grid, axes)
    near(ours.values, table)
    scattered = np.random.default_rng(5).uniform(0, 6, (40, 2))
    values = np.sin(scattered).sum(axis=1)
    for method in ("linear", "nearest", "cubic"):
        near(own.griddata(ap.array(scattered), ap.array(values), ap.array(points), method),
             theirs.griddata(scattered, values, points, method))
    for name in ("RBFInterpolator", "LinearNDInterpolator", "NearestNDInterpolator", "CloughTocher2DInterpolator"):
        near(getattr(own, name)(ap.array(scattered), ap.array(values))(ap.array(points)),
             getattr(theirs, name)(scattered, values)(points), 1e-9)
    near(own.interpn(tuple(map(ap.array, axes)), ap.array(table), ap.array(points)),
         theirs.interpn(axes, table, points))
    near(own.RectBivariateSpline(*map(ap.array, axes), ap.array(table), ky=2)(ap.array([0.5, 1.0]), ap.array([2.0])),
         theirs.RectBivariateSpline(*axes, table, ky=2)(np.array([0.5, 1.0]), np.array([2.0])))


@pytest.mark.skipif(ap.ones(1)._host_visible, reason="on the host SciPy evaluates")
def test_a_device_evaluates() -> None:
    def calls() -> int:
        return sum(one["count"] for one in ap.fallbacks() if one["function"].startswith("scipy.interpolate."))

    x, places = ap.array(X), ap.array(WITHIN)
    made = [own.CubicSpline(x, ap.array(Y)), own.PchipInterpolator(x, ap.array(Y)), own.interp1d(x, ap.array(Y))]
    made.append(own.RegularGridInterpolator((x,), ap.array(Y)))
    before = calls()
    for one in made[:-1]:
        near(one(places), one._theirs(WITHIN))
    near(made[-1](places[:, None]), made[-1]._theirs(WITHIN[:, None]))
    assert calls() == before


def test_it_does_not_look_at_its_data_again() -> None:
    x, y = ap.array(X), ap.array(Y)
    made = [own.CubicSpline(x, y), own.interp1d(x, y, copy=False), own.PchipInterpolator(x, y)]
    wanted = [one(ap.array(WITHIN)) for one in made]
    y[...] = 0.0
    x[...] = 1.0
    for one, other in zip(made, wanted, strict=True):
        near(one(ap.array(WITHIN)), ap.to_numpy(other))
    coefficients = made[0].c
    coefficients[...] = 0.0
    near(made[0](ap.array(WITHIN)), ap.to_numpy(wanted[0]))


def test_copies() -> None:
    spline = own.CubicSpline(ap.array(X), ap.array(Y))
    wanted = theirs.CubicSpline(X, Y)(WITHIN)
    for one in (pickle.loads(pickle.dumps(spline)), copy.copy(spline), copy.deepcopy(spline)):
        assert type(one) is own.CubicSpline
        near(one(ap.array(WITHIN)), wanted)
    assert own.CubicSpline is own.CubicSpline and "CubicSpline" in repr(spline)


def test_three_axes() -> None:
    axes = tuple(np.linspace(0, count, count) for count in (3, 4, 5))
    table = np.random.default_rng(3).normal(size=(3, 4, 5))
    points = np.random.default_rng(4).uniform(0, 3, (6, 2, 3))
    for method in ("linear", "nearest"):
        near(own.RegularGridInterpolator(tuple(map(ap.array, axes)), ap.array(table), method)(ap.array(points)),
             theirs.RegularGridInterpolator(axes, table, method)(points))


def test_errors() -> None:
    x, y = ap.array(X), ap.array(Y)
    with pytest.raises(ValueError):
        own.CubicSpline(x, y[:3])
    with pytest.raises(ValueError):
        own.CubicSpline(x[::-1], y)
    with pytest.raises(ValueError):
        own.interp1d(x, y)(ap.array([50.0]))
    with pytest.raises(NotImplementedError):
        own.interp1d(x, y, kind="no such kind")
    with pytest.raises(ValueError):
        own.RegularGridInterpolator((x, x), ap.ones((2, 2)))
    for places in ([[50.0, 0.0]], [[np.nan, 0.0]], [[1.0, 2.0, 3.0]]):
        with pytest.raises(ValueError):
            own.RegularGridInterpolator((x, x), ap.ones((8, 8)))(ap.array(places))
    with pytest.raises(TypeError):
        own.CubicSpline(x)
    with pytest.raises(TypeError):
        own.CubicSpline(x, y)(x, no_such=1)
    with pytest.raises(ValueError):
        own.CubicSpline(x, y)(x, -1)
