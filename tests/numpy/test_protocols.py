"""How arrays meet NumPy and other libraries: protocols, exchange of memory, copying, pickling, settings."""

from __future__ import annotations

import array
import copy
import json
import pickle
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from agreement import FEW, NUMERIC, assert_same, calls_of_numpys, sample

import asnumpy as ap

LAYOUTS = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[::2, ::-1],
    lambda a: a[1],
    lambda a: a[:0],
    lambda a: a[1, 2],
    lambda a: a[:, None],
]


# --- memory ---


@pytest.mark.host_memory
@pytest.mark.parametrize("dtype", [*NUMERIC, "longdouble"])
def test_numpy_views_share_memory(dtype):
    for layout in LAYOUTS:
        x = ap.asarray(sample((4, 6), dtype))
        view = np.asarray(layout(x))
        np.testing.assert_array_equal(view, layout(sample((4, 6), dtype)))
        assert view.dtype == dtype
        if view.size and view.ndim:
            view[...] = 1
            assert bool((layout(x) == 1).all())
            layout(x)[...] = 0
            assert not view.any()


def test_array_protocol_arguments():
    x = ap.asarray([1.5, 2.5])
    assert np.array(x).base is None
    assert not np.shares_memory(np.array(x), np.asarray(x))
    assert np.asarray(x, dtype="int64").tolist() == [1, 2]
    assert np.asarray(x, copy=False).tolist() == [1.5, 2.5]
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype="int64", copy=False)
    x.flags.writeable = False
    assert not np.asarray(x).flags.writeable
    assert np.array([x, x]).shape == (2, 2)
    assert list(array.array("d", memoryview(x).tolist())) == [1.5, 2.5]


@pytest.mark.parametrize("dtype", FEW)
def test_from_numpy_takes_any_layout(dtype):
    n = sample((4, 6), dtype)
    for layout in LAYOUTS:
        part = layout(n)
        for order in ("=", ">", "<"):
            given = np.asarray(part).astype(n.dtype.newbyteorder(order))
            got = ap.from_numpy(given)
            assert_same(np.asarray(part), got)
        assert_same(np.asarray(part), ap.from_numpy(np.asarray(part)))
    n.flags.writeable = False
    own = ap.from_numpy(n)
    own[0] = 1
    assert_same(np.broadcast_to(n[0], (3, 6)), ap.from_numpy(np.broadcast_to(n[0], (3, 6))))
    with pytest.raises(TypeError, match="from_numpy"):
        ap.from_numpy([1, 2])


def test_to_numpy_is_a_copy():
    x = ap.asarray([1.0, 2.0])
    plain = ap.to_numpy(x)
    plain[0] = 9
    assert x.tolist() == [1.0, 2.0]


@pytest.mark.host_memory
@pytest.mark.parametrize("dtype", [d for d in FEW if d != "bool"] + ["bool"])
def test_dlpack(dtype):
    n = sample((4, 6), dtype)
    x = ap.asarray(n)
    for layout in LAYOUTS:
        np.testing.assert_array_equal(np.from_dlpack(layout(x)) if layout(x).ndim else layout(n), layout(n))
    view = np.from_dlpack(x)
    x[0] = 1
    assert (view[0] == 1).all()
    back = ap.from_dlpack(n)
    assert_same(n, back)
    n[1] = 0
    assert not bool(back[1].any())
    assert_same(n, ap.from_dlpack(n, copy=True))
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(ValueError, match="from_dlpack"):
        ap.from_dlpack(n, device="cuda:0")
    with pytest.raises(TypeError, match="from_dlpack"):
        ap.from_dlpack([1, 2])


# --- dispatch ---


def test_numpy_functions_reach_ours():
    x = ap.asarray(sample((3, 4), "float64"))
    n = sample((3, 4), "float64")
    for got, expected in (
        (np.sum(x), np.sum(n)),
        (np.add(x, n), n + n),
        (n * x, n * n),
        (x - n, n - n),
        (np.exp(x), np.exp(n)),
        (np.concatenate([x, n]), np.concatenate([n, n])),
        (np.add.reduce(x), np.add.reduce(n)),
        (np.where(x > 0, x, 0), np.where(n > 0, n, 0)),
        (np.multiply.outer(x, n), np.multiply.outer(n, n)),
        (np.sort(x), np.sort(n)),
        (np.kron(x, x), np.kron(n, n)),
        (np.unwrap(x), np.unwrap(n)),
        (np.float64(2) * x, 2 * n),
        ([1, 2, 3, 4] + x, [1, 2, 3, 4] + n),
        (np.matmul(x, n.T), n @ n.T),
    ):
        assert_same(expected, got, ulp=8)


def test_numpy_outputs():
    x, n = ap.asarray([1.0, 2.0, 3.0]), np.zeros(3)
    assert np.add(x, 1, out=n) is n
    assert n.tolist() == [2, 3, 4]
    n += x
    assert n.tolist() == [3, 5, 7] and type(n) is np.ndarray
    y = ap.zeros(3)
    assert np.multiply(n, 2, out=y) is y
    assert y.tolist() == [6, 10, 14]
    assert ap.add(x, 1, out=n) is n
    assert n.tolist() == [2, 3, 4]


