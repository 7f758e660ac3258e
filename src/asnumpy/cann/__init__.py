"""CANN's operators one by one, for those who want them without waiting for a NumPy name.

    from asnumpy import cann
    out = cann.op("aclnnAddcmul")(x, a, b, 0.5, cann.empty(x.shape))      # arrays or tensors on an Ascend device
    plan = cann.op("aclnnMatmul").plan(a, b, out, 0)                      # phase one; plan.workspace_size
    plan.run(); plan.run(self=other)                                      # phase two, as often as one likes
    with cann.batch(streams=4): ...                                       # independent operators side by side

`cann.operators()` lists all; `help(cann.op(name))` shows the parameters with the dtypes that the 910B accepts. With
ASNUMPY_CANN=sim everything runs on the simulator. Verified on the simulator, not yet on hardware.
"""

from asnumpy.cann._batch import Batch, batch
from asnumpy.cann._devices import (
    device_count,
    device_properties,
    finalize,
    init,
    set_device,
    synchronize,
)
from asnumpy.cann._exporter import Collector, serve_metrics
from asnumpy.cann._health import Health, health
from asnumpy.cann._health_server import serve_health
from asnumpy.cann._memory import Memory, empty, from_numpy, policies, to_numpy, write
from asnumpy.cann._metrics import engine_metrics, graph_metrics, metrics, metrics_text, reset_metrics, timing
from asnumpy.cann._operator import Operator, op, operators
from asnumpy.cann._plan import Plan
from asnumpy.cann._safe import TRANSIENT, CheckError, Outcome, Retry, finite, safe, shaped, within
from asnumpy.cann._tensor import Tensor, tensor
from asnumpy.runtime.cann_error import CannError

__all__ = [
    "TRANSIENT", "Batch", "CannError", "CheckError", "Collector", "Health", "Memory", "Operator", "Outcome", "Plan",
    "Retry", "Tensor", "batch", "device_count", "device_properties", "empty", "engine_metrics", "finalize", "finite",
    "from_numpy", "graph_metrics", "health", "init", "metrics", "metrics_text", "op", "operators", "policies",
    "reset_metrics", "safe", "serve_health", "serve_metrics", "set_device", "shaped", "synchronize", "tensor", "timing",
    "to_numpy", "within", "write",
]
