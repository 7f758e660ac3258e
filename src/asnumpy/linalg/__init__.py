"""Linear algebra with NumPy's interface: by devices where they offer that, else by NumPy; all else composed."""

from asnumpy.linalg._decompositions import (
    LinAlgError, cholesky, cross, diagonal, eig, eigh, eigvals, matmul, matrix_power, matrix_transpose, multi_dot,
    outer, tensordot, trace, vecdot,
)
from asnumpy.linalg._factors import qr
from asnumpy.linalg._fitting import lstsq
from asnumpy.linalg._norms import matrix_norm, norm, vector_norm
from asnumpy.linalg._singular import cond, eigvalsh, matrix_rank, pinv, svd, svdvals
from asnumpy.linalg._solvers import det, inv, slogdet, solve, tensorinv, tensorsolve

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv",
    "lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm",
    "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace",
    "vecdot", "vector_norm",
]
