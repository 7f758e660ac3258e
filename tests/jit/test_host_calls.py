"""Functions that NumPy computes, within functions under jit."""


import numpy as np
import pytest
from jit.compared import THREADS, in_threads

import asnumpy as ap
from asnumpy.host import traced

RNG = np.random.default_rng(11)


def square(dtype=np.float64):
    return ap.asarray(RNG.standard_normal((6, 6)).astype(dtype) + 8 * np.eye(6, dtype=dtype))


def line(n=40):
    return ap.asarray(np.sort(RNG.standard_normal(n)))


def places(n=10, below=40):
    return ap.asarray(RNG.integers(0, below, n))


FUNCTIONS = {
    "inv": (lambda a: ap.linalg.inv(a) @ a, square),
    "solve": (lambda a, b: ap.linalg.solve(a, b * 2) + 1, square, square),
    "det": (lambda a: ap.linalg.det(a) * 2, square),
    "slogdet": (lambda a: ap.linalg.slogdet(a).logabsdet + ap.linalg.slogdet(a)[0], square),
    "cholesky": (lambda a: ap.linalg.cholesky(a @ a.T), square),
    "qr": (lambda a: ap.linalg.qr(a)[1], square),
    "svd": (lambda a: ap.linalg.svd(a, compute_uv=False), square),
    "eigvalsh": (lambda a: ap.linalg.eigvalsh(a + a.T), square),
    "pinv": (lambda a: ap.linalg.pinv(a), square),
    "fft": (lambda a: ap.fft.ifft(ap.fft.fft(a) * 2).real, square),
    "rfft": (lambda a: abs(ap.fft.rfft(a, axis=0)), lambda: square(np.float32)),
    "sort": (lambda a: ap.sort(a, axis=0) + a, square),
    "argsort": (lambda a: a[ap.argsort(-a)], line),
    "sorted in place": (lambda a: (a.sort(), a * 2)[1], square),
    "partition": (lambda a: ap.partition(a, 3)[3], line),
    "median": (lambda a: ap.median(a, axis=1), square),
    "quantile": (lambda a: ap.quantile(a, [0.2, 0.7]), line),
    "searchsorted": (lambda a, b: ap.searchsorted(a, b), line, line),
    "interp": (lambda a, b: ap.interp(b, a, a * 2), line, line),
    "convolve": (lambda a, b: ap.convolve(a, b[:5], "same"), line, line),
    "digitize": (lambda a, b: ap.digitize(b, a), line, line),
    "histogram": (lambda a: ap.histogram(a, bins=7)[0], line),
    "histogram, edges": (lambda a: ap.histogram(a, bins=7, range=(-1, 1))[1], line),
    "add.at": (lambda a, i: ap.add.at(a, i, 1.5), line, places),
    "add.at of views": (lambda a, i: ap.add.at(a[::-1], i, a[:10]), line, places),
    "reduceat": (lambda a: ap.add.reduceat(a * 2, [0, 3, 9]), line),
    "put along": (lambda a: ap.put_along_axis(a, ap.argmax(a, axis=1, keepdims=True), 0, 1), square),
    "pairs of indices": (lambda a, i: a.__setitem__((i, i[::-1]), 0), square, lambda: places(10, 6)),
    "pairs of indices, a line": (
        lambda a, i, v: a.__setitem__(([1, 2], i), v), square, lambda: places(2, 6), lambda: line(2),
    ),
    "values of pairs": (lambda a, i: a[i, i[::-1]] * 2, square, lambda: places(10, 6)),
    "bincount": (lambda i: ap.bincount(i, minlength=40), places),
    "weighted bincount": (lambda i, w: ap.bincount(i, w, minlength=40), places, lambda: line(10)),
    "average": (lambda a: ap.average(a, axis=1, weights=a * a), square),
    "polyval": (lambda c, x: ap.polyval(c[:4], x), line, line),
    "polyfit": (lambda x: ap.polyfit(x, x * x + 1, 2), line),
    "put": (lambda a, i: a.put(i, 0.0), line, places),
    "isin": (lambda i, j: ap.isin(i, j), places, places),
    "lexsort": (lambda a, b: ap.lexsort((a, b)), line, line),
    "packbits": (lambda a: ap.packbits(a > 0), line),
    "insert": (lambda a: ap.insert(a, 2, 1.0), line),
    "out": (lambda a, b: ap.median(a, axis=0, out=b) * 2, square, lambda: ap.zeros(6)),
    "nanmedian": (lambda a: ap.nanmedian(a), line),
    "i0": (lambda a: ap.i0(a), line),
    "a number": (lambda a: ap.linalg.det(a.sum() * a), square),
    "in a loop": (
        lambda a: ap.range(0, 3, lambda i, x: ap.linalg.solve(x + 8 * ap.eye(6), x * (i + 1)), a), square,
    ),
    "under a choice": (
        lambda a: ap.cond(a.sum() > 0, lambda x: ap.sort(x, axis=0), lambda x: ap.linalg.inv(x), a), square,
    ),
    "one after the other": (lambda a: ap.sort(ap.linalg.inv(ap.fft.fft(a).real + ap.eye(6))).sum(axis=0), square),
    "unrolled": (lambda a: [ap.sort(a[k : k + 8]) for k in range(0, 40, 8)], line),
}


