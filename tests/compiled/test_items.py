"""Code that takes the elements of a short innermost axis together: coordinates of points, colours of pixels."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from both_ways import WITH_CODE, in_both

import asnumpy as ap
from asnumpy.compiled import _cpp, _service
from asnumpy.compiled._program import Items, Program, Reduction, Step

pytestmark = WITH_CODE


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[Items]:
    """How the code that is made from now on takes items."""
    made: list[Items] = []
    source = _service.source

    def seen(coded: Any) -> str:
        if isinstance(coded, Program) and coded.items:
            made.append(coded.items)
        return source(coded)

    monkeypatch.setattr(_service, "source", seen)
    return made


def given(dtype: str, *shape: int) -> Any:
    values = np.random.default_rng(len(shape)).normal(size=shape) * 5
    return ap.asarray(values.astype(dtype))


def each(*made: Any) -> list[Any]:
    """Values of programs of their own: one is computed before the next one is recorded."""
    results = []
    for make in made:
        results.append(make())
        ap.synchronize()
    return results


def test_an_item_is_read_once_and_joined_in_registers() -> None:
    steps = Step("multiply", 0, (0, 1), (2,), ("float64",)), Step("add", 0, (2, 2), (3,), ("float64",))
    sum_of_items = Program(
        ("float64", "float64"), steps, (2,), (Reduction("add", 0, 3),), (), Items(3, True, ("whole", "one"), 0)
    )
    text = _cpp.source({"f": sum_of_items})
    assert "ops::load(from0, i * 3 + 2)" in text and "x1_2 = ops::load(from1, i)" in text
    assert "ops::store(reduced, i, fold_f::op(double(0), fold_f::op(fold_f::op(v3_0, v3_1), v3_2)));" in text
    assert _cpp.symbols("f", sum_of_items) == ["f"]


@pytest.mark.parametrize("dtype, length", [("i1", 3), ("u2", 2), ("i4", 4), ("f4", 2), ("f4", 4), ("f8", 2), ("f8", 3)])
def test_points_with_weights(dtype: str, length: int, taken: list[Items]) -> None:
    points, weights, centre = given(dtype, 3000, length), given(dtype, 3000), given(dtype, length)

    def own(x: Any) -> Any:
        """Makes it a program of this length alone: code is made for what all launches of a program have in common."""
        for _ in range(length):
            x = x + weights[:, None]
        return x

    def run() -> list[Any]:
        return each(
            lambda: own(points - centre),
            lambda: own(points * points).sum(axis=1, dtype=dtype),
            lambda: (own(points) + centre).max(axis=1),
            lambda: own(points).sum(axis=0, dtype=dtype),
        )

    in_both(run)
    assert {one.length for one in taken} == {length}
    assert any(one.joined for one in taken) and any("one" in one.parts for one in taken)
    assert any("same" in one.parts for one in taken)


@pytest.mark.parametrize("layout", ["rows", "every second", "backwards", "turned", "part", "misaligned"])
def test_layouts_of_pictures(layout: str) -> None:
    picture = given("f4", 64, 90, 3)
    if layout == "every second":
        picture = given("f4", 64, 180, 3)[:, ::2]
    elif layout == "backwards":
        picture = picture[::-1, ::-1]
    elif layout == "turned":
        picture = picture.transpose(1, 0, 2)
    elif layout == "part":
        picture = given("f4", 64, 90, 4)[..., 1:]
    elif layout == "misaligned":
        blob = np.zeros(64 * 90 * 3 * 4 + 1, "u1")
        blob[1:].view("f4")[:] = np.asarray(picture).ravel()
        picture = ap.asarray(blob)[1:].view("f4").reshape(64, 90, 3)
    mask, gains = given("f4", *picture.shape[:2]), given("f4", 3)

    def run() -> list[Any]:
        return each(
            lambda: picture * gains + mask[..., None],
            lambda: (picture * gains + mask[..., None]).sum(axis=-1),
            lambda: ((picture - gains) * mask[..., None]).sum(axis=(0, 1)),
            lambda: (picture * mask[..., None] + gains).sum(axis=1),
            lambda: (picture * mask[..., None] + gains).sum(axis=0),
        )

    in_both(run)


def test_in_place_and_in_turns() -> None:
    def run() -> list[Any]:
        points, weights = given("f8", 500, 3).copy(), given("f8", 500)
        for _ in range(4):
            points *= weights[:, None]
            points += points.sum(axis=1)[:, None] * 0.25 - weights[:, None]
        return [points, (points * points).sum(axis=1)]

    in_both(run)


@pytest.mark.parametrize("n", [3, 16, 17, 85, 86, 200, 331])
def test_all_pairs(n: int) -> None:
    def run() -> list[Any]:
        position, weight = given("f8", n, 3), given("f8", n)
        for _ in range(3):
            apart = position[None, :, :] - position[:, None, :]
            square = (apart * apart).sum(axis=2) + 0.01
            force = (weight / (square * ap.sqrt(square)))[:, :, None] * apart
            position = position + 0.01 * force.sum(axis=1)
        return [position, square]

    in_both(run)


def test_a_program_over_items_meets_other_arrays() -> None:
    def blend(x: Any, y: Any, z: Any) -> Any:
        return (x * y + z) * y - x

    picture, mask, flat = given("f4", 100, 90, 3), given("f4", 100, 90, 1), given("f4", 30000)

    def run() -> list[Any]:
        operands = [(picture, mask, picture), (flat, flat, flat), (picture, picture, mask), (mask, mask, mask)]
        operands += [(picture[:10], mask[:10], picture[:10]), (flat[:7], flat[:7], flat[1:8])]
        return each(*(partial(blend, *one) for one in operands))

    in_both(run)
