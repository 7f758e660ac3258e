"""Clusters of points in the plane: k-means, with distances by broadcasting."""

import argparse
import importlib

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--numpy", action="store_true", help="run with NumPy instead of asnumpy")
parser.add_argument("--points", type=int, default=200_000)
parser.add_argument("--clusters", type=int, default=8)
options = parser.parse_args()
np = importlib.import_module("numpy" if options.numpy else "asnumpy")

# Points on a spiral, thicker at regular angles: the same for every run and library.
place = np.arange(options.points) * 0.618034 % 1
angle = 2 * np.pi * (place + 0.08 * np.sin(2 * np.pi * options.clusters * place) / options.clusters * 8)
radius = 1 + 0.3 * np.sin(np.arange(options.points) * 1.7)
points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
centres = points[:: options.points // options.clusters][: options.clusters].copy()

step, change = 0, float("inf")
while change > 1e-4 and step < 100:
    step += 1
    difference = points[:, None, :] - centres[None, :, :]
    nearest = (difference * difference).sum(axis=-1).argmin(axis=1)
    member = nearest[None, :] == np.arange(options.clusters)[:, None]
    count = np.maximum(member.sum(axis=1), 1)
    moved = np.where(member[:, :, None], points[None, :, :], 0).sum(axis=1) / count[:, None]
    change = float(np.abs(moved - centres).max())
    centres = moved

print(f"{step} steps, last move {change:.1e}")
for size, centre in zip(count.tolist(), centres.tolist(), strict=True):
    print(f"{size:8d} points around ({centre[0]:+.4f}, {centre[1]:+.4f})")
