"""layer_scale beside NumPy, with the share of this machine's memory bandwidth that it reaches.

    python bench/bench_layer_scale.py [--output bench.png]

Both run in turns in one process, results are compared first, times are medians. The roofline is the time that reading x
and writing y take at the bandwidth of a plain copy, measured here.
"""

import argparse
from pathlib import Path

import asnumpy as ap
import numpy as np
from asnumpy.demo.measure import interleave, settle

from layer_scale import layer_scale

ROWS = (16, 128, 1024, 8192)
COLUMNS = 1024


def plain(x, gamma):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(1e-5)) * gamma


def measured(rows):
    """Bytes of x, and the seconds of NumPy, of asnumpy, and of a copy."""
    rng = np.random.default_rng(0)
    x, gamma = (rng.normal(size=shape).astype(np.float32) for shape in ((rows, COLUMNS), COLUMNS))
    ours, scale, to = ap.array(x), ap.array(gamma), np.empty_like(x)
    np.testing.assert_allclose(ap.to_numpy(layer_scale(ours, scale)), plain(x, gamma), rtol=1e-4, atol=1e-4)
    runs = [lambda: plain(x, gamma), lambda: settle(layer_scale(ours, scale)), lambda: np.copyto(to, x)]
    return (x.nbytes, *(timing.median for timing in interleave(runs, 15, 0.005)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("bench.png"), help="the plot (default: %(default)s)")
    options = parser.parse_args()
    print(ap.operators.explain(layer_scale, ap.ones((9, COLUMNS), dtype="float32"), ap.ones(COLUMNS, dtype="float32")))
    print(f"{'bytes':>12} {'NumPy ms':>10} {'asnumpy ms':>10} {'ratio':>7} {'of a copy speed':>16}")
    lines = []
    for rows in ROWS:
        size, theirs, own, copy = measured(rows)
        lines.append((size, theirs, own, copy))
        print(f"{size:12,} {theirs * 1e3:10.3f} {own * 1e3:10.3f} {theirs / own:7.2f} {copy / own:16.0%}", flush=True)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no plot: matplotlib is missing; pip install matplotlib")
        return
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    sizes = [line[0] for line in lines]
    for place, label in ((1, "NumPy"), (2, "asnumpy"), (3, "roofline: a copy of x")):
        axes.loglog(sizes, [line[place] * 1e3 for line in lines], "k--" if place == 3 else "o-", label=label)
    axes.set(xlabel="bytes of x", ylabel="ms", title=f"layer_scale, float32, {ap.Device()}")
    axes.legend()
    figure.savefig(options.output)
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
