"""Arguments whose memory a function under jit may take."""

import copy
import pickle

import numpy as np
import pytest

import asnumpy as ap


def on_host():
    return "cpu" in str(ap.empty(1).device)


def gone(array):
    with pytest.raises(RuntimeError, match="the array was donated to a function under jit"):
        array + 1


def step(u, v):
    return u * 0.5 + v, v.sum()


@pytest.mark.parametrize("n", [3, 1000, 100_000])
def test_results_are_those_without(n):
    rng = np.random.default_rng(n)
    x, y = rng.standard_normal(n), rng.standard_normal(n)
    donating, plain = ap.jit(step, donate="u"), ap.jit(step)
    v = ap.asarray(y)
    mine = wanted = ap.asarray(x)
    mine = mine.copy()
    for _ in range(6):
        before = mine
        mine, total = donating(mine, v)
        gone(before)
        wanted, other = plain(wanted, v)
        assert mine.tolist() == wanted.tolist()
        assert total == other
    assert v.tolist() == y.tolist()


def test_no_memory_is_taken_for_the_result():
    n = 1 << 20
    donating, plain = ap.jit(lambda u: u * 0.5, donate="u"), ap.jit(lambda u: u * 0.5)

    def peak(function):
        u = function(function(ap.zeros(n)))
        ap.reset_peak()
        u = function(u)
        return ap.memory_info()["peak"], float(u[0])

    (less, one), (more, other) = peak(donating), peak(plain)
    assert one == other
    assert more - less >= 7 * n


def test_what_others_see_is_left_alone():
    n = 1000
    function = ap.jit(step, donate="u")
    v = ap.ones(n)
    function(ap.zeros(n), v)
    u = ap.arange(float(n))
    view = u[10:20]
    made, _ = function(u, v)
    gone(u)
    assert view.tolist() == list(range(10, 20))
    assert made.tolist() == (np.arange(n) * 0.5 + 1).tolist()
    base = ap.arange(2.0 * n)
    part = base[:n]
    made, _ = function(part, v)
    gone(part)
    assert base.tolist() == list(range(2 * n))
    assert made.tolist() == (np.arange(n) * 0.5 + 1).tolist()


def test_numpys_memory_is_left_alone():
    x = np.arange(1000.0)
    function = ap.jit(step, donate="u")
    for _ in range(3):
        made, _ = function(x, ap.ones(1000))
        assert x.tolist() == np.arange(1000.0).tolist()
        assert made.tolist() == (x * 0.5 + 1).tolist()
    if on_host():
        u = ap.arange(1000.0)
        seen = np.asarray(u)
        made, _ = function(u, ap.ones(1000))
        assert seen.tolist() == np.arange(1000.0).tolist()
        assert made.tolist() == (x * 0.5 + 1).tolist()


def test_values_that_are_needed_after_the_result_begins():
    def crossed(u, v):
        first = v * 2
        return first, u + first, u[::-1] - 1

    function = ap.jit(crossed, donate=("u", "v"))
    for _ in range(3):
        x, y = np.arange(5000.0), np.arange(5000.0) % 7
        u, v = ap.asarray(x.copy()), ap.asarray(y.copy())
        got = function(u, v)
        for mine, wanted in zip(got, crossed(x, y), strict=True):
            assert mine.tolist() == wanted.tolist()
        gone(u)
        gone(v)


@pytest.mark.parametrize(
    "function",
    [
        lambda u: u[::-1] + u,
        lambda u: ap.roll(u, 1) * u,
        lambda u: ap.cumsum(u),
        lambda u: u.reshape(40, 25) @ ap.ones((25, 25)),
        lambda u: u.astype(np.int64),
        lambda u: u + u.mean(),
        lambda u: (u + 1, u + 2),
        lambda u: (u - u[3], u.reshape(10, 100).T),
        lambda u: ap.where(u > 5, u, -u)[5:],
        lambda u: ap.asarray(np.arange(1000.0)) + u,
        lambda u: u,
        lambda u: (u, u[2:]),
        lambda u: u[ap.asarray(np.arange(999, -1, -1))],
        lambda u: u[np.newaxis] + u[:, np.newaxis],
        lambda u: ap.range(0, 3, lambda i, x: x * 2, u),
    ],
)
def test_functions(function):
    donating = ap.jit(function, donate=["u"])
    for _ in range(3):
        u = ap.asarray(np.arange(1000.0) % 17)
        wanted = function(ap.asarray(np.arange(1000.0) % 17))
        got = donating(u)
        gone(u)
        for mine, other in zip(*([one] if not isinstance(one, tuple) else one for one in (got, wanted)), strict=True):
            np.testing.assert_array_equal(mine.to_numpy(), other.to_numpy(), strict=True)


