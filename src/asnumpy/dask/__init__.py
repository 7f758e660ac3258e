"""asnumpy arrays as chunks of dask.array, and workers with a device each.

Importing it tells Dask what it needs to know. That happens by itself when both asnumpy and dask.array are imported, in
either order.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from asnumpy.dask import _registration
from asnumpy.dask._backend import Backend

if _TYPE_CHECKING:
    from asnumpy.dask._cluster import LocalAscendCluster
    from asnumpy.dask._worker import dask_setup

__all__ = ["Backend", "LocalAscendCluster", "dask_setup"]

_registration.register()


def __getattr__(name: str) -> object:
    if name == "LocalAscendCluster":  # what needs distributed comes with its first use
        from asnumpy.dask._cluster import LocalAscendCluster

        return LocalAscendCluster
    if name == "dask_setup":  # `--preload asnumpy.dask`
        from asnumpy.dask._worker import dask_setup

        return dask_setup
    raise AttributeError(f"module 'asnumpy.dask' has no attribute {name!r}")
