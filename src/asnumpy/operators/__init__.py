"""Operators of the user's own: kernels in a few lines of C, by the names that CuPy gave them."""

from asnumpy.operators._elementwise import ElementwiseKernel
from asnumpy.operators._reduction import ReductionKernel
from asnumpy.operators._syntax import KernelSyntaxError

__all__ = ["ElementwiseKernel", "KernelSyntaxError", "ReductionKernel"]
