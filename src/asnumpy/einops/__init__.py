"""einops over asnumpy arrays: importing this module lets `einops.rearrange` and its like take them.

`einops.array_api` takes them without it. The functions are einops' own and can be imported from here too.
"""

from einops import asnumpy, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack

import asnumpy.einops._backend as _backend

__all__ = ["asnumpy", "einsum", "pack", "parse_shape", "rearrange", "reduce", "repeat", "unpack"]
