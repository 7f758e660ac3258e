"""All settings: `asnumpy.config.NAME`, each with its environment variable, each checked when it is set."""

import builtins as _builtins
import sys as _sys

from asnumpy.config._settings import Settings as _Settings, read_environment as _read, settings, using, variable

__all__ = [
    "contract", "deterministic", "device", "eager", "eager_size", "fallback", "float", "graph_replay",
    "host_calls", "implicit_copies", "jit", "kernels", "machine_code", "matmul_precision", "memory_limit",
    "memory_policy", "num_threads", "passes", "progress", "scalars", "settings", "thumbnail", "timeout", "track_arrays",
    "unsupported", "using", "variable",
]

contract: bool
deterministic: bool
device: str
eager: bool
eager_size: int
fallback: str
float: str
graph_replay: bool
host_calls: str
implicit_copies: str
jit: bool
kernels: str
machine_code: str
matmul_precision: str
memory_limit: int
memory_policy: str
num_threads: int
passes: str
progress: str
scalars: str
thumbnail: int
timeout: _builtins.float
track_arrays: bool
unsupported: str

_sys.modules[__name__].__class__ = _Settings
_read()
