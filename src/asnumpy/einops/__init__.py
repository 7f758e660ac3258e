"""einops over asnumpy arrays: with this module `einops.rearrange` and its like take them.

It is loaded when einops and asnumpy have both been imported. The functions are einops' own and can be imported from
here too.
"""

from einops import asnumpy, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack

import asnumpy.einops._backend as _backend

__all__ = ["asnumpy", "einsum", "pack", "parse_shape", "rearrange", "reduce", "repeat", "unpack"]
