"""A small picture of an array that looks like one, as a PNG within HTML."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np

from asnumpy import _core, config

LEAST = 16   # pixels each way: what is smaller is a table
WIDE = 64    # a smaller picture is shown larger


def png(pixels: np.ndarray) -> bytes:
    """A file of uint8 of shape (height, width), or with 3 or 4 values a pixel."""
    height, width = pixels.shape[:2]
    color = {2: 0, 3: 2 if pixels.shape[-1] == 3 else 6}[pixels.ndim]

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    rows = np.zeros((height, 1 + pixels[0].size), np.uint8)  # each begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    content = zlib.compress(rows.tobytes())
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", content) + chunk(b"IEND", b"")


def _looks_like_one(a: Any) -> bool:
    return (
        (a.ndim == 2 or (a.ndim == 3 and a.shape[-1] in (3, 4)))
        and min(a.shape[:2]) >= LEAST
        and (a.dtype == np.uint8 or a.dtype.kind == "f")
    )


def _step(a: Any, most: int) -> int:
    return -(-int(max(a.shape[:2])) // most)


def _picked(a: Any, most: int) -> np.ndarray | None:
    """Pixels at even distances, picked where the array lies; None where that would run what is recorded."""
    step = _step(a, most)
    if a._host_visible:
        return _core.to_numpy_view(a, None)[::step, ::step]
    return None if _core.pending_count() else _core.numpy_copy(a[::step, ::step])


def thumbnail(a: Any) -> str:
    """An <img> of an array that is 2-D, or 3-D with 3 or 4 channels, of uint8 or of floats from 0 to 1; else nothing.

    Pixels are picked, not averaged, so that no more than those are read or copied, however large the array is. Nothing
    that is recorded runs: of an array that is pending there is no picture.
    """
    most = config.thumbnail
    if not most or not _looks_like_one(a) or a._pending:
        return ""
    pixels = _picked(a, most)
    if pixels is None:
        return ""
    if pixels.dtype != np.uint8:
        wide = pixels.astype(np.float64)
        low, high = wide.min(), wide.max()
        if not (low >= 0 and high <= 1 and low < high):  # NaN is none of it
            return ""
        pixels = np.rint(wide * 255).astype(np.uint8)
    height, width = pixels.shape[:2]
    larger = max(1, WIDE // max(height, width))
    text = base64.b64encode(png(pixels)).decode()
    return (f'<img width="{width * larger}" height="{height * larger}" style="image-rendering: pixelated" '
            f'alt="every pixel in {_step(a, most)} each way" src="data:image/png;base64,{text}">')
