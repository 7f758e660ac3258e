"""Mean and standard deviation of 4 GB that are made in chunks and held by nobody: Dask's workers with chunks of NumPy's
and of asnumpy's, each in processes of its own, with the memory that each took at most.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import asnumpy as ap
from measure import aligned

COLUMNS = ("chunks", "seconds", "GB/s", "most memory of a worker", "before the work", "mean", "deviation")
SIDE = 1000  # of a row
LIBRARIES = {"numpy": np, "asnumpy": ap}


def chunk(block_info: Any, library: str, rows: int) -> Any:
    """Some elementwise work; each chunk has values of its own."""
    xp: Any = LIBRARIES[library]
    number = block_info[None]["chunk-location"][0]
    x = xp.arange(rows * SIDE, dtype="float32").reshape(rows, SIDE)
    return xp.sqrt(x + number) + xp.cos(x * np.float32(1e-5))


def most_memory() -> int:
    """MB that this process held at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def measured(library: str, given: argparse.Namespace) -> tuple[str, ...]:
    rows = int(given.chunk * 1e6 / 4 / SIDE)
    number = int(given.gigabytes * 1e9 / (rows * SIDE * 4))
    meta = LIBRARIES[library].empty((0, 0), "float32")
    x = da.map_blocks(
        chunk, library=library, rows=rows, chunks=((rows,) * number, (SIDE,)), dtype="float32", meta=meta)
    with (
        LocalCluster(
            n_workers=given.workers, threads_per_worker=1, memory_limit=given.memory_limit, dashboard_address=None,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        client.run(lambda: ap.ones(3).sum().item())  # imports
        before = max(client.run(most_memory).values())
        start = time.perf_counter()
        mean, deviation = dask.compute(x.mean(), x.std())
        seconds = time.perf_counter() - start
        most = max(client.run(most_memory).values())
    gigabytes = x.nbytes / 1e9
    return (
        library, f"{seconds:.1f}", f"{gigabytes / seconds:.2f}", f"{most} MB", f"{before} MB", f"{float(mean):.5g}",
        f"{float(deviation):.5g}",
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--chunk", type=float, default=32, help="MB")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory-limit", default="1GB", help="of a worker")
    given = parser.parse_args()
    lines = [measured(library, given) for library in LIBRARIES]
    np.testing.assert_allclose([float(x) for x in lines[1][-2:]], [float(x) for x in lines[0][-2:]], rtol=1e-3)
    print(aligned([COLUMNS, *lines]))


if __name__ == "__main__":
    main()
