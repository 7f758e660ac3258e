"""Statements about what no device holds, beside numeric arrays: objects, text, dates and durations."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from backend.program_writer import BINARY, SCALARS, SHAPES, Writer, live
from hypothesis import strategies as st

DTYPES = ["object", "object", "object", "U3", "S4", "M8[D]", "m8[h]"]
# `o` is an array of them, `n` one of numbers, `p` another one of either kind.
VALUES = [
    "xp.asarray({o} == {p})", "xp.asarray({o} != {p})", "xp.asarray({o} < {p})", "xp.asarray({o} >= {p})",
    "xp.argsort({o}.ravel(), kind='stable')", "xp.unique({o})", "xp.unique({o}, return_inverse=True)[1]",
    "xp.where({n} > {s}, {o}, {p})", "xp.where({o} == {p}, {n}, {s})", "xp.concatenate([{o}, {p}])",
    "xp.stack([{o}, {p}])", "xp.take({o}, xp.asarray([0, -1]))", "xp.repeat({o}, 2)", "xp.roll({o}, 1)",
    "xp.asarray({o}).reshape(-1)[::2]", "xp.broadcast_to({o}, (2,) + {o}.shape).copy()", "{n}.astype('{d}')",
    "xp.asarray({o}.astype('int64'))", "xp.asarray({o}.astype('float64'))", "{o}[{n} > {s}]", "{n}[{o} == {p}]",
    "{o} {b} {p}", "{p} {b} {o}", "{o} {b} {p}", "{o} {b} {s}", "xp.maximum({o}, {p})", "xp.sort({o})",
    "xp.sum({o}, axis=0)", "{o}.max(axis=0)", "xp.cumsum({o})", "xp.isin({o}, {p})", "xp.subtract.outer({o}, {p})",
    "xp.searchsorted(xp.sort({o}.ravel()), {o})", "xp.diff({o})", "xp.equal({o}, {p})", "xp.count_nonzero({o})",
    "xp.add({o}, {p}, dtype=object)", "xp.asarray({n}, dtype=object)", "xp.array([{s}, None, 'x'], dtype=object)",
    "{o}.T", "{o}[1:]", "{o}[::-1]", "xp.lib.stride_tricks.sliding_window_view({o}, 1, writeable=True)",
]
# Each changes `o` or `n`.
WRITES = [
    ("{o}", "[...] = ", "{p}"), ("{n}", "[...] = ", "{o}"), ("{o}", "[...] = ", "{n}"), ("{o}", "[1:] = ", "{o}[:-1]"),
    ("{o}", "[...] += ", "{n}"), ("{o}", "[...] -= ", "{p}"), ("{o}", "[...] *= ", "{s}"),
    ("{o}", "[1:] += ", "{o}[:-1]"), ("{n}", "[{o} == {p}] = ", "{s}"), ("{o}", "[{n} > {s}] = ", "{s}"),
]


def beside(space: dict[str, Any]) -> dict[str, Any]:
    """The arrays of a program that are no numbers."""
    return {name: value for name, value in space.items() if re.fullmatch(r"o\d+", name)}


class ObjectWriter(Writer):
    def new_object(self) -> str:
        self.named += 1
        return f"o{self.named}"

    def keep(self, text: str) -> None:
        """Names a value: by its dtype one of numbers, or of what no device holds."""
        found = self.value(text)
        if found is None or found.size > 3000 or found.ndim > 6 or found.dtype.kind not in "biufOUSMm":
            return
        if found.dtype.kind in "OUSMm":
            self.write(f"{self.new_object()} = np.asarray({text})")
        elif found.dtype.name in ("bool", "int64", "float64"):
            self.write(f"{self.name()} = xp.asarray({text})")

    def make(self) -> None:
        shape = self.choose([one for one in SHAPES if np.prod(one) < 100])
        self.keep(f"fill({self.choose(DTYPES)!r}, {shape!r})")

    def parts(self) -> dict[str, str] | None:
        others = sorted(beside(self.space))
        small = sorted(name for name, one in live(self.space).items() if one.size < 3000 and one.dtype.kind in "biu")
        if not others or not small:
            return None
        one = self.choose(others)
        like = [name for name in others if self.space[name].shape == self.space[one].shape]
        fitting = [name for name in small if self.space[name].shape == self.space[one].shape]
        number = self.choose(fitting or small)
        return {"o": one, "p": self.choose([*like, number, number]), "n": number, "s": self.choose(SCALARS),
                "b": self.choose(BINARY), "d": self.choose(DTYPES)}

    def combine(self) -> None:
        parts = self.parts()
        if parts is not None:
            self.keep(self.choose(VALUES).format(**parts))

    def change(self) -> None:
        parts = self.parts()
        if parts is None:
            return
        target, sign, value = (one.format(**parts) for one in self.choose(WRITES))
        # On a copy first: what raises half-way would leave a part of itself.
        self.space["trial"] = self.space[target].copy()
        works = self.attempt(f"trial{sign}{value.replace(target, 'trial')}".replace(f"[{target}", "[trial"))
        changed = self.space.pop("trial")
        if (works and changed.dtype.kind not in "fc") or (works and self.space[target].dtype.kind == "O"):
            self.write(f"{target}{sign}{value}")

    def attempt(self, line: str) -> bool:
        lines = list(self.lines)
        works = self.write(line)
        self.lines = lines
        return works

    def look(self) -> None:
        others = sorted(beside(self.space))
        if others:
            self.write(f"seen.append(repr({self.choose(others)}.tolist()))")

    def statements(self) -> list[Any]:
        return [self.make, self.combine, self.combine, self.combine, self.change, self.change, self.look]


def with_objects(draw: Any) -> ObjectWriter:
    writer = ObjectWriter(draw)
    for _ in range(draw(st.integers(1, 3))):
        writer.make()
    return writer
