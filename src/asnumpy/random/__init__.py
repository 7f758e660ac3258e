"""asnumpy.random: NumPy's random interface over a counter-based stream that is the same on every device.

The numbers are not those of numpy.random for the same seed: every generator here draws from one stream, Philox4x32-10,
in which each number depends only on the key, on its place in the stream and on the parameters. The same seed
therefore gives the same numbers for any number of threads, on every instruction set and on every device, and drawing
10 numbers and then 5 gives the same 15 as drawing them together, for all that are drawn one by one.

Parts are loaded when one of them is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# bit_generator: the stream. _source: parameters become draws. _distributions, _joint, _selection: the methods.
_PARTS = ("bit_generator", "_generator", "_legacy")


def __getattr__(name: str) -> Any:
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: dict[str, Any] = {}
    for part in _PARTS:
        module = import_module(f"{__name__}.{part}")
        found.update({each: getattr(module, each) for each in module.__all__})
    found["__all__"] = list(found)
    globals().update(found)
    try:
        return globals()[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    __getattr__("__all__")
    return sorted(globals())


if TYPE_CHECKING:
    from asnumpy.random._generator import *
    from asnumpy.random._legacy import *
    from asnumpy.random.bit_generator import *
