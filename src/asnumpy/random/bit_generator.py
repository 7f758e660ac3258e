"""The classes of bit generators under the name of the module that NumPy has for them."""

from numpy.random import SeedSequence

from asnumpy.random._bit_generator import BitGenerator

__all__ = ["BitGenerator", "SeedSequence"]
