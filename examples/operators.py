"""CANN's operators by name: a layer of a network, planned once and run for every batch of inputs, beside NumPy.

Needs an Ascend device, or ASNUMPY_CANN=sim.
"""

import argparse

import numpy as np

import asnumpy as ap
from asnumpy import cann

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--batches", type=int, default=8)
parser.add_argument("--numpy", action="store_true", help="print only what NumPy computes")
options = parser.parse_args()

random = np.random.default_rng(1)
weights = random.standard_normal((64, 32)).astype("float32")
batches = [random.standard_normal((16, 64)).astype("float32") for _ in range(options.batches)]


def layer(x: np.ndarray) -> np.ndarray:
    """Softmax of relu(x @ weights)."""
    y = np.exp(np.maximum(x @ weights, 0))
    return y / y.sum(axis=1, keepdims=True)


expected = [float(layer(x).max(axis=1).mean()) for x in batches]
if options.numpy:
    computed = expected
else:
    device = "ascend:0"
    w = ap.asarray(weights, device=device)
    x, y, out = (ap.empty(shape, "float32", device=device) for shape in ((16, 64), (16, 32), (16, 32)))
    plans = [
        cann.op("aclnnMatmul").plan(x, w, y, cubeMathType=0),
        cann.op("aclnnInplaceRelu").plan(y),
        cann.op("aclnnSoftmax").plan(y, dim=1, out=out),
    ]
    computed = []
    for values in batches:
        inputs = ap.asarray(values, device=device)
        plans[0].run(self=inputs)
        for plan in plans[1:]:
            plan.run()
        computed.append(float(out.max(axis=1).mean()))
    assert np.allclose(computed, expected, rtol=1e-4), (computed, expected)
for number, value in enumerate(computed):
    print(f"batch {number}: mean of the largest probability {value:.4f}")
