"""zarr and h5py: arrays of Dask's with chunks of ours go out and come in chunk by chunk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask
import dask.array as da
import h5py
import numpy as np
import pytest
import zarr

import asnumpy as ap

VALUES = np.random.default_rng(5).normal(size=(12, 10))


@pytest.fixture(autouse=True)
def one_thread_after_the_other() -> Any:
    with dask.config.set(scheduler="synchronous"):
        yield


class Watched:
    """A store that remembers how large the pieces are that it is asked for and given."""

    def __init__(self, store: Any) -> None:
        self.store, self.pieces = store, []
        self.shape, self.dtype, self.ndim = store.shape, store.dtype, store.ndim

    def __getitem__(self, key: Any) -> Any:
        piece = self.store[key]
        self.pieces.append(piece.shape)
        return piece

    def __setitem__(self, key: Any, piece: Any) -> None:
        self.pieces.append(piece.shape)
        self.store[key] = piece


def ours() -> Any:
    return da.from_array(ap.array(VALUES), chunks=(4, 5))


def check(array: Any) -> None:
    """Chunks of ours, with the values that went out."""
    assert isinstance(array._meta, ap.ndarray) and array.chunks == ((4, 4, 4), (5, 5))
    got = array.compute()
    assert isinstance(got, ap.ndarray)
    np.testing.assert_array_equal(ap.to_numpy(got), VALUES)


def test_zarr(tmp_path: Path) -> None:
    da.to_zarr(ours(), tmp_path / "x.zarr")
    assert zarr.open_array(tmp_path / "x.zarr", mode="r").chunks == (4, 5)
    check(da.from_zarr(str(tmp_path / "x.zarr")).to_backend("asnumpy"))


def test_h5py(tmp_path: Path) -> None:
    da.to_hdf5(str(tmp_path / "x.h5"), "/x", ours())
    with h5py.File(tmp_path / "x.h5") as file:
        check(da.from_array(file["x"], chunks=(4, 5)).to_backend("asnumpy"))


@pytest.mark.parametrize("kind", ["zarr", "h5py"])
def test_a_chunk_at_a_time(tmp_path: Path, kind: str) -> None:
    if kind == "zarr":
        store = zarr.create_array(tmp_path / "y.zarr", shape=VALUES.shape, chunks=(4, 5), dtype="f8")
    else:
        store = h5py.File(tmp_path / "y.h5", "w").create_dataset("y", VALUES.shape, "f8", chunks=(4, 5))
    watched = Watched(store)
    da.store(ours(), watched)
    assert watched.pieces == [(4, 5)] * 6
    watched.pieces.clear()
    read = da.from_array(watched, chunks=(4, 5), asarray=False, meta=np.empty((0, 0))).to_backend("asnumpy")
    total = (read * 2).sum().compute()
    assert isinstance(total, ap.ndarray) and float(total) == pytest.approx(2 * VALUES.sum())
    assert watched.pieces == [(4, 5)] * 6
