"""Vector instructions by themselves: UB filled from x and y, one instruction, and UB written back to y."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .harness import Probes, Ran

SIZE = 16384  # bytes of each of the two areas of UB
TYPES = {
    "half": np.float16, "float": np.float32, "int8_t": np.int8, "uint8_t": np.uint8, "int16_t": np.int16,
    "uint16_t": np.uint16, "int32_t": np.int32, "uint32_t": np.uint32, "int64_t": np.int64,
}  # fmt: skip

# x ends with 32 numbers that a kernel names P[i]. in<T>(byte) is the area that x filled, out<T>(byte) the one that y
# filled and that goes back to it, work<T>(byte) is written by nobody.
HEAD = f"""
constexpr uint32_t SIZE = {SIZE};
template <class T> LocalTensor<T> area(uint32_t byte, uint32_t end) {{
    return LocalTensor<T>(TPosition::VECCALC, byte, (end - byte) * 8 / ascendc::size_in_bits<T>);
}}
template <class T> LocalTensor<T> in(uint32_t byte = 0) {{ return area<T>(byte, SIZE); }}
template <class T> LocalTensor<T> out(uint32_t byte = 0) {{ return area<T>(SIZE + byte, 2 * SIZE); }}
template <class T> LocalTensor<T> work(uint32_t byte = 0) {{ return area<T>(2 * SIZE + byte, 4 * SIZE); }}
#define P ((__gm__ int32_t*)(x + SIZE))
#define MASK ((__gm__ uint64_t*)(x + SIZE + 96))
inline void begin(GM_ADDR x, GM_ADDR y) {{
    GlobalTensor<uint8_t> xg, yg;
    xg.SetGlobalBuffer(x);
    yg.SetGlobalBuffer(y);
    DataCopy(in<uint8_t>(), xg, SIZE);
    DataCopy(out<uint8_t>(), yg, SIZE);
    PipeBarrier<PIPE_ALL>();
}}
inline void end(GM_ADDR y) {{
    PipeBarrier<PIPE_ALL>();
    GlobalTensor<uint8_t> yg;
    yg.SetGlobalBuffer(y);
    DataCopy(yg, out<uint8_t>(), SIZE);
}}
"""


def area(*parts: np.ndarray) -> np.ndarray:
    """Bytes of an area that begins with these arrays, each from a multiple of 32 bytes on."""
    out = np.zeros(SIZE, np.uint8)
    at = 0
    for part in parts:
        data = np.ascontiguousarray(part).view(np.uint8).ravel()
        out[at : at + data.size] = data
        at += -(-data.size // 32) * 32
    return out


class VectorProbes:
    """Kernels of one instruction each."""

    def __init__(self, **bodies: str | list[str]) -> None:
        wrapped: dict[str, str | list[str]] = {}
        for name, given in bodies.items():
            lines = [f"begin(x, y);\n{text}\nend(y);" for text in ([given] if isinstance(given, str) else given)]
            wrapped[name] = lines[0] if isinstance(given, str) else lines
        self._probes = Probes(HEAD, **wrapped)

    def run(
        self,
        name: str,
        x: np.ndarray,
        y: np.ndarray | None = None,
        parameters: list[int] | None = None,
        mask: tuple[int, int] = (0, 0),
    ) -> tuple[np.ndarray, Ran]:
        """The area that went back to y, and what the launch gave."""
        tail = np.zeros(32, np.int32)
        tail[: len(parameters or [])] = parameters or []
        tail[24:28] = np.array(mask, np.uint64).view(np.int32)
        given = np.concatenate([area(x), tail.view(np.uint8)])
        result = area(y if y is not None else np.zeros(0, np.uint8))
        return result, self._probes(name, 1, given, result)

    def __call__(
        self,
        name: str,
        x: np.ndarray,
        y: np.ndarray | None = None,
        parameters: list[int] | None = None,
        mask: tuple[int, int] = (0, 0),
    ) -> np.ndarray:
        """The area that went back to y, of a kernel that is right."""
        result, ran = self.run(name, x, y, parameters, mask)
        assert ran.findings == []
        return result


@dataclass
class Form:
    """One form of an instruction: which lanes, and how they lie in its operands.

    `kind`: 0 a count, 1 a mask of bits, 2 a mask of so many lanes, 3 the counter mode.
    """

    kind: int = 0
    number: int = 0  # the count, the lanes or the elements
    bits: tuple[int, int] = (0, 0)
    repeat: int = 1
    strides: list[tuple[int, int]] = field(default_factory=list)  # of each operand: of blocks, of repeats

    def parameters(self) -> list[int]:
        """As the kernels below read them."""
        return [self.kind, self.number, self.repeat, *(each for pair in self.strides for each in pair)]

    def active(self, lanes: int) -> np.ndarray:
        """A row a repeat: which lanes are worked on."""
        if self.kind in (0, 3):
            rows = -(-self.number // lanes)
            return np.arange(rows * lanes).reshape(rows, lanes) < self.number
        if self.kind == 1:
            one = [self.bits[i // 64] >> (i % 64) & 1 for i in range(lanes)]
        else:
            one = [int(i < self.number) for i in range(lanes)]
        return np.array([one] * self.repeat, bool).reshape(self.repeat, lanes)

    def places(self, lanes: int, itemsize: int, operand: int) -> np.ndarray:
        """The element of an operand that each active lane is."""
        rows = self.active(lanes).shape[0]
        block, repeat = self.strides[operand] if self.kind else (1, lanes * itemsize // 32)
        per = 32 // itemsize
        lane = np.arange(lanes)
        each = np.arange(rows)[:, None] * repeat * per + lane // per * block * per + lane % per
        return each[self.active(lanes)]


UNARY = "{P[3], P[5], P[4], P[6]}"
BINARY = "{P[3], P[5], P[7], P[4], P[6], P[8]}"


def forms(name: str, arguments: str, strides: str, types: str) -> str:
    """The text of a kernel that runs an instruction in the form that its parameters choose.

    `arguments` are those before the count or mask, `types` the template's arguments before isSetMask.
    """
    return f"""
    if (P[0] == 0) {name}({arguments}, P[1]);
    else if (P[0] == 1) {{ uint64_t mask[2] = {{MASK[0], MASK[1]}}; {name}({arguments}, mask, P[2], {strides}); }}
    else if (P[0] == 2) {name}({arguments}, (uint64_t)P[1], P[2], {strides});
    else {{
        SetMaskCount();
        SetVectorMask<{types.split(",")[-1].strip()}, MaskMode::COUNTER>(0, P[1]);
        {name}<{types}, false>({arguments}, MASK_PLACEHOLDER, 1, {strides});
        SetMaskNorm();
        ResetMask();
    }}"""


def numbers(dtype: Any, seed: int, n: int = 2048) -> np.ndarray:
    """Random numbers, with those at the edges among them."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        out = rng.normal(0, 30, n).astype(dtype)
        info = np.finfo(dtype)
        edges = [
            0.0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            info.max,
            info.min,
            info.smallest_subnormal,
            info.tiny,
            -info.tiny,
            1.0,
            -1.0,
        ]
    else:
        info = np.iinfo(dtype)
        out = rng.integers(info.min, info.max, n, dtype, endpoint=True)
        edges = [0, info.min, info.max, 1]
    at = rng.choice(n, len(edges) * 4, replace=False)
    out[at] = np.array(edges * 4, dtype)
    return out


