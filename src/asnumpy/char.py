"""asnumpy.char: NumPy's functions of text, through the host door; text stays in NumPy's arrays, numbers are ours."""

import numpy as _np
from numpy.char import chararray

from asnumpy.host.whole import door as _door

__all__ = [
    "add", "array", "asarray", "capitalize", "center", "chararray", "compare_chararrays", "count", "decode",
    "encode", "endswith", "equal", "expandtabs", "find", "greater", "greater_equal", "index", "isalnum", "isalpha",
    "isdecimal", "isdigit", "islower", "isnumeric", "isspace", "istitle", "isupper", "join", "less", "less_equal",
    "ljust", "lower", "lstrip", "mod", "multiply", "not_equal", "partition", "replace", "rfind", "rindex", "rjust",
    "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "str_len", "strip", "swapcase", "title",
    "translate", "upper", "zfill",
]

add = _door(_np.char.add)
array = _door(_np.char.array)
asarray = _door(_np.char.asarray)
capitalize = _door(_np.char.capitalize)
center = _door(_np.char.center)
compare_chararrays = _door(_np.char.compare_chararrays)
count = _door(_np.char.count)
decode = _door(_np.char.decode)
encode = _door(_np.char.encode)
endswith = _door(_np.char.endswith)
equal = _door(_np.char.equal)
expandtabs = _door(_np.char.expandtabs)
find = _door(_np.char.find)
greater = _door(_np.char.greater)
greater_equal = _door(_np.char.greater_equal)
index = _door(_np.char.index)
isalnum = _door(_np.char.isalnum)
isalpha = _door(_np.char.isalpha)
isdecimal = _door(_np.char.isdecimal)
isdigit = _door(_np.char.isdigit)
islower = _door(_np.char.islower)
isnumeric = _door(_np.char.isnumeric)
isspace = _door(_np.char.isspace)
istitle = _door(_np.char.istitle)
isupper = _door(_np.char.isupper)
join = _door(_np.char.join)
less = _door(_np.char.less)
less_equal = _door(_np.char.less_equal)
ljust = _door(_np.char.ljust)
lower = _door(_np.char.lower)
lstrip = _door(_np.char.lstrip)
mod = _door(_np.char.mod)
multiply = _door(_np.char.multiply)
not_equal = _door(_np.char.not_equal)
partition = _door(_np.char.partition)
replace = _door(_np.char.replace)
rfind = _door(_np.char.rfind)
rindex = _door(_np.char.rindex)
rjust = _door(_np.char.rjust)
rpartition = _door(_np.char.rpartition)
rsplit = _door(_np.char.rsplit)
rstrip = _door(_np.char.rstrip)
split = _door(_np.char.split)
splitlines = _door(_np.char.splitlines)
startswith = _door(_np.char.startswith)
str_len = _door(_np.char.str_len)
strip = _door(_np.char.strip)
swapcase = _door(_np.char.swapcase)
title = _door(_np.char.title)
translate = _door(_np.char.translate)
upper = _door(_np.char.upper)
zfill = _door(_np.char.zfill)
