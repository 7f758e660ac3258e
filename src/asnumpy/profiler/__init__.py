"""Where the time went: `with profiler.record() as trace: ...`, then `print(trace.table())`."""

from asnumpy.profiler._recording import Trace, record

__all__ = ["Trace", "record"]
