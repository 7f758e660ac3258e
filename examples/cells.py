"""Count the cells of a micrograph: smoothed by slices, split at a threshold, labelled, and measured one by one."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
from PIL import Image

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--picture", type=Path, help="a grey picture (default: one that is drawn here)")
parser.add_argument("--smallest", type=int, default=12, help="pixels of the smallest cell")
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the pictures and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)


def drawn(side=96, cells=14):
    """Bright discs on a background that is not even, with a grain."""
    row, column = np.mgrid[:side, :side]
    picture = 40 + 20 * row / side + 6 * np.sin(row * 12.9898 + column * 78.233)
    for k in range(cells):
        y, x = side * (0.08 + 0.84 * (k * 0.7549 % 1)), side * (0.08 + 0.84 * (k * 0.5698 % 1))
        picture += 110 * np.exp(-(((row - y) ** 2 + (column - x) ** 2) / (3 + k % 4) ** 2) ** 2)
    return np.clip(picture, 0, 255).astype(np.uint8)


def smooth(picture):
    """The weighted mean of nine pixels."""
    padded = np.pad(picture.astype(np.float32), 1, mode="edge")
    kernel = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], dtype=np.float32) / 16
    height, width = picture.shape
    return sum(kernel[i, j] * padded[i : i + height, j : j + width] for i in range(3) for j in range(3))


def otsu(picture):
    """The threshold that separates two kinds of pixels best."""
    histogram, _ = np.histogram(picture, bins=256, range=(0, 256))
    share = histogram / histogram.sum()
    below = np.cumsum(share)
    mean = np.cumsum(share * np.arange(256))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (mean[-1] * below - mean) ** 2 / (below * (1 - below))
    return np.nanargmax(between)


def labelled(mask):
    """Number the connected regions: every pixel takes the smallest number of its neighbours until none changes."""
    label = np.where(mask, np.arange(1, mask.size + 1).reshape(mask.shape), mask.size + 1)
    while True:
        old = label.copy()
        label[1:] = np.minimum(label[1:], label[:-1])
        label[:-1] = np.minimum(label[:-1], label[1:])
        label[:, 1:] = np.minimum(label[:, 1:], label[:, :-1])
        label[:, :-1] = np.minimum(label[:, :-1], label[:, 1:])
        label[~mask] = mask.size + 1
        if np.array_equal(label, old):
            break
    numbers, inverse = np.unique(label[mask], return_inverse=True)
    result = np.zeros(mask.shape, dtype=int)
    result[mask] = inverse + 1
    return result, len(numbers)


picture = np.asarray(Image.open(options.picture).convert("L")) if options.picture else drawn()
grey = smooth(smooth(picture))
threshold = otsu(grey)
label, count = labelled(grey > threshold)
print(f"{picture.shape[1]} x {picture.shape[0]} pixels, {picture.min()} to {picture.max()}, threshold {threshold}")

sizes = np.bincount(label.ravel())[1:]
cells = [number for number, size in enumerate(sizes, start=1) if size >= options.smallest]
print(f"{count} regions, {len(cells)} cells, {np.mean(sizes[sizes >= options.smallest]):.1f} pixels on average")
print("cell  pixels     row  column  brightness  box")
table = []
for number in cells:
    rows, columns = np.nonzero(label == number)
    brightness = picture[label == number].mean()
    table.append([len(rows), rows.mean(), columns.mean(), brightness])
    print(f"{number:4d} {len(rows):7d} {rows.mean():7.1f} {columns.mean():7.1f} {brightness:11.1f}  "
          f"{rows.min()}:{rows.max() + 1}, {columns.min()}:{columns.max() + 1}")
table = np.array(table)
largest = table[table[:, 0].argsort()[::-1][:3]]
print("the three largest:", [int(size) for size in largest[:, 0]])

marked = np.dstack([picture, picture, picture])
edge = (label > 0) & (smooth((label > 0) * 1.0) < 0.99)
marked[edge] = [255, 80, 0]
Image.fromarray(marked).resize((384, 384), Image.Resampling.NEAREST).save(options.output / "cells-marked.png")
figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
axes[0].imshow(picture, cmap="gray")
axes[0].contour(grey, levels=[threshold], colors="orange")
axes[1].imshow(np.where(label > 0, label, np.nan), cmap="tab20")
for number, (size, y, x, _) in zip(cells, table):
    axes[1].text(x, y, str(number), ha="center", va="center")
axes[2].hist(grey.ravel(), bins=50)
axes[2].axvline(threshold, color="red")
figure.savefig(options.output / "cells.png", dpi=80)
np.savez(options.output / "cells.npz", picture=picture, grey=grey, label=label, table=table, marked=marked)
