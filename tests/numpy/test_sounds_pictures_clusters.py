"""soundfile, sparse, tifffile and hdbscan over arrays and Numbers of ours, beside the same calls with NumPy's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

KINDS = pytest.mark.parametrize("xp", [np, ap], ids=["numpy", "asnumpy"])
SAMPLES = np.sin(np.arange(60) / 7) / 2


@KINDS
def test_soundfile(xp: Any, tmp_path: Path) -> None:
    soundfile = pytest.importorskip("soundfile", reason="soundfile is not installed")
    name, k = tmp_path / "sound.wav", xp.array([3, 5])
    soundfile.write(name, xp.asarray(SAMPLES), 8000, subtype="DOUBLE")
    whole, few = xp.zeros(60), xp.zeros(8)
    assert type(soundfile.read(name, out=whole)[0]) is type(whole)
    np.testing.assert_array_equal(np.asarray(whole), SAMPLES)
    np.testing.assert_array_equal(soundfile.read(name, start=k[0], frames=k[1])[0], SAMPLES[3:8])
    with soundfile.SoundFile(name, "r+") as file:
        file.seek(k[0])
        file.write(xp.asarray(SAMPLES)[:2] * 0.5)
        file.seek(0)
        file.read(out=few)
        assert type(file.read()) is np.ndarray
    changed = SAMPLES[:8].copy()
    changed[3:5] = SAMPLES[:2] * 0.5
    np.testing.assert_array_equal(np.asarray(few), changed)


@KINDS
def test_sparse(xp: Any) -> None:
    sparse = pytest.importorskip("sparse", reason="sparse is not installed")
    dense = np.array([[0, 1.5, 0], [0, 0, -2], [0, 0, 0]])
    a, b = sparse.COO(xp.array([[0, 1], [1, 2]]), xp.array([1.5, -2.0]), shape=(3, 3)), np.arange(9.0).reshape(3, 3)
    ours, two = xp.asarray(b), xp.array([2.0])[0]
    for product in (a @ ours, sparse.dot(a, ours), sparse.matmul(a, ours), sparse.tensordot(a, ours, axes=1)):
        assert type(product) is type(ours)
        np.testing.assert_array_equal(np.asarray(product), dense @ b)
    np.testing.assert_array_equal(np.asarray(ours @ a), b @ dense)
    for scaled, expected in [(a * ours, dense * b), (ours * a, b * dense), (a * two, dense * 2), (a / two, dense / 2)]:
        assert type(scaled) is sparse.COO
        np.testing.assert_array_equal(scaled.todense(), expected)
    assert type(a + a) is sparse.COO and type(a @ np.eye(3)) is np.ndarray


@KINDS
def test_tifffile(xp: Any, tmp_path: Path) -> None:
    tifffile = pytest.importorskip("tifffile", reason="tifffile is not installed")
    name, values = tmp_path / "picture.tif", np.arange(48, dtype="u1").reshape(2, 4, 6)
    tifffile.imwrite(name, xp.asarray(values), photometric="minisblack")
    whole, page = xp.zeros((2, 4, 6), "u1"), xp.zeros((4, 6), "u1")
    assert type(tifffile.imread(name, out=whole)) is type(whole)
    with tifffile.TiffFile(name) as file:
        file.pages[1].asarray(out=page)
        assert type(file.asarray()) is np.ndarray
    np.testing.assert_array_equal(np.asarray(whole), values)
    np.testing.assert_array_equal(np.asarray(page), values[1])
    assert type(tifffile.imread(name)) is np.ndarray
    x, k = xp.arange(5.0) / 2, xp.array([1, 1])
    tags = [(65001, "d", 1, x[3], True), (65002, "I", 1, k[0], True), (65003, "d", 5, x, True)]
    with tifffile.TiffWriter(name) as file:
        file.write(xp.asarray(values), photometric="minisblack", resolution=(x[1], x[2]), extratags=tags)
    with tifffile.TiffFile(name) as file:
        last, first = file.pages[k[0]], file.pages[0]
        assert first.resolution == (0.5, 1.0) and first.tags[65001].value == 1.5 and first.tags[65002].value == 1
        assert first.tags[65003].value == (0, 0.5, 1, 1.5, 2)
        np.testing.assert_array_equal(last.asarray(), values[1])
        np.testing.assert_array_equal(file.series[0][k[0]].asarray(), values[1])
    np.testing.assert_array_equal(tifffile.imread(name, key=k[0]), values[1])


@KINDS
def test_hdbscan(xp: Any) -> None:
    hdbscan = pytest.importorskip("hdbscan", reason="hdbscan is not installed")
    points = np.concatenate([np.random.default_rng(1).normal(size=(30, 2)) / 10 + centre for centre in (0, 3)])
    sizes = xp.array([5, 4])
    made = hdbscan.HDBSCAN(min_cluster_size=sizes[0], min_samples=sizes[1], core_dist_n_jobs=1).fit(xp.asarray(points))
    assert set(made.labels_[:30]) - {-1} != set(made.labels_[30:]) - {-1} and made.labels_.max() == 1
