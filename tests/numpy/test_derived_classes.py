"""Classes derived from asnumpy.ndarray beside the same classes derived from numpy.ndarray."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
from agreement import assert_same

import asnumpy as ap

log: list[str] = []


def _finalized(self, obj):
    log.append("new" if obj is None else "base" if type(obj).__name__ == "ndarray" else type(obj).__name__)
    self.info = getattr(obj, "info", None)


def _wrapped(self, array, context=None, return_scalar=False):
    log.append("wrap")
    made = array.view(type(self))
    made.info = f"wrapped by {self.info}"
    return made


def _made(xp, cls, x, info):
    made = xp.asarray(x).view(cls)
    made.info = info
    return made


def _derived(xp, name, base=None, **members):
    kind = type(name, (base or xp.ndarray,), {"__module__": __name__, "__array_finalize__": _finalized, **members})
    kind.__new__ = lambda cls, x, info=None: _made(xp, cls, x, info)
    return kind


class World:
    """One library with classes derived from its arrays, and objects of them."""

    def __init__(self, xp):
        self.S = _derived(xp, "S")
        self.T = _derived(xp, "T", self.S)
        self.P = _derived(xp, "P", __array_priority__=10.0)
        self.W = _derived(xp, "W", __array_wrap__=_wrapped)
        self.F = type("F", (self.S,), {"sum": lambda self, *args, **kwargs: "the class's own sum"})
        self.names = {
            "xp": xp, "copy": copy, **{name: vars(self)[name] for name in "STPWF"},
            "o": xp.asarray([1.0, 1.0, 1.0]),
            "o2": xp.asarray(np.ones((2, 3))),
            "v": self.S([3.0, 1.0, 2.0], "v"), "w": self.T([1.0, 5.0, 2.0], "w"), "p": self.P([3.0, 1.0, 2.0], "p"),
            "a": self.S(np.arange(6.0).reshape(2, 3), "a"), "m": self.S([[2.0, 1.0], [1.0, 3.0]], "m"),
            "i": self.S([2, 0, 1], "i"), "b": self.S([True, False, True], "b"), "z": self.S([[1 + 2j, 3 - 1j]], "z"),
            "d": self.S(2.5, "d"), "k": self.S(np.arange(24.0).reshape(2, 3, 4), "k"),
            "u": self.W([3.0, 1.0, 2.0], "u"), "u2": self.W(np.arange(6.0).reshape(2, 3), "u2"),
            "f": self.F([1.0, 2.0], "f"),
        }

    def run(self, expression):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            log.clear()
            try:
                found = eval(expression, dict(self.names))
            except Exception as error:
                return type(error)
        return found


def _plain(value):
    return ap.asarray(value) if isinstance(value, ap.ndarray) else np.asarray(value)


def _rounding(value):
    """How far another decomposition of `m` may be from LAPACK's: four roundings a term, by condition and norm."""
    matrix = np.array([[2.0, 1.0], [1.0, 3.0]])
    near = 4 * 2 * np.linalg.cond(matrix) * np.linalg.norm(matrix) * np.finfo(float).eps
    return 0 if value.device == "cpu" else near


def same(expected, got):
    """The same class, by name, with the same attribute and the same values."""
    if isinstance(expected, (tuple, list)):
        assert isinstance(got, (tuple, list)) and type(got).__name__ == type(expected).__name__
        assert len(got) == len(expected)
        for one, other in zip(expected, got, strict=True):
            same(one, other)
    elif isinstance(expected, np.ndarray):
        assert type(got).__name__ == type(expected).__name__
        assert getattr(got, "info", "none") == getattr(expected, "info", "none")
        plain = _plain(got)
        atol = _rounding(plain) if isinstance(plain, ap.ndarray) else 0
        assert_same(np.asarray(expected), plain, ulp=4, atol=atol)
    elif isinstance(expected, np.generic):
        assert_same(expected, got, ulp=4)
    elif isinstance(expected, type):
        assert got is expected or got.__name__ == expected.__name__
    else:
        assert got == expected


def expressions(text):
    return [one.strip() for one in text.replace("\n", ";").split(";") if one.strip()]


