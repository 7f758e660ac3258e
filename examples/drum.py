"""The wave equation on a drum: a square membrane that is struck once, its energy, and its lowest tones."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--points", type=int, default=48, help="along one side")
parser.add_argument("--steps", type=int, default=800)
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)

n = options.points
x = np.linspace(0, 1, n)
X, Y = np.meshgrid(x, x, indexing="ij")
dx = x[1] - x[0]
dt = 0.5 * dx
c2 = (dt / dx) ** 2

height = np.exp(-((X - 0.3) ** 2 + (Y - 0.4) ** 2) / 0.01)
height[[0, -1], :] = 0
height[:, [0, -1]] = 0
before = height.copy()

heard, energies, pictures = np.zeros(options.steps), [], []
for step in range(options.steps):
    after = 2 * height - before
    after[1:-1, 1:-1] += c2 * (
        height[2:, 1:-1] + height[:-2, 1:-1] + height[1:-1, 2:] + height[1:-1, :-2] - 4 * height[1:-1, 1:-1]
    )
    after[0, :] = after[-1, :] = after[:, 0] = after[:, -1] = 0
    if step % 80 == 0:
        speed = (after - before) / (2 * dt)
        slope_x, slope_y = np.gradient(height, dx)
        energies.append(0.5 * np.sum(speed**2 + slope_x**2 + slope_y**2) * dx**2)
    if step in (20, 60, 100):
        pictures.append((step * dt, height.copy()))
    before, height = height, after
    heard[step] = height[n // 4, n // 3]
    if not np.isfinite(heard[step]):
        raise SystemExit("the step is too long: the membrane burst")

print(f"{options.steps} steps of {dt:.5f}, {options.steps * dt:.2f} in all")
print("energy:", np.round(energies, 4))
drift = max(energies[1:]) / min(energies[1:]) - 1
print(f"the energy varies by {drift:.2%}")

spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard)), 8 * len(heard)))
tones = np.fft.rfftfreq(8 * len(heard), dt)
peaks = np.flatnonzero((spectrum[1:-1] > spectrum[:-2]) & (spectrum[1:-1] > spectrum[2:])) + 1
strong = peaks[spectrum[peaks] > 0.2 * spectrum.max()][:4]
expected = sorted({round(0.5 * (i * i + j * j) ** 0.5, 3) for i in range(1, 5) for j in range(1, 5)})
for peak in strong:
    closest = min(expected, key=lambda tone: abs(tone - tones[peak]))
    print(f"tone at {tones[peak]:.3f}, the membrane has one at {closest}")

figure, axes = plt.subplots(2, 2, figsize=(9, 8), layout="constrained")
for axis, (time, picture) in zip(axes.flat, pictures):
    drawn = axis.contourf(X, Y, picture, levels=np.linspace(-0.6, 0.6, 25), cmap="RdBu", extend="both")
    axis.set(title=f"t = {time:.2f}", aspect="equal")
figure.colorbar(drawn, ax=axes[0, 1])
axes[1, 1].plot(tones[tones < 4], spectrum[tones < 4])
axes[1, 1].vlines(expected[:8], 0, spectrum.max(), color="lightgrey")
axes[1, 1].set(title="What is heard at one point", xlabel="frequency")
figure.savefig(options.output / "drum.png", dpi=80)
np.savez(options.output / "drum.npz", height=height, heard=heard, energies=energies)
