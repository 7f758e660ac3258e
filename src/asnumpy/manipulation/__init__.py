"""Shapes and axes, joining, splitting, padding."""

from asnumpy.manipulation.bits import packbits, unpackbits
from asnumpy.manipulation.extending import append, delete, insert
from asnumpy.manipulation.joining import (
    apply_over_axes, array_split, block, column_stack, concat, concatenate, dsplit, dstack, hsplit, hstack, repeat,
    row_stack, split, stack, tile, unstack, vsplit, vstack,
)
from asnumpy.manipulation.padding import pad
from asnumpy.manipulation.shapes import (
    atleast_1d, atleast_2d, atleast_3d, broadcast_arrays, broadcast_to, diagonal, expand_dims, flip, fliplr, flipud,
    isfortran, matrix_transpose, moveaxis, ndim, permute_dims, ravel, reshape, resize, roll, rollaxis, rot90, shape,
    size, squeeze, swapaxes, transpose, trim_zeros,
)

__all__ = [
    "append", "apply_over_axes", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "block",
    "broadcast_arrays", "broadcast_to", "column_stack", "concat", "concatenate", "delete", "diagonal", "dsplit",
    "dstack", "expand_dims", "flip", "fliplr", "flipud", "hsplit", "hstack", "insert", "isfortran",
    "matrix_transpose", "moveaxis", "ndim", "packbits", "pad", "permute_dims", "ravel", "repeat", "reshape", "resize",
    "roll", "rollaxis", "rot90", "row_stack", "shape", "size", "split", "squeeze", "stack", "swapaxes", "tile",
    "transpose", "trim_zeros", "unpackbits", "unstack", "vsplit", "vstack",
]