def test_other_ufuncs():
    special = pytest.importorskip("scipy.special")
    x = ap.asarray([0.0, 0.5, 1.0])
    assert_same(special.erf(np.array([0.0, 0.5, 1.0])), special.erf(x))


class Box:
    """A class that takes over everything it meets."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc, method, len(inputs)

    def __array_function__(self, func, types, args, kwargs):
        return func


class Shy:
    """A class that leaves NumPy alone."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"

    def __add__(self, other):
        return "add"

    def __rmatmul__(self, other):
        return "rmatmul"

    def __eq__(self, other):
        return "eq"

    __hash__ = None


class Important:
    __array_priority__ = 10.0

    def __rmul__(self, other):
        return "rmul"


def test_other_classes_answer():
    x = ap.asarray([1.0, 2.0])
    assert x + Box() == (np.add, "__call__", 2)
    assert Box() != 1 and ap.add(x, Box()) == (np.add, "__call__", 2)
    assert ap.add.reduce(Box()) == (np.add, "reduce", 1)
    assert ap.add(x, x, out=Box()) == (np.add, "__call__", 2)
    assert np.add(x, Box()) == (np.add, "__call__", 2)
    assert np.concatenate([x, Box()]) is np.concatenate
    assert x + Shy() == "radd" and Shy() + x == "add" and x @ Shy() == "rmatmul" and (x == Shy()) == "eq"
    with pytest.raises(TypeError, match="__array_ufunc__=None"):
        ap.add(x, Shy())
    with pytest.raises(TypeError):
        x += object()
    assert x * Important() == "rmul"
    with pytest.raises(TypeError):
        x + object()
    assert (x == None).tolist() == [False, False]  # noqa: E711
    assert (x != "text").tolist() == [True, True]
    assert (x == object()).tolist() == [False, False]


@pytest.mark.host_memory
def test_array_namespace():
    x = ap.ones(2)
    assert x.__array_namespace__() is ap.array_api
    assert x.__array_namespace__(api_version="2024.12") is ap.__array_namespace__(api_version="2024.12")
    with pytest.raises(ValueError, match="1999"):
        x.__array_namespace__(api_version="1999.01")
    assert x.to_device("cpu") is x
    with pytest.raises(ValueError, match="cuda"):
        x.to_device("cuda")
    assert ap.__array_namespace_info__().default_device() == "cpu"


# --- copies ---


@pytest.mark.parametrize("dtype", [*NUMERIC, "longdouble", "bfloat16"])
@pytest.mark.parametrize("protocol", range(2, 6))
def test_pickle(dtype, protocol):
    n = sample((4, 6), "float32").astype(ml_dtypes.bfloat16) if dtype == "bfloat16" else sample((4, 6), dtype)
    for layout in LAYOUTS:
        back = pickle.loads(pickle.dumps(layout(ap.asarray(n)), protocol))
        assert_same(layout(n), back)
        assert back.flags.writeable == layout(n).flags.writeable
    assert pickle.loads(pickle.dumps(ap.asarray(n).T, protocol)).flags.f_contiguous


def test_pickle_out_of_band():
    x = ap.asarray(sample((100, 100), "float64"))
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(data) < 1000 and len(buffers) == 1
    assert_same(np.asarray(x), pickle.loads(data, buffers=buffers))
    odd = memoryview(bytearray(b"?" + buffers[0].raw().tobytes()))[1:]  # as a file or a message may have it
    assert_same(np.asarray(x), pickle.loads(data, buffers=[odd]))


def test_deepcopy_of_structures():
    x = ap.asarray([1.0, 2.0])
    whole = {"a": x, "b": [x]}
    other = copy.deepcopy(whole)
    other["a"][0] = 5
    assert x.tolist() == [1.0, 2.0]


# --- the host door ---


def test_host_calls_are_counted_and_can_be_refused():
    x = ap.asarray([3.0, 1.0, 2.0])
    before = calls_of_numpys().get("numpy.linalg.eigvals", 0)
    np.linalg.eigvals(ap.eye(2))
    assert calls_of_numpys()["numpy.linalg.eigvals"] == before + 1
    with ap.config.using(host_calls="error"), pytest.raises(RuntimeError, match=r"numpy\.linalg\.eig"):
        np.linalg.eig(ap.eye(2))
    assert ap.config.host_calls == "count"
    assert x.tolist() == [3.0, 1.0, 2.0]


def test_host_results_that_alias_are_copied():
    from asnumpy.host.door import host

    x = ap.asarray([1.0, 2.0, 3.0])
    y = host(np.asarray, x)
    assert y is x
    z = host(lambda a: a[1:], x)
    z[0] = 9
    assert x.tolist() == [1.0, 2.0, 3.0]
    q, r = host(lambda a: (a + 1, a * 2), x)
    assert_same(np.array([2.0, 3, 4]), q)
    assert_same(np.array([2.0, 4, 6]), r)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.inv(ap.zeros((2, 2)))


