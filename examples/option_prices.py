"""What an option is worth: Black and Scholes's formula, and a simulation of prices for options that have none."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
from scipy.stats import norm, qmc

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--price", type=float, default=100.0)
parser.add_argument("--rate", type=float, default=0.03)
parser.add_argument("--volatility", type=float, default=0.25)
parser.add_argument("--paths", type=int, default=11, help="two to this power of simulated paths")
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)
S, r, sigma, T = options.price, options.rate, options.volatility, 1.0


def black_scholes(S, K, T, r, sigma):
    """The prices of a call and of a put, and the call's delta."""
    d1 = (np.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    call = S * norm.cdf(d1) - K * np.exp(-r * T) * norm.cdf(d2)
    return call, call - S + K * np.exp(-r * T), norm.cdf(d1)


strikes = np.arange(80.0, 125.0, 5.0)
call, put, delta = black_scholes(S, strikes, T, r, sigma)

# Paths of sixteen steps, from a Sobol sequence: the same numbers in every run.
steps = 16
uniform = qmc.Sobol(steps, scramble=False).random_base2(options.paths)
normal = norm.ppf((uniform * 2**options.paths + 0.5) / 2**options.paths)
growth = (r - sigma**2 / 2) * T / steps + sigma * np.sqrt(T / steps) * np.asarray(normal)
paths = S * np.exp(np.cumsum(growth, axis=1))
final = paths[:, -1]

print("strike    call  simulated     put   delta")
simulated = np.empty_like(strikes)
for i, strike in enumerate(strikes):
    payoff = np.maximum(final - strike, 0)
    simulated[i] = np.exp(-r * T) * payoff.mean()
    print(f"{strike:6.1f} {call[i]:7.3f} {simulated[i]:10.3f} {put[i]:7.3f} {delta[i]:7.3f}")
print(f"largest difference: {np.abs(simulated - call).max():.3f}")

asian = np.exp(-r * T) * np.maximum(paths.mean(axis=1) - 100, 0)
barrier = np.exp(-r * T) * np.where((paths > 130).any(axis=1), 0, np.maximum(final - 100, 0))
for name, value in {"asian": asian, "barrier at 130": barrier}.items():
    print(f"{name}: {value.mean():.3f} +- {value.std(ddof=1) / np.sqrt(len(value)):.3f}")
print(f"five worst of a hundred: {np.percentile(final, 5):.2f}, mean: {np.mean(final):.2f}, {S * np.exp(r * T):.2f}")

# The volatility that explains a price, by Newton's method on all strikes at once.
implied = np.full(strikes.shape, 0.5)
for iteration in range(50):
    value, _, _ = black_scholes(S, strikes, T, r, implied)
    d1 = (np.log(S / strikes) + (r + implied**2 / 2) * T) / (implied * np.sqrt(T))
    step = (value - call) / (S * norm.pdf(d1) * np.sqrt(T))
    implied -= step
    if np.all(np.abs(step) < 1e-10):
        break
print(f"implied volatility {implied.min():.6f} to {implied.max():.6f} after {iteration + 1} iterations")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(np.linspace(T / steps, T, steps), paths[1:41].T, linewidth=0.6)
left.axhline(S, color="black")
left.set(title="Forty paths", xlabel="years")
right.plot(strikes, call, label="call")
right.plot(strikes, put, label="put")
right.scatter(strikes, simulated, label="simulated call")
right.set(title="Prices by strike", xlabel="strike")
right.legend()
figure.savefig(options.output / "option_prices.png", dpi=80)
np.savez(options.output / "option_prices.npz", call=call, put=put, simulated=simulated, implied=implied, final=final)
