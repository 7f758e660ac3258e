"""All settings: `asnumpy.config.NAME`, each with its environment variable, each checked when it is set."""

import sys as _sys

from asnumpy.config._settings import Settings as _Settings, read_environment as _read, settings, using, variable

__all__ = [
    "contract", "device", "eager", "eager_size", "fallback", "graph_replay", "host_calls", "implicit_copies",
    "memory_limit", "num_threads", "scalars", "settings", "unsupported", "using", "variable",
]

contract: bool
device: str
eager: bool
eager_size: int
fallback: str
graph_replay: bool
host_calls: str
implicit_copies: str
memory_limit: int
num_threads: int
scalars: str
unsupported: str

_sys.modules[__name__].__class__ = _Settings
_read()
