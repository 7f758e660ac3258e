"""Acceptance of the machine at hand: `python -m asnumpy check`.

Steps of cases, each step in a process of its own, so that a crash or a hang is a finding and not the end; a record as
JSON and as a page that can be sent. What was found stays in a file of the machine's (`asnumpy.runtime.machine`).
"""

from asnumpy.check._command import run
from asnumpy.check._steps import STEPS, Scope, Step

__all__ = ["STEPS", "Scope", "Step", "run"]
