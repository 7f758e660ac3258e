"""Operators of the project's own, for what CANN lacks or does in many calls: kernels in Ascend C, composed elsewhere.

Each is an operator like the user's own (`asnumpy.operators.operator`): it takes arrays of any device, its declaration
says shapes and dtypes, and `asnumpy.operators.explain` says what computes a call. docs/operator-library.md lists them.
"""

from asnumpy.operators.library._bits import bit_count, bit_reverse, murmur_mix, pack_bits, unpack_bits
from asnumpy.operators.library._images import (
    double_threshold, gaussian_weights, hsv_to_rgb, median_filter, resize_bilinear, rgb_to_hsv, separable_filter, sobel,
    thin_edges,
)
from asnumpy.operators.library._order import argsort_int64, bin_count, histogram, search_int64, sort_int64, top_k
from asnumpy.operators.library._products import basic_matmul
from asnumpy.operators.library._rows import (
    layer_norm, log_softmax, logsumexp, moments, rms_norm, rotary_embedding, softmax,
)
from asnumpy.operators.library._sequences import (
    gather_rows, linear_recurrence, long_sum, one_hot, running_sum, segment_sum,
)
from asnumpy.operators.library._special import (
    complex_absolute, complex_divide, complex_exp, complex_multiply, digamma, erfinv, gamma, geglu, gelu_tanh, lgamma,
    swiglu,
)
from asnumpy.operators.library._transforms import fft_rows, pairwise_distance

__all__ = [
    "argsort_int64", "basic_matmul",
    "bin_count", "bit_count", "bit_reverse", "complex_absolute", "complex_divide", "complex_exp",
    "complex_multiply",
    "digamma", "double_threshold", "erfinv", "fft_rows", "gamma", "gather_rows", "gaussian_weights", "geglu",
    "gelu_tanh", "histogram", "hsv_to_rgb", "layer_norm", "lgamma", "linear_recurrence", "log_softmax", "logsumexp",
    "long_sum", "median_filter", "moments", "murmur_mix", "one_hot", "pack_bits", "pairwise_distance",
    "resize_bilinear", "rgb_to_hsv", "rms_norm", "rotary_embedding", "running_sum", "search_int64", "segment_sum",
    "separable_filter", "sobel", "softmax", "sort_int64", "swiglu", "thin_edges", "top_k", "unpack_bits",
]