# What also tells `__array_finalize__` of the same objects.
ALIKE = expressions("""
    v + 1; 1 + v; v + o; o + v; v + d; d + 1; d + d; -v; +v; abs(v); ~b; v ** 2; v ** 0.5; 2 ** v; v // 2; v % 2
    divmod(v, 2); v @ v; a @ v; v == 1; v != v; v < 2; i & 1; i << 1; v.__iadd__(1); o.__iadd__(v); v.__imul__(o)
    v + w; w + v; v + p; p + w; v[0]; v[:2]; v[...]; v[[0, 1]]; v[i]; a[0]; a[0, 1]; a[:, 0]; a[0, ...]; a[0, 1, ...]
    a[None]; a[[0]]; a[[0], [1]]; a[:, [0, 1]]; a[[True, False]]; d[()]; d[...]; d[None]; o[i]; list(a); list(v)
    next(iter(a)); a.T; a.mT; a.real; a.imag; z.real; z.imag; a.flat[0]; a.flat[:2]; a.flat[[0, 1]]; a.flat.copy()
    a.shape; a.all(); a.any(); a.sum(); a.sum(0); a.sum(axis=(0, 1)); a.sum(keepdims=True); a.max(); a.max(0)
    a.prod(); a.min(0); a.argsort(); v.argpartition(1); a.astype(int); a.astype(float); a.astype(float, copy=False)
    a.astype(int, subok=False); a.byteswap(); i.choose([v, v, v]); v.compress([1, 0, 1]); z.conj(); a.conj(); a.copy()
    a.copy("F"); a.cumsum(0); a.diagonal(); a.dot(v); a.fill(1); a.flatten(); a.flatten("F"); a.item(0); a.nonzero()
    a.ravel(); a.ravel("F"); a.ravel("K"); a.repeat(2, axis=0); a.reshape(3, 2); v.searchsorted(1.0); v.sort()
    a.squeeze(); a.swapaxes(0, 1); a.transpose(); a.take([0], axis=0); a.tobytes(); a.tolist(); a.view(); a.view(int)
    a.view(xp.ndarray); o.view(S); a.view(S); a.view(int, S); a.view(type=T); a.sum(0, out=xp.zeros(3))
    o2.sum(0, out=v); d.sum(); d.max(); d.astype(int); d.copy(); d.conj(); d.ravel(); copy.copy(a); copy.deepcopy(a)
    S.__new__(S, o); xp.ndarray.__new__(S, (0,)); xp.add(v, o)
    xp.add(o, v); xp.add(1, v); xp.add(d, 1); xp.add(v, v, out=o); xp.add(o, o, out=v); xp.add(v, 1, subok=False)
    xp.divmod(v, 2); xp.modf(a); xp.add.reduce(v); xp.add.reduce(a); xp.add.reduce(a, axis=1, keepdims=True)
    xp.add.accumulate(v); xp.add.reduceat(v, [0, 1]); xp.add.outer(v, v); xp.add.at(v, [0], 1); xp.matmul(a, v)
    xp.vecdot(v, v); xp.add(v, 1, where=[True, True, True]); xp.exp(v); xp.maximum(v, w); xp.heaviside(v, 0)
    xp.isfinite(v); xp.clip(v, 0, 1); xp.sum(v); xp.sum(a, axis=0); xp.all(v); xp.cumsum(v); xp.max(a, axis=0)
    xp.cumulative_sum(v); xp.sum(d); xp.argsort(v); xp.sort(v); xp.partition(v, 1); xp.diagonal(a); xp.diagflat(v)
    xp.flip(v); xp.ravel(v); xp.real(v); xp.imag(z); xp.ones_like(v); xp.zeros_like(a, shape=(2,))
    xp.empty_like(v).shape; xp.full_like(v, 1); xp.ones_like(v, subok=False); xp.asarray(v); xp.asanyarray(v)
    xp.ascontiguousarray(v); xp.array(v); xp.array(v, subok=True); xp.array(v, copy=None, subok=True)
    xp.array([v, v]); xp.asarray(v, dtype=int); xp.asanyarray(v, dtype=int); xp.require(v); xp.copy(v)
    xp.copy(v, subok=True); xp.concatenate([v, v]); xp.concatenate([p, v]); xp.concatenate([o, p])
    xp.append(v, v, axis=0); xp.where(b, v, v); xp.nonzero(v); xp.argwhere(v); xp.triu(a); xp.pad(v, 1)
    xp.broadcast_to(v, (2, 3)); xp.expand_dims(v, 0); xp.moveaxis(a, 0, 1); xp.reshape(v, (3, 1)); xp.repeat(v, 2)
    xp.insert(v, 1, 5); xp.delete(v, 1); xp.take(v, [0, 1]); xp.take(o, i); xp.choose(i, [v, v, v])
    xp.choose([0, 0, 0], [v, v]); xp.compress([1, 0, 1], v); xp.select([b], [o], 0); xp.digitize(v, [0, 1, 2])
    xp.diag(v); xp.diag(a); xp.outer(v, v); xp.dot(a, v); xp.dot(o2, v); xp.dot(o2, p); xp.tensordot(a, a)
    xp.einsum("ij->ji", a); xp.cross(v, v); xp.correlate(v, v); xp.convolve(v, v); xp.bincount(i); xp.isin(v, [1, 2])
    xp.fill_diagonal(m, 1); xp.copyto(v, 1); xp.put(v, 0, 1); xp.atleast_1d(v, o); xp.atleast_2d(v); xp.linalg.inv(m)
    xp.linalg.det(m); xp.linalg.eigh(m); xp.linalg.svd(m); xp.linalg.qr(m); xp.linalg.solve(m, m)
    xp.linalg.solve(m, o[:2]); xp.linalg.norm(m); xp.linalg.cholesky(m); xp.linalg.svd(m, compute_uv=False)
    xp.fft.fft(v); xp.shape(v); xp.ndim(v); xp.sum([v, v]); xp.round(v, 1); xp.emath.sqrt(v)
    xp.lib.stride_tricks.as_strided(v); xp.sum(f); xp.sum(f, axis=0); xp.prod(f); f.sum(); xp.add.reduce(f); u + 1
    u * u; xp.exp(u); u.sum(); u2.sum(0); u2.cumsum(0); u[:2]; u.copy(); xp.sum(u); xp.linalg.inv(xp.eye(2).view(W))
    xp.divmod(u, 2); xp.add(u, 1, out=u); xp.add(o, 1, out=u); xp.add.reduce(u2, axis=0); v + "text"; v.reshape(7)
    v[9]; xp.add(v, o[:2]); S(3.0).reshape(()); v.astype("x"); xp.concatenate([v, m]); v.view(int, dtype=int)
    S([1, 2]) + T([3, 4]); S([1, 2], "l").tolist(); len(v); bool(d > 1); float(d); 1.0 in v; repr(v); repr(a); repr(d)
    str(v); str(d); repr(T([1])); f"{d:.2f}"; v.base is None; xp.may_share_memory(v, v[:1])
    isinstance(v + 1, xp.ndarray)
""")

