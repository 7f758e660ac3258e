"""asnumpy.nn: activations and normalisations, composed of array operations so that they fuse.

On a device that has one as a single operation, that is recorded instead; it agrees within the dtype's error. The names
are those of the libraries for Ascend devices (torch_npu, MindSpore). All take arrays of any shape; integers are
computed in float64, float16 and bfloat16 in float32 and rounded once, at the end.
"""

from asnumpy.nn._activations import (
    elu, gelu, layer_norm, leaky_relu, log_sigmoid, log_softmax, relu, rms_norm, sigmoid, silu, softmax, softplus,
)

__all__ = [
    "elu", "gelu", "layer_norm", "leaky_relu", "log_sigmoid", "log_softmax", "relu", "rms_norm", "sigmoid", "silu",
    "softmax", "softplus",
]
