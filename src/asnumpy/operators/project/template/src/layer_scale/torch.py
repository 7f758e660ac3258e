"""layer_scale for PyTorch: torch.ops.asnumpy.layer_scale, for tensors of the CPU and of NPUs, with its gradient."""

import asnumpy as ap

from layer_scale import layer_scale as operator

layer_scale = ap.operators.to_torch(operator)
