"""The CANN simulator from Python: where its libraries are, its settings, faults on demand, and what it saw.

    from asnumpy import cannsim
    cannsim.configure(devices=2, memory="4G", strict="abort")
    cannsim.fail("aclrtMalloc", nth=3, code=207001)
    ... run a program in this process that loads CANN ...
    print(cannsim.report()["findings"])

Every figure named ``modelled_...`` comes from a model of the chip; none was measured on one.
"""

from asnumpy.cannsim._control import (
    SETTINGS, clear, clear_faults, configure, corrupt, crash, environment, fail, fail_task, findings, folder, hang,
    log, lose_device, modelled_seconds, operators, refuse, report, timeline,
)

__all__ = [
    "SETTINGS", "clear", "clear_faults", "configure", "corrupt", "crash", "environment", "fail", "fail_task",
    "findings", "folder", "hang", "log", "lose_device", "modelled_seconds", "operators", "refuse", "report",
    "timeline",
]
