"""How other libraries meet our arrays: NumPy's protocols and the array API."""

from asnumpy.interop.array_api import __array_api_version__, __array_namespace__, __array_namespace_info__

__all__ = [
    "__array_api_version__", "__array_namespace__", "__array_namespace_info__",
]