def test_an_argument_given_twice_and_arguments_in_containers():
    function = ap.jit(lambda u, w: u + w, donate="u")
    for _ in range(3):
        x = ap.arange(100.0)
        assert function(x, x).tolist() == (np.arange(100.0) * 2).tolist()
        gone(x)
    nested = ap.jit(lambda state, by: {"a": state["a"] + by, "b": state["b"] * by}, donate=["state"])
    for _ in range(3):
        state = {"a": ap.ones(100), "b": ap.arange(100.0)}
        made = nested(state, 2.0)
        assert made["a"].tolist() == [3.0] * 100
        assert made["b"].tolist() == (np.arange(100.0) * 2).tolist()
        gone(state["a"])
        gone(state["b"])


def test_work_that_waits_comes_first():
    function = ap.jit(lambda u: u + 1, donate="u")
    function(ap.zeros(10_000))
    u = ap.arange(10_000.0)
    later = u * 3  # recorded, not yet run
    made = function(u)
    assert made[:3].tolist() == [1.0, 2.0, 3.0]
    assert later[:3].tolist() == [0.0, 3.0, 6.0]


def test_elements_of_a_donated_array_are_an_error():
    function = ap.jit(lambda u: u + 1, donate="u")
    u = ap.zeros((4, 5))
    function(u)
    uses = {
        "item": lambda: float(u[0, 0]), "row": lambda: u[0].tolist(), "assign": lambda: u.__setitem__(0, 1),
        "repr": lambda: repr(u), "str": lambda: str(u), "sum": lambda: u.sum(), "negative": lambda: -u,
        "beside": lambda: 1 + u, "product": lambda: u @ u.T, "sqrt": lambda: ap.sqrt(u), "numpy": lambda: np.asarray(u),
        "numpy's sqrt": lambda: np.sqrt(u), "memory": lambda: memoryview(u), "dlpack": lambda: u.__dlpack__(),
        "interface": lambda: u.__array_interface__, "pickle": lambda: pickle.dumps(u), "copy": lambda: copy.copy(u),
        "equal": lambda: u == u, "in place": lambda: u.__iadd__(1), "again": lambda: function(u), "in": lambda: 0 in u,
        "concatenate": lambda: ap.concatenate([u, u]), "list": lambda: u.tolist(), "format": lambda: format(u, ""),
        "view": lambda: u.T + 1, "fill": lambda: u.fill(2), "where": lambda: ap.where(u, 1, 2),
        "assigned": lambda: ap.zeros((4, 5)).__setitem__(slice(None), u), "out": lambda: ap.add(1, 2, out=u),
        "jit": lambda: ap.jit(lambda x: x + 1)(u), "nonzero": lambda: u.nonzero(), "mask": lambda: u[u > 0],
        "sort": lambda: u.sort(), "inverse": lambda: ap.linalg.inv(u[:4, :4]), "any": lambda: bool(u.any()),
    }
    for name, use in uses.items():
        with pytest.raises(RuntimeError, match="was donated"):
            use()
            pytest.fail(f"{name} gave no error")
    assert (u.shape, u.dtype, len(u), u.nbytes, u.T.shape) == ((4, 5), np.float64, 4, 160, (5, 4))
    assert ap.ones(3).sum() == 3  # nothing of it waits


def test_without_jit_nothing_is_taken(monkeypatch):
    function = ap.jit(step, donate="u")
    u = ap.ones(100)
    with monkeypatch.context() as changed:
        changed.setattr(ap.config, "jit", False)
        function(u, ap.ones(100))
    assert u.tolist() == [1.0] * 100


def test_a_saved_function_takes_them_too(tmp_path):
    path = tmp_path / "function.asnp"
    ap.jit(step, donate="u").compile(ap.empty(1000), ap.empty(1000)).save(path)
    loaded = ap.load_compiled(path)
    u = ap.arange(1000.0)
    made, total = loaded(u, ap.ones(1000))
    gone(u)
    assert made.tolist() == (np.arange(1000) * 0.5 + 1).tolist()
    assert total == 1000


def test_wrong_names():
    with pytest.raises(ValueError, match="jit: donate names w, which the function does not take"):
        ap.jit(step, donate="w")
    with pytest.raises(ValueError, match="u cannot be both static and donated"):
        ap.jit(step, donate="u", static_argnames="u")
