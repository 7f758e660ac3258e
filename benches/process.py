"""What a whole process pays: the peak memory of a fused chain, and the time of the import. Each in fresh children."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from measure import Row, main

COUNT = 20_000_000
CHILDREN = 9

MEMORY = f"""
import re
import numpy as np, asnumpy as ap
def figure(name):  # of /proc: kB; the high-water mark of this program alone, unlike getrusage's
    return int(re.search(name + r":\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
def chain(a, b):
    t = a * b
    for _ in range(3):
        t = (t + a) * b
    return t + a
small = xp.arange(1000, dtype=xp.float32)
keep = chain(small, small)
finish(keep)
base = figure("VmRSS")
a, b = (xp.full({COUNT}, v, dtype=xp.float32) for v in (0.5, 0.25))
finish(a, b)
t = chain(a, b)
finish(t)
print(figure("VmHWM") - base)
"""
LIBRARIES = {
    "numpy": "import numpy as xp\nfinish = lambda *x: None\n",
    "asnumpy": "import asnumpy as xp\nfinish = xp.eval\n",
}


def child(source: str, **environment: str) -> float:
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True,
                          env={**os.environ, **environment})
    return float(done.stdout)


def import_seconds(source: str, **environment: str) -> list[float]:
    return [
        child(f"import time\nstart = time.perf_counter()\n{source}\nprint(time.perf_counter() - start)", **environment)
        for _ in range(CHILDREN)
    ]


def rows() -> Iterator[Row]:
    allowed = 3 * COUNT * 4 + 64e6  # two inputs, the output, and 64 MB
    peak = {name: child(start + MEMORY) for name, start in LIBRARIES.items()}
    yield Row("peak memory of the fused chain (allowed: inputs, output and 64 MB)", f"{COUNT:,}",
              peak["numpy"] / allowed, peak["numpy"] / 1e6, peak["asnumpy"] / 1e6, peak["numpy"] / peak["asnumpy"],
              0, 0, {}, True, f"{peak['asnumpy'] / 1e6:.0f} of {allowed / 1e6:.0f} MB", "MB")
    with tempfile.TemporaryDirectory() as folder:
        # Modules compiled and files in the page cache, as an installation has them, wherever the package is taken from.
        compiled = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        child("print(0)\nimport numpy, asnumpy", **compiled)
        # CANN, and the simulator in its place, are loaded at the first use of a device, not here.
        for cann in ("off", "sim"):
            here = {**compiled, "ASNUMPY_CANN": cann, "ASNUMPY_DEVICE": ""}
            numpy_only = statistics.median(import_seconds("import numpy", **here))
            both = statistics.median(import_seconds("import numpy, asnumpy", **here))
            beyond = 1e3 * (both - numpy_only)
            yield Row(f"import asnumpy beyond import numpy, ASNUMPY_CANN={cann} (allowed: 100 ms)", "",
                      numpy_only / (numpy_only + 0.1), 1e3 * numpy_only, 1e3 * both, numpy_only / both, 0, 0, {}, True,
                      f"{beyond:.0f} ms beyond")


if __name__ == "__main__":
    sys.exit(main(None, rows))
