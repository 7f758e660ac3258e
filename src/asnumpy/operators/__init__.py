"""Operators of the user's own: declared once, written for each device; and kernels by the names that CuPy gave them."""

from asnumpy.operators._check import check
from asnumpy.operators._compiler import CompileError
from asnumpy.operators._cuda import CudaKernel, compile_cuda
from asnumpy.operators._dispatch import forget_runs, runs
from asnumpy.operators._elementwise import ElementwiseKernel
from asnumpy.operators._explanation import explain
from asnumpy.operators._files import rules, use_rules
from asnumpy.operators._findings import Check
from asnumpy.operators._launch import Launch
from asnumpy.operators._operator import Operator, operator
from asnumpy.operators._raw import RawKernel, RawModule
from asnumpy.operators._reduction import ReductionKernel
from asnumpy.operators._registry import get, registered
from asnumpy.operators._stubs import stub
from asnumpy.operators._words import KernelSyntaxError
from asnumpy.operators.frameworks import to_jax, to_library, to_torch

__all__ = [
    "Check", "CompileError", "CudaKernel", "ElementwiseKernel", "KernelSyntaxError", "Launch", "Operator",
    "RawKernel", "RawModule", "ReductionKernel", "check", "compile_cuda", "explain", "forget_runs", "get", "operator",
    "registered", "rules", "runs", "stub", "to_jax", "to_library", "to_torch", "use_rules",
]


def __getattr__(name: str) -> object:
    """The library of operators is loaded when somebody asks for it."""
    if name == "library":
        from importlib import import_module

        return import_module("asnumpy.operators.library")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
