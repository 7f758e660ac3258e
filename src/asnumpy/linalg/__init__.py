"""Linear algebra with NumPy's interface: decompositions and solvers through the host door, all else composed."""

from asnumpy.linalg._decompositions import (
    LinAlgError, cholesky, cond, cross, det, diagonal, eig, eigh, eigvals, eigvalsh, inv, lstsq, matmul,
    matrix_power, matrix_rank, matrix_transpose, multi_dot, outer, pinv, qr, slogdet, solve, svd, svdvals,
    tensordot, tensorinv, tensorsolve, trace, vecdot,
)
from asnumpy.linalg._norms import matrix_norm, norm, vector_norm

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv",
    "lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm",
    "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace",
    "vecdot", "vector_norm",
]
