"""Functions that NumPy answers for few elements, beside NumPy and beside the longer way."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import _core

DTYPES = "?bHiqQefdFD"


def given(dtype: str) -> dict[str, np.ndarray]:
    """Arrays of one dtype: lines, lines in other layouts, matrices, masks and places."""
    rng = np.random.default_rng(ord(dtype))
    draw = lambda *shape: rng.integers(0, 9, shape).astype(dtype)  # noqa: E731
    x, m = draw(12), draw(4, 6)
    return {
        "x": x, "y": draw(12), "back": draw(12)[::-1], "apart": draw(24)[::2], "m": m, "turned": draw(6, 4).T,
        "square": draw(4, 4), "sum": draw(4, 4) + np.eye(4, dtype=dtype) * np.dtype(dtype).type(20),
        "mask": rng.random(12) < 0.5, "at": rng.integers(-12, 12, 5),
        "order": np.argsort(m, 1), "line": np.sort(draw(6)),
        "bits": rng.integers(0, 2, 12).astype("u1"), "none": draw(0), "many": draw(700),
        "edges": np.linspace(0, 8, 5),
    }


CALLS = {
    "ascontiguousarray": ["x", "m", "turned", "apart", "none", "many"],
    "asfortranarray": ["x", "m", "turned"],
    "block": ["[[m, m], [m, m]]", "[x, y]", "x"],
    "column_stack": ["[x, y]", "(x, m)"], "dstack": ["[x, y]", "[m, m]"], "hstack": ["[x, y]", "(m, m)"],
    "vstack": ["[x, y]", "[m, m]", "[x, m]"],
    "digitize": ["x, edges", "apart, edges, right=True"],
    "repeat": ["x, 2", "m, 3, axis=1", "m, 2", "x, [1] * 12", "x, at % 12", "x, -1", "x, 2, 5", "turned, 2, 0"],
    "tile": ["x, 2", "m, (2, 1)", "x, (2, 2)", "back, 3"],
    "fft.fftshift": ["x", "m", "m, axes=1"], "fft.ifftshift": ["x", "m, 0"],
    "ndarray.nonzero": ["x", "m", "mask"], "ndarray.repeat": ["x, 2", "m, 2, 1", "apart, 2", "x, 1.5"],
    "ndarray.tobytes": ["x", "turned", "back", "turned, 'F'"],
    "linspace": ["0, 1", "0, 1, 7", "-2.5, 3, 5, endpoint=False", "0, 1, 5, retstep=True", "0, 9, 4, dtype=int",
                 "0, 1, 2000", "[0, 1], [2, 3], 4", "0, 1, -1", "x[:3], 4, 5", "0, 1, 4, axis=1", "1j, 2, 3"],
    "logspace": ["0, 2, 5", "0, 2, 5, base=2.0"], "geomspace": ["1, 100, 5", "0, 1, 5", "1, -100, 4"],
    "indices": ["(2, 3)", "(2, 3), dtype=np.int32", "(2, 3), sparse=True", "[4]", "(-1,)"],
    "tril_indices": ["4", "4, 1, 5", "4, k=-1", "2.5"], "triu_indices": ["4", "4, 1, 5"],
    "fft.fftfreq": ["8", "7, d=0.1", "0", "8, 0"], "fft.rfftfreq": ["8", "7, 0.1", "-3"],
    "argpartition": ["x, 3", "m, 1, axis=0", "x, 50", "x, [2, 5]"],
    "choose": ["bits, [x, y]", "bits, (x, y), mode='wrap'", "bits, [x]"],
    "convolve": ["x, line", "line, x, mode='same'", "apart, line, 'valid'", "x, m"],
    "correlate": ["x, line", "x, line, mode='full'"],
    "histogram2d": ["edges, edges, 4"],
    "insert": ["x, 3, 1", "m, 1, 1, axis=1", "x, [1, 2], [1, 0]", "x, 99, 1"],
    "interp": ["x, edges, edges", "edges, line, edges", "x, edges, edges, left=-1.0, right=9", "x, edges, line"],
    "intersect1d": ["x, y", "m, x"], "isin": ["x, line", "m, x, invert=True", "x, [1, 2]"],
    "lexsort": ["(x, y)", "[m[0], m[1]]", "m", "(mask, x)"],
    "median": ["x", "m, axis=1", "m, axis=0, keepdims=True"], "nanmedian": ["x", "m, 1"],
    "nanpercentile": ["x, 30", "m, [10, 90], axis=1"], "nanquantile": ["x, 0.3"],
    "packbits": ["bits", "mask", "bits, bitorder='little'", "x"], "unpackbits": ["bits", "bits, count=20", "x"],
    "partition": ["x, 3", "m, 1, 0", "x, 50"],
    "percentile": ["x, 30", "m, [10, 90], 1", "x, 101", "x, 50, method='lower'"],
    "quantile": ["x, 0.3", "m, 0.5, axis=0", "x, edges / 8"],
    "polyfit": ["edges, edges, 1"],
    "ravel_multi_index": ["(at % 4, at % 6), (4, 6)", "(at, at), (4, 6)", "[at, at], (20, 20), mode='wrap'"],
    "unravel_index": ["at % 24, (4, 6)", "at, (4, 6)"],
    "setxor1d": ["x, y"], "sort_complex": ["x", "m"],
    "take_along_axis": ["m, order, 1", "m, order, axis=-1", "x, order, 0"],
    "union1d": ["x, y"], "unique": ["x", "m", "x, return_counts=True", "x, True, True", "m, axis=0"],
    "einsum": ["'i,i->', x, y", "'ij,kj->ik', m, m", "'ii->i', square", "'i,j', x, line", "x, [0], y, [0]"],
    **{f"fft.{name}": ["x", "apart, 8", "m, axis=0", "m, norm='ortho'"]
       for name in "fft hfft ifft ihfft irfft rfft".split()},
    **{f"fft.{name}": ["m", "turned, (4, 4)", "m, axes=(0,)", "x"]
       for name in "fft2 fftn ifft2 ifftn irfft2 irfftn rfft2 rfftn".split()},
    **{f"linalg.{name}": ["sum", "square * 0", "m", "x"]
       for name in "cholesky cond det eig eigh eigvals eigvalsh pinv qr slogdet svd svdvals".split()},
    "linalg.lstsq": ["sum, x[:4]", "turned, line"],
    "ndarray.argpartition": ["x, 3"], "ndarray.byteswap": ["x", "turned"], "ndarray.choose": ["bits, [x, y]"],
}
IN_PLACE = {
    "copyto": ["x, y", "m, line", "x, 3", "apart, back, where=mask", "x, m", "m, x[:6], casting='no'"],
    "fill_diagonal": ["square, 3", "square, line[:4]", "m, 1, wrap=True", "x, 1"],
    "put": ["x, at, 3", "m, at, line", "apart, at, x", "x, [0, 99], 1", "x, at, x"],
    "putmask": ["x, mask, y", "back, mask, line", "x, m, 1", "x, mask, x[::-1]"],
    "ndarray.put": ["x, at, 3", "m, at, line", "x, 40, 1, 'clip'"],
    "place": ["x, mask, [1, 0]", "back, mask, y", "x, mask, none"],
    "put_along_axis": ["m, order, 3, 1", "m, order, turned.T, axis=1", "x, order, 1, 0"],
    "ndarray.partition": ["x, 4", "m, 1, 0", "back, 4"],
    "ndarray.sort": ["x", "m, 0", "back", "turned", "x, kind='stable'"],
}


@pytest.fixture(params=[True, False], ids=["quick", "long"], autouse=True)
def quick(request):
    """Through NumPy at once, and by the longer way, of arrays that NumPy can see."""
    for name in (*CALLS, *IN_PLACE):
        _core.answer_quickly(name.removeprefix("ndarray."), request.param)
    with ap.config.using(device="cpu"):
        yield request.param
    for name in (*CALLS, *IN_PLACE):
        _core.answer_quickly(name.removeprefix("ndarray."), True)


def made_by(xp, name: str, arguments: str, arrays: dict):
    """What the call gives, and what its arrays are afterwards; or what it raised."""
    names = {**arrays, "np": np}
    args = eval(f"_all({arguments})", {**names, "_all": lambda *args, **kwargs: (args, kwargs)})
    call = args[0][0]
    space, _, last = name.rpartition(".")
    function = getattr(xp if not space else getattr(xp, space), last)
    try:
        with np.errstate(all="ignore"):
            made = function(*args[0], **args[1])
    except Exception as error:
        return type(error)  # what was written before it is NumPy's own affair
    return made, call


def leaves(value) -> list:
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def same(ours, theirs, exact: bool) -> None:
    """The same classes of exceptions, or the same dtypes, shapes and elements."""
    ours, theirs = leaves(ours), leaves(theirs)
    assert len(ours) == len(theirs), (ours, theirs)
    for made, expected in zip(ours, theirs, strict=True):
        if isinstance(expected, (np.ndarray, np.generic)):
            array = np.asarray(made)
            assert isinstance(made, ap.ndarray), made
            assert array.dtype == expected.dtype and array.shape == expected.shape, (made, expected)
            if exact:
                np.testing.assert_array_equal(array, expected)
            else:
                np.testing.assert_allclose(array, expected, 1e-2 if expected.dtype.char == "e" else 1e-4, 1e-4)
        elif not isinstance(expected, str):
            assert made is expected or made == expected, (made, expected)


def check(name: str, arguments: str, dtype: str) -> None:
    plain = given(dtype)
    ours = {key: ap.asarray(value) for key, value in plain.items()}
    ours["back"] = ap.flip(ap.asarray(plain["back"][::-1]))
    ours["apart"] = ap.stack([ours["apart"]] * 2, 1)[:, 0]
    ours["turned"] = ap.asarray(plain["turned"].T).T
    exact = not name.startswith(("linalg.", "fft.", "einsum"))
    same(made_by(ap, name, arguments, ours), made_by(np, name, arguments, plain), exact)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*CALLS, *IN_PLACE])
def test_beside_numpy(name, dtype):
    for arguments in {**CALLS, **IN_PLACE}[name]:
        check(name, arguments, dtype)


def counted(call) -> dict[str, int]:
    ap.forget_fallbacks()
    call()
    return {one["function"]: one["count"] for one in ap.fallbacks()}


def test_calls_are_counted(quick):
    a, b = ap.asarray(np.arange(6.0)), ap.asarray(np.arange(4.0).reshape(2, 2) + ap.to_numpy(ap.eye(2)) * 5)
    for _ in range(2):
        assert counted(lambda: (ap.interp(a, a, a), ap.interp(a, a, a))) == {"numpy.interp": 2}
        assert counted(lambda: ap.linalg.det(b)) == {"numpy.linalg.det": 1}
        assert counted(lambda: a.byteswap()) == {"numpy.byteswap": 1}
        assert counted(lambda: ap.tile(a, 2)) == {}


def test_what_is_refused_is_refused():
    a = ap.asarray(np.arange(6.0))
    with ap.config.using(host_calls="error"), pytest.raises(RuntimeError, match=r"numpy\.interp"):
        ap.interp(a, a, a)
    with ap.config.using(host_calls="error"):
        assert ap.tile(a, 2).shape == (12,)
    assert float(ap.interp(a, a, a)[3]) == 3


def test_a_recording_sees_each_call():
    a = ap.asarray(np.arange(6.0))
    with ap.profiler.record() as trace:
        ap.median(a)
    assert [event["name"] for event in trace.events if event["category"] == "host"] == ["numpy.median"]


def test_results_are_arrays_of_their_own():
    a = ap.asarray(np.arange(16.0).reshape(4, 4))
    diagonal = ap.einsum("ii->i", a)
    assert ap.shares_memory(diagonal, a)  # a view, as NumPy's
    diagonal[:] = 7
    assert a[2, 2] == 7
    assert ap.ascontiguousarray(a) is a or ap.shares_memory(ap.ascontiguousarray(a), a)
    for made in (ap.tile(a, 1), ap.repeat(a, 1), ap.hstack([a]), a.byteswap(), ap.partition(a, 1)):
        assert not ap.shares_memory(made, a)
        made[...] = 0
    assert a[0, 1] == 1


def test_read_only_arrays_are_not_written():
    a = ap.asarray(np.arange(6.0))
    a.flags.writeable = False
    for call in (lambda: ap.put(a, [0], 5), lambda: ap.putmask(a, a > 1, 0), lambda: a.sort(), lambda: ap.copyto(a, 1),
                 lambda: a.partition(2), lambda: ap.place(a, a > 1, [0])):  # fmt: skip
        with pytest.raises(ValueError, match="read-only"):
            call()
    assert a.tolist() == [0, 1, 2, 3, 4, 5]


def test_outputs_that_are_given_are_written():
    a, out = ap.asarray(np.arange(4.0)), ap.zeros(4)
    assert ap.einsum("i,i->i", a, a, out=out) is out and out.tolist() == [0, 1, 4, 9]
    assert float(ap.median(a, out=ap.zeros(()))) == 1.5


def test_what_was_recorded_is_seen():
    """Elements are looked at, and written, after what is to write or to read them has run."""
    x = np.random.default_rng(0).random(50_000)
    a = ap.asarray(x)
    b, y = a * 2, x * 2
    few, fewer = b[:40], y[:40]
    assert ap.tile(few, 2).tolist() == np.tile(fewer, 2).tolist()
    c = ap.asarray(x[:60]) + 0
    later, expected = ap.concatenate([c, a]) * 2, np.concatenate([x[:60], x]) * 2  # recorded, and reads c
    c.sort()
    ap.put(c, [0], -1)
    assert float(later[0]) == expected[0] and float(c[0]) == -1
    np.testing.assert_array_equal(ap.to_numpy(later), expected)


def test_under_jit():
    def work(xp, x, kept):
        made = xp.tile(x, 2), xp.repeat(x, 2), xp.hstack([x, kept]), xp.partition(kept, 2)
        return *made, xp.convolve(x, kept), xp.interp(x, kept, kept)

    x, kept = np.random.default_rng(1).random(20), np.arange(5.0)
    ours = ap.asarray(kept)
    compiled = ap.jit(lambda x: work(ap, x, ours))
    for shift in range(3):
        for made, expected in zip(compiled(ap.asarray(x + shift)), work(np, x + shift, kept), strict=True):
            np.testing.assert_allclose(ap.to_numpy(made), expected, 1e-12)
        ours += 1
        kept += 1


def test_numbers_among_the_arguments():
    a = ap.asarray(np.arange(6.0))
    assert float(ap.interp(a.sum() / 10, a, a)) == 1.5
    assert ap.insert(a, 2, a.max()).tolist() == [0, 1, 5, 2, 3, 4, 5]
    assert ap.repeat(a, 400).shape == (2400,) and ap.repeat(a, 4000).shape == (24000,)


def test_new_arrays_lie_where_new_arrays_do():
    with ap.config.using(float="float32"):
        assert ap.linspace(0, 1, 5).dtype == np.float32 and ap.fft.fftfreq(4).dtype == np.float32
    assert ap.linspace(0, 1, 5).dtype == np.float64
    compiled = ap.jit(lambda x: x + ap.linspace(0, 1, 5))
    assert [compiled(ap.zeros(5)).tolist() for _ in range(2)] == [np.linspace(0, 1, 5).tolist()] * 2


def test_threads_answer_side_by_side():
    a = ap.asarray(np.arange(40.0))
    expected, wrong = np.percentile(np.arange(40.0), 30), []

    def work():
        for _ in range(300):
            if float(ap.percentile(a, 30)) != expected or ap.unique(a).size != 40:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong
