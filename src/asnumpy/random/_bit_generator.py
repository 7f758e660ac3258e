"""The stream of random words and its place in it: Philox, under its own name and under those of NumPy's generators."""

from __future__ import annotations

import threading
from operator import index
from typing import Any, Self

import numpy as np
from numpy.random.bit_generator import ISeedSequence, ISpawnableSeedSequence

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.arrays import normal_shape
from asnumpy.creation.convert import to_numpy
from asnumpy.random._seeds import SeedSequence
from asnumpy.runtime import recorded

_WORD = (1 << 64) - 1
_WIDE = (1 << 128) - 1
_UINT64 = np.dtype(np.uint64)


def words_of(value: Any, name: str) -> int:
    """A number below 2**128, or an array of its two halves, the lower first, as one int."""
    if np.ndim(value) == 0:
        number = index(value)
        if not 0 <= number <= _WIDE:
            raise ValueError(f"{name} must be positive and less than 2**128.")
        return number
    halves = np.asarray(value)
    if halves.dtype.kind not in "iu" or (halves < 0).any():
        raise ValueError(f"{name} must be an array of non-negative 64-bit integers, got dtype {halves.dtype}")
    if halves.shape == (4,) and not halves[2:].any():  # NumPy's Philox counts further
        halves = halves[:2]
    if halves.shape != (2,):
        raise ValueError(f"{name} must have 2 elements when using array form")
    return int(halves[0]) | int(halves[1]) << 64


class BitGenerator:
    """Base class of the bit generators; Philox is the one there is.

    Attributes
    ----------
    lock : threading.RLock
        Held while a draw takes its place in the stream: threads may share a generator.
    state : dict
        The place in the stream, as the plain data that `numpy.random.Philox.state` has.
    """

    def __init__(self, seed: Any = None) -> None:
        if type(self) is BitGenerator:
            raise NotImplementedError("BitGenerator is a base class and cannot be instantized")
        self.lock = threading.RLock()
        self._key = self._counter = 0
        self._seed_seq: Any = None
        self.reseed(seed)

    def reseed(self, seed: Any) -> None:
        """Starts anew at the beginning of the stream that the seed selects."""
        source = seed if isinstance(seed, ISeedSequence) else SeedSequence(seed)
        low, high = (int(word) for word in source.generate_state(2, np.uint64))
        with self.lock:
            self._seed_seq, self._key, self._counter = source, low | high << 64, 0

    @property
    def seed_seq(self) -> Any:
        """The seed sequence that initialised this generator."""
        return self._seed_seq

    def spawn(self, n_children: int) -> list[Self]:
        """New independent generators of this class, seeded by children of the seed sequence."""
        if not isinstance(self._seed_seq, ISpawnableSeedSequence):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(seed=child) for child in self._seed_seq.spawn(n_children)]

    def reserve(self, words: int) -> tuple[int, int, int]:
        """Takes the next words of the stream: its key, and the two halves of the number of the first."""
        if _core.tracing():
            return recorded.reserve(self, words)
        with self.lock:
            key, first = self._key, self._counter
            self._counter = first + words & _WIDE
        return key & _WORD, first & _WORD, (first >> 64) + (key >> 64) & _WORD

    def random_raw(self, size: Any = None, output: bool = True) -> Any:
        """The next words of the stream as they are: an int, or an array of uint64; None without `output`."""
        shape = () if size is None else normal_shape(size)
        made = _core.empty(shape, _UINT64)
        place = self.reserve(made.size)
        if not output:
            return None
        _core.draw("random_integers", *place, made, (_zero(), _zero()))
        return made.item() if size is None else made

    def jumped(self, jumps: int = 1) -> Self:
        """A copy that stands 2**64 words further on for each jump: as if so many had been drawn."""
        return self._copy().advance(index(jumps) << 64)

    def advance(self, delta: int) -> Self:
        """Moves the place by so many words (of 64 bits, one for each uniform, normal or integer), back if negative."""
        with self.lock:
            self._counter = self._counter + index(delta) & _WIDE
        return self

    def _copy(self) -> Self:
        made = type(self).__new__(type(self))
        made.lock = threading.RLock()
        with self.lock:
            made._key, made._counter, made._seed_seq = self._key, self._counter, self._seed_seq
        return made

    @property
    def state(self) -> dict[str, Any]:
        def halves(number: int) -> np.ndarray:
            return np.array([number & _WORD, number >> 64], np.uint64)

        with self.lock:
            return {
                "bit_generator": type(self).__name__,
                "state": {"counter": halves(self._counter), "key": halves(self._key)},
            }

    @state.setter
    def state(self, value: Any) -> None:
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        name = type(self).__name__
        if value.get("bit_generator") != name:
            raise ValueError(f"state must be for a {name} RNG")
        inner = value["state"]
        if not (isinstance(inner, dict) and {"counter", "key"} <= inner.keys()):
            raise ValueError(
                f"state: expected the counter and key of asnumpy's {name}, which does not continue numpy's")
        key, counter = words_of(inner["key"], "key"), words_of(inner["counter"], "counter")
        with self.lock:
            self._key, self._counter = key, counter

    def __getstate__(self) -> tuple[dict[str, Any], Any]:
        return self.state, self._seed_seq

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            self.state = state
        else:
            self.state, self._seed_seq = state

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self),), self.__getstate__()


