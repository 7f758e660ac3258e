"""A batch of pictures from a photograph that matplotlib ships."""

from __future__ import annotations

import numpy as np


def photographs(count: int, side: int) -> np.ndarray:
    """Return `count` variants (shifted, mirrored, darkened) of one photograph: float32, (count, side, side, 3)."""
    from matplotlib import cbook
    from PIL import Image

    with Image.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)) as file:
        square = min(file.size)
        picture = file.convert("RGB").crop((0, 0, square, square)).resize((side, side), Image.Resampling.BICUBIC)
        colours = np.asarray(picture, dtype=np.float32) / 255
    batch = np.empty((count, side, side, 3), dtype=np.float32)
    for i in range(count):
        variant = colours[:, ::-1] if i % 2 else colours
        batch[i] = np.roll(variant, i * side // count, axis=1) * np.float32(0.45 + 0.55 * i / count)
    return batch
