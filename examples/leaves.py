"""Principal components of measured leaves: by the covariance, by singular values, and which species they tell apart."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--measurements", type=Path, default=Path(__file__).parent / "data" / "leaves.csv")
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)

species = np.loadtxt(options.measurements, delimiter=",", skiprows=1, usecols=0, dtype=str)
values = np.loadtxt(options.measurements, delimiter=",", skiprows=1, usecols=(1, 2, 3, 4))
with open(options.measurements) as file:
    names = file.readline().strip().split(",")[1:]
kinds = np.unique(species)
print(f"{len(values)} leaves of {len(kinds)} species: {', '.join(kinds)}")
for name, mean, deviation in zip(names, values.mean(axis=0), values.std(axis=0, ddof=1)):
    print(f"{name:>8}: {mean:8.3f} +- {deviation:.3f}")

standard = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
variances, axes = np.linalg.eigh(np.cov(standard, rowvar=False))
order = np.argsort(variances)[::-1]
variances, axes = variances[order], axes[:, order]
axes *= np.sign(axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])])  # the largest entry of each is positive

left, singular, right = np.linalg.svd(standard, full_matrices=False)
assert np.allclose(singular**2 / (len(values) - 1), variances)
share = variances / variances.sum()
for i, (part, axis) in enumerate(zip(share, axes.T), start=1):
    print(f"component {i}: {part:6.2%}  " + " ".join(f"{entry:+.3f}" for entry in axis))
print("components for 95 %:", np.searchsorted(np.cumsum(share), 0.95) + 1)

scores = standard @ axes
rebuilt = scores[:, :2] @ axes[:, :2].T
print(f"two components leave {np.linalg.norm(standard - rebuilt) / np.linalg.norm(standard):.4f} of the norm")
print("condition of the covariance:", round(np.linalg.cond(np.cov(standard.T)), 1))

centres = np.array([scores[species == kind].mean(axis=0) for kind in kinds])
distance = np.linalg.norm(scores[:, None, :2] - centres[None, :, :2], axis=-1)
guess = kinds[distance.argmin(axis=1)]
print(f"nearest centre is right for {(guess == species).mean():.1%}; wrong:")
confusion = {}
for true, guessed in zip(species, guess):
    confusion[true, guessed] = confusion.get((true, guessed), 0) + 1
for (true, guessed), number in sorted(confusion.items()):
    print(f"  {true:>7} taken for {guessed:<7} {number}")

figure, (one, two) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
for kind in kinds:
    chosen = species == kind
    one.scatter(scores[chosen, 0], scores[chosen, 1], s=12, label=kind)
for name, (x, y) in zip(names, axes[:, :2]):
    one.annotate(name, (2.5 * x, 2.5 * y))
    one.plot([0, 2.5 * x], [0, 2.5 * y], color="black", linewidth=0.8)
one.legend()
one.set(xlabel="first component", ylabel="second component")
two.bar(np.arange(1, 5), share)
two.step(np.arange(1, 5), np.cumsum(share), where="mid", color="black")
two.set(xlabel="component", ylabel="share of the variance")
figure.savefig(options.output / "leaves.png", dpi=80)
np.savez(options.output / "leaves.npz", variances=variances, axes=axes, scores=scores, guess=guess)
