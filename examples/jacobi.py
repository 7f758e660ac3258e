"""The temperature of a plate whose upper edge is hot: Jacobi's iteration, with views and in-place assignment."""

import argparse
import importlib

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--numpy", action="store_true", help="run with NumPy instead of asnumpy")
parser.add_argument("--side", type=int, default=150)
parser.add_argument("--tolerance", type=float, default=1e-3)
options = parser.parse_args()
np = importlib.import_module("numpy" if options.numpy else "asnumpy")

plate = np.zeros((options.side, options.side))
plate[0, :] = 100
inner = plate[1:-1, 1:-1]

sweeps, change = 0, float("inf")
while change > options.tolerance and sweeps < 5000:
    for _ in range(50):  # looking at the change forces the computation, so look now and then
        before = inner.copy()
        inner[...] = 0.25 * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:])
    sweeps += 50
    change = float(np.abs(inner - before).max())

print(f"{sweeps} sweeps, last change {change:.2e}, mean temperature {float(plate.mean()):.4f}")
