"""Nobody but the clock can tell which stream work ran on: values, and the memory that goes from one to another."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest
from device_marks import OTHERS, each_device, needs_simulator, needs_two
from simulated_calls import names_of

import asnumpy as ap
from asnumpy import cannsim

pytestmark = pytest.mark.usefixtures("streams_left_as_found")


class Program:
    """Arrays here and in NumPy, to which the same random things happen."""

    def __init__(self, seed: int, devices: list[ap.Device]) -> None:
        self.rng = np.random.default_rng(seed)
        self.streams = [ap.Stream(device) for device in devices for _ in range(3)]
        self.streams += [ap.Stream.default(device) for device in devices]
        self.here: dict[str, list[ap.ndarray]] = {str(device): [] for device in devices}
        self.there: dict[str, list[np.ndarray]] = {str(device): [] for device in devices}
        for device in devices:
            for _ in range(6):
                plain = self.rng.integers(0, 9, (6, 8)).astype("int32")
                self.here[str(device)].append(ap.from_numpy(plain, device=device))
                self.there[str(device)].append(plain)

    def draw(self, n: int) -> int:
        return int(self.rng.integers(n))

    def step(self) -> None:
        stream = self.streams[self.draw(len(self.streams))]
        device = str(stream.device)
        here, there = self.here[device], self.there[device]
        i, j, k = self.rng.integers(0, 6, 3)
        with stream:
            match self.draw(13):
                case 0 | 1:
                    here[k], there[k] = here[i] + here[j] * 2, there[i] + there[j] * 2
                case 2:
                    here[k] = ap.where(here[i] > 4, here[j], here[k])
                    there[k] = np.where(there[i] > 4, there[j], there[k])
                case 3:
                    here[k], there[k] = here[k].copy(), there[k].copy()
                    here[k][1:4, ::2] = here[i][2:5, 1::2]
                    there[k][1:4, ::2] = there[i][2:5, 1::2].copy()
                case 4:
                    here[k] %= 97
                    there[k] %= 97
                case 5:
                    here[k], there[k] = here[i][::-1, ::-1] + 1, there[i][::-1, ::-1] + 1
                case 6:
                    here[k], there[k] = here[i] + here[j].sum(0), there[i] + there[j].sum(0)
                case 7:
                    rows = self.rng.integers(0, 6, 6)
                    here[k], there[k] = here[i][rows], there[i][rows]
                case 8:  # an operation that may run on the host
                    a, b = here[i] % 9, here[j] % 9
                    here[k] = (a.astype("float64") @ b.T.astype("float64"))[:, :1].astype("int32") + here[k]
                    c, d = there[i] % 9, there[j] % 9
                    there[k] = (c.astype("float64") @ d.T.astype("float64"))[:, :1].astype("int32") + there[k]
                case 9:
                    np.testing.assert_array_equal(ap.to_numpy(here[k]), there[k])
                case 10:
                    plain = self.rng.integers(0, 9, (6, 8)).astype("int32")
                    here[k], there[k] = ap.from_numpy(plain), plain
                case 11:
                    [ap.flush, stream.synchronize, lambda: ap.current_stream().record().wait(stream)][self.draw(3)]()
                case _:
                    other = list(self.here)[self.draw(len(self.here))]
                    self.here[other][j] = here[i].to_device(other)
                    self.there[other][j] = there[i] if other == device else there[i].copy()

    def check(self) -> None:
        for device, arrays in self.here.items():
            for mine, theirs in zip(arrays, self.there[device], strict=True):
                np.testing.assert_array_equal(ap.to_numpy(mine), theirs)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("seed", range(6))
@each_device
def test_random_programs(device: ap.Device, seed: int) -> None:
    program = Program(seed, [device])
    for _ in range(150):
        program.step()
    program.check()


@needs_two
@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("seed", range(4))
def test_random_programs_on_two_devices(seed: int) -> None:
    program = Program(100 + seed, OTHERS[:2])
    for _ in range(250):
        program.step()
    program.check()


@each_device
def test_threads_with_a_stream_each(device: ap.Device) -> None:
    shared = ap.arange(4000, dtype="int32", device=device)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with ap.Stream(device) as stream:
                total, plain = ap.zeros(4000, "int32"), np.zeros(4000, "int32")
                for step in range(25):
                    total += shared * number
                    plain += np.arange(4000, dtype="int32") * number
                    if step % 7 == 0:
                        stream.record().synchronize()
                    total[step:] -= total[: 4000 - step].copy()
                    plain[step:] -= plain[: 4000 - step].copy()
                np.testing.assert_array_equal(ap.to_numpy(total), plain)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


@pytest.mark.usefixtures("slow")
@each_device
def test_memory_goes_to_another_stream(device: ap.Device) -> None:
    """What one stream lets go, another may get while the first still uses it: it must wait."""
    streams = [ap.Stream(device) for _ in range(2)]
    kept = []
    for round_ in range(40):
        with streams[round_ % 2]:
            large = ap.full(70_000, round_, dtype="float32")
            kept.append((large * 2 + 1)[:5])
            del large
    for round_, values in enumerate(kept):
        assert ap.to_numpy(values).tolist() == [2 * round_ + 1] * 5


@each_device
def test_pool_figures_return(device: ap.Device) -> None:
    def work() -> None:
        streams = [ap.Stream(device) for _ in range(3)]
        for step in range(30):
            with streams[step % 3]:
                x = ap.arange(50_000.0) * step
                y = x[::-1] + x
                assert float(y[0]) == 49_999.0 * step
                streams[(step + 1) % 3].wait_stream(streams[step % 3])
        ap.synchronize()

    work()
    gc.collect()
    before = {name: ap.memory_info(device)[name] for name in ("in_use", "blocks")}
    work()
    gc.collect()
    assert {name: ap.memory_info(device)[name] for name in before} == before


@needs_simulator
def test_more_memory_than_is_remembered() -> None:
    """So many pieces, all still in use, that the streams meet and start anew."""
    streams = [ap.Stream(OTHERS[0]) for _ in range(2)]
    with ap.Device(OTHERS[0]):
        x = ap.arange(5, dtype="int32")
    cannsim.configure(lag=250_000)
    kept: list[ap.ndarray] = []

    def work() -> None:
        for k in range(20_000):
            with streams[k % 2]:
                kept.append(x + k if k < 2 else kept[-1] + 1)
        ap.flush()

    assert names_of(work)["aclrtQueryEventStatus"] >= 2  # it was asked what has ended, and not enough had
    cannsim.configure(lag=0)
    with streams[0]:
        for k in (0, 1, 5000, 12_345, 19_999):
            np.testing.assert_array_equal(ap.to_numpy(kept[k] * 1), np.arange(5) + k)
    for k in range(0, 20_000, 997):
        np.testing.assert_array_equal(ap.to_numpy(kept[k]), np.arange(5) + k)
