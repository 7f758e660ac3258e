"""Clusters of points in the plane: k-means, with distances by broadcasting."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--points", type=int, default=10_000)
parser.add_argument("--clusters", type=int, default=8)
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)

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

figure, axes = plt.subplots(figsize=(6, 6))
axes.scatter(points[:3000, 0], points[:3000, 1], c=nearest[:3000], s=4, cmap="tab10")
axes.plot(centres[:, 0], centres[:, 1], "k+", markersize=12)
axes.set(aspect="equal", title=f"{options.clusters} clusters")
figure.savefig(options.output / "kmeans.png", dpi=80)
np.savez(options.output / "kmeans.npz", centres=centres, count=count)
