"""Functions that numba compiles, as programs have them; the tests run them as they are, and with asnumpy for numpy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import scipy.optimize
from numba import guvectorize, njit, prange, stencil, vectorize
from numpy import linalg
from numpy import sqrt as root

TABLE = np.arange(5.0)
LAST = np.arange(4)[3]


def names_of_their_source():
    @njit
    def f(a, b=2.0):
        made = np.zeros(a.shape[0])
        for i in range(a.shape[0]):
            made[i] = np.sqrt(a[i]) * b + root(4.0) + TABLE[2] + LAST + np.pi
        return made, made.sum(), a, linalg.norm(a) + np.linalg.norm(a)

    return f(np.arange(3.0)), f(np.arange(3.0), b=np.ones(2)[1]), f(a=np.arange(2.0))


def in_parallel():
    @njit(parallel=True)
    def f(a):
        for i in prange(a.shape[0]):
            a[i] *= 2

    a = np.arange(50.0)
    f(a)
    f(a[::2])
    return a


def signatures_written_out():
    @njit("float64(float64[:], int64)")
    def f(a, k):
        return a[k]

    return f(np.arange(5.0), 3), f(np.arange(5.0), np.arange(9)[2])


def ufuncs():
    @guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->(n)")
    def g(a, b, made):
        for i in range(a.shape[0]):
            made[i] = a[i] + b[i]

    @vectorize
    def h(a, b):
        return a * b + 1

    return g(np.ones((2, 3)), np.arange(3.0)), h(np.arange(3.0), 2.0), h(np.arange(3), np.arange(3))


def classes():
    @numba.experimental.jitclass([("x", numba.float64[:]), ("n", numba.int64)])
    class Holder:
        def __init__(self, x, n):
            self.x = x
            self.n = n

        def total(self):
            return self.x.sum() * self.n

    held = Holder(np.arange(4.0), np.arange(3)[2])
    first = held.total()
    held.x = np.ones(4)
    return first, held.total(), held.x


def lists_and_tuples():
    listed = numba.typed.List()
    listed.append(np.arange(3.0))
    listed.append(np.ones(2))

    @njit
    def f(each):
        return each[0].sum() + len(each)

    @njit
    def g(pair, k):
        return pair[0] + pair[1] * k[1]

    return f(listed), listed[1], g((np.arange(3.0), np.ones(3)), (1, np.arange(4)[3])), f([np.ones(3), np.ones(2)])


def inner_functions_and_generators():
    @njit
    def inner(a):
        return np.dot(a, a) + a.mean() + np.max(a) + np.median(a)

    @njit
    def f(a):
        return inner(a) + inner(a[::2])

    @njit
    def each(a):
        for x in a:
            yield x * 2

    return f(np.arange(1.0, 7.0)), list(each(np.arange(3.0)))


def stencils():
    @stencil
    def mean(a):
        return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])

    @njit
    def f(a):
        return mean(a)

    return f(np.arange(16.0).reshape(4, 4)), mean(np.ones((4, 4)))


def random_numbers():
    @njit
    def f(n):
        np.random.seed(3)
        return np.random.rand(n)

    return f(np.arange(5)[4])


def what_comes_out():
    @njit
    def f(a, places):
        cut = a[places], a[a > 1], np.where(a > 1, a, 0.0), np.concatenate((a, a)), np.argsort(a), np.cumsum(a)
        return cut, a.astype(np.float32), np.empty((2, 2), dtype=np.int32).shape, np.histogram(a, 10)

    return f(np.arange(6.0).reshape(3, 2)[:, 0].copy(), np.array([0, 2]))


def closures():
    h = np.ones(3) * 2

    @njit
    def f(x):
        return (h * x).sum()

    return f(2.0), f(np.ones(3))


def threads():
    @njit(nogil=True)
    def f(a):
        return a.sum()

    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(f, [np.arange(float(n)) for n in range(4)]))


def errors():
    @njit
    def f(a):
        if a[0] < 0:
            raise ValueError("negative")
        return a[0]

    told = []
    for wrong in (-np.ones(2), "x", None):
        try:
            f(wrong)
        except Exception as error:  # whatever numba raises
            told.append(type(error).__name__)
    return told, f(np.ones(2))


def objectives():
    @njit
    def f(x):
        return np.sum((x - 3.0) ** 2)

    return np.round(scipy.optimize.minimize(f, np.zeros(2)).x, 3)


FUNCTIONS = (
    names_of_their_source, in_parallel, signatures_written_out, ufuncs, classes, lists_and_tuples,
    inner_functions_and_generators, stencils, random_numbers, what_comes_out, closures, threads, errors, objectives,
)  # fmt: skip
