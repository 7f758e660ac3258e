"""What a device was documented to do and has refused, so that it is done in another way: told, kept and applied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from asnumpy import _core
from asnumpy._public import public


@public
def demotions() -> list[dict[str, Any]]:
    """What CANN has refused in this process although it is documented, in the order in which that was found out.

    Returns a list of dicts, which can be written as JSON:

    * `kind`: "operator", a call of CANN's, for whose work another one is used since; "operation", one for which no
      other was left, or that a check of the machine found faster on the host with the copies to it and back
      (`python -m asnumpy check`), so that the host computes it since (`fallbacks()` counts how often).
    * `what`: the call with the dtypes of its tensors, "aclnnAdd(float32, float32, float32)", or the operation with
      those of its operands, "add(float32, float32)".
    * `device`, `code` (0: CANN has no such operator), `reason` (the code's name, and what CANN said) and `count`, how
      often it was refused.
    """
    return _core.demotions()


@public
def apply_demotions(known: Iterable[dict[str, Any]]) -> None:
    """Does from now on without what another process has found to be refused; known: what its `demotions()` gave."""
    _core.apply_demotions(list(known))


@public
def forget_demotions() -> None:
    """Empties demotions(): what was refused is tried again, for instance after an update of CANN's kernels."""
    _core.forget_demotions()
