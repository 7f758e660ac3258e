"""asnumpy.polynomial and the top level's polynomials, against NumPy's."""

from __future__ import annotations

import copy
import pickle
import types
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from agreement import assert_same, calls_of_numpys, ours, sample
from hypothesis import given
from hypothesis import strategies as st

import asnumpy as ap

BASES = {
    "polynomial": ("poly", "Polynomial"), "chebyshev": ("cheb", "Chebyshev"), "legendre": ("leg", "Legendre"),
    "laguerre": ("lag", "Laguerre"), "hermite": ("herm", "Hermite"), "hermite_e": ("herme", "HermiteE"),
}
pytestmark = pytest.mark.filterwarnings("ignore::numpy.exceptions.RankWarning")


def modules(base: str) -> tuple[types.ModuleType, types.ModuleType, str]:
    return getattr(np.polynomial, base), getattr(ap.polynomial, base), BASES[base][0]


def agree_in(base: str, name: str, *args: Any, ulp: float = 4, **kwargs: Any) -> None:
    """The function of a module, called on NumPy's arrays and on ours."""
    plain, mine, prefix = modules(base)
    try:
        expected = getattr(plain, prefix + name)(*args, **kwargs)
    except Exception as error:
        with pytest.raises(type(error)):
            getattr(mine, prefix + name)(*ours(list(args)), **ours(kwargs))
        return
    scale = max((float(np.abs(one).max()) for one in (expected if isinstance(expected, tuple) else (expected,))
                 if isinstance(one, np.ndarray) and one.size), default=1.0)
    assert_same(expected, getattr(mine, prefix + name)(*ours(list(args)), **ours(kwargs)), ulp, 1e-13 * scale)


@pytest.mark.parametrize("base", BASES)
def test_names(base: str) -> None:
    plain, mine, _ = modules(base)
    assert set(plain.__all__) == set(mine.__all__)
    for name in plain.__all__:
        value = getattr(mine, name)
        if isinstance(getattr(plain, name), np.ndarray):
            assert_same(getattr(plain, name), value)
        else:
            assert callable(value) and value.__doc__, name
    assert set(np.polynomial.__all__) <= set(ap.polynomial.__all__)
    assert set(np.polynomial.polyutils.__all__) == set(ap.polynomial.polyutils.__all__)


@pytest.mark.parametrize("shape", [(5,), (2, 3), (), (0,), (3, 1, 2)])
@pytest.mark.parametrize("base", BASES)
def test_val(base: str, shape: tuple[int, ...]) -> None:
    x = np.asarray(sample(shape, "float64")) / 10
    for length in range(1, 7):
        c = np.arange(1.0, length + 1)
        agree_in(base, "val", x, c)
        agree_in(base, "val", x, c.astype(int))
        agree_in(base, "val", x.astype(np.float32), c.astype(np.float32), ulp=16)
        agree_in(base, "val", x + 1j, c)
        agree_in(base, "val", x, list(c))
    columns = np.arange(24.0).reshape(4, 3, 2)
    agree_in(base, "val", x, columns)
    agree_in(base, "val", x, columns, tensor=False)
    agree_in(base, "val", list(x.ravel()[:3]), [1, 2, 3, 4])
    for number in (0.5, 3, 2j, np.float32(0.25)):
        agree_in(base, "val", number, [1, 2, 3, 4])
    agree_in(base, "val", x, [])


