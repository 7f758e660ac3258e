"""Dask's dashboard: its table of workers has a column for each of our metrics. It needs bokeh."""

from __future__ import annotations

from typing import Any

import pytest
from distributed import Client, LocalCluster

import asnumpy as ap
from asnumpy.dask._worker import METRICS

pytest.importorskip("bokeh", reason="Dask's dashboard is made with bokeh")


async def beat(dask_worker: Any) -> None:
    await dask_worker.heartbeat()


def tables(element: Any) -> list[list[str]]:
    """The fields of the columns of each table of a page."""
    from bokeh.models import DataTable

    return [[column.field for column in table.columns] for table in element.select({"type": DataTable})]


def test_the_table_of_workers() -> None:
    from distributed.dashboard.components.scheduler import WorkerTable

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, preload=["asnumpy.dask"],
        ) as cluster,
        Client(cluster) as client,
    ):
        held = client.submit(lambda: ap.ones(50_000, "float32") + 1)
        assert float(held.result().sum()) == 100_000
        client.run(beat)
        page = WorkerTable(cluster.scheduler)
        page.update()
        rows = {name: list(page.source.data[name]) for name in METRICS}
    assert any(set(METRICS) <= set(fields) for fields in tables(page.root)), tables(page.root)
    assert rows["asnumpy_device"][-2:] == [str(ap.Device())] * 2  # after the row of totals
    for name in ("asnumpy_in_use", "asnumpy_peak", "asnumpy_fallbacks"):
        assert all(type(one) is int and one >= 0 for one in rows[name][-2:]), rows
    assert min(rows["asnumpy_peak"][-2:]) >= 200_000
