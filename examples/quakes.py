"""Earthquakes in groups: DBSCAN on records of a catalogue, with a report of each group."""

import argparse
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--catalogue", type=Path, default=Path(__file__).parent / "data" / "quakes.csv")
parser.add_argument("--distance", type=float, default=4.0, help="kilometres between neighbours")
parser.add_argument("--neighbours", type=int, default=6, help="that make an event the core of a group")
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)

quakes = np.genfromtxt(options.catalogue, delimiter=",", names=True, dtype=None, encoding="utf-8")
print(f"{len(quakes)} events, magnitudes {quakes['magnitude'].min()} to {quakes['magnitude'].max()}")

# Kilometres on a plane that touches the middle of the region.
middle = np.radians(quakes["latitude"].mean())
x = 6371 * np.radians(quakes["longitude"] - quakes["longitude"].mean()) * np.cos(middle)
y = 6371 * np.radians(quakes["latitude"]) - 6371 * middle
places = np.column_stack([x, y])

apart = np.sqrt(((places[:, None, :] - places[None, :, :]) ** 2).sum(axis=-1))
near = apart < options.distance
core = near.sum(axis=1) > options.neighbours

group = np.full(len(places), -1)
found = 0
for event in range(len(places)):
    if not core[event] or group[event] != -1:
        continue
    waiting = [event]
    while waiting:
        current = waiting.pop()
        if group[current] != -1:
            continue
        group[current] = found
        if core[current]:
            waiting.extend(np.flatnonzero(near[current] & (group == -1)))
    found += 1

labels, sizes = np.unique(group, return_counts=True)
for label, size in sorted(zip(labels, sizes), key=lambda pair: -pair[1]):
    members = quakes[group == label]
    largest = members[members["magnitude"].argmax()]
    regions = Counter(members["region"])
    name = "alone  " if label == -1 else f"group {label}"
    print(f"{name}: {size:3d} events, {np.median(members['depth']):.1f} km deep, largest {largest['event']} "
          f"({largest['magnitude']:.1f}), {regions.most_common(1)[0][0]}")

figure, axes = plt.subplots(figsize=(7, 6))
for label in labels:
    chosen = group == label
    axes.scatter(x[chosen], y[chosen], s=6 * quakes["magnitude"][chosen] ** 2,
                 c="lightgrey" if label < 0 else f"C{label}", label="alone" if label < 0 else f"group {label}")
axes.set(title=f"{found} groups of earthquakes", xlabel="km east", ylabel="km north", aspect="equal")
axes.legend()
figure.savefig(options.output / "quakes.png", dpi=80)
np.savez(options.output / "quakes.npz", x=x, y=y, group=group)
