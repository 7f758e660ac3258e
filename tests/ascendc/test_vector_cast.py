"""Casts against NumPy: every pair of types with its rounding modes, saturation, scales, and integers of 4 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from host_compiler import needs_compiler

from .vector import SIZE, TYPES, VectorProbes, numbers, same

pytestmark = needs_compiler

ROUND = ["NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD"]
EVERY, FIVE = ROUND[:6], ROUND[1:6]
PAIRS: dict[tuple[str, str], list[str]] = {
    ("uint8_t", "half"): ["NONE"], ("int8_t", "half"): ["NONE"], ("half", "uint8_t"): EVERY, ("half", "int8_t"): EVERY,
    ("int16_t", "half"): EVERY, ("int16_t", "float"): ["NONE"], ("half", "int16_t"): EVERY, ("half", "int32_t"): EVERY,
    ("half", "float"): ["NONE"], ("int32_t", "float"): EVERY, ("int32_t", "int16_t"): ["NONE"],
    ("int32_t", "int64_t"): ["NONE"], ("int64_t", "int32_t"): ["NONE"], ("int64_t", "float"): FIVE,
    ("float", "int16_t"): FIVE, ("float", "int32_t"): FIVE, ("float", "int64_t"): FIVE, ("float", "half"): ROUND,
    ("float", "float"): FIVE,
}  # fmt: skip


def bodies() -> dict[str, str]:
    """A kernel for each pair of types: the mode and the count are parameters."""
    made = {
        f"{src}_{dst}": f"""
            using S = {src}; using D = {dst};
            if (P[2] == 0) Cast(out<D>(), in<S>(), (RoundMode)P[0], P[1]);
            else {{
                constexpr uint32_t wide = sizeof(S) > sizeof(D) ? sizeof(S) : sizeof(D);
                Cast(out<D>(), in<S>(), (RoundMode)P[0], (uint64_t)P[1], 3,
                     {{1, 1, 8 * sizeof(D) / wide, 8 * sizeof(S) / wide}});
            }}"""
        for src, dst in PAIRS
    }
    return made | {
        "float_bfloat16": "Cast(out<bfloat16_t>(), in<float>(), (RoundMode)P[0], P[1]);",
        "bfloat16_float": "Cast(out<float>(), in<bfloat16_t>(), RoundMode::CAST_NONE, P[1]);",
        "bfloat16_int32": "Cast(out<int32_t>(), in<bfloat16_t>(), (RoundMode)P[0], P[1]);",
        "scaled": "SetDeqScale((half)0.25f); Cast(out<half>(), in<int32_t>(), RoundMode::CAST_NONE, P[1]);",
        "half_int4": "Cast(out<int4b_t>(), in<half>(), (RoundMode)P[0], P[1]);",
        "int4_half": "Cast(out<half>(), in<int4b_t>(), RoundMode::CAST_NONE, P[1]);",
        "saturating": "SetSaturationFlag(true); Cast(out<half>(), in<float>(), RoundMode::CAST_RINT, P[1]);",
        "deq": "SetDeqScale(0.5f, 3, true); CastDeq<int8_t, int16_t, true, false, false>(out<int8_t>(), "
        "in<int16_t>(), 256);"
        "SetDeqScale(0.5f, 3, false);"
        "CastDeq<uint8_t, int16_t, true, false, true>(out<uint8_t>(), in<int16_t>(), (uint64_t)128, 2, {1, 1, 8, 8});",
        "vdeq": "VdeqInfo each; for (int i = 0; i < 16; ++i) { each.vdeqScale[i] = i * 0.25f; each.vdeqOffset[i] = i;"
        "each.vdeqSignMode[i] = true; } SetDeqScale(work<uint64_t>(), each);"
        "CastDeq<int8_t, int16_t>(out<int8_t>(), in<int16_t>(), 256);",
    }


PROBES = VectorProbes(**bodies())


def integral(values: np.ndarray, mode: str) -> np.ndarray:
    """Whole numbers of floats."""
    if mode == "ROUND":
        whole = np.trunc(values)
        return np.where(np.abs(values - whole) >= 0.5, whole + np.copysign(1, values), whole)
    return {"FLOOR": np.floor, "CEIL": np.ceil, "TRUNC": np.trunc}.get(mode, np.rint)(values)


def narrowed(values: np.ndarray, mode: str, dtype: Any) -> np.ndarray:
    """Numbers of float64 as a narrower float, by the two neighbours between which each lies."""
    nearest = values.astype(dtype)
    if mode in ("NONE", "RINT"):
        return nearest
    wide = nearest.astype(np.float64)
    down = np.where(wide > values, np.nextafter(nearest, dtype(-np.inf)), nearest)
    up = np.where(wide < values, np.nextafter(nearest, dtype(np.inf)), nearest)
    away, toward = np.where(values < 0, down, up), np.where(values < 0, up, down)
    if mode == "FLOOR":
        return down
    if mode == "CEIL":
        return up
    if mode == "TRUNC":
        return toward
    bits = {2: np.uint16, 4: np.uint32}[np.dtype(dtype).itemsize]
    if mode == "ODD":
        return np.where((away != toward) & (toward.view(bits) % 2 == 0), away, toward)
    tie = np.abs(values - away.astype(np.float64)) == np.abs(values - toward.astype(np.float64))
    return np.where(tie, away, nearest)


def expected(values: np.ndarray, dtype: Any, mode: str) -> np.ndarray:
    """What a cast gives."""
    dtype = np.dtype(dtype)
    with np.errstate(all="ignore"):
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            if values.dtype.kind in "iu":
                return np.clip(values, info.min, info.max).astype(dtype)
            whole = integral(values.astype(np.float64), mode)
            out = [
                0
                if np.isnan(v)
                else int(np.clip(v, info.min, info.max))
                if np.isfinite(v)
                else (info.max if v > 0 else info.min)
                for v in whole
            ]
            return np.array([min(max(v, info.min), info.max) for v in out], dtype)
        if values.dtype == dtype:
            return integral(values, mode).astype(dtype)
        if values.dtype.kind == "i" and values.itemsize == 8:
            wide = values.astype(np.longdouble)
            return narrowed(wide, mode, dtype.type)
        special = ~np.isfinite(values.astype(np.float64))
        out = narrowed(values.astype(np.float64), mode, dtype.type)
        return np.where(special, values.astype(dtype), out)


def source(type_name: str, n: int) -> np.ndarray:
    """Numbers of every size, halves between two whole numbers and what is out of range among them."""
    dtype = np.dtype(TYPES[type_name])
    out = numbers(dtype, 5, n)
    if dtype.kind == "f":
        rng = np.random.default_rng(6)
        out[n // 2 :: 4] = rng.integers(-300, 300, out[n // 2 :: 4].size) / 2
        with np.errstate(over="ignore"):
            out[n // 2 + 1 :: 4] = (
                rng.normal(0, 1, out[n // 2 + 1 :: 4].size) * 2.0 ** rng.integers(-30, 66, out[n // 2 + 1 :: 4].size)
            ).astype(dtype)
    elif dtype.itemsize > 2:
        out[::2] >>= np.random.default_rng(6).integers(0, 8 * dtype.itemsize - 2, out[::2].size).astype(dtype)
    return out


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_casts(src, dst):
    dtype = np.dtype(TYPES[dst])
    a = source(src, 1000)
    lanes = 256 // max(a.itemsize, dtype.itemsize)
    for mode in PAIRS[src, dst]:
        want = expected(a, dtype, mode)
        same(PROBES(f"{src}_{dst}", a, None, [ROUND.index(mode), 1000]).view(dtype)[:1000], want)
        got = (
            PROBES(f"{src}_{dst}", a, None, [ROUND.index(mode), lanes - 5, 1])
            .view(dtype)[: 3 * lanes]
            .reshape(3, lanes)
        )
        same(got, np.where(np.arange(lanes) < lanes - 5, want[: 3 * lanes].reshape(3, lanes), dtype.type(0)))


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_other_modes_are_refused(src, dst):
    for mode in set(ROUND) - set(PAIRS[src, dst]):
        _, ran = PROBES.run(f"{src}_{dst}", np.zeros(64, np.uint8), None, [ROUND.index(mode), 8])
        assert ran.rules() == ["type"] and f"CAST_{mode} " in ran.findings[0]


@pytest.mark.parametrize("mode", FIVE)
def test_bfloat16(mode):
    a = source("float", 1000)
    got = PROBES("float_bfloat16", a, None, [ROUND.index(mode), 1000]).view(np.uint16)[:1000]
    wide = (got.astype(np.uint32) << 16).view(np.float32)
    bits = a.view(np.uint32)
    cut, rest, negative = bits >> 16, bits & 0xFFFF, bits >> 31 == 1
    grows = {"RINT": (rest > 0x8000) | ((rest == 0x8000) & (bits >> 16 & 1 == 1)),
             "ROUND": rest >= 0x8000, "TRUNC": rest < 0,
             "FLOOR": negative & (rest > 0), "CEIL": ~negative & (rest > 0)}[mode]  # fmt: skip
    finite = np.isfinite(a)
    np.testing.assert_array_equal(got[finite], (cut + grows)[finite].astype(np.uint16))
    same(wide[~finite], a[~finite])
    same(PROBES("bfloat16_float", got, None, [0, 1000]).view(np.float32)[:1000], wide)
    same(
        PROBES("bfloat16_int32", got, None, [ROUND.index(mode), 1000]).view(np.int32)[:1000],
        expected(wide, np.int32, mode),
    )


def test_a_scale():
    a = np.random.default_rng(0).integers(-70000, 70000, 500).astype(np.int32)
    same(
        PROBES("scaled", a, None, [0, 500]).view(np.float16)[:500],
        (a.astype(np.float32) * np.float32(0.25)).astype(np.float16),
    )


@pytest.mark.parametrize("mode", EVERY)
def test_integers_of_four_bits(mode):
    a = np.concatenate([np.arange(-40, 40) / 4, [np.inf, -np.inf, np.nan, 100], [-8.5, 7.5] * 20]).astype(np.float16)
    want = np.array([0 if np.isnan(v) else int(np.clip(v, -8, 7)) for v in integral(a.astype(np.float64), mode)])
    got = PROBES("half_int4", a, None, [ROUND.index(mode), a.size])[: a.size // 2]
    np.testing.assert_array_equal(np.stack([got & 15, got >> 4], 1).ravel(), want & 15)
    same(PROBES("int4_half", got, None, [0, a.size]).view(np.float16)[: a.size], want.astype(np.float16))


def test_halves_saturate():
    a = np.array([1e6, -1e6, np.inf, -np.inf, np.nan, 65519, 3, -0.0], np.float32)
    same(
        PROBES("saturating", a, None, [0, 8]).view(np.float16)[:8],
        np.array([65504, -65504, 65504, -65504, 0, 65504, 3, -0.0], np.float16),
    )


def test_scales_of_bytes():
    a = np.random.default_rng(0).integers(-700, 700, SIZE // 8).astype(np.int16)[:256]
    value = np.rint(a * 0.5 + 3)
    got = PROBES("deq", a)[:512].reshape(16, 2, 16)
    np.testing.assert_array_equal(got[:, 0].view(np.int8).ravel(), np.clip(value, -128, 127))
    np.testing.assert_array_equal(got[:, 1].ravel(), np.clip(value, 0, 255))
    got = PROBES("vdeq", a)[:512].reshape(16, 2, 16)
    lane = np.arange(256) % 16
    np.testing.assert_array_equal(
        got[:, 1].view(np.int8).ravel(), np.clip(np.rint(a * (lane * 0.25) + lane), -128, 127)
    )
