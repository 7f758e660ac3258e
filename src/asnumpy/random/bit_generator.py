"""The classes of bit generators under the name of the module that NumPy has for them."""

from asnumpy.random._bit_generator import BitGenerator
from asnumpy.random._seeds import SeedSequence

__all__ = ["BitGenerator", "SeedSequence"]