def same(got: np.ndarray, expected: np.ndarray, ulps: int = 0) -> None:
    """The bits agree, or both are NaN; or `ulps` units in the last place lie between them."""
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, expected)
        return
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    kind = {2: np.int16, 4: np.int32}[got.itemsize]
    a, b = (np.where(np.isnan(v), v.dtype.type(0), v).view(kind).astype(np.int64) for v in (got, expected))
    assert (np.abs(a - b) <= ulps).all()


def plain(lanes: int, operands: int) -> list[Form]:
    """Whole forms, and each with a part of a repeat, a mask with holes, and strides."""
    wide_strides = [(2, 20), (1, 8), (1, 0)][:operands]
    one = [(1, 8)] * operands
    bits = (0x5A5A_0F0F_1234_8001, 0x8000_0000_0000_0001 if lanes > 64 else 0)
    return [
        Form(0, 4 * lanes), Form(0, 2 * lanes + 5), Form(0, 1), Form(0, 0),
        Form(1, 0, bits, 3, one), Form(1, 0, bits, 2, wide_strides), Form(2, lanes - 3, (0, 0), 3, wide_strides),
        Form(2, lanes, (0, 0), 4, one), Form(3, 2 * lanes + 7, (0, 0), 1, one),
        Form(3, 2 * lanes + 9, (0, 0), 1, wide_strides),
    ]  # fmt: skip


def filled(form: Form, operands: int) -> Form:
    """Strides for a form that has none to give."""
    if not form.strides:
        form.strides = [(1, 8)] * operands
    return form
