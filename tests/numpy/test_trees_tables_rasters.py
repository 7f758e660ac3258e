"""LightGBM, XGBoost, PyTables and rasterio over arrays and Numbers of ours, beside the same calls with NumPy's."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

RANDOM = np.random.default_rng(5)
ROWS, LABELS, WEIGHTS = RANDOM.normal(size=(200, 4)), RANDOM.normal(size=200), RANDOM.random(200)
KINDS = pytest.mark.parametrize("xp", [np, ap], ids=["numpy", "asnumpy"])


def data(xp: Any) -> tuple[Any, Any, Any]:
    return xp.asarray(ROWS), xp.asarray(LABELS), xp.asarray(WEIGHTS)


def squares(xp: Any) -> Any:
    """An objective: gradient and Hessian of half the squared error."""
    return lambda given, rows: (xp.asarray(given) - xp.asarray(rows.get_label()), xp.ones(len(given)))


def test_lightgbm() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    plain = {"verbose": -1, "num_threads": 1, "objective": "regression"}

    def predicted(xp: Any, label: Any, rounds: Any = 3, params: Any = (), **given: Any) -> Any:
        rows = xp.asarray(ROWS)
        made = lightgbm.train({**plain, **dict(params)}, lightgbm.Dataset(rows, label, **given), rounds).predict(rows)
        assert type(made) is type(rows)
        return np.asarray(made)

    results: list[list[Any]] = []
    for xp in (np, ap):
        rows, labels, weights = data(xp)
        count, rate = xp.array([3, 7]), xp.array([0.25])
        booster = lightgbm.train(plain, lightgbm.Dataset(rows, labels), 2)
        whole = lightgbm.Dataset(rows, labels, free_raw_data=False).construct()
        results.append([
            predicted(xp, labels, weight=weights), predicted(xp, labels, init_score=weights),
            predicted(xp, labels, count[0], {"learning_rate": rate[0], "num_leaves": count[1]}),
            predicted(xp, labels, params={"objective": squares(xp)}), predicted(xp, labels > 0),
            np.asarray(booster.refit(rows, labels).predict(rows[:5])),
            np.asarray(whole.subset(xp.array([1, 5, 7])).construct().get_label()),
        ])  # fmt: skip
    for ours, theirs in zip(*reversed(results), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_xgboost() -> None:
    xgboost = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    results: list[list[Any]] = []
    for xp in (np, ap):
        rows, labels, weights = data(xp)
        count, rate = xp.array([3, 7]), xp.array([0.25])
        few = {"max_depth": 2, "nthread": 1}
        matrix = xgboost.DMatrix(rows)
        matrix.set_label(labels)
        matrix.set_weight(weights)
        booster = xgboost.train(few, matrix, count[0])
        by_numbers = {"max_depth": count[0], "eta": rate[0], "nthread": 1}
        numbered = xgboost.train(by_numbers, xgboost.DMatrix(rows, labels), 2)
        own = xgboost.train(few, xgboost.DMatrix(rows, labels), 2, obj=squares(xp))
        quantiles = xgboost.train(few, xgboost.QuantileDMatrix(rows, labels, base_margin=weights), 2)
        chosen = xgboost.DMatrix(rows, labels).slice(xp.array([1, 5, 7]))
        model = xgboost.XGBRegressor(n_estimators=count[0], n_jobs=1).fit(rows, labels, sample_weight=weights)
        results.append([
            booster.predict(matrix), booster.inplace_predict(rows), numbered.predict(matrix), own.predict(matrix),
            quantiles.predict(matrix), chosen.get_label(), model.predict(rows),
        ])  # fmt: skip
    for ours, theirs in zip(*reversed(results), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@KINDS
def test_pytables(xp: Any, tmp_path: Path) -> None:
    tables = pytest.importorskip("tables", reason="PyTables is not installed")
    rows, _, weights = data(xp)
    k, same = xp.array([3, 20, 7]), np.testing.assert_array_equal
    with tables.open_file(tmp_path / "file.h5", "w") as file:
        flat, grid = file.create_array("/", "flat", weights), file.create_carray("/", "grid", obj=rows)
        grown = file.create_earray("/", "grown", obj=rows)
        lists = file.create_vlarray("/", "lists", tables.Float64Atom())
        grown.append(rows[:3])
        lists.append(weights[:3])
        lists.append([weights[0], weights[1]])
        flat[weights > 0.5] = 0
        flat[-k] = weights[k]
        grid[k[0]] = rows[0]
        expected, square = WEIGHTS.copy(), ROWS.copy()
        expected[WEIGHTS > 0.5] = 0
        expected[[-3, -20, -7]] = WEIGHTS[[3, 20, 7]]
        square[3] = ROWS[0]
        assert type(flat[:]) is np.ndarray
        same(flat[:], expected)
        same(flat[xp.asarray(expected) > 0.1], expected[expected > 0.1])
        same(flat[k], expected[[3, 20, 7]])
        same(grid[k[0] : k[1], k[0]], square[3:20, 3])
        same(grown[-k[0] :], ROWS[:3])
        same(lists[k[0] - 3], WEIGHTS[:3])
        table = file.create_table("/", "table", {"n": tables.Int64Col(), "x": tables.Float64Col()})
        for at in range(4):
            row = table.row
            row["n"], row["x"] = k[0] * at, weights[at]
            row.append()
        table.flush()
        table.cols.x[:2] = weights[5:7]
        same(table.cols.x[:], WEIGHTS[[5, 6, 2, 3]])
        same(table[k[:1] - 5]["n"], [6])
        same(table.read_coordinates(k[:1] - 2)["n"], [3])
        same(table.read_where("n > least", {"least": k[0]})["n"], [6, 9])


@KINDS
@pytest.mark.filterwarnings("ignore:Dataset has no geotransform")
def test_rasterio(xp: Any, tmp_path: Path) -> None:
    rasterio = pytest.importorskip("rasterio", reason="rasterio is not installed")
    from rasterio import features, fill, transform, warp

    values = np.arange(24, dtype="uint8").reshape(1, 4, 6)
    picture, same = xp.asarray(values), np.testing.assert_array_equal
    kind = {"driver": "GTiff", "height": 4, "width": 6, "count": 1, "dtype": "uint8"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        with rasterio.open(tmp_path / "picture.tif", "w", **kind) as written:
            written.write(picture)
            written.write_mask(picture[0] > 3)
        with rasterio.open(tmp_path / "picture.tif") as read:
            whole, band, masks = xp.zeros((1, 4, 6), "u1"), xp.zeros((4, 6), "u1"), xp.zeros((1, 4, 6), "u1")
            assert type(read.read(out=whole)) is type(whole)
            read.read(1, out=band)
            read.read_masks(out=masks)
            same(np.asarray(whole), values)
            same(np.asarray(band), values[0])
            same(np.asarray(masks), (values > 3) * 255)
            assert [int(one[0]) for one in read.sample(xp.array([[1.0, 1.0], [2.0, 2.0]]))] == [7, 14]
            assert type(read.read()) is np.ndarray
    spot = np.pad(np.ones((3, 3), "u1"), 2)
    sieved, burnt, filled = xp.ones((7, 7), "u1"), xp.zeros((4, 4), "u1"), xp.asarray(spot.astype("f4"))
    features.sieve(xp.asarray(spot), 12, out=sieved)
    features.rasterize([({"type": "Point", "coordinates": (1, 1)}, 7)], out=burnt)
    fill.fillnodata(filled, xp.asarray(spot))
    assert not np.asarray(sieved).any() and np.asarray(burnt).sum() == 7 and np.asarray(filled).min() == 1
    source, target, unit = xp.asarray(values[0].astype("f4")), xp.zeros((4, 6), "f4"), transform.Affine.identity()
    place = {"src_transform": unit, "src_crs": "EPSG:3857", "dst_transform": unit, "dst_crs": "EPSG:3857"}
    warp.reproject(source, target, **place)
    same(np.asarray(target), values[0])
