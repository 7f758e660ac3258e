"""class Generator and default_rng."""

from __future__ import annotations

import inspect
from operator import index
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.random import _joint, _selection
from asnumpy.random._bit_generator import BitGenerator, Philox, as_bit_generator
from asnumpy.random._distributions import Distributions
from asnumpy.random._integers import draw_integers
from asnumpy.random._source import FLOAT32, FLOAT64, UINT64, Source, check_output, float_dtype, non_negative, rounded

__all__ = ["Generator", "default_rng"]


def random_bytes(source: Source, length: Any) -> bytes:
    count = int(np.intp(length))
    if count < 0:
        raise ValueError(f"bytes: expected a length of at least 0, got {count}")
    words = _core.empty(((count + 7) // 8,), UINT64)
    zero = _core.new_from_numpy(np.zeros((), UINT64), "random", "cpu")
    source.fill("integers", words, (zero, zero))
    return _core.to_numpy_view(words, False).astype("<u8", copy=False).tobytes()[:count]


class Generator(Distributions):
    """NumPy's Generator over arrays of asnumpy: random numbers from the stream of a bit generator.

    `default_rng(seed)` makes one. The numbers are not numpy.random's for the same seed (see `asnumpy.random`).

    Parameters
    ----------
    bit_generator : BitGenerator
        The stream. One of NumPy's is accepted: it gives the key of a stream of ours.
    """

    def __init__(self, bit_generator: Any) -> None:
        self._bit_generator = as_bit_generator(bit_generator, "Generator")

    @property
    def bit_generator(self) -> BitGenerator:
        return self._bit_generator

    def spawn(self, n_children: int) -> list[Generator]:
        return [type(self)(child) for child in self._bit_generator.spawn(n_children)]

    # --- numbers with a choice of dtype, or of the array to fill ---

    def _standard(self, function: str, row: str, size: Any, dtype: Any, out: Any, *given: Any) -> Any:
        wanted = float_dtype(dtype, function)
        if out is not None:
            check_output(out, wanted, size, c_order=function == "standard_gamma")
        asked = dtype is not FLOAT64 and dtype is not None
        return self.draw(function, size, *given, row=row, dtype=wanted, out=out, asked=asked)

    def random(self, size: Any = None, dtype: Any = FLOAT64, out: Any = None) -> Any:
        single = np.dtype(dtype) == FLOAT32
        return self._standard("random", "random_single" if single else "random", size, dtype, out)

    def standard_normal(self, size: Any = None, dtype: Any = FLOAT64, out: Any = None) -> Any:
        return self._standard("standard_normal", "normal", size, dtype, out, ("loc", 0.0, None), ("scale", 1.0, None))

    def standard_exponential(
        self, size: Any = None, dtype: Any = FLOAT64, method: str = "zig", out: Any = None,
    ) -> Any:
        """By inversion, whatever `method` says."""
        return self._standard("standard_exponential", "exponential", size, dtype, out, ("scale", 1.0, None))

    def standard_gamma(self, shape: Any, size: Any = None, dtype: Any = FLOAT64, out: Any = None) -> Any:
        return self._standard("standard_gamma", "gamma", size, dtype, out, ("shape", shape, non_negative),
                              ("scale", 1.0, None))

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False,
    ) -> Any:
        return draw_integers(self, "integers", low, high, size, dtype, bool(endpoint))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self._uniform(low, high, size, ordered=True)

    def bytes(self, length: int) -> bytes:
        return random_bytes(self, length)

    # --- order ---

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True,
    ) -> Any:
        """Without replacement the order is random, whatever `shuffle` says."""
        array, count = _selection.population_of(
            a, lambda array: array.shape[axis], "a must be a positive integer unless no samples are taken",
            "a cannot be empty unless no samples are taken", size)
        places = _selection.choose_places(self, count, size, replace, p)
        return places if array is None else _selection.chosen(array, places, axis)

    def permutation(self, x: Any, axis: int = 0) -> ndarray:
        return _selection.permute(self, x, axis)

    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        return _selection.permute_lines(self, x, axis, out)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        _selection.shuffle_in_place(self, x, index(axis))

    # --- vectors ---

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> ndarray:
        return _joint.draw_multinomial(self, n, pvals, size, one_vector=False)

    def multivariate_hypergeometric(
        self, colors: Any, nsample: Any, size: Any = None, method: str = "marginals",
    ) -> ndarray:
        return _joint.draw_kinds(self, colors, nsample, size, method)

    def multivariate_normal(
        self, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8, *,
        method: str = "svd",
    ) -> ndarray:
        drawn: ndarray = rounded(_joint.draw_multivariate_normal(self, mean, cov, size, check_valid, tol, method))
        return drawn

    def dirichlet(self, alpha: Any, size: Any = None) -> ndarray:
        if np.any(np.less(alpha, 0)):
            raise ValueError("dirichlet: alpha < 0")
        drawn: ndarray = rounded(_joint.draw_dirichlet(self, alpha, size))
        return drawn


def _show_numpys_default(function: Any) -> None:
    """A draw without a dtype follows `config.float`, unlike one of float64; who asks sees what NumPy shows."""
    shown = inspect.signature(function)
    changed = [one.replace(default=np.float64) if one.name == "dtype" else one for one in shown.parameters.values()]
    function.__signature__ = shown.replace(parameters=changed)


for _name in ("random", "standard_normal", "standard_exponential", "standard_gamma"):
    _show_numpys_default(getattr(Generator, _name))



def default_rng(seed: Any = None) -> Generator:
    """A new Generator over Philox, seeded; generators and bit generators are wrapped as they are.

    A bit generator or generator of NumPy's gives the key of a new stream from its own next numbers.
    """
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, Source):
        return Generator(seed._bit_generator)
    if isinstance(seed, np.random.Generator):
        return Generator(seed.bit_generator)
    if isinstance(seed, np.random.RandomState):
        return Generator(seed._bit_generator)
    if isinstance(seed, (BitGenerator, np.random.BitGenerator)):
        return Generator(seed)
    return Generator(Philox(seed))


def take_documentation(ours: type, theirs: type) -> None:
    """NumPy's text for each method; one of our own states the differences and stands before it."""
    for kind in ours.__mro__:
        for name, own in vars(kind).items():
            text = getattr(getattr(theirs, name, None), "__doc__", None)
            if name.startswith("_") or not callable(own) or not text or kind is object:
                continue
            if own.__doc__ and text not in own.__doc__:
                own.__doc__ = f"{own.__doc__}\n\n{text}"
            elif not own.__doc__:
                own.__doc__ = text


take_documentation(Generator, np.random.Generator)
default_rng.__doc__ = f"{default_rng.__doc__}\n\n{np.random.default_rng.__doc__}"
