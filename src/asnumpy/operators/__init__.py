"""Operators of the user's own: kernels in a few lines of C or written whole, by the names that CuPy gave them."""

from asnumpy.operators._compiler import CompileError
from asnumpy.operators._elementwise import ElementwiseKernel
from asnumpy.operators._raw import RawKernel, RawModule
from asnumpy.operators._reduction import ReductionKernel
from asnumpy.operators._syntax import KernelSyntaxError

__all__ = ["CompileError", "ElementwiseKernel", "KernelSyntaxError", "RawKernel", "RawModule", "ReductionKernel"]
