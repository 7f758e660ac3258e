"""asnumpy.random: NumPy's random interface over a counter-based stream that is the same on every device.

The numbers are not those of numpy.random for the same seed: every generator here draws from one stream, Philox4x32-10,
in which each number depends only on the key, on its place in the stream and on the parameters. The same seed
therefore gives the same numbers for any number of threads, on every instruction set and on every device, and drawing
10 numbers and then 5 gives the same 15 as drawing them together, for all that are drawn one by one.
"""

from __future__ import annotations

# bit_generator: the stream. _source: from parameters to draws. _distributions, _joint, _selection: what is drawn.
from asnumpy.random import _generator, _legacy, bit_generator

__all__: list[str] = []
for _part in (bit_generator, _generator, _legacy):
    globals().update({_name: getattr(_part, _name) for _name in _part.__all__})
    __all__ += _part.__all__
