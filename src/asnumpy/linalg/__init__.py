"""Linear algebra with NumPy's interface: decompositions and solvers through the host door, all else composed."""

from asnumpy.linalg._decompositions import (
    LinAlgError as LinAlgError,
)
from asnumpy.linalg._decompositions import (
    cholesky as cholesky,
)
from asnumpy.linalg._decompositions import (
    cond as cond,
)
from asnumpy.linalg._decompositions import (
    cross as cross,
)
from asnumpy.linalg._decompositions import (
    det as det,
)
from asnumpy.linalg._decompositions import (
    diagonal as diagonal,
)
from asnumpy.linalg._decompositions import (
    eig as eig,
)
from asnumpy.linalg._decompositions import (
    eigh as eigh,
)
from asnumpy.linalg._decompositions import (
    eigvals as eigvals,
)
from asnumpy.linalg._decompositions import (
    eigvalsh as eigvalsh,
)
from asnumpy.linalg._decompositions import (
    inv as inv,
)
from asnumpy.linalg._decompositions import (
    lstsq as lstsq,
)
from asnumpy.linalg._decompositions import (
    matmul as matmul,
)
from asnumpy.linalg._decompositions import (
    matrix_norm as matrix_norm,
)
from asnumpy.linalg._decompositions import (
    matrix_power as matrix_power,
)
from asnumpy.linalg._decompositions import (
    matrix_rank as matrix_rank,
)
from asnumpy.linalg._decompositions import (
    matrix_transpose as matrix_transpose,
)
from asnumpy.linalg._decompositions import (
    multi_dot as multi_dot,
)
from asnumpy.linalg._decompositions import (
    norm as norm,
)
from asnumpy.linalg._decompositions import (
    outer as outer,
)
from asnumpy.linalg._decompositions import (
    pinv as pinv,
)
from asnumpy.linalg._decompositions import (
    qr as qr,
)
from asnumpy.linalg._decompositions import (
    slogdet as slogdet,
)
from asnumpy.linalg._decompositions import (
    solve as solve,
)
from asnumpy.linalg._decompositions import (
    svd as svd,
)
from asnumpy.linalg._decompositions import (
    svdvals as svdvals,
)
from asnumpy.linalg._decompositions import (
    tensordot as tensordot,
)
from asnumpy.linalg._decompositions import (
    tensorinv as tensorinv,
)
from asnumpy.linalg._decompositions import (
    tensorsolve as tensorsolve,
)
from asnumpy.linalg._decompositions import (
    trace as trace,
)
from asnumpy.linalg._decompositions import (
    vecdot as vecdot,
)
from asnumpy.linalg._decompositions import (
    vector_norm as vector_norm,
)

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]
