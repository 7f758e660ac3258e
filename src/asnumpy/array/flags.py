"""ndarray.flags: the memory layout of an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asnumpy._types import ndarray

_FLAGS = {
    "C_CONTIGUOUS": "c_contiguous", "C": "c_contiguous", "CONTIGUOUS": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
    "OWNDATA": "owndata", "O": "owndata", "WRITEABLE": "writeable", "W": "writeable",
    "ALIGNED": "aligned", "A": "aligned", "WRITEBACKIFCOPY": "writebackifcopy", "X": "writebackifcopy",
    "BEHAVED": "behaved", "B": "behaved", "CARRAY": "carray", "CA": "carray", "FARRAY": "farray", "FA": "farray",
    "FNC": "fnc", "FORC": "forc",
}


class flagsobj:
    """Memory layout of an array, as numpy.ndarray.flags."""

    __slots__ = ("_array",)

    def __init__(self, array: ndarray) -> None:
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        return self._array._flags_c_contiguous

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        return self._array._flags_f_contiguous

    fortran = f_contiguous

    @property
    def owndata(self) -> bool:
        return self._array._owns_data

    @property
    def writeable(self) -> bool:
        return self._array._flags_writeable

    @writeable.setter
    def writeable(self, value: Any) -> None:
        self._array.setflags(write=value)

    @property
    def aligned(self) -> bool:
        return True  # the core makes none that are not, and copies or refuses those that come

    @property
    def writebackifcopy(self) -> bool:
        return False

    @property
    def behaved(self) -> bool:
        return self.aligned and self.writeable

    @property
    def carray(self) -> bool:
        return self.behaved and self.c_contiguous

    @property
    def fnc(self) -> bool:
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        return self.f_contiguous or self.c_contiguous

    @property
    def farray(self) -> bool:
        # NumPy's own definition: any of these flags, in an array that is not in C order.
        return (self.f_contiguous or self.behaved) and not self.c_contiguous

    @property
    def num(self) -> int:
        bits = {"c_contiguous": 1, "f_contiguous": 2, "owndata": 4, "aligned": 0x100, "writeable": 0x400}
        return sum(bit for name, bit in bits.items() if getattr(self, name))

    def __getitem__(self, key: str) -> bool:
        if key not in _FLAGS:
            raise KeyError("Unknown flag")
        return bool(getattr(self, _FLAGS[key]))

    def __setitem__(self, key: str, value: Any) -> None:
        if _FLAGS.get(key) != "writeable":
            raise KeyError("Unknown flag")
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, flagsobj) and self.num == other.num

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        return "".join(f"  {name} : {self[name]}\n" for name in names)


flagsobj.__module__ = "asnumpy"