# Of the same classes and values, where NumPy goes through more or fewer objects in between.
OTHERWISE = expressions("""
    v[v > 1]; v[b]; a[a > 1]; o[b]; a.mean(); a.mean(0); a.std(); a.var(0); a.clip(1, 2); a.round(); a.round(1)
    i.round(); z.round(); a.cumsum(); a.cumprod(); a.argmax(); a.argmax(0); a.trace(); k.trace(); a.take([0, 1])
    a.take(0); v.dot(v); a.T.reshape(6); a.repeat(2); a[:1].squeeze(); d.mean(); d.round(); d.cumsum(); d.clip(0, 1)
    d.argmax(); v.round(out=v); a.__imatmul__(xp.asarray(np.eye(3))); xp.mean(v); xp.mean(a, axis=0); xp.std(v)
    xp.var(a, axis=0); xp.median(v); xp.median(a, axis=0); xp.average(v); xp.average(a, axis=0, weights=[1, 2])
    xp.average(a, returned=True); xp.ptp(a, axis=0); xp.percentile(a, 50); xp.percentile(a, 50, axis=0)
    xp.percentile(a, [50, 60]); xp.quantile(a, 0.5, axis=0); xp.nansum(a, axis=0); xp.nanmean(v); xp.nanmax(a)
    xp.nanstd(a, axis=0); xp.nanmedian(v); xp.nanpercentile(a, 50); xp.nanargmax(v); xp.nancumsum(a, axis=0)
    xp.count_nonzero(a); xp.count_nonzero(a, axis=0); xp.append(v, v); xp.stack([v, v]); xp.hstack([v, v])
    xp.vstack([v, p]); xp.block([[a], [a]]); xp.resize(v, (2, 3)); xp.resize(p, (2, 3)); xp.split(v, 3)
    xp.array_split(v, 2); xp.vsplit(a, 2); xp.unstack(a); xp.tile(v, 2); xp.roll(v, 1); xp.rot90(a); xp.kron(v, v)
    xp.broadcast_to(v, (2, 3), subok=True); xp.broadcast_arrays(v, a); xp.broadcast_arrays(v, o2, subok=True)
    xp.meshgrid(v, o); xp.extract(v > 1, v); xp.piecewise(v, [v > 1], [1, 2]); xp.inner(a, a); xp.vdot(v, v)
    xp.polyval([1, 2], v); xp.polyval(v, [1, 2]); xp.polyadd(v, v); xp.polydiv(v, v); xp.polymul(p, p)
    xp.isclose(v, v); xp.allclose(v, v); xp.diff(v); xp.diff(v, prepend=0); xp.diff(p, prepend=0); xp.ediff1d(v)
    xp.gradient(v); xp.gradient(a); xp.angle(z); xp.i0(v); xp.i0(d); xp.isreal(z); xp.iscomplex(z); xp.isposinf(v)
    xp.nan_to_num(v); xp.nan_to_num(d); xp.fix(v); xp.fix(d); xp.sinc(v); xp.round(v); xp.trapezoid(a, axis=0)
    xp.unwrap(v); xp.unique(v); xp.unique(v, return_inverse=True, return_counts=True); xp.unique(a, axis=0)
    xp.unique_all(v); xp.union1d(v, v); xp.union1d(p, p); xp.setdiff1d(v, o); xp.intersect1d(v, v); xp.r_[v, v]
    xp.r_[p, p]; xp.c_[v, v]; xp.apply_along_axis(xp.sum, 0, a); xp.apply_along_axis(lambda x: x * 2, 0, a)
    xp.apply_over_axes(xp.sum, a, [0]); xp.vectorize(lambda x: x + 1)(v); xp.full_like(v, 1, subok=False)
    xp.array(v, ndmin=2, subok=True); xp.linspace(v, v, 2); xp.linspace(0, d, 3); xp.real_if_close(z)
    xp.trim_zeros(v); xp.astype(v, int); xp.linalg.matrix_power(m, 3); xp.linalg.multi_dot([m, m, m])
    xp.linalg.matmul(m, m); xp.linalg.vecdot(v, v); xp.linalg.trace(m); xp.lib.stride_tricks.sliding_window_view(v, 2)
    xp.lib.stride_tricks.sliding_window_view(v, 2, subok=True); xp.trace(k); xp.arange(d); xp.clip(o, v, 2)
    xp.insert(o, 0, v); xp.linalg.lstsq(m, m, rcond=None); xp.packbits(b); xp.histogram(v); xp.cov(a)
    xp.squeeze(a[:1])
""")


