"""asnumpy.strings: NumPy's functions of text, through the host door; text stays in NumPy's arrays."""

import numpy as _np

from asnumpy.host.whole import door as _door

__all__ = [
    "add", "capitalize", "center", "count", "decode", "encode", "endswith", "equal", "expandtabs", "find",
    "greater", "greater_equal", "index", "isalnum", "isalpha", "isdecimal", "isdigit", "islower", "isnumeric",
    "isspace", "istitle", "isupper", "less", "less_equal", "ljust", "lower", "lstrip", "mod", "multiply",
    "not_equal", "replace", "rfind", "rindex", "rjust", "rstrip", "startswith",
    "str_len", "strip", "swapcase", "title", "translate", "upper", "zfill",
]

add = _door(_np.strings.add)
capitalize = _door(_np.strings.capitalize)
center = _door(_np.strings.center)
count = _door(_np.strings.count)
decode = _door(_np.strings.decode)
encode = _door(_np.strings.encode)
endswith = _door(_np.strings.endswith)
equal = _door(_np.strings.equal)
expandtabs = _door(_np.strings.expandtabs)
find = _door(_np.strings.find)
greater = _door(_np.strings.greater)
greater_equal = _door(_np.strings.greater_equal)
index = _door(_np.strings.index)
isalnum = _door(_np.strings.isalnum)
isalpha = _door(_np.strings.isalpha)
isdecimal = _door(_np.strings.isdecimal)
isdigit = _door(_np.strings.isdigit)
islower = _door(_np.strings.islower)
isnumeric = _door(_np.strings.isnumeric)
isspace = _door(_np.strings.isspace)
istitle = _door(_np.strings.istitle)
isupper = _door(_np.strings.isupper)
less = _door(_np.strings.less)
less_equal = _door(_np.strings.less_equal)
ljust = _door(_np.strings.ljust)
lower = _door(_np.strings.lower)
lstrip = _door(_np.strings.lstrip)
mod = _door(_np.strings.mod)
multiply = _door(_np.strings.multiply)
not_equal = _door(_np.strings.not_equal)
replace = _door(_np.strings.replace)
rfind = _door(_np.strings.rfind)
rindex = _door(_np.strings.rindex)
rjust = _door(_np.strings.rjust)
rstrip = _door(_np.strings.rstrip)
startswith = _door(_np.strings.startswith)
str_len = _door(_np.strings.str_len)
strip = _door(_np.strings.strip)
swapcase = _door(_np.strings.swapcase)
title = _door(_np.strings.title)
translate = _door(_np.strings.translate)
upper = _door(_np.strings.upper)
zfill = _door(_np.strings.zfill)

if hasattr(_np.strings, "partition"):  # from NumPy 2.1
    partition = _door(_np.strings.partition)
    rpartition = _door(_np.strings.rpartition)
    __all__ += ["partition", "rpartition"]
if hasattr(_np.strings, "slice"):  # from NumPy 2.3
    slice = _door(_np.strings.slice)
    __all__ += ["slice"]
