"""Work of a process beside others: `python -m asnumpy.check._peer DEVICE SEED ORDER` computes and compares for a while.

ORDER is "alone", or says whether torch_npu is imported "before" or "after" asnumpy has used the device.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

SECONDS = 2.0


def with_torch(number: int) -> Any:
    """Something of torch_npu's that must stay right."""
    import torch  # type: ignore[import-not-found, unused-ignore]
    import torch_npu  # type: ignore[import-not-found, unused-ignore]  # noqa: F401

    return torch.arange(100.0, device=f"npu:{number}")


def main() -> None:
    """Prints what was done as JSON in the last line."""
    device, seed, order = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    number = int(device.partition(":")[2] or 0)
    tensor = with_torch(number) if order == "before" else None

    import asnumpy as ap
    from asnumpy.check._agreement import compare, values

    ap.config.device, ap.config.fallback = device, "count"
    rounds, begun = 0, time.monotonic()
    while time.monotonic() - begun < SECONDS:
        plain = values("int32", 100_000, seed + rounds)
        x = ap.from_numpy(plain)
        compare((x * 3 + 1) - x, plain * 2 + 1)
        compare(x.sum(), plain.sum())
        if order == "after" and tensor is None:
            tensor = with_torch(number)
        if tensor is not None and float((tensor * 2).sum().cpu()) != 9900.0:
            raise AssertionError("torch_npu computes wrongly beside asnumpy")
        rounds += 1
    print("\n" + json.dumps({"rounds": rounds}))


if __name__ == "__main__":
    main()
