"""Linear regression by gradient descent, beside least squares: strength of concrete from what is in it."""

import argparse
import random
from pathlib import Path

import matplotlib.pyplot as plt

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--samples", type=int, default=400)
parser.add_argument("--rate", type=float, default=0.05)
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)

# Made-up measurements: cement, water and age, and a strength that depends on them, with noise.
random.seed(7)
cement = np.array([random.uniform(150, 500) for _ in range(options.samples)])
water = np.array([random.gauss(180, 20) for _ in range(options.samples)])
age = np.array([random.choice([3, 7, 14, 28, 56, 90]) for _ in range(options.samples)])
noise = np.array([random.gauss(0, 4) for _ in range(options.samples)])
strength = 0.1 * cement - 0.2 * water + 8 * np.log(age) + 28 + noise

features = np.stack([cement, water, np.log(age)], axis=1)
features = (features - features.mean(axis=0)) / features.std(axis=0)
design = np.c_[np.ones(options.samples), features]
held_out = np.arange(options.samples) % 5 == 0
train, test = design[~held_out], design[held_out]
wanted, unseen = strength[~held_out], strength[held_out]

weights = np.zeros(design.shape[1])
losses = []
for step in range(1, 2001):
    error = train @ weights - wanted
    losses.append(np.mean(error**2))
    weights -= options.rate * 2 / len(wanted) * (train.T @ error)
    if len(losses) > 1 and abs(losses[-2] - losses[-1]) < 1e-9 * losses[-1]:
        break

exact, residual, rank, _ = np.linalg.lstsq(train, wanted, rcond=None)
print(f"{step} steps, loss {losses[0]:.2f} -> {losses[-1]:.4f}, least squares {residual[0] / len(wanted):.4f}")
for name, mine, best in zip(["constant", "cement", "water", "log(age)"], weights, exact):
    print(f"{name:>9} {mine:8.4f} (least squares {best:8.4f})")
print("agree:", np.allclose(weights, exact, atol=1e-3), "rank:", rank)

guess = test @ weights
score = 1 - ((unseen - guess) ** 2).sum() / ((unseen - unseen.mean()) ** 2).sum()
worst = np.argmax(np.abs(unseen - guess))
print(f"R2 of {len(unseen)} unseen samples: {round(score, 3)}")
print(f"worst: {unseen[worst]:.1f} where {guess[worst]:.1f} was expected")
print("correlations:", np.corrcoef(features.T)[0].round(3))

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
left.semilogy(losses)
left.set(title="Loss", xlabel="step", ylabel="mean square error")
right.plot([unseen.min(), unseen.max()], [unseen.min(), unseen.max()], color="grey")
right.scatter(unseen, guess, s=12)
right.errorbar(unseen[worst], guess[worst], yerr=np.std(unseen - guess), fmt="o", color="red")
right.set(title=f"Unseen samples, R2 = {score:.3f}", xlabel="strength", ylabel="predicted")
figure.tight_layout()
figure.savefig(options.output / "regression.png", dpi=80)
np.savez(options.output / "regression.npz", weights=weights, losses=losses, guess=guess)
