"""What is added to a worker of distributed's: tasks that end evaluated, figures for the dashboard."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from dask._task_spec import GraphNode

import asnumpy as ap
from asnumpy.dask._tasks import Evaluated


def _evaluating(submit: Callable[..., Any]) -> Callable[..., Any]:
    """An executor's `submit`, for which tasks are evaluated in the thread that runs them."""

    def submit_evaluated(function: Any, /, *args: Any, **kwargs: Any) -> Any:
        return submit(function, *(Evaluated(one) if isinstance(one, GraphNode) else one for one in args), **kwargs)

    return submit_evaluated


def _fallbacks(worker: Any) -> int:
    return sum(int(one["count"]) for one in ap.fallbacks())


# Columns of the dashboard's table of workers.
METRICS: dict[str, Callable[[Any], Any]] = {
    "asnumpy_device": lambda worker: str(ap.Device()),
    "asnumpy_in_use": lambda worker: ap.memory_info()["in_use"],
    "asnumpy_peak": lambda worker: ap.memory_info()["peak"],
    "asnumpy_fallbacks": _fallbacks,
}


def dask_setup(worker: Any) -> None:
    """Prepares a worker: `dask worker --preload asnumpy.dask`, or the preload of a cluster.

    Parameters: worker, a distributed.Worker. What a task records runs at its end in the task's own thread; the worker's
    metrics tell its device, the bytes in use there, the most that were, and how often work went to the host.
    """
    if os.environ.get("ASNUMPY_NUM_THREADS"):  # which a nanny sets after the program's own imports
        ap.set_num_threads(int(os.environ["ASNUMPY_NUM_THREADS"]))
    executor = worker.executors["default"]
    executor.submit = _evaluating(executor.submit)
    worker.metrics.update(METRICS)
