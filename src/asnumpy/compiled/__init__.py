"""Programs as machine code: a middle that reads them as data, and ends that write source for a kind of device."""

from asnumpy.compiled._program import Program, Reduction, Step, pending
from asnumpy.compiled._service import compile, cuda_text, failures, make, source, status, text

__all__ = [
    "Program", "Reduction", "Step", "compile", "cuda_text", "failures", "make", "pending", "source", "status", "text",
]