@pytest.mark.parametrize("expression", ALIKE)
def test_the_class_the_values_and_what_is_finalized(expression):
    expected, there = World(np).run(expression), [*log]
    got, here = World(ap).run(expression), [*log]
    same(expected, got)
    assert here == there


@pytest.mark.host_memory
def test_over_memory_of_the_host():
    test_the_class_the_values_and_what_is_finalized('xp.ndarray.__new__(S, (2,), "i8", bytearray(16))')


@pytest.mark.parametrize("expression", OTHERWISE)
def test_the_class_and_the_values(expression):
    same(World(np).run(expression), World(ap).run(expression))


@pytest.mark.parametrize("expression", expressions("""
    v + 1; v.sum(); v[0]; v.argmax(); xp.dot(v, v); xp.percentile(v, 50); d + d; v.mean(); xp.modf(v); xp.linalg.det(m)
"""))
def test_with_numpys_scalars(expression):
    expected = World(np).run(expression)
    world = World(ap)
    with ap.config.using(scalars="numpy"):
        got = world.run(expression)
    assert type(got).__name__ == type(expected).__name__
    near = _rounding(ap.asarray(0.0))
    np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=0, atol=near)


class Kept(ap.ndarray):
    """Says nothing of pickles."""


class Named(ap.ndarray):
    """Its objects carry a name through pickles, as classes over NumPy's arrays do."""

    name: str | None = None

    def __reduce__(self):
        function, arguments, state = super().__reduce__()
        return function, arguments, (*state, self.name)

    def __setstate__(self, state):
        *rest, self.name = state
        super().__setstate__(tuple(rest))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", [Kept, Named])
