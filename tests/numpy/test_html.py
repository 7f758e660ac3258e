"""What notebooks show of an array: facts always, values only where they are there and few."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from device_marks import each_device
from PIL import Image

import asnumpy as ap


@pytest.fixture(autouse=True)
def deferred() -> None:
    ap.synchronize()


@each_device
def test_facts_and_values(device: str) -> None:
    x = ap.asarray(np.arange(6, dtype=np.float32).reshape(2, 3), device=device)
    ap.synchronize()
    html = x._repr_html_()
    assert html is not None
    for text in ("asnumpy.ndarray", "(2, 3)", "float32", str(x.device), ">24<", "[3. 4. 5.]"):
        assert text in html


def test_what_is_pending_stays_so() -> None:
    with ap.config.using(eager=False, eager_size=0):
        x = ap.ones(10_000, device="cpu") * 3.0 + 1.0
        count = ap.pending_count()
        html = x._repr_html_()
        assert html is not None and count > 0
        assert ap.pending_count() == count
        assert "pending" in html and "80,000" in html and "4." not in html
        assert x[0] == 4.0
        html = x._repr_html_()
        assert html is not None and "pending" not in html and "[4. 4. 4. ... 4. 4. 4.]" in html


def test_a_large_array_of_a_device_is_not_copied() -> None:
    device = ap.devices()[-1]
    if device == "cpu":
        pytest.skip("no device besides the CPU; ASNUMPY_CANN=sim simulates one")
    x = ap.zeros(100_000, device=device) + 7.0
    ap.synchronize()
    before = ap.fallbacks()
    html = x._repr_html_()
    assert html is not None and "on the device" in html and "7." not in html
    assert ap.fallbacks() == before


def test_text_is_escaped_and_numbers_have_none() -> None:
    class Own(ap.ndarray):
        pass

    html = ap.arange(3).view(Own)._repr_html_()
    assert html is not None and "Own" in html
    assert "&lt;U1" not in html
    assert ap.array(3.0)._repr_html_() is None
    assert ap.ones(3).sum()._repr_html_() is None


def pixels_of(html: str | None) -> np.ndarray | None:
    """The picture in a page, decoded by another's reader; None where there is none."""
    found = re.search(r'src="data:image/png;base64,([^"]+)"', html or "")
    if found is None:
        return None
    with Image.open(io.BytesIO(base64.b64decode(found[1]))) as image:
        return np.array(image)


SHAPES = [(20, 30), (16, 16, 3), (40, 17, 4), (300, 200), (129, 500, 3), (256, 100, 4)]


@each_device
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_what_looks_like_an_image_has_a_picture(device: str, shape: tuple[int, ...]) -> None:
    plain = np.random.default_rng(1).integers(0, 256, shape).astype(np.uint8)
    x = ap.asarray(plain, device=device)
    for given, wanted in ((x, plain), (x[::-1], plain[::-1]), (ap.asarray(plain / 255.0, device=device), plain)):
        ap.synchronize()
        shown = pixels_of(given._repr_html_())
        step = -(-max(shape[:2]) // 128)
        assert shown is not None
        np.testing.assert_array_equal(shown, wanted[::step, ::step])
        assert max(shown.shape[:2]) <= 128


def test_what_does_not_look_like_one_has_none() -> None:
    image = np.linspace(0, 1, 600).reshape(20, 30)
    others = [
        image[0], image[:15], image[:, :15], image.reshape(2, 10, 30), image * 2, image - 0.5, image.astype(int),
        np.full((20, 30), 0.5), np.where(image > 0.5, np.nan, image), image.astype(complex), image > 0.5,
        np.zeros((20, 30, 5)), np.zeros((20, 30, 1)), np.zeros((0, 30), np.uint8),
    ]
    for other in others:
        x = ap.asarray(other)
        ap.synchronize()
        assert pixels_of(x._repr_html_()) is None, (other.shape, other.dtype)
    assert pixels_of(ap.asarray(image)._repr_html_()) is not None


@each_device
def test_a_picture_runs_and_copies_nothing_else(device: str) -> None:
    with ap.config.using(eager=False, eager_size=0):
        x = ap.asarray(np.random.default_rng(2).random((2000, 1500), np.float32), device=device)
        y = ap.ones((2000, 1500), dtype="float32", device=device) * 0.5
        ap.eval(x)
        count = ap.pending_count()
        assert count > 0 and y._pending
        assert pixels_of(y._repr_html_()) is None, "it is pending"
        x._repr_html_()
        assert ap.pending_count() == count and y._pending
        ap.synchronize()
        before = ap.fallbacks()
        ap.reset_peak(device)
        held = ap.memory_info(device)["in_use"]
        assert pixels_of(x._repr_html_()) is not None
        assert ap.memory_info(device)["peak"] < held + x.nbytes // 10
        assert ap.fallbacks() == before


def test_the_setting() -> None:
    x = ap.asarray(np.arange(100 * 50, dtype=np.uint8).reshape(100, 50))
    ap.synchronize()
    with ap.config.using(thumbnail=0):
        assert "<img" not in (x._repr_html_() or "")
    with ap.config.using(thumbnail=10):
        shown = pixels_of(x._repr_html_())
        assert shown is not None and shown.shape == (10, 5)


def test_a_picture_of_a_class_of_ones_own() -> None:
    class Own(ap.ndarray):
        def __getitem__(self, key: object) -> object:
            raise AssertionError("the class is asked for nothing")

    x = ap.asarray(np.arange(600, dtype=np.uint8).reshape(20, 30))
    ap.synchronize()
    assert pixels_of(x.view(Own)._repr_html_()) is not None
