"""Which operators of CANN's a piece of array code took on the first device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import _core


def calls() -> Counter[str]:
    """How often each operator was called so far."""
    return Counter({name: figures[0] for name, figures in _core.cann_call_counts(0).items()})


def run(form: Callable[..., Any], *operands: Any) -> tuple[Any, Counter[str]]:
    """The form's result of device arrays, and the operators that it took when it was run as one program."""
    with ap.Device("ascend:0"), ap.config.using(eager=False):
        given = [ap.array(x) if isinstance(x, np.ndarray) else x for x in operands]
        ap.synchronize()
        before = calls()
        made = form(*given)
        ap.synchronize()
        return made, calls() - before
