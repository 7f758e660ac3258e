"""A scheduler and two workers with a simulated NPU each; prints what came of each piece of work as a JSON object."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait

import asnumpy as ap
from asnumpy.dask import LocalAscendCluster

RNG = np.random.default_rng(3)
TALL = RNG.normal(size=(4096, 8)).astype(np.float32)


def identity(client: Client) -> Any:
    """What each worker sees: its device, how many there are, its threads."""
    return client.run(lambda: [str(ap.Device()), len(ap.devices()), ap.get_num_threads()])


def kind_of(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__name__} on {value.device}"


def moments(client: Client) -> Any:
    """Mean and standard deviation of an array that no worker holds whole."""
    def part(block_info: Any) -> Any:
        number = block_info[None]["chunk-location"][0]
        return ap.arange(4000, dtype="float32").reshape(40, 100) % 97 + number

    chunks = da.map_blocks(
        part,
        chunks=((40,) * 16, (100,)), dtype="float32", meta=ap.empty((0, 0), "float32"),
    )
    mean, deviation = dask.compute(chunks.mean(), chunks.std())
    plain = np.concatenate([np.arange(4000, dtype=np.float32).reshape(40, 100) % 97 + n for n in range(16)])
    return {
        "mean": float(mean), "deviation": float(deviation), "numpys mean": float(plain.mean(dtype=np.float64)),
        "numpys deviation": float(plain.std(dtype=np.float64)),
    }


def out_of_core(client: Client) -> Any:
    """The same of 48 MB, while no worker may hold more than 20 MB of arrays at a time."""
    def part(block_info: Any) -> Any:
        number = block_info[None]["chunk-location"][0]
        return ap.arange(1 << 17, dtype="float32").reshape(256, 512) % 97 + number

    def limited(most: int) -> None:
        ap.config.memory_limit = most

    chunks = da.map_blocks(part, chunks=((256,) * 96, (512,)), dtype="float32", meta=ap.empty((0, 0), "float32"))
    client.run(limited, 20_000_000)
    mean, deviation = dask.compute(chunks.mean(), chunks.std())
    client.run(limited, 0)
    plain = np.arange(1 << 17, dtype=np.float32) % 97 + np.arange(96, dtype=np.float32)[:, None]
    return {
        "mean": float(mean), "deviation": float(deviation), "numpys mean": float(plain.mean(dtype=np.float64)),
        "numpys deviation": float(plain.std(dtype=np.float64)),
    }


def k_means(client: Client) -> Any:
    """Lloyd's steps: each point to its nearest centre, each centre to the mean of its points."""
    corners = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [9, 9, 9]], np.float32)
    points = np.repeat(corners, 500, axis=0) + RNG.normal(size=(2000, 3)).astype(np.float32)

    def steps(points: Any, centres: Any, number: int = 4) -> Any:
        for _ in range(number):
            nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
            members = (nearest[:, None] == np.arange(4)).astype("float32")
            centres, = dask.compute((members.T @ points) / members.sum(axis=0)[:, None])
        return centres

    start = corners + np.float32(2)
    got = steps(da.from_array(points, chunks=(500, 3)).to_backend("asnumpy"), ap.array(start))
    return {"kind": kind_of(got), "error": float(abs(ap.to_numpy(got) - steps(points, start)).max())}


def tall_and_skinny(client: Client) -> Any:
    q, r = da.linalg.tsqr(da.from_array(TALL, chunks=(1024, 8)).to_backend("asnumpy"))
    q, r = dask.compute(q, r)
    return {"kind": kind_of(r), "error": float(abs(ap.to_numpy(q) @ ap.to_numpy(r) - TALL).max())}


def stencil(client: Client) -> Any:
    def smoothed(x: Any) -> Any:
        return x if x.size == 0 else (np.roll(x, 1, 0) + x + np.roll(x, -1, 0)) / 3

    plain = TALL[:512]
    made = da.from_array(plain, chunks=(128, 8)).to_backend("asnumpy").map_overlap(
        smoothed, depth={0: 1}, boundary="periodic", dtype="float32")
    value = made.compute()
    return {"kind": kind_of(value), "error": float(abs(ap.to_numpy(value) - smoothed(plain)).max())}


