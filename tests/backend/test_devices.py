"""Devices, as a program sees them: names, copies, where results lie. With a second device, what it adds."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest
from device_marks import OTHERS, left_devices, needs_one, needs_two

import asnumpy as ap
from asnumpy import _core

pytestmark = pytest.mark.usefixtures("usual_settings")


# --- on every machine ---


def test_names() -> None:
    cpu = ap.Device("cpu")
    assert (str(cpu), repr(cpu), cpu.kind, cpu.id) == ("cpu", "Device('cpu')", "cpu", 0)
    assert cpu == "cpu" == ap.Device("cpu:0") == ap.Device(cpu) and cpu != "ascend:0" and cpu != "nonsense" and cpu != 0
    assert {cpu: 1}["cpu"] == 1 and pickle.loads(pickle.dumps(cpu)) == cpu
    seven = ap.Device("ascend:7")
    assert (seven.kind, seven.id, str(ap.Device("ascend"))) == ("ascend", 7, "ascend:0")
    for wrong in ("gpu", "cuda:0", "ascend:", "ascend:-1", "ascend:1.5", "", "cpu:1", 3):
        with pytest.raises(ValueError, match='expected "cpu", "ascend" or "ascend:N", got '):
            ap.Device(wrong)
    assert ap.devices()[0] == "cpu" and ap.Device() in ap.devices()


def test_a_device_that_is_not_there() -> None:
    wanted = f"ascend:{len(OTHERS)}"
    for call in (lambda: ap.zeros(3, device=wanted), lambda: ap.arange(3).to_device(wanted),
                 lambda: ap.Device(wanted).__enter__(), lambda: setattr(ap.config, "device", wanted)):
        with pytest.raises((ValueError, RuntimeError), match=wanted):
            call()
    assert ap.Device() in ap.devices()


MAKERS: list[Any] = [
    lambda **where: ap.empty((2, 0), **where), lambda **where: ap.zeros(4, "int8", **where),
    lambda **where: ap.ones(4, **where), lambda **where: ap.full((2,), 7, **where),
    lambda **where: ap.eye(3, k=1, **where), lambda **where: ap.arange(5, **where),
    lambda **where: ap.arange(1, 2, 0.25, **where), lambda **where: ap.linspace(0, 1, 5, **where),
    lambda **where: ap.asarray([1, 2], **where), lambda **where: ap.asarray(np.arange(3), "float32", **where),
    lambda **where: ap.zeros_like(ap.ones(3), **where), lambda **where: ap.from_numpy(np.arange(3), **where),
    lambda **where: ap.full_like(ap.ones((2, 2)).T, 3, **where), lambda **where: ap.fft.fftfreq(4, **where),
    lambda **where: ap.astype(ap.ones(3), "int16", **where),
]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("device", ap.devices(), ids=str)
def test_creation(make: Any, device: ap.Device) -> None:
    for name in (device, str(device)):
        made = make(device=name)
        assert made.device == device and type(made) is ap.ndarray
        with ap.Device(device):
            inside = make()
        assert inside.device == device
        np.testing.assert_array_equal(ap.to_numpy(made), ap.to_numpy(inside))
    with pytest.raises(ValueError, match="abacus"):
        make(device="abacus")


def test_context_is_the_thread_s() -> None:
    before, seen = ap.Device(), []
    with ap.Device("cpu") as device, device:
        assert device == "cpu" == ap.Device()
        thread = threading.Thread(target=lambda: seen.append(ap.Device()))
        thread.start()
        thread.join()
    assert seen == [before] == [ap.Device()]


def test_settings_and_figures() -> None:
    assert ap.config.device == ap.Device()
    with ap.config.using(device="cpu"):
        assert ap.zeros(1).device == "cpu" == ap.show_config("dicts")["device"]
    for device in ap.devices():
        with ap.Device(device):
            held = ap.ones(100_000)
            ap.synchronize()
        figures = ap.memory_info(device)
        assert figures["in_use"] >= held.nbytes and figures["total"] > figures["in_use"]
        ap.reset_peak(device)
        assert ap.memory_info(device)["peak"] < figures["total"]
        ap.free_all_blocks(device)
    assert left_devices() == [] or ap.Device() != "cpu"


def test_the_cpu_leaves_nothing_to_the_host() -> None:
    with ap.Device("cpu"), ap.config.using(fallback="error"):
        ap.linalg.svd(ap.ones((3, 3)))
        np.asarray(ap.arange(3))
        assert memoryview(ap.arange(3.0).data).nbytes == 24
    assert [(one["kind"], one["function"], one["bytes"]) for one in ap.fallbacks()] == [("call", "numpy.linalg.svd", 0)]


# --- with another device ---


@needs_one
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("layout", ["c", "fortran", "strided", "reversed", "broadcast", "0-d", "empty", "permuted"])
def test_copies(dtype: str, layout: str) -> None:
    plain = (np.arange(2 * 3 * 4) % 5).astype(dtype).reshape(2, 3, 4)
    view: np.ndarray = {
        "c": plain, "fortran": plain.T, "strided": plain[:, ::2, 1:], "reversed": plain[::-1, :, ::-1],
        "broadcast": np.broadcast_to(plain[:, :1], (2, 5, 4)), "0-d": plain[1, 2, 3, ...], "empty": plain[:, :0],
        "permuted": plain.transpose(1, 0, 2),
    }[layout]
    for target in OTHERS:
        there = ap.from_numpy(view, device=target)
        assert there.device == target
        np.testing.assert_array_equal(ap.to_numpy(there), view)
        back = there.to_device("cpu")
        assert back.device == "cpu" and back.dtype == view.dtype
        np.testing.assert_array_equal(np.asarray(back), view)
        own = ap.to_numpy(there)
        assert own.flags.owndata and own.flags.writeable
        assert there.tolist() == view.tolist() and pickle.loads(pickle.dumps(there)).device == target
        # a view of a device's array comes down alone
        whole = ap.from_numpy(plain, device=target)
        np.testing.assert_array_equal(ap.to_numpy(whole[:, ::2, ::-1]), plain[:, ::2, ::-1])
        np.testing.assert_array_equal(ap.to_numpy(ap.broadcast_to(whole[:1], (2, 3, 4))), plain[[0, 0]])
    assert left_devices() == []


@needs_one
def test_results_lie_where_arguments_lie() -> None:
    for device in ap.devices():
        x = ap.asarray(np.arange(12.0).reshape(3, 4), device=device)
        results = [
            ap.roll(x, 1), ap.linalg.inv(x @ x.T + ap.eye(3, device=device)),
            x + x, x * 2, 2 - x, ap.exp(x), x.sum(), x.sum(0), x @ x.T, x[1:], x[[0, 2]], x[x > 3], x > 3, x.T.copy(),
            ap.concatenate([x, x]), ap.where(x > 2, x, 0), ap.sort(x, 0), ap.argmax(x, 1), ap.cumsum(x),
            ap.zeros_like(x),
            ap.diff(x), ap.pad(x, 1), ap.take(x, [1, 2]), ap.linspace(x[0], x[1], 3), x.astype("int32"),
            x + [1, 2, 3, 4],
            ap.nonzero(x)[0], ap.fft.fft(x), ap.median(x, 0), x.real, x.imag, np.arange(4) * x, ap.histogram(x)[0],
        ]
        assert [one.device for one in results] == [device] * len(results)
        plain = np.arange(12.0).reshape(3, 4)
        np.testing.assert_array_equal(ap.to_numpy(results[0]), np.roll(plain, 1))
        np.testing.assert_allclose(ap.to_numpy(results[1]), np.linalg.inv(plain @ plain.T + np.eye(3)))
        x[0] = [1, 2, 3, 4]
        x[:, 0] = 9
        x[[1, 2], [0, 1]] = 5
        x += 1
        np.put(plain, [0], 0)
        assert x.device == device and x.tolist() == [[10, 3, 4, 5], [6, 6, 7, 8], [10, 6, 11, 12]]


@needs_one
def test_arrays_of_two_devices() -> None:
    here, there = ap.ones(3, device="cpu"), ap.ones(3, device=OTHERS[0])
    index, square = ap.asarray([1, 0, 1], device="cpu"), ap.eye(3, device=OTHERS[0])
    calls = [
        lambda: here + there, lambda: there * here, lambda: ap.where(there > 0, here, there), lambda: there.dot(here),
        lambda: ap.add(there, there, out=here), lambda: there.__setitem__(slice(None), here),
        lambda: ap.concatenate([here, there]), lambda: there @ here, lambda: ap.stack([there, here]),
        lambda: there.__iadd__(here), lambda: ap.add(there, there, where=here > 0),
        lambda: ap.sum(there, where=here > 0), lambda: there[here > 0], lambda: there[index],
        lambda: square[index, index], lambda: square[index, 1:], lambda: there.__setitem__(index, 1),
        lambda: there.__setitem__(here > 0, 1), lambda: ap.take(there, index),
        lambda: there.__setitem__([0, 1, 2], here), lambda: ap.put(there, index, 1),
        lambda: ap.cumsum(there, out=here), lambda: ap.sum(square, 0, out=here),
        lambda: ap.maximum.reduce(square, out=here), lambda: ap.clip(there, here, 2),
        lambda: ap.linalg.solve(square, here), lambda: ap.einsum("ij,j", square, here),
        lambda: ap.add.outer(there, here), lambda: ap.matmul(square, square, out=square.to_device("cpu")),
        lambda: ap.add.at(there, index, 1), lambda: ap.searchsorted(there, here), lambda: ap.insert(there, 1, here),
        lambda: ap.interp(there, here, here),
        lambda: ap.histogram(there, weights=here), lambda: ap.fft.fft(there, out=here.astype(complex)),
        lambda: ap.choose(index, [there, there]), lambda: ap.percentile(square, 50, axis=0, out=here),
        lambda: ap.copyto(there, here), lambda: ap.take_along_axis(there, index, 0), lambda: ap.lexsort((here, there)),
        lambda: np.add(there, here), lambda: np.concatenate([there, here]), lambda: np.convolve(there, here),
        lambda: ap.linalg.vecdot(there, here), lambda: ap.place(there, here > 0, there),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=rf"\w+: .*(cpu.*{OTHERS[0]}|{OTHERS[0]}.*cpu).*to_device"):
            call()
    number = ap.asarray(4.0, device="cpu")
    assert (there + number).tolist() == (number + there).tolist() == [5, 5, 5]
    assert (number * there).device == OTHERS[0]
    there[...] = number
    there[1] = ap.asarray(2, device="cpu")
    assert there.tolist() == [4, 2, 4]


@needs_two
def test_two_devices_at_once() -> None:
    plain = np.arange(5000.0)
    a, b = (ap.from_numpy(plain, device=device) for device in OTHERS[:2])
    x, y = (a + a) * a, (b - 1) * b
    np.testing.assert_array_equal(ap.to_numpy(x), 2 * plain * plain)
    np.testing.assert_array_equal(ap.to_numpy(y), (plain - 1) * plain)
    moved = x.to_device(OTHERS[1])
    assert moved.device == OTHERS[1] and float((moved - y).sum()) == float((plain * plain + plain).sum())
    with pytest.raises(ValueError, match="to_device"):
        a + b


@needs_one
def test_layouts_that_operators_do_not_take() -> None:
    """More than 8 axes, steps backwards, in operations that are not elementwise."""
    plain = np.arange(512.0, dtype="float32").reshape((2,) * 9)
    with ap.Device(OTHERS[0]), ap.config.using(fallback="error"):
        a, index = ap.array(plain), ap.array([1, 0, 1])
        for axis in range(9):
            for mine, theirs in ((a, plain), (a.T, plain.T), (a[::-1, ..., ::-1], plain[::-1, ..., ::-1])):
                np.testing.assert_array_equal(ap.to_numpy(ap.take(mine, index, axis)), np.take(theirs, [1, 0, 1], axis))
                np.testing.assert_array_equal(ap.to_numpy(ap.cumsum(mine, axis)), np.cumsum(theirs, axis))
                np.testing.assert_array_equal(ap.to_numpy(ap.argmax(mine, axis)), np.argmax(theirs, axis))
        np.testing.assert_array_equal(ap.to_numpy(a.T @ a + a), plain.T @ plain + plain)
        backwards, expected = a.T[:, :, ::-1], plain.copy().T[:, :, ::-1]
        backwards[:, :, :, index[:2]] = 7
        expected[:, :, :, [1, 0]] = 7
        np.testing.assert_array_equal(ap.to_numpy(backwards), expected)
        line = ap.arange(6)
        line[::-1][ap.array([1, 2])] = 9
        assert line.tolist() == [0, 1, 2, 9, 9, 5]
        assert ap.take(line[2:3][::-1], ap.array([0, 0])).tolist() == [2, 2]


@needs_one
def test_random_numbers_are_those_of_every_device() -> None:
    def draw(device: ap.Device) -> list[Any]:
        with ap.Device(device):
            rng = ap.random.default_rng(5)
            drawn = [rng.random(7), rng.normal(1, [2.0, 3.0], (3, 2)), rng.integers(0, 100, 50), rng.permutation(20),
                     rng.choice(50, 5, replace=False), rng.multinomial(20, [0.2, 0.3, 0.5]), rng.standard_normal()]
        assert all(one.device == device for one in drawn[:-1])
        return [one.tolist() if isinstance(one, ap.ndarray) else one for one in drawn]

    first, *others = map(draw, ap.devices())
    assert all(other == first for other in others)


@needs_one
def test_random_numbers_lie_beside_their_parameters() -> None:
    rng = ap.random.default_rng(5)
    for device in ap.devices():
        mean = ap.asarray([1.0, 2.0], device=device)
        drawn = [rng.normal(mean), rng.uniform(0, mean, (3, 2)), rng.poisson(mean), rng.binomial(5, mean / 4)]
        assert all(one.device == device for one in drawn)
        assert rng.standard_gamma(mean, out=ap.empty(2, device=device)).device == device
    first, second = ap.ones(2, device="cpu"), ap.ones(2, device=OTHERS[0])
    for call in (lambda: rng.normal(first, second), lambda: rng.uniform(second, first + 1),
                 lambda: rng.standard_gamma(first, out=ap.empty(2, device=OTHERS[0]))):
        with pytest.raises(ValueError, match="lie on two devices, ascend:0 and cpu"):
            call()


@needs_one
def test_the_array_interface_holds_no_address_of_a_device() -> None:
    """Who reads an address there reads the host's memory; who goes by the protocol asks for the buffer instead."""
    x = ap.arange(12.0, device=OTHERS[0])[::2].reshape(2, 3)
    told = x.__array_interface__
    assert told["data"] is None and told["strides"] is None
    assert (told["shape"], told["typestr"]) == ((2, 3), "<f8")
    other = type("Other", (), {"__array_interface__": told})()
    with pytest.raises(TypeError, match="bytes-like"):
        np.asarray(other)
    np.testing.assert_array_equal(np.asarray(x), np.arange(12.0)[::2].reshape(2, 3))


@needs_one
def test_addresses() -> None:
    x = ap.arange(100.0, device=OTHERS[0])
    assert x.data.ptr == x._address
    assert x[3:].data.ptr == x.data.ptr + 24 and x.data.device == OTHERS[0] and x.data.nbytes == 800
    assert x.__dlpack_device__() == (12, OTHERS[0].id)
    y = _core.from_dlpack(x.__dlpack__())
    z = _core.from_dlpack(x.__dlpack__(max_version=(1, 0), dl_device=(21, OTHERS[0].id)))
    assert y.device == z.device == OTHERS[0] and y.data.ptr == z.data.ptr == x.data.ptr
    x[2] = -1
    assert y[2] == -1 == z[2]
    assert np.from_dlpack(x.to_device("cpu"))[2] == -1 and ap.from_dlpack(x, device="cpu").tolist() == x.tolist()
    with pytest.raises(BufferError, match="copy"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match="unsupported device"):
        x.__dlpack__(dl_device=(2, 0))
