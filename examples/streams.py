"""Pictures come one by one: while the device works on one, the next is on its way up and the last on its way down.

Three streams, pinned memory and events; with --numpy the same in NumPy. On an NPU (or ASNUMPY_CANN=sim) copies and
work run side by side, on the CPU one after the other, with the same results.
"""

import argparse
import sys

import numpy as np

import asnumpy as ap

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--pictures", type=int, default=8)
parser.add_argument("--size", type=int, default=256)
parser.add_argument("--numpy", action="store_true", help="compute with NumPy")
options = parser.parse_args()

random = np.random.default_rng(1)
pictures = [random.random((options.size, options.size), "float32") for _ in range(options.pictures)]


def sharpened(x):
    """The picture, and half of what differs from the neighbours' mean once more."""
    inner = x[1:-1, 1:-1]
    around = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * 0.25
    return inner + (inner - around) * 0.5


if options.numpy:
    results = [sharpened(picture) for picture in pictures]
else:
    up, work, down = ap.Stream(), ap.Stream(), ap.Stream()
    sources = [ap.empty_pinned(pictures[0].shape, "float32") for _ in range(2)]  # one is filled while one is read
    read = [up.record() for _ in sources]
    results = []
    start = ap.Event().record(work)
    for number, picture in enumerate(pictures):
        source = sources[number % 2]
        read[number % 2].synchronize()              # the bytes that were there before have gone up
        source[...] = picture
        with up:
            x = ap.from_numpy(source, blocking=False)
            read[number % 2].record()
        with work:
            y = sharpened(x)                         # waits for the copy by itself
        with down:
            results.append(ap.to_numpy(y, blocking=False))
    end = work.record()
    down.synchronize()
    print(f"{ap.Device()}: {start.elapsed_time(end):.1f} ms from the first to the last", file=sys.stderr)
for number, result in enumerate(results):
    print(f"picture {number}: mean {result.mean():.4f}, spread {result.std():.4f}")
