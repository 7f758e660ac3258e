"""The demonstration's image pipeline, step by step, on eight pictures."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from asnumpy.demo import image
from asnumpy.demo.measure import close, mostly_equal
from asnumpy.demo.photograph import photographs
from measure import Case, main


def cases() -> Iterator[Case]:
    batch = photographs(8, 1024)
    size = "8 x 1024 x 1024"
    yield Case("RGB to HSV, float32", size, 7, image.rgb_to_hsv, lambda: [batch], close(1e-6))
    yield Case("Canny edges", size, 6, lambda xp, rgb: image.canny(xp, image.grey(xp, rgb)), lambda: [batch],
               mostly_equal(0.999))
    yield Case("pipeline: HSV, equalise, RGB, Canny", size, 5, image.enhance, lambda: [batch], mostly_equal(0.999),
               headline=True)


if __name__ == "__main__":
    sys.exit(main(cases))
