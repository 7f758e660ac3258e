"""A thousand random walks, and a report of where they end: moments, percentiles, histogram, returns to the start."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--walks", type=int, default=1000)
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)


def mixed(count, seed):
    """Random 64-bit words by their numbers (the mixing function of SplitMix64): the same wherever they are made."""
    word = (np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


highest = mixed(options.walks * options.steps, 2024) >> np.uint64(63)
steps = np.where(highest, 1, -1).reshape(options.walks, options.steps)
place = np.cumsum(steps, axis=1)
end = place[:, -1]

report = {
    "mean": round(end.mean(), 2),
    "deviation": round(end.std(ddof=1), 2),
    "expected deviation": round(np.sqrt(options.steps), 2),
    "median": np.median(end),
    "smallest": end.min(),
    "largest": end.max(),
    "skewness": round(((end - end.mean()) ** 3).mean() / end.std() ** 3, 3),
}
for name, value in report.items():
    print(f"{name:>20}: {value:8}")
print("percentiles:", *(f"{p}: {q:g}" for p, q in zip((5, 25, 50, 75, 95), np.percentile(end, [5, 25, 50, 75, 95]))))

counts, edges = np.histogram(end, bins=np.arange(-50, 60, 10))
for count, low, high in zip(counts, edges[:-1], edges[1:]):
    print(f"{low:4d} to {high:4d} {'#' * (count // 8)} {count}")

returned = (place == 0).any(axis=1)
first = np.argmax(place == 0, axis=1)[returned] + 1
print(f"{returned.mean():.1%} came back, half of them by step {np.median(first):.0f}, {first.mean():.1f} on average")
times = {}
for step in first:
    times[step] = times.get(step, 0) + 1
print("returns after", ", ".join(f"{step}: {times[step]}" for step in sorted(times)[:6]), "steps")
far = np.abs(place).max(axis=1)
champion = far.argmax()
print(f"walk {champion} went farthest: {far[champion]} steps away at step {np.abs(place[champion]).argmax() + 1}")
print("inside 10 at the end:", sum(1 for x in end if -10 <= x <= 10), "and", int(np.sum(np.abs(end) <= 10)))
spread = place.std(axis=0)
power = np.polyfit(np.log(np.arange(1, options.steps + 1)), np.log(spread), 1)[0]
print(f"the spread grows as time to the power of {power:.2f}")

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
left.plot(place[:25].T, linewidth=0.5)
left.fill_between(range(options.steps), -2 * spread, 2 * spread, alpha=0.2)
left.set(title="Twenty-five walks", xlabel="step")
middle.hist(end, bins=edges, density=True, edgecolor="white")
at = np.linspace(-50, 50, 201)
middle.plot(at, np.exp(-(at**2) / (2 * options.steps)) / np.sqrt(2 * np.pi * options.steps))
middle.set(title="Where they end")
right.boxplot([place[:, i - 1] for i in (50, 100, 150, 200) if i <= options.steps])
right.set(title="After a quarter, half...")
figure.savefig(options.output / "walks.png", dpi=80)
np.savez(options.output / "walks.npz", end=end, counts=counts, edges=edges, spread=spread, first=first)
