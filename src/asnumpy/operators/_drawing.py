"""Arguments drawn by a declaration: dtypes, sizes (0, 1, odd, large), broadcasting, and how arrays lie in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from asnumpy import creation
from asnumpy.dtypes.dtype import real_kind
from asnumpy.operators._call import full_shape
from asnumpy.operators._declaration import REQUIRED, Declaration, Tensor, dtype_named, length, symbols

SIZES = (1, 2, 3, 0, 5, 8, 17, 16, 31, 64, 127, 256)
LARGE = (1025, 4099, 20000)
MOST = 1 << 19  # elements of one array
LAYOUTS = ("C", "F", "every other", "backwards", "shifted")


@dataclass
class Given:
    """One array: its values, and how they lie in memory."""

    values: np.ndarray
    layout: str
    weak: bool = False  # goes in as a Python number

    def on(self, device: str) -> Any:
        """The array on a device, lying so."""
        if self.weak:
            return self.values.item()
        values = self.values
        if values.ndim == 0 or self.layout == "C":
            return creation.asarray(values, device=device)
        if self.layout == "F":
            return creation.asarray(np.ascontiguousarray(values.T), device=device).T
        step = {"every other": 2, "backwards": -1, "shifted": 1}[self.layout]
        extra = 3 if self.layout == "shifted" else 0
        last = values.shape[-1]
        base = np.zeros((*values.shape[:-1], last * abs(step) + extra), values.dtype)
        places = slice(extra, None) if extra else slice(None, None, step)
        base[..., places] = values
        return creation.asarray(base, device=device)[..., places]

    def __str__(self) -> str:
        if self.weak:
            return repr(self.values.item())
        layout = "" if self.layout == "C" else f" {self.layout}"
        return f"{self.values.dtype.name}{list(self.values.shape)}{layout}"


@dataclass
class Case:
    """Arguments of one call; None for an input that is left out."""

    number: int
    inputs: dict[str, Given | None]
    attributes: dict[str, Any]
    with_out: bool
    sizes: dict[str, int] = field(default_factory=dict)

    def arguments(self, device: str) -> tuple[list[Any], dict[str, Any]]:
        """As a call takes them."""
        return [None if one is None else one.on(device) for one in self.inputs.values()], dict(self.attributes)

    def __str__(self) -> str:
        parts = [f"{name}: {one}" for name, one in self.inputs.items()]
        parts += [f"{name}={value!r}" for name, value in self.attributes.items()]
        return ", ".join(parts) + ", out" * self.with_out


class Drawing:
    """Draws cases; the n-th of a seed is always the same."""

    def __init__(self, declaration: Declaration, seed: int, sizes: Mapping[str, Sequence[int]],
                 attributes: Mapping[str, Iterable[Any]],
                 values: Mapping[str, Callable[..., Any]]) -> None:  # fmt: skip
        self.declaration, self.seed, self.values = declaration, seed, values
        known = {symbol for tensor in declaration.inputs for axis in tensor.core for symbol in symbols(axis)}
        for what, given, names in (
            ("sizes", sizes, known), ("attributes", attributes, {one.name for one in declaration.attributes}),
            ("values", values, {one.name for one in declaration.inputs}),
        ):
            for name in given:
                if name not in names:
                    raise ValueError(f"{declaration.name}: check: {what}: there is no {name!r}; declared are: "
                                     f"{', '.join(sorted(names)) or 'none'}")
        self._sizes = {name: tuple(sizes.get(name, ())) for name in sorted(known)}
        self._attributes = {one.name: self._choices(one, attributes.get(one.name)) for one in declaration.attributes}
        self._dtypes = list(itertools.product(*declaration.letters.values()))

    def _choices(self, one: Any, given: Iterable[Any] | None) -> list[Any]:
        if given is not None:
            return list(given)
        if one.kind == "bool":
            return [False, True]
        if one.default is REQUIRED:
            raise ValueError(f"{self.declaration.name}: check: the attribute {one.name!r} has no default; say what it "
                             f"may be: attributes={{{one.name!r}: [...]}}")
        return [one.default]

    def case(self, number: int, small: bool = False) -> Case:
        """The case of that number; ValueError where no sizes were found that fit."""
        rng = np.random.default_rng([self.seed, number])
        for _ in range(100):
            made = self._try(number, rng, small)
            if made is not None:
                return made
        raise ValueError(f"{self.declaration.name}: check: no sizes were found for which all shapes are possible; give "
                         f"some: sizes={{...}}")

    def _try(self, number: int, rng: np.random.Generator, small: bool) -> Case | None:
        declaration = self.declaration
        letters = dict(zip(declaration.letters, self._dtypes[number % len(self._dtypes)], strict=True))
        attributes = {name: choices[int(rng.integers(len(choices)))] for name, choices in self._attributes.items()}
        sizes = {name: value for name, value in attributes.items() if isinstance(value, int)}
        large = not small and rng.random() < 0.15
        for name, given in self._sizes.items():
            if name not in sizes:
                usual = (1, 2, 3, 5) if small else LARGE if large and rng.random() < 0.5 else SIZES
                sizes[name] = int(rng.choice(given or usual))
        batch = tuple(int(n) for n in rng.choice((1, 2, 3, 3, 7, 0) if not small else (1, 2, 3), rng.integers(0, 4)))
        if large and rng.random() < 0.3:
            batch = (*batch[:1], 1025)
        inputs: dict[str, Given | None] = {}
        batched = sum(one.batched for one in declaration.inputs)
        for tensor in declaration.inputs:
            if any(length(axis, sizes) < 0 for axis in tensor.core):
                return None
            part = batch if batched == 1 else _part(batch, rng)
            shape = full_shape(tensor, part, sizes)
            if int(np.prod(shape)) > MOST:
                return None
            inputs[tensor.name] = None if tensor.optional and rng.random() < 0.5 else self._given(
                tensor, shape, letters, rng
            )
        for tensor in declaration.outputs:
            shape = full_shape(tensor, batch, sizes)
            if any(n < 0 for n in shape) or int(np.prod(shape)) > 8 * MOST:
                return None
        self._weaken(inputs, rng)
        return Case(number, inputs, attributes, bool(rng.random() < 0.3), sizes)

    def _given(self, tensor: Tensor, shape: tuple[int, ...], letters: dict[str, np.dtype],
               rng: np.random.Generator) -> Given:  # fmt: skip
        dtype = letters.get(tensor.type) or dtype_named(tensor.type)
        assert dtype is not None
        if tensor.name in self.values:
            values = np.asarray(self.values[tensor.name](rng, shape, dtype))
            if values.shape != shape:
                raise ValueError(f"{self.declaration.name}: check: values: expected the shape {shape} for "
                                 f"{tensor.name!r}, got {values.shape}")
            values = values.astype(dtype)
        else:
            values = draw(rng, shape, dtype)
        return Given(values, str(rng.choice(LAYOUTS)))

    def _weaken(self, inputs: dict[str, Given | None], rng: np.random.Generator) -> None:
        """A Python number in the place of an array without axes, where another tells the dtype."""
        for tensor in self.declaration.inputs:
            one = inputs[tensor.name]
            others = [other for other in self.declaration.inputs
                      if other is not tensor and other.type == tensor.type and inputs[other.name] is not None
                      and not inputs[other.name].weak]  # type: ignore[union-attr]
            if one is not None and one.values.ndim == 0 and others and rng.random() < 0.5:
                one.weak = True


def _part(batch: tuple[int, ...], rng: np.random.Generator) -> tuple[int, ...]:
    """Axes that broadcast to these: some are left out at the front, some have one element."""
    kept = batch[int(rng.integers(len(batch) + 1)):] if batch and rng.random() < 0.4 else batch
    return tuple(1 if rng.random() < 0.25 else n for n in kept)


def draw(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Values of a dtype: numbers around zero, whole ones of few digits."""
    kind = real_kind(dtype)
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        low = 0 if kind == "u" else -100
        return rng.integers(low, 101, shape).astype(dtype)
    values = rng.normal(0, 2, shape)
    if kind == "c":
        values = values + 1j * rng.normal(0, 2, shape)
    return np.asarray(values).astype(dtype)
