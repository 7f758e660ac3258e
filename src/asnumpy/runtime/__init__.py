"""The machinery's face: devices, streams, memory, what is recorded, what this machine offers."""

from asnumpy.runtime import cann_error
from asnumpy.runtime.control import (
    eval, explain, flush, free_all_blocks, get_num_threads, memory_info, pending_count, reset_peak, set_num_threads,
    show_config, synchronize,
)
from asnumpy.runtime.demotions import apply_demotions, demotions, forget_demotions
from asnumpy.runtime.devices import Device, devices
from asnumpy.runtime.fallbacks import FallbackWarning, fallbacks, forget_fallbacks
from asnumpy.runtime.information import get_include, info, show_runtime
from asnumpy.runtime.pinned import empty_like_pinned, empty_pinned, zeros_like_pinned, zeros_pinned
from asnumpy.runtime.streams import Event, Stream, current_stream

__all__ = [
    "Device", "Event", "FallbackWarning", "Stream", "apply_demotions", "current_stream", "demotions", "devices",
    "empty_like_pinned", "empty_pinned", "eval", "explain", "fallbacks", "flush", "forget_demotions",
    "forget_fallbacks", "free_all_blocks", "get_include", "get_num_threads", "info", "memory_info", "pending_count",
    "reset_peak", "set_num_threads", "show_config", "show_runtime", "synchronize", "zeros_like_pinned",
    "zeros_pinned",
]