def _restored(kind: type[BitGenerator]) -> BitGenerator:
    return kind(0)


def _zero() -> Any:
    global _ZERO
    if _ZERO is None:
        _ZERO = _core.new_from_numpy(np.zeros((), np.uint64), "random", "cpu")
    return _ZERO


_ZERO: Any = None


class Philox(BitGenerator):
    """Philox4x32-10, a counter encrypted in ten rounds (Salmon, Moraes, Dror and Shaw, 2011).

    Parameters
    ----------
    seed : None, int, sequence of ints, SeedSequence, optional
        None takes entropy from the operating system.
    counter : int or array of 2 uint64, optional
        Number of the first word. Default: 0.
    key : int or array of 2 uint64, optional
        Selects the stream directly; not together with `seed`. The lower half is the cipher's key, the upper one is
        added to the upper half of the counter.

    Notes
    -----
    numpy.random.Philox is Philox4x64-10: another stream.
    """

    def __init__(self, seed: Any = None, counter: Any = None, key: Any = None) -> None:
        if seed is not None and key is not None:
            raise ValueError("seed and key cannot be both used")
        super().__init__(seed)
        if key is not None:
            self._key = words_of(key, "key")
        if counter is not None:
            self._counter = words_of(counter, "counter")


class _Named(BitGenerator):
    """A name that NumPy programs use; the stream is Philox's, and equal seeds give what Philox gives for them."""

    def __init__(self, seed: Any = None) -> None:
        super().__init__(seed)


class MT19937(_Named):
    __doc__ = _Named.__doc__

    def _legacy_seeding(self, seed: Any) -> None:
        """What RandomState.seed does: NumPy's checks of old, then this library's stream for the seed."""
        self.reseed(legacy_seed(seed))


class PCG64(_Named):
    __doc__ = _Named.__doc__


class PCG64DXSM(_Named):
    __doc__ = _Named.__doc__


class SFC64(_Named):
    __doc__ = _Named.__doc__


def legacy_seed(seed: Any) -> Any:
    """Checks a seed as numpy.random.seed does: numbers below 2**32, or a 1-d sequence of them."""
    if seed is None:
        return None
    values = np.asarray(to_numpy(seed) if isinstance(seed, ndarray) else seed)
    if values.size == 0:
        raise ValueError("Seed must be non-empty")
    if values.dtype != object:
        values = values.astype(np.int64, casting="safe") if values.dtype != np.uint64 else values.astype(object)
    if values.ndim > 1:
        raise ValueError("Seed array must be 1-d")
    numbers = [index(each) for each in values.ravel().tolist()]
    if any(not 0 <= each < 1 << 32 for each in numbers):
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    return numbers[0] if values.ndim == 0 else numbers


_BY_NAME = {kind.__name__: kind for kind in (MT19937, PCG64, PCG64DXSM, Philox, SFC64)}


def as_bit_generator(value: Any, function: str) -> BitGenerator:
    """Ours as it is; one of NumPy's gives a stream of ours, whose key is its next 128 bits."""
    if isinstance(value, BitGenerator):
        return value
    if isinstance(value, type):
        raise ValueError("Invalid bit generator. The bit generator must be instantiated.")
    if isinstance(value, np.random.BitGenerator):
        made = _BY_NAME.get(type(value).__name__, Philox)(0)
        low, high = (int(word) for word in value.random_raw(2))
        made._key = low | high << 64
        made._seed_seq = value.seed_seq
        return made
    raise AttributeError(f"{function}: expected a BitGenerator, got {type(value).__name__}")
