"""On a GPU: the kernel of cuda.cu, in CUDA C++, for arrays of PyTorch or CuPy."""

import math
from pathlib import Path

import asnumpy as ap

from layer_scale._operator import layer_scale

SOURCE = Path(__file__).with_name("cuda.cu")
KERNEL = ap.operators.CudaKernel(f'#line 1 "{SOURCE}"\n{SOURCE.read_text()}', "layer_scale")


@layer_scale.cuda(dtypes="f4")
def _(x, gamma, y, *, eps):
    n = x.shape[-1]
    rows = math.prod(x.shape[:-1])
    KERNEL(rows, 256, (x, gamma, y, n, eps))