def draws(client: Client) -> Any:
    with dask.config.set({"array.backend": "asnumpy"}):
        made = da.random.default_rng(5).random((400, 50), dtype="float32", chunks=(100, 50))
    there = made.compute()
    here = made.compute(scheduler="synchronous")
    return {"kind": kind_of(there), "mean": float(there.mean()), "same": bool((there == here).all())}


def spilled(client: Client) -> Any:
    """More than a device may hold (1 MB by the limit below): the rest lies on the host, and comes back."""
    parts = [client.submit(lambda n: ap.full(100_000, n, "float32"), float(n), workers=0) for n in range(6)]
    wait(parts)

    keys = [part.key for part in parts]

    def layers(dask_worker: Any) -> Any:
        device, host = dask_worker.data.device.fast, dask_worker.data.host.fast
        there = sum(one.nbytes for one in dict(device).values())
        return [sum(key in device for key in keys), sum(key in host for key in keys), there]

    held = client.run(layers, workers=[next(iter(client.who_has(parts[0]).values()))[0]])
    sums = client.gather([client.submit(lambda x: float(x.sum()), part) for part in parts])
    return {"layers": next(iter(held.values())), "sums": sums}


def moved(client: Client) -> Any:
    """From one worker to the other: the array lies on the other one's device."""
    one = client.submit(lambda: ap.arange(1000, dtype="float32"), workers=0)
    other = client.submit(lambda x: [str(x.device), float(x.sum())], one, workers=1)
    return other.result()


def failed(client: Client) -> Any:
    """What fails while it runs fails in its task."""
    try:
        client.submit(lambda: ap.ones(3).reshape(7)).result()
    except ValueError as error:
        return type(error).__name__
    return "nothing"


def columns(client: Client) -> Any:
    """What the scheduler knows of each worker by its metrics."""
    client.run(lambda: ap.ones(1000, "float32").sum().item())

    async def beat(dask_worker: Any) -> None:
        await dask_worker.heartbeat()

    client.run(beat)
    workers = client.cluster.scheduler.workers.values()
    return [{name: value for name, value in one.metrics.items() if name.startswith("asnumpy")} for one in workers]


def killed(client: Client) -> Any:
    """A worker that dies in the middle: its work is done again."""
    marker = os.path.join(tempfile.mkdtemp(), "once")

    def part(n: int) -> Any:
        if n == 5:
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os._exit(1)
        return ap.full(1000, n, "float32").sum()

    total = client.submit(lambda parts: float(sum(parts)), client.map(part, range(12), pure=False))
    return {"total": total.result(timeout=100), "died": os.path.exists(marker)}


def served() -> Any:
    """`python -m asnumpy dask-worker` serves a scheduler until that ends."""
    with LocalCluster(n_workers=0, dashboard_address=None) as cluster, Client(cluster) as client:
        command = [sys.executable, "-m", "asnumpy", "dask-worker", cluster.scheduler_address, "--name", "npu"]
        worker = subprocess.Popen([*command, "--device", "ascend:1", "--death-timeout", "60"])
        client.wait_for_workers(1, timeout=60)
        names = [one["name"] for one in client.scheduler_info()["workers"].values()]
        total = client.submit(lambda: float(ap.arange(100, dtype="float32").sum())).result()
    return {"names": names, "total": total, "status": worker.wait(timeout=60)}


def main() -> None:
    told: dict[str, Any] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalAscendCluster(
            memory_limit="1GB", device_memory_limit="1MB", dashboard_address=None, local_directory=folder,
        ) as cluster,
        Client(cluster) as client,
    ):
        works = (
            identity, moments, out_of_core, k_means, tall_and_skinny, stencil, draws, spilled, moved, failed, columns,
            killed,
        )
        for work in works:
            told[work.__name__] = work(client)
    told["served"] = served()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