@pytest.mark.parametrize("base", BASES)
def test_evaluation_fuses(base: str) -> None:
    if ap.config.eager:
        pytest.skip("nothing is deferred")
    _, mine, prefix = modules(base)
    x = ap.linspace(-1, 1, 100_000)
    ap.synchronize()
    before = calls_of_numpys()
    y = getattr(mine, prefix + "val")(x, [1.0, 2, 3, 4, 5])
    assert calls_of_numpys() == before
    assert ap.explain(y).count("program ") == 1
    plain = getattr(getattr(np.polynomial, base), prefix + "val")(np.linspace(-1, 1, 100_000), [1.0, 2, 3, 4, 5])
    np.testing.assert_allclose(ap.to_numpy(y), plain, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("base", BASES)
def test_several_variables(base: str) -> None:
    x, y, z = (np.asarray(sample((3, 2), "float64", seed)) / 10 for seed in range(3))
    c2, c3 = np.arange(12.0).reshape(3, 4), np.arange(24.0).reshape(2, 3, 4)
    agree_in(base, "val2d", x, y, c2)
    agree_in(base, "val3d", x, y, z, c3)
    agree_in(base, "val2d", x, y[:2], c2)
    agree_in(base, "val3d", x, y, z[:2], c3)
    agree_in(base, "grid2d", x[0], y[:, 0], c2)
    agree_in(base, "grid3d", x[0], y[:, 0], z[0], c3)
    agree_in(base, "vander2d", x, y, [1, 2])
    agree_in(base, "vander3d", x, y, z, [1, 2, 3])
    agree_in(base, "vander2d", x[0], y[0], [1])
    agree_in(base, "vander2d", x, y[:2], [1, 2])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
@pytest.mark.parametrize("base", BASES)
def test_vander(base: str, dtype: str) -> None:
    for shape in ((5,), (2, 3), ()):
        x = sample(shape, dtype)
        for degree in (0, 1, 2, 5):
            agree_in(base, "vander", x, degree, ulp=16)
    agree_in(base, "vander", np.arange(3), -1)
    agree_in(base, "vander", np.arange(3), 1.5)


@pytest.mark.parametrize("base", BASES)
def test_coefficients(base: str) -> None:
    a, b = np.array([1.0, -2, 3, 0.5]), np.array([2.0, 0, -1])
    for name in ("add", "sub", "mul", "div"):
        agree_in(base, name, a, b)
        agree_in(base, name, b, a)
        agree_in(base, name, [1, 2, 3], [1, 2])
    agree_in(base, "pow", a, 3)
    agree_in(base, "mulx", a)
    agree_in(base, "der", np.arange(12.0).reshape(4, 3), 2, axis=0)
    agree_in(base, "int", a, 2, [1, 2], lbnd=-1, scl=2)
    agree_in(base, "fromroots", a)
    agree_in(base, "companion", a)
    agree_in(base, "roots", np.array([6.0, -5, 1]))
    agree_in(base, "trim", np.array([1, 2, 1e-20, 0]), 1e-10)
    agree_in(base, "line", 1, 2)
    for wrong in (
        ("div", a, np.zeros(2)), ("add", np.zeros((2, 2)), a), ("pow", a, -1), ("der", a, -1), ("companion", [1]),
    ):
        agree_in(base, *wrong)


@pytest.mark.parametrize("base", BASES)
def test_fit_and_quadrature(base: str) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.uniform(-1, 1, 30), rng.normal(size=30)
    agree_in(base, "fit", x, y, 3, ulp=64)
    agree_in(base, "fit", x, np.stack([y, 2 * y], 1), [0, 2, 3], w=np.abs(y), ulp=64)
    agree_in(base, "fit", x, y[:5], 3)
    plain, mine, prefix = modules(base)
    expected, got = (getattr(module, prefix + "fit")(*values, 2, full=True)
                     for module, values in ((plain, (x, y)), (mine, ours([x, y]))))
    np.testing.assert_allclose(ap.to_numpy(got[0]), expected[0])
    assert len(got[1]) == 4
    if base != "polynomial":
        agree_in(base, "gauss", 5)
        agree_in(base, "weight", np.linspace(-0.9, 0.9, 7))
        assert_same(getattr(plain, f"{prefix}2poly")([1.0, 2, 3]), getattr(mine, f"{prefix}2poly")([1.0, 2, 3]))
    if base == "chebyshev":
        agree_in(base, "pts1", 5)
        agree_in(base, "pts2", 5)
        for degree in (0, 1, 5):
            expected = plain.chebinterpolate(lambda x, p: x**p, degree, (2,))
            got = mine.chebinterpolate(lambda x, p: x**p, degree, (2,))
            np.testing.assert_allclose(ap.to_numpy(got), expected, atol=1e-15)


def test_valfromroots() -> None:
    x, roots = np.linspace(-1, 1, 6).reshape(2, 3), np.arange(6.0).reshape(3, 2)
    for r in (roots[:, 0], roots):
        for tensor in (True, False):
            agree_in("polynomial", "valfromroots", x, r, tensor)
    agree_in("polynomial", "valfromroots", 0.5, [1, 2])


@given(st.sampled_from(sorted(BASES)), st.lists(st.floats(-5, 5), min_size=1, max_size=12),
       st.lists(st.floats(-2, 2), min_size=1, max_size=8))
def test_any_series(base: str, coefficients: list[float], points: list[float]) -> None:
    agree_in(base, "val", np.array(points), np.array(coefficients), ulp=16)


# --- classes ---


def pair(base: str, coef: Any, **how: Any) -> tuple[Any, Any]:
    name = BASES[base][1]
    return getattr(np.polynomial, name)(coef, **how), getattr(ap.polynomial, name)(ours(coef), **ours(how))


def assert_same_series(expected: Any, got: Any) -> None:
    assert type(got).__name__ == type(expected).__name__ and type(got).__module__.startswith("asnumpy")
    for name in ("coef", "domain", "window"):
        assert_same(np.asarray(getattr(expected, name)), getattr(got, name), 16, 1e-12)
    assert got.symbol == expected.symbol


@pytest.mark.parametrize("base", BASES)
def test_series(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    p, q = pair(base, np.array([1.0, 2, 3])), pair(base, np.array([2.0, -1]))
    (e, g), (f, h) = p, q
    for operation in (
        lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a // b, lambda a, b: a % b,
        lambda a, b: a + 1, lambda a, b: 2 * a, lambda a, b: a / 2, lambda a, b: a**2, lambda a, b: -a,
        lambda a, b: +a, lambda a, b: [1, 2] - a, lambda a, b: [1, 2, 3, 4] // b, lambda a, b: a.deriv(),
        lambda a, b: a.integ(2, [1, 2], 0.5),
        lambda a, b: a.trim(0.5), lambda a, b: a.truncate(2), lambda a, b: a.cutdeg(1), lambda a, b: a.copy(),
        lambda a, b: a(b), lambda a, b: type(a).basis(3), lambda a, b: type(a).identity([2, 5]),
        lambda a, b: type(a).fromroots([1, 2, 3]), lambda a, b: type(a).fromroots([1, 2], domain=None),
        lambda a, b: type(a).cast(b, domain=[0, 3]), lambda a, b: copy.deepcopy(a),
        lambda a, b: pickle.loads(pickle.dumps(a)),
    ):
        assert_same_series(operation(e, f), operation(g, h))
    for one, other in zip(divmod(e, f), divmod(g, h), strict=True):
        assert_same_series(one, other)
    x = np.linspace(-1, 1, 9).reshape(3, 3)
    assert_same(e(x), g(ap.asarray(x)), 8, 1e-14)
    assert_same(e(list(x[0])), g(list(x[0])), 8, 1e-14)
    assert float(g(0.5)) == pytest.approx(float(e(0.5)))
    assert_same(e.roots(), g.roots(), 64, 1e-12)
    for one, other in zip(e.linspace(5), g.linspace(5), strict=True):
        assert_same(one, other, 8, 1e-14)
    assert len(g) == 3 and g.degree() == 2 and [float(one) for one in g] == [1, 2, 3]
    assert g == g.copy() and g != h and not (g == 1)
    assert g.has_samecoef(g) and g.has_samedomain(h) and g.has_samewindow(h) and g.has_sametype(h)
    assert repr(g) == repr(e) and str(g) == str(e) and f"{g:ascii}" == f"{e:ascii}"
    assert g._repr_latex_() == e._repr_latex_()
    assert g.mapparms() == e.mapparms()
    array = ap.asarray([1.0, 2.0])
    assert_same_series(np.array([1.0, 2.0]) * e, array * g)
    with pytest.raises(TypeError):
        g + pair("laguerre" if base != "laguerre" else "hermite", [1.0])[1]
    with pytest.raises(TypeError):
        hash(g)
    assert type(g)(np.array([1, None], dtype=object)).coef.tolist() == [1, None]
    monkeypatch.setattr(ap.config, "unsupported", "error")
    with pytest.raises(TypeError, match="dtype"):
        type(g)(np.array([1, None], dtype=object))


@pytest.mark.parametrize("base", BASES)
def test_series_with_a_domain(base: str) -> None:
    e, g = pair(base, np.array([1.0, 2, -1]), domain=np.array([2.0, 6]), window=np.array([-3.0, 1]), symbol="t")
    assert_same_series(e, g)
    x = np.linspace(2, 6, 5)
    assert_same(e(x), g(ap.asarray(x)), 16, 1e-13)
    assert_same_series(e.convert(domain=[0, 1]), g.convert(domain=[0, 1]))
    assert_same_series(e.convert(kind=np.polynomial.Polynomial), g.convert(kind=ap.polynomial.Polynomial))
    assert repr(g) == repr(e) and str(g) == str(e)
    for wrong in ({"domain": [1, 2, 3]}, {"window": [1]}, {"symbol": "1x"}, {"symbol": 3}):
        with pytest.raises((ValueError, TypeError)) as caught:
            type(e)([1, 2], **wrong)
        with pytest.raises(caught.type):
            type(g)([1, 2], **wrong)


@pytest.mark.parametrize("base", BASES)
def test_fit_of_series(base: str) -> None:
    rng = np.random.default_rng(4)
    x = rng.uniform(1, 3, 40)
    y = 1 + 2 * x - x**2 + rng.normal(size=40) / 100
    name = BASES[base][1]
    e = getattr(np.polynomial, name).fit(x, y, 3)
    g = getattr(ap.polynomial, name).fit(ap.asarray(x), ap.asarray(y), 3)
    np.testing.assert_allclose(ap.to_numpy(g.coef), e.coef, rtol=1e-9)
    assert_same(e.domain, g.domain)
    g2, status = getattr(ap.polynomial, name).fit(ap.asarray(x), ap.asarray(y), 3, full=True, w=ap.asarray(y))
    assert len(status) == 4 and isinstance(g2.coef, ap.ndarray)


def test_interpolation() -> None:
    e = np.polynomial.Chebyshev.interpolate(lambda x, p: np.cos(x) * p, 8, [0, 3], (2,))
    g = ap.polynomial.Chebyshev.interpolate(lambda x, p: ap.cos(x) * p, 8, [0, 3], (2,))
    np.testing.assert_allclose(ap.to_numpy(g.coef), e.coef, atol=1e-14)
    assert_same(e.domain, g.domain)


def test_print_style() -> None:
    try:
        ap.polynomial.set_default_printstyle("ascii")
        assert str(ap.polynomial.Polynomial([1, 2, 3])) == "1.0 + 2.0 x + 3.0 x**2"
    finally:
        ap.polynomial.set_default_printstyle("unicode")
    with pytest.raises(ValueError):
        ap.polynomial.set_default_printstyle("latin")


def test_polyutils() -> None:
    plain, mine = np.polynomial.polyutils, ap.polynomial.polyutils
    for name, args in {
        "trimcoef": (np.array([1, 2, 0, 0]),), "getdomain": (np.array([3.0, 1, 7]),),
        "trimseq": (np.array([1, 0, 2, 0]),), "as_series": ([np.arange(3), np.ones(2)],),
        "mapdomain": (np.arange(4.0), np.array([0.0, 4]), np.array([1.0, 3])),
    }.items():
        assert_same(getattr(plain, name)(*args), getattr(mine, name)(*ours(list(args))))
    assert mine.mapparms(ap.asarray([0.0, 4]), [1.0, 3]) == plain.mapparms([0.0, 4], [1.0, 3])
    assert mine.format_float(ap.asarray(0.1)) == "0.1" and mine.format_float(np.float64(1e20)) == "1.0e+20"


# --- the top level ---


def agree_top(name: str, *args: Any, **kwargs: Any) -> None:
    try:
        expected = getattr(np, name)(*args, **kwargs)
    except Exception as error:
        with pytest.raises(type(error)):
            getattr(ap, name)(*ours(list(args)), **ours(kwargs))
        return
    assert_same(expected, getattr(ap, name)(*ours(list(args)), **ours(kwargs)), 64, 1e-12)


def test_top_level() -> None:
    a, b = np.array([1.0, -3, 2]), np.array([2, 1])
    for name in ("polyadd", "polysub", "polymul", "polydiv"):
        agree_top(name, a, b)
        agree_top(name, [1, 2], [1, 2, 3])
        agree_top(name, a, 3)
    agree_top("poly", a)
    agree_top("poly", np.array([[1.0, 2], [3, 4]]))
    agree_top("poly", np.zeros((2, 3)))
    agree_top("poly", [])
    agree_top("roots", a)
    agree_top("roots", [0, 1, 0, -1, 0])
    agree_top("polyint", a, 2, [1, 2])
    agree_top("polyder", a, 1)
    for dtype in ("float64", "float32", "int64", "complex128"):
        agree_top("polyval", a.astype(dtype), sample((3, 4), dtype))
    agree_top("polyval", a, 2.5)
    agree_top("polyval", [1, 2], np.array([True, False]))
    x, y = np.linspace(0, 1, 12), np.linspace(0, 1, 12) ** 2
    agree_top("polyfit", x, y, 2)
    agree_top("polyfit", x, np.stack([y, x], 1), 2, w=x + 1)
    agree_top("polyfit", x, y + np.sin(50 * x) / 10, 2, cov=True)
    agree_top("polyfit", x, y, -1)


def test_poly1d() -> None:
    e, g = np.poly1d([1, -3, 2]), ap.poly1d([1, -3, 2])
    f, h = np.poly1d([1.0, 2]), ap.poly1d(ap.asarray([1.0, 2]))
    for operation in (
        lambda a, b: a + b, lambda a, b: a - 1, lambda a, b: 2 - a, lambda a, b: a * b, lambda a, b: 3 * a,
        lambda a, b: a / 2, lambda a, b: a**3, lambda a, b: -a, lambda a, b: a.deriv(), lambda a, b: a.integ(2, [1, 2]),
        lambda a, b: a(b),
        lambda a, b: [1, 2] + a, lambda a, b: a * [1, 1],
    ):
        expected, got = operation(e, f), operation(g, h)
        assert isinstance(got, ap.poly1d) and isinstance(got.coeffs, ap.ndarray)
        assert_same(expected.coeffs, got.coeffs)
    for one, other in zip(e / f, g / h, strict=True):
        assert isinstance(other, ap.poly1d)
        assert_same(one.coeffs, other.coeffs)
    assert_same(e(np.arange(3.0)), g(ap.arange(3.0)))
    assert_same(np.polyadd(e, [1]).coeffs, ap.polyadd(g, [1]).coeffs)
    assert_same(e.roots, g.r)
    assert str(g) == str(e) and repr(g) == repr(e) and len(g) == len(e) == g.o == g.order and g.variable == "x"
    assert g[0] == 2 and g[5] == 0 and [float(one) for one in g] == [1, -3, 2]
    assert g == ap.poly1d([1, -3, 2]) and g != h and g != ap.poly1d([1, 2, 3]) and (g == 3) is False
    e[4], g[4] = 7, 7
    assert_same(e.coeffs, g.c)
    e.coeffs += 1
    g.coeffs += 1
    assert_same(e.coeffs, g.coef)
    with pytest.raises(AttributeError):
        g.coeffs = [1, 2]
    with pytest.raises(ValueError):
        g[-1] = 2
    with pytest.raises(ValueError):
        g ** -1
    with pytest.raises(ValueError):
        ap.poly1d([[1, 2], [3, 4]])
    assert str(ap.poly1d([1, 2, 3], True, "z")) == str(np.poly1d([1, 2, 3], True, "z"))
    assert_same(np.poly1d([0, 0]).coeffs, ap.poly1d([0, 0]).coeffs)
    assert_same(np.asarray(np.poly1d([1.0, 2])), ap.asarray(ap.poly1d([1.0, 2])))


def test_coefficients_that_no_device_holds():
    third = Fraction(1, 3)
    for xp in (np, ap):
        p = xp.poly1d([third, 2])
        assert (p * p).coeffs.tolist() == [third**2, 4 * third, 4]
        assert p(3) == 3 and type(p(Fraction(1, 2))) is Fraction
        assert (p + 1).coeffs.tolist() == [third, 3] and p.deriv().coeffs.tolist() == [third]
        assert type(p * p).__name__ == "poly1d" and p == xp.poly1d([third, 2])
        q = xp.polynomial.Polynomial([third, 2])
        assert (q * q).coef.tolist() == [third**2, 4 * third, 4] and (q - 1).coef.tolist() == [third - 1, 2]
        assert str(xp.polynomial.Polynomial([third, 2])) == "1/3 + 2·x"
