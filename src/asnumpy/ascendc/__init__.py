"""Ascend C kernels: building libraries of them for the CANN simulator, or for a device where CANN's compiler is.

    python -m asnumpy ascendc build kernels.cpp -o libkernels.so
"""

from asnumpy.ascendc._build import BuildError, build, include, templates

__all__ = ["BuildError", "build", "include", "templates"]
