"""Whether a device works: an operator is executed on it, with copies both ways, and its result compared."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from asnumpy.cann import _devices
from asnumpy.cann._memory import Memory, to_numpy, write
from asnumpy.cann._operator import op
from asnumpy.cann._tensor import tensor
from asnumpy.runtime import cann_search
from asnumpy.runtime.cann_error import CannError

ELEMENTS = 1 << 16


@dataclass
class Step:
    """One step of a health check."""

    name: str
    ok: bool
    seconds: float
    error: str = ""


@dataclass
class Health:
    """What a health check found; as a truth value, whether all of it works."""

    device: str
    ok: bool = True
    simulated: bool = False
    chip: str = ""
    version: str = ""
    steps: list[Step] = field(default_factory=list)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        kind = " (simulated)" if self.simulated else ""
        head = f"{self.device}{kind}: {'works' if self.ok else 'does not work'}"
        lines = [f"  {one.name:<9} {one.seconds * 1e3:8.2f} ms  {one.error or 'ok'}" for one in self.steps]
        return "\n".join([head, *lines])

    def as_dict(self) -> dict[str, Any]:
        """All of it as numbers, texts and lists, for JSON."""
        return asdict(self)


def health(device: Any = 0) -> Health:
    """Checks that a device works: starts CANN, takes memory, copies to it, executes aclnnMul, copies back, compares.

    Parameters: device, a number or "ascend:1". Returns a Health, which is true where every step succeeded: `steps` with
    the name, `ok`, `seconds` and `error` of each, `device`, `chip`, CANN's `version`, and `simulated`. What fails is
    told there and not raised; the steps after a failure are left out. It takes some milliseconds where the device
    works; one that hangs is not interrupted, so run `python -m asnumpy health` where that may be: it has a time limit.
    """
    found = Health(str(device) if str(device).startswith("ascend") else f"ascend:{device}")
    values = np.random.default_rng().integers(-99, 99, ELEMENTS).astype(np.float32)
    made: dict[str, Any] = {}

    def start() -> None:
        made["device"] = _devices.checked(device, "cann.health")
        search = cann_search.search()
        found.simulated, found.chip, found.version = search.simulated, search.chip, search.version
        _devices.use(made["device"])

    def allocate() -> None:
        for name in ("x", "out"):  # by CANN each time, which is what is to be tried
            memory = Memory(values.nbytes, device=made["device"], pooled=False)
            made[name] = tensor(memory.address, values.shape, values.dtype, device=made["device"], owner=memory)

    def upload() -> None:
        write(made["x"], values)
        write(made["out"], 0)

    def execute() -> None:
        op("aclnnMul")(made["x"], made["x"], made["out"])
        _devices.synchronize(made["device"])

    def download() -> None:
        made["got"] = to_numpy(made["out"])

    def compare() -> None:
        wrong = int((made["got"] != values * values).sum())
        if wrong:
            raise CannError(f"aclnnMul: {wrong} of {ELEMENTS} elements differ from the host's", "aclnnMul")

    steps: list[Callable[[], None]] = [start, allocate, upload, execute, download, compare]
    for step in steps:
        begun, error = time.perf_counter(), ""
        try:
            step()
        except (CannError, ValueError, OSError) as raised:
            error = str(raised)
        found.steps.append(Step(step.__name__, not error, time.perf_counter() - begun, error))
        if error:
            found.ok = False
            break
    return found

