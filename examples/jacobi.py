"""The temperature of a plate whose upper edge is hot: Jacobi's iteration, with views and in-place assignment."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--side", type=int, default=50)
parser.add_argument("--tolerance", type=float, default=1e-3)
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)

plate = np.zeros((options.side, options.side))
plate[0, :] = 100
inner = plate[1:-1, 1:-1]

sweeps, change = 0, float("inf")
while change > options.tolerance and sweeps < 5000:
    for _ in range(50):  # looking at the change forces the computation, so look now and then
        before = inner.copy()
        inner[...] = 0.25 * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:])
    sweeps += 50
    change = float(np.abs(inner - before).max())

print(f"{sweeps} sweeps, last change {change:.2e}, mean temperature {float(plate.mean()):.4f}")

figure, axes = plt.subplots(layout="constrained")
shown = axes.imshow(plate, cmap="inferno")
axes.contour(plate, levels=np.arange(10, 100, 10), colors="white", linewidths=0.5)
figure.colorbar(shown, label="temperature")
figure.savefig(options.output / "jacobi.png", dpi=80)
np.savez(options.output / "jacobi.npz", plate=plate)
