"""asnumpy.array_api: the namespace that the array API standard describes, asnumpy's but where NumPy departs from it.

`a.__array_namespace__()` gives it, and one for an earlier edition where that is asked for. docs/array-api.md lists what
differs.
"""

from asnumpy.array_api._editions import names as _names, __dir__, __getattr__

globals().update(_names())