@pytest.mark.parametrize(
    "layout", [lambda a: a, lambda a: a.T, lambda a: a[::2, ::-1], lambda a: a[:0], lambda a: a[0, 1, ...]]
)
def test_pickles_keep_the_class(protocol, kind, layout):
    kept = layout(ap.asarray(np.arange(12.0).reshape(4, 3)).view(kind))
    kept.name = "a name"
    again = pickle.loads(pickle.dumps(kept, protocol))
    assert type(again) is kind and again.flags.f_contiguous == kept.flags.f_contiguous
    assert getattr(again, "name", None) == ("a name" if kind is Named else None)
    assert again.device == kept.device and again.flags.owndata
    assert_same(np.asarray(kept), _plain(again))


def test_copies_of_a_plain_array_keep_its_class():
    for made in (copy.copy(ap.ones(3)), copy.deepcopy(ap.ones(3)), pickle.loads(pickle.dumps(ap.ones(3)))):
        assert type(made) is ap.ndarray


# --- classes that answer for themselves ---


def _answering(xp):
    class A(xp.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
            log.append((ufunc.__name__, method, sorted(kwargs)))
            plain = [one.view(xp.ndarray) if isinstance(one, A) else one for one in inputs]
            if out is not None:
                kwargs["out"] = tuple(one.view(xp.ndarray) if isinstance(one, A) else one for one in out)
            made = super().__array_ufunc__(ufunc, method, *plain, **kwargs)
            if made is NotImplemented or ufunc.nout > 1 or method == "at":
                return made
            return xp.asarray(made).view(A) if out is None else out[0]

    return A


@pytest.mark.parametrize("expression", expressions("""
    a + 1; 1 + a; a + a; o + a; -a; a ** 2; a == 1; a.__iadd__(1); o.__iadd__(a); xp.add(a, 1); xp.add(1, a)
    xp.add(o, 1, out=a); divmod(a, 2); xp.add.reduce(a); xp.add.accumulate(a); xp.add.outer(a, a)
    xp.add.at(a, [0], 1); xp.add.reduceat(a, [0, 1]); xp.exp(a); xp.modf(a); a.sum(); a.sum(0)
    a.sum(axis=0, keepdims=True); a.max(); a.min(0); a.prod(); a.any(); a.all(0); a.cumsum(); a.cumprod(0); xp.sum(a)
    xp.sum(a, axis=0); xp.max(a); xp.all(a); xp.cumsum(a); a.sum(0, out=o); xp.sum(a, initial=1.0)
    xp.sum(a, where=[True, False, True]); a @ a; xp.matmul(a, a); a[:2]; a.copy(); xp.sort(a); xp.clip(a, 1, 2)
    a.clip(1, 2); a.sum(dtype="f4")
"""))
def test_a_class_with_array_ufunc_is_asked(expression):
    found = []
    for xp in (np, ap):
        world = World(xp)
        world.names["a"] = xp.asarray([3.0, 1.0, 2.0]).view(_answering(xp))
        found.append((world.run(expression), [*log]))
    same(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


def _refusing(xp):
    return type("R", (xp.ndarray,), {"__array_ufunc__": None, "__radd__": lambda self, other: "the class's own sum"})


@pytest.mark.parametrize("expression", expressions("""
    o + r; r + o; xp.add(o, r); 1 + r; r - 1; xp.exp(r); r[:2]; r.copy(); r.reshape(3, 1); r == 1; xp.sum(r)
"""))
def test_a_class_without_ufuncs(expression):
    found = []
    for xp in (np, ap):
        world = World(xp)
        world.names["r"] = xp.asarray([3.0, 1.0, 2.0]).view(_refusing(xp))
        found.append(world.run(expression))
    same(*found)


def _dispatching(xp):
    class D(xp.ndarray):
        def __array_function__(self, func, types, args, kwargs):
            log.append((func.__name__, sorted(kind.__name__ for kind in types)))
            return super().__array_function__(func, types, args, kwargs)

    return D


@pytest.mark.parametrize("expression", expressions("""
    xp.sum(d, axis=0); xp.concatenate([d, d]); xp.where(d > 1, d, 0); xp.mean(d); xp.sort(d); xp.median(d)
    xp.reshape(d, (3, 1)); xp.linalg.norm(d); d.sum(); d + 1; xp.add(d, 1); xp.exp(d); xp.asarray(d); xp.stack([o, d])
    xp.dot(o, d); xp.ones_like(d); xp.fft.fft(d)
"""))
def test_a_class_with_array_function_is_asked_first(expression):
    found = []
    for xp in (np, ap):
        world = World(xp)
        world.names["d"] = xp.asarray([3.0, 1.0, 2.0]).view(_dispatching(xp))
        found.append((world.run(expression), [*log][:1]))
    same(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


def test_an_array_of_objects_holds_the_very_objects() -> None:
    class Own(ap.ndarray):
        pass

    one, number, beside = ap.arange(4).reshape(2, 2).view(Own), ap.array(0.0).view(Own), [1]
    made = ap.array([one, [one]], dtype=object)
    assert made.shape == (2,) and made[0] is one and made[1][0] is one
    made = ap.array([number, beside, 3], dtype=object)
    assert made[0] is number and made[1] is beside


def test_the_sum_of_weights_is_of_their_class() -> None:
    for library in (np, ap):
        kind = type("Kind", (library.ndarray,), {})
        a, w = library.arange(4.0).reshape(2, 2).view(kind), library.arange(1.0, 5.0).reshape(2, 2).view(kind)
        for weights, expected in ((w, kind), (w.view(library.ndarray), None), (None, None)):
            average, total = library.average(a, axis=0, weights=weights, returned=True)
            assert type(average) is kind and type(total) is (expected or library.ndarray)


def _of_own_class(self, function, types, args, kwargs):
    """A class's own `__array_function__`, on top of that of arrays."""
    return super(type(self), self).__array_function__(function, types, args, kwargs).view(type(self))


@pytest.mark.parametrize("expression", expressions("""
    xp.array(1, like=r); xp.asarray([1, 2], like=r); xp.asanyarray(1.5, like=r); xp.ascontiguousarray([2, 3], like=r)
    xp.asfortranarray([[2, 3]], like=r); xp.require([1, 2], requirements="F", like=r); xp.empty(1, like=r).shape
    xp.full(2, 3, like=r); xp.ones(2, like=r); xp.zeros((2, 1), int, like=r); xp.arange(3, like=r); xp.eye(2, like=r)
    xp.identity(2, like=r); xp.tri(2, like=r); xp.frombuffer(bytes(8), dtype=int, like=r); xp.array(r, like=r)
    xp.fromiter([1, 2], int, like=r); xp.fromstring("1,2", sep=",", like=r); xp.zeros_like(xp.ones(2), like=r)
"""))
@pytest.mark.parametrize("answers", [True, False])
def test_like_an_array_of_a_derived_class(expression, answers):
    results = []
    for xp in (np, ap):
        kind = type("Like", (xp.ndarray,), {"__array_function__": _of_own_class} if answers else {})
        try:
            results.append(eval(expression, {"xp": xp, "r": xp.asarray(1).view(kind)}))
        except TypeError as refusal:
            results.append(type(refusal))
    same(*results)
