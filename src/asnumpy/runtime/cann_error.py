"""The exception of everything that CANN refuses, wherever it was called from: the engine or `asnumpy.cann`."""

from __future__ import annotations

from typing import Any

from asnumpy import _core


class CannError(RuntimeError):
    """CANN, or a device of it, failed or cannot be used: `function` that failed, its `code`, CANN's own `message`.

    The code is 0, and the message empty, where CANN was not asked: it was not found, or is of no use to this process.
    `outcome` is that of `cann.safe`, None elsewhere.
    """

    outcome: Any = None

    def __init__(self, text: str, function: str = "", code: int = 0, message: str = "") -> None:
        super().__init__(text)
        self.function, self.code, self.message = function, code, message

    def __reduce__(self) -> Any:  # a worker's error comes back to its parent
        return CannError, (str(self), self.function, self.code, self.message)


CannError.__module__ = "asnumpy.cann"
_core.set_hooks({"cann_error": CannError})
