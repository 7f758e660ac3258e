"""On the CPU: the function of cpu.cpp, in C++."""

from pathlib import Path

import asnumpy as ap
import numpy as np

from layer_scale._operator import layer_scale

HERE = Path(__file__).parent
BUILT = HERE / "layer_scale_cpu.so"  # in an installed wheel; else the source is compiled when it is first used
SOURCE = HERE / "cpu.cpp"
MODULE = (
    ap.RawModule(path=BUILT) if BUILT.exists() else ap.RawModule(code=f'#line 1 "{SOURCE}"\n{SOURCE.read_text()}')
)
KERNEL = MODULE.get_function("layer_scale")


@layer_scale.cpu(dtypes="f4")
def _(x, gamma, y, *, eps):
    n = x.shape[-1]
    rows = x.size // n
    blocks = min(rows, ap.config.num_threads)
    KERNEL(blocks, (x, gamma, y, np.int64(rows), np.int64(n), np.float32(eps)))