def leaves_of(value):
    return [leaf for one in value for leaf in leaves_of(one)] if isinstance(value, (tuple, list)) else [value]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_those_without_jit(name):
    function, *makers = FUNCTIONS[name]
    jitted = ap.jit(function)
    for _ in range(3):
        arguments = [make() for make in makers]
        again = [one.copy() for one in arguments]
        got, wanted = jitted(*arguments), function(*again)
        for mine, other in zip(leaves_of(got), leaves_of(wanted), strict=True):
            assert type(mine) is type(other)
            if mine is not None:
                np.testing.assert_allclose(np.asarray(mine), np.asarray(other), rtol=1e-9, atol=1e-12, strict=True)
        for mine, other in zip(arguments, again, strict=True):
            np.testing.assert_array_equal(np.asarray(mine), np.asarray(other))


@pytest.mark.parametrize(
    "function",
    [
        lambda a: ap.unique(a), lambda a: ap.nonzero(a > 0)[0], lambda a: a[a > 0],
        lambda a: ap.linalg.eig(a.reshape(5, 8)[:, :5]),
    ],
)
def test_forms_that_depend_on_values(function):
    with pytest.raises(ap.TracingError, match=r"test_host_calls\.py:\d+: (?s:.*)value"):
        ap.jit(function)(line())


def test_another_form_than_recorded_is_an_error():
    function = ap.jit(lambda a, b: ap.linalg.lstsq(a, b)[1])
    full = ap.asarray(RNG.standard_normal((8, 3)))
    assert function(full, ap.ones(8)).shape == (1,)
    with pytest.raises(ap.TracingError, match=r"recorded with results of (?s:.*) but these values give"):
        function(ap.ones((8, 3)), ap.ones(8))
    assert function(full, ap.ones(8)).shape == (1,)


def test_errors_of_the_function_come_with_each_call():
    function = ap.jit(lambda a: ap.linalg.cholesky(a) + 1)
    right = ap.asarray(np.eye(6) * 4 + 1)
    wanted = np.linalg.cholesky(np.asarray(right)) + 1
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
            function(-ap.eye(6))
        np.testing.assert_array_equal(np.asarray(function(right)), wanted)
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        ap.jit(lambda a: ap.linalg.cholesky(a))(ap.ones((3, 4)))


def test_functions_of_the_users_are_not_recorded():
    with pytest.raises(ap.TracingError, match=r"value"):
        ap.jit(lambda a: ap.piecewise(a, [a > 0], [lambda x: x * float(x.max())]))(line())


def test_arrays_from_outside_are_those_of_each_call():
    table = line()
    function = ap.jit(lambda a: ap.searchsorted(table, a))
    for _ in range(3):
        a = line()
        assert function(a).tolist() == np.searchsorted(np.asarray(table), np.asarray(a)).tolist()
        table += 0.5


def test_constants_of_the_function_stay():
    def function(a):
        counts = ap.zeros(5)
        ap.add.at(counts, a, 1)
        return counts

    jitted = ap.jit(function)
    for _ in range(3):
        a = places(20, 5)
        assert jitted(a).tolist() == np.bincount(np.asarray(a), minlength=5).tolist()


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_a_target_is_written_whatever_samples_show(dtype):
    """With these samples no element of the target changes."""
    arrays = [ap.zeros(4, dtype), ap.zeros(1, int), ap.zeros(1, dtype)]
    given = tuple(traced._Slot(place) for place in range(3)), {}
    assert traced._outcome(np.maximum.at, "maximum.at", given, arrays)[0] == [True, False, False]


def test_several_threads():
    function = ap.jit(lambda a: ap.sort(a * 2)[::-1] + a)
    function(line())

    def work(seed):
        rng = np.random.default_rng(seed)
        given = [rng.standard_normal(40) for _ in range(50)]
        return [x for x in given if function(ap.asarray(x)).tolist() != (np.sort(x * 2)[::-1] + x).tolist()]

    assert in_threads(work) == [[]] * THREADS


def test_it_is_told_and_counted(tmp_path):
    function = ap.jit(lambda a: ap.linalg.det(a) * a)
    compiled = function.compile(square())
    assert "numpy.linalg.det, on the host" in compiled.explain()
    assert compiled.cost().bytes_read >= 6 * 6 * 8
    with pytest.raises(ValueError, match=r"it calls numpy\.linalg\.det, which NumPy computes"):
        compiled.save(tmp_path / "function.asnp")
