"""`python -m asnumpy dask-worker`: the workers of this machine's devices, for a scheduler that runs already."""

from __future__ import annotations

import argparse
import asyncio
import sys

from distributed import Nanny

from asnumpy.dask._cluster import device_numbers, worker_options


async def _serve(options: argparse.Namespace, numbers: list[int]) -> None:
    nannies = [
        Nanny(
            options.scheduler, nthreads=options.nthreads, local_directory=options.local_directory,
            name=f"{options.name}-{number}" if options.name else None, death_timeout=options.death_timeout,
            **worker_options(number, len(numbers), options.memory_limit, options.device_memory_limit),
        )
        for number in numbers
    ]  # fmt: skip
    try:
        await asyncio.gather(*nannies)
        await asyncio.gather(*(nanny.finished() for nanny in nannies))
    finally:
        await asyncio.gather(*(nanny.close() for nanny in nannies))


def run(options: argparse.Namespace) -> int:
    """Serves until the scheduler ends; the exit status."""
    try:
        numbers = device_numbers(options.device)
        asyncio.run(_serve(options, numbers))
    except (ValueError, OSError, TimeoutError) as error:
        print(f"asnumpy dask-worker: {error}", file=sys.stderr)
        return 1
    return 0
