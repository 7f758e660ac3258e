"""The .npy format over arrays of ours: NumPy's own functions, with names for the dtypes that NumPy does not have."""

from numpy.lib.format import (
    ARRAY_ALIGN,
    BUFFER_SIZE,
    EXPECTED_KEYS,
    GROWTH_AXIS_MAX_DIGITS,
    MAGIC_LEN,
    MAGIC_PREFIX,
    drop_metadata,
    header_data_from_array_1_0,
    isfileobj,
    magic,
    read_array_header_1_0,
    read_array_header_2_0,
    read_magic,
    write_array_header_1_0,
    write_array_header_2_0,
)

from asnumpy.lib._format import descr_to_dtype, dtype_to_descr, open_memmap, read_array, write_array

__all__ = [
    "ARRAY_ALIGN", "BUFFER_SIZE", "EXPECTED_KEYS", "GROWTH_AXIS_MAX_DIGITS", "MAGIC_LEN", "MAGIC_PREFIX",
    "descr_to_dtype", "drop_metadata", "dtype_to_descr", "header_data_from_array_1_0", "isfileobj", "magic",
    "open_memmap", "read_array", "read_array_header_1_0", "read_array_header_2_0", "read_magic", "write_array",
    "write_array_header_1_0", "write_array_header_2_0",
]
