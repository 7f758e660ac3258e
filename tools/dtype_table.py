"""Writes docs/dtypes.md: what asnumpy does with every numeric dtype, found by trying it.

`python tools/dtype_table.py` prints the page, `--write` puts it in its place, `--check` says whether it is current.
"""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import asnumpy as ap

PAGE = Path(__file__).resolve().parents[1] / "docs" / "dtypes.md"

# The dtypes in CANN's order of kinds, each with the name of its aclDataType.
DTYPES = {
    "bool": "BOOL", "int8": "INT8", "int16": "INT16", "int32": "INT32", "int64": "INT64", "uint8": "UINT8",
    "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64", "float16": "FLOAT16", "bfloat16": "BF16",
    "float32": "FLOAT", "float64": "DOUBLE", "complex32": "COMPLEX32", "complex64": "COMPLEX64",
    "complex128": "COMPLEX128", "longdouble": "", "clongdouble": "", "float8_e4m3fn": "FLOAT8_E4M3FN",
    "float8_e5m2": "FLOAT8_E5M2", "float8_e8m0fnu": "FLOAT8_E8M0", "hifloat8": "HIFLOAT8",
    "float6_e2m3fn": "FLOAT6_E2M3", "float6_e3m2fn": "FLOAT6_E3M2", "float4_e2m1fn": "FLOAT4_E2M1",
    "float4_e1m2fn": "FLOAT4_E1M2", "int4": "INT4", "uint4": "", "int2": "", "uint2": "", "uint1": "UINT1",
}

HEAD = """# Dtypes

Every numeric dtype of CANN has a name here, and so have some that CANN has not. Written by `tools/dtype_table.py`,
which tries each entry; do not edit the table by hand.

* **defined by**: whose dtype object it is. All of them work as `ap.name`, as a string where a dtype is asked for, and
  as `array.dtype`.
* **bytes**: of an element in memory. Dtypes of less than 8 bits take a byte per element, as in ml_dtypes.
* **range**: the least and the greatest finite value.
* **arithmetic**: `core`: `x + x` has a loop of its own and fuses; `host`: it runs in NumPy with the loops of ml_dtypes,
  one call at a time, counted by `ap.fallbacks()`; `-> dtype`: the operands are converted to that wider dtype, in which
  the result stays.
* **DLPack**, **buffer**: whether arrays leave by `__dlpack__` and by the buffer protocol.
* **.npy**: what `numpy.load` makes of a file that `ap.save` wrote; `ap.load` gives the dtype back in every case.

All dtypes can be made, indexed, viewed, reshaped, joined, sorted, converted to every other one, printed, pickled, saved
and loaded. Conversions to a narrow dtype go through float32, int8, uint8 or complex64, as those of ml_dtypes do.

"""

NOTES = """
* `float8_e8m0fnu` holds powers of two without a sign: zero, negative numbers and infinities become NaN.
* The float6 and float4 dtypes have neither infinity nor NaN: what is too large becomes the greatest value, NaN a zero.
* `hifloat8` follows "Ascend HiFloat8 Format for Deep Learning" (2024): 3 mantissa bits for exponents of at most 3,
  2 up to 7, 1 up to 15, then powers of two alone down to 2**-22; one zero, one NaN; conversion rounds to nearest, ties
  away from zero. Its arithmetic is float32's.
* Integers that do not fit `int4`, `uint4`, `int2`, `uint2`, `uint1` keep their low bits.
* `promote_types` and operators refuse to mix most narrow dtypes with each other: convert one of them first.
* `issubdtype` and `isdtype` count the dtypes that NumPy does not have among the floating, complex or integer ones by
  what they hold; their `dtype.kind` is "V" or "W" for most, as ml_dtypes has it.
* A file of a dtype that NumPy's format cannot name holds a structure of one field: its name is the dtype's, its type
  that many raw bytes. `numpy.load(file)["bfloat16"].view(ml_dtypes.bfloat16)` are the values.
"""


def possible(function: Any) -> bool:
    try:
        function()
    except (TypeError, ValueError, BufferError, AttributeError):
        return False
    return True


def limits(dtype: np.dtype) -> tuple[str, str]:
    """Bits and range."""
    if dtype == np.bool:
        return "1", "false, true"
    if ap.isdtype(dtype, "integral"):
        info = ap.iinfo(dtype)
        return str(info.bits), f"{info.min} ... {info.max}"
    info = ap.finfo(dtype)
    parts = 2 if ap.isdtype(dtype, "complex floating") else 1
    if dtype.char in "gG":
        return str(8 * dtype.itemsize), "as the machine has it"
    return str(parts * info.bits), f"{float(info.min):.6g} ... {float(info.max):.6g}"


def arithmetic(dtype: np.dtype) -> str:
    x = ap.ones(3, dtype)
    ap.forget_fallbacks()
    result = ap.add(x, x)
    if not ap.fallbacks() and result.dtype == dtype:
        return "core"
    return "host" if result.dtype == dtype else f"-> {result.dtype}"


def in_file(dtype: np.dtype) -> str:
    file = io.BytesIO()
    x = ap.ones(3, dtype)
    ap.save(file, x)
    file.seek(0)
    plain = np.load(file)
    file.seek(0)
    back = ap.load(file)
    assert back.dtype == dtype and back.tolist() == x.tolist()
    return "itself" if plain.dtype == dtype else f"field `{plain.dtype.names[0]}`"


def owner(dtype: np.dtype) -> str:
    module = dtype.type.__module__.split(".")[0]
    return {"numpy": "NumPy"}.get(module, module)


def text() -> str:
    rows = [
        "| dtype | aclDataType | defined by | bits | bytes | range | arithmetic | DLPack | buffer | .npy |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, acl in DTYPES.items():
            dtype = np.dtype(getattr(ap, name))
            x = ap.ones(3, dtype)
            bits, span = limits(dtype)
            size = "8, 12 or 16" if name == "longdouble" else "twice that" if name == "clongdouble" else dtype.itemsize
            bits = "" if dtype.char in "gG" else bits
            rows.append(
                f"| `{name}` | {'`ACL_' + acl + '`' if acl else 'none'} | {owner(dtype)} | {bits} | {size} | {span} | "
                f"{arithmetic(dtype)} | {'yes' if possible(x.__dlpack__) else 'no'} | "
                f"{'yes' if possible(lambda x=x: memoryview(x)) else 'no'} | {in_file(dtype)} |"
            )
    return HEAD + "\n".join(rows) + "\n" + NOTES


def main(arguments: list[str]) -> int:
    if "--write" in arguments:
        PAGE.write_text(text())
    elif "--check" in arguments:
        if not PAGE.exists() or PAGE.read_text() != text():
            print(f"{PAGE.name} is not current: python tools/dtype_table.py --write", file=sys.stderr)
            return 1
    else:
        print(text(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
