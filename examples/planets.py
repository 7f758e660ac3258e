"""The inner planets around the sun: gravity pair by pair, by the leapfrog method, and a pendulum by SciPy's solver."""

import argparse
import math
from pathlib import Path

import matplotlib.pyplot as plt
from scipy.integrate import solve_ivp

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--days", type=int, default=400)
parser.add_argument("--step", type=float, default=2.0, help="days")
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)

G = 0.01720209895**2  # astronomical units, days, masses of the sun
names = ["sun", "mercury", "venus", "earth", "mars"]
mass = np.array([1.0, 1.66e-7, 2.448e-6, 3.003e-6, 3.227e-7])
distance = np.array([0.0, 0.387, 0.723, 1.0, 1.524])
phase = np.array([0.0, 0.5, 2.0, 3.5, 5.0])

position = np.zeros((5, 3))
velocity = np.zeros((5, 3))
for i in range(1, 5):
    speed = math.sqrt(G / distance[i])
    position[i] = [distance[i] * math.cos(phase[i]), distance[i] * math.sin(phase[i]), 0.01 * i]
    velocity[i] = [-speed * np.sin(phase[i]), speed * np.cos(phase[i]), 0]
velocity[0] = -(mass[1:, None] * velocity[1:]).sum(axis=0)


def accelerations(position):
    """What every pair adds to both of its bodies."""
    result = np.zeros_like(position)
    for i in range(len(mass)):
        for j in range(i + 1, len(mass)):
            apart = position[j] - position[i]
            pull = G * apart / (apart @ apart) ** 1.5
            result[i] += mass[j] * pull
            result[j] -= mass[i] * pull
    return result


def energy(position, velocity):
    """Kinetic and potential energy of all bodies."""
    total = 0.5 * np.sum(mass[:, None] * velocity**2)
    for i in range(len(mass)):
        for j in range(i):
            total -= G * mass[i] * mass[j] / np.linalg.norm(position[i] - position[j])
    return total


count = int(options.days / options.step)
track = np.empty((count, 5, 3))
start = energy(position, velocity)
acceleration = accelerations(position)
nearest = (math.inf, None)
for step in range(count):
    velocity += 0.5 * options.step * acceleration
    position += options.step * velocity
    acceleration = accelerations(position)
    velocity += 0.5 * options.step * acceleration
    track[step] = position
    gap = math.dist(position[3], position[4])
    if gap < nearest[0]:
        nearest = (gap, step)
change = (energy(position, velocity) - start) / start
print(f"{count} steps, the energy changed by {change:.2e}; momentum {np.abs(mass @ velocity).max() < 1e-12}")
print(f"earth and mars were nearest on day {nearest[1] * options.step:.0f}: {nearest[0]:.4f} AU")

for i, name in enumerate(names[1:], start=1):
    angle = np.unwrap(np.arctan2(track[:, i, 1] - track[:, 0, 1], track[:, i, 0] - track[:, 0, 0]))
    period = 2 * np.pi * (count - 1) * options.step / (angle[-1] - angle[0])
    radius = np.linalg.norm(track[:, i] - track[:, 0], axis=1)
    print(f"{name:>8}: {period:6.1f} days, by Kepler {2 * np.pi * np.sqrt(distance[i] ** 3 / G):6.1f}, "
          f"{radius.min():.3f} to {radius.max():.3f} AU")


def pendulum(t, state):
    """An angle and its speed, with friction."""
    return np.array([state[1], -0.1 * state[1] - np.sin(state[0])])


times = np.linspace(0, 20, 101)
swing = solve_ivp(pendulum, (0, 20), [2.5, 0.0], t_eval=times, rtol=1e-8)
crossings = np.flatnonzero(np.diff(np.sign(swing.y[0])))
print(f"the pendulum crosses its middle {len(crossings)} times, first at {times[crossings[0]]:.1f}, "
      f"and ends at {swing.y[0, -1]:.4f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
for i, name in enumerate(names):
    left.plot(track[:, i, 0], track[:, i, 1], label=name)
    left.plot(*position[i, :2], "o", color=f"C{i}")
left.set(aspect="equal", xlabel="AU")
left.legend()
right.plot(times, swing.y[0], label="angle")
right.plot(times, swing.y[1], label="speed")
right.legend()
figure.savefig(options.output / "planets.png", dpi=80)
np.savez(options.output / "planets.npz", track=track, velocity=velocity, angle=swing.y[0])
