"""Scalar functions with branches and loops as operations on whole arrays."""

from asnumpy.elementwise.lanes.apply import Arguments, compiled
from asnumpy.elementwise.lanes.source import traceable

__all__ = ["Arguments", "compiled", "traceable"]
