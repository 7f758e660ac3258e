"""The host door: work that NumPy and SciPy do for us, counted."""

from asnumpy.host.passed_on import (
    False_, True_, asmatrix, astype, bmat, broadcast, busday_count, busday_offset, busdaycalendar,
    datetime_as_string, datetime_data, is_busday, iterable, matrix, may_share_memory, ndenumerate, ndindex, nditer,
    nested_iters, recarray, record, shares_memory,
)

__all__ = [
    "False_", "True_", "asmatrix", "astype", "bmat", "broadcast", "busday_count",
    "busday_offset", "busdaycalendar", "datetime_as_string", "datetime_data", "is_busday", "iterable",
    "matrix", "may_share_memory", "ndenumerate", "ndindex", "nditer", "nested_iters", "recarray",
    "record", "shares_memory",
]