# --- settings ---


def test_settings_are_checked():
    with pytest.raises(ValueError, match=r"asnumpy\.config\.num_threads.*got 0"):
        ap.config.num_threads = 0
    with pytest.raises(ValueError, match="eager"):
        ap.config.eager = "perhaps"
    with pytest.raises(ValueError, match="memory_limit"):
        ap.config.memory_limit = "much"
    with pytest.raises(AttributeError, match="no setting 'eger'"):
        ap.config.eger = True
    threads = ap.config.num_threads
    with ap.config.using(num_threads=1):
        assert ap.config.num_threads == ap.get_num_threads() == 1
    assert ap.config.num_threads == threads
    with ap.config.using(memory_limit="64GiB"):
        assert ap.config.memory_limit == 64 * 2**30 == ap.memory_info()["limit"]
    assert {"device", "eager", "fallback", "num_threads", "memory_limit"} < set(ap.config.settings())


@pytest.mark.parametrize(
    ("variable", "value", "shown"),
    [
        ("ASNUMPY_EAGER", "1", "True"),
        ("ASNUMPY_NUM_THREADS", "1", "1"),
        ("ASNUMPY_MEMORY_LIMIT", "8GiB", str(8 * 2**30)),
        ("ASNUMPY_HOST_CALLS", "warn", "warn"),
        ("ASNUMPY_EAGER_SIZE", "10", "10"),
    ],
)
def test_environment_variables(variable, value, shown):
    import os

    name = variable.removeprefix("ASNUMPY_").lower()
    program = f"import asnumpy; print(asnumpy.config.{name})"
    run = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, variable: value}, capture_output=True, text=True
    )
    assert run.stdout.strip() == shown, run.stderr
    run = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, variable: "nonsense"}, capture_output=True, text=True
    )
    assert run.returncode != 0 and variable in run.stderr and "nonsense" in run.stderr


# --- what the machinery tells ---


def test_show_config(capsys):
    ap.show_config()
    text = capsys.readouterr().out
    for word in ("asnumpy", "numpy", "device", "instruction set", "blas", "threads", "memory", "ASNUMPY_EAGER"):
        assert word in text
    assert ap.show_config(mode="dicts")["device"] == ap.Device()


def test_explain_and_pending(capsys):
    x = ap.asarray(np.ones(100_000))
    ap.synchronize()
    y = (x + 1) * 2
    text = ap.explain(y)
    assert capsys.readouterr().out.strip() == text.strip()
    if not ap.config.eager:
        assert "100000" in text and ap.pending_count() > 0 and y._pending
    ap.eval(y)
    assert not y._pending
    assert bool((y == 4).all())
    with pytest.raises(TypeError, match="eval"):
        ap.eval(np.ones(2))


def test_profiler(tmp_path):
    x = ap.asarray(np.ones(100_000))
    with ap.profiler.record() as trace:
        (x * 2 + 1).sum().item()
        np.linalg.eigvals(ap.eye(3))
    assert any(event["name"] == "numpy.linalg.eigvals" for event in trace.events)
    assert "calls" in trace.table()
    trace.save_chrome_trace(tmp_path / "trace.json")
    saved = json.loads((tmp_path / "trace.json").read_text())
    assert len(saved["traceEvents"]) == len(trace.events) > 0
    with ap.profiler.record(), pytest.raises(RuntimeError, match="nest"), ap.profiler.record():
        pass


def test_dtype_functions():
    x = ap.ones(2, "float32")
    assert ap.result_type(x, 1.0) == np.result_type(np.ones(2, "float32"), 1.0)
    assert ap.result_type(x, ap.ones(1, "int64")) == np.float64
    assert ap.can_cast(x, "int8") is False and ap.can_cast(x.dtype, "float64")
    assert ap.finfo(x).eps == np.finfo("float32").eps and ap.finfo(ap.bfloat16).bits == 16
    assert ap.min_scalar_type(ap.asarray(7)) == np.min_scalar_type(np.array(7))
    assert ap.common_type(x, ap.ones(2)) == np.float64
    assert ap.float32 is np.float32 and ap.bool is np.bool and ap.newaxis is None and ap.pi == np.pi


def test_strides_of_host_copies_are_the_arrays():
    """numpy.lib.stride_tricks.as_strided takes the strides of the array for those of what np.asarray gives."""
    n = np.arange(60.0).reshape(6, 10)
    for view in (lambda a: a[:-1:2, 1:], lambda a: a.T[::3], lambda a: a[::-1, ::2], lambda a: a[1:, :-1]):
        x = view(ap.asarray(n))
        assert np.asarray(x).strides == x.strides == view(n).strides
        shape, strides = [*x.shape[:-1], x.shape[-1] - 1, 2], [*x.strides, x.strides[-1]]
        windows = np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)
        np.testing.assert_array_equal(windows, np.lib.stride_tricks.as_strided(view(n), shape, strides))
