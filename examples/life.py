"""The game of life: a glider gun or another pattern, how many cells live, and when the board repeats."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

import asnumpy as np

PATTERNS = {
    "acorn": ".O.....\n...O...\nOO..OOO",
    "glider": ".O.\n..O\nOOO",
    "pulsar": "..OOO...OOO..\n.............\nO....O.O....O\nO....O.O....O\nO....O.O....O\n..OOO...OOO..",
}

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--pattern", choices=PATTERNS, default="acorn")
parser.add_argument("--side", type=int, default=48)
parser.add_argument("--generations", type=int, default=160)
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)


def neighbours(board):
    """How many of the eight cells around each one live; the board is a torus."""
    return sum(np.roll(board, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)


def extent(board):
    """Rows and columns between the outermost living cells."""
    rows, columns = np.nonzero(board)
    return (rows.max() - rows.min() + 1, columns.max() - columns.min() + 1) if len(rows) else (0, 0)


pattern = np.array([[cell == "O" for cell in line] for line in PATTERNS[options.pattern].splitlines()])
if options.pattern == "pulsar":
    pattern = np.vstack([pattern, np.zeros((1, 13), dtype=bool), pattern[::-1]])
board = np.zeros((options.side, options.side), dtype=np.uint8)
top, left = (options.side - np.array(pattern.shape)) // 2
board[top : top + pattern.shape[0], left : left + pattern.shape[1]] = pattern

population, seen, pictures = [], {}, {}
for generation in range(options.generations + 1):
    population.append(board.sum())
    if generation % (options.generations // 3) == 0:
        pictures[generation] = board.copy()
    key = board.tobytes()
    if key in seen:
        print(f"generation {generation} repeats generation {seen[key]}")
        break
    seen[key] = generation
    around = neighbours(board)
    board = ((around == 3) | (board & (around == 2))).astype(np.uint8)

population = np.array(population)
print(f"{options.pattern}: {population[0]} cells, at most {population.max()} in generation {population.argmax()}, "
      f"now {population[-1]} in {' x '.join(str(side) for side in extent(board))}")
change = np.diff(population.astype(int))
print(f"growth a generation: {change.mean():.3f} +- {change.std():.3f}, shrank {np.count_nonzero(change < 0)} times")
values, counts = np.unique(neighbours(board)[board == 1], return_counts=True)
print("neighbours of living cells:", dict(zip(values.tolist(), counts.tolist())))
busiest = board.reshape(4, options.side // 4, 4, -1).sum(axis=(1, 3))
print("cells in each sixteenth of the board:")
print(busiest)
for row in board[options.side // 2 - 4 : options.side // 2 + 4]:
    print("".join("O" if cell else "." for cell in row))

figure, axes = plt.subplots(1, len(pictures) + 1, figsize=(3 * len(pictures) + 3, 3))
for axis, (generation, picture) in zip(axes, pictures.items()):
    axis.imshow(picture, cmap="binary", interpolation="nearest")
    axis.set(title=f"generation {generation}", xticks=[], yticks=[])
axes[-1].plot(population)
axes[-1].set(title="living cells")
figure.tight_layout()
figure.savefig(options.output / "life.png", dpi=80)
np.savez(options.output / "life.npz", board=board, population=population)
