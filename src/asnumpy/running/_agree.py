"""Whether what two runs of a program printed and saved is the same, numbers within a tolerance."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

NUMBER = re.compile(r"(?<![A-Za-z_])[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan\b|inf\b)")
TEXTS = {".txt", ".csv", ".tsv", ".dat", ".json", ".log", ".md"}


def _pieces(text: str, ignored: Sequence[re.Pattern[str]]) -> Iterator[tuple[str, int]]:
    """Numbers and what stands between them, without spaces, each with its line."""
    for place, line in enumerate(text.splitlines(), 1):
        if any(pattern.search(line) for pattern in ignored):
            continue
        end = 0
        for found in [*NUMBER.finditer(line), None]:
            between = "".join(line[end : found.start() if found else len(line)].split())
            if between:
                yield between, place
            if found:
                yield found.group(), place
                end = found.end()


@dataclass(frozen=True)
class Nearness:
    """How near numbers must be, as for `allclose`, and the lines of the output that do not count."""

    rtol: float
    atol: float
    ignore: Sequence[str] = ()

    def same(self, a: str, b: str) -> bool:
        if a == b:
            return True
        if not (NUMBER.fullmatch(a) and NUMBER.fullmatch(b)):
            return False
        if a.lstrip("+-").isdigit() and b.lstrip("+-").isdigit():
            return int(a) == int(b)
        x, y = float(a), float(b)
        return (math.isnan(x) and math.isnan(y)) or math.isclose(x, y, rel_tol=self.rtol, abs_tol=self.atol)

    def of_texts(self, a: str, b: str) -> str:
        """Empty where they agree, else where they first do not."""
        patterns = [re.compile(one) for one in self.ignore]
        first, second = list(_pieces(a, patterns)), list(_pieces(b, patterns))
        for (x, line), (y, other) in zip(first, second, strict=False):
            if not self.same(x, y):
                where = f"line {line}" if line == other else f"line {line} (asnumpy: line {other})"
                return f"{where}: {x[:60]!r} with NumPy, {y[:60]!r} with asnumpy"
        if len(first) != len(second):
            longer, name = (first, "NumPy") if len(first) > len(second) else (second, "asnumpy")
            return f"line {longer[min(len(first), len(second))][1]} is there with {name} alone"
        return ""

    def of_arrays(self, a: np.ndarray, b: np.ndarray) -> str:
        """Likewise."""
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            return f"{a.dtype} {a.shape} with NumPy, {b.dtype} {b.shape} with asnumpy"
        inexact = a.dtype.kind in "fc"
        if np.array_equal(a, b, equal_nan=inexact) if inexact else np.array_equal(a, b):
            return ""
        if not inexact:
            return f"{np.count_nonzero(np.asarray(a != b))} of {a.size} elements"
        wide: Any = np.complex128 if a.dtype.kind == "c" else np.longdouble
        x: Any = a.astype(wide)
        y: Any = b.astype(wide)
        near = np.isclose(y, x, self.rtol, self.atol, equal_nan=True)
        if near.all():
            return ""
        with np.errstate(invalid="ignore"):
            most = float(np.nanmax(np.abs(x - y), initial=0, where=~near))
        return f"{np.count_nonzero(~near)} of {a.size} elements, by up to {most:.3g}"

    def of_files(self, a: str, b: str) -> str:
        """Empty where they agree; begins with "differs", unless only bytes could be compared."""
        first, second = Path(a), Path(b)
        if first.read_bytes() == second.read_bytes():
            return ""
        kind = first.suffix.lower()
        if kind in TEXTS:
            why = self.of_texts(first.read_text(errors="replace"), second.read_text(errors="replace"))
            return f"differs: {why}" if why else ""
        if kind not in (".npy", ".npz"):
            return "has other bytes; files of its kind are not compared by value"
        try:
            x, y = _arrays(first), _arrays(second)
        except ValueError as error:  # objects, which are pickled
            return f"has other bytes, and cannot be compared by value: {error}"
        if x.keys() != y.keys():
            return f"differs: arrays {sorted(x)} with NumPy, {sorted(y)} with asnumpy"
        found = {name: self.of_arrays(x[name], y[name]) for name in x}
        why = "; ".join(f"{name}: {one}" if name else one for name, one in found.items() if one)
        return f"differs: {why}" if why else ""


def _arrays(path: Path) -> dict[str, Any]:
    with open(path, "rb") as file:
        loaded = np.load(file)
        return {"": loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
