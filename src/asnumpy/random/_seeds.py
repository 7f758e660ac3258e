"""Where streams begin: NumPy's seed sequences, of numbers and arrays of either library."""

from __future__ import annotations

import numbers
from abc import ABCMeta
from typing import Any

import numpy.random

from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import to_numpy

__all__ = ["SeedSequence"]


def _of_numpy(seed: Any) -> Any:
    """A seed as NumPy takes it, which asks for Python's integers and its own arrays."""
    if isinstance(seed, numbers.Integral):
        return int(seed)
    if isinstance(seed, ndarray):
        return to_numpy(seed)
    if isinstance(seed, (list, tuple)):
        return type(seed)(map(_of_numpy, seed))
    return seed


class _AlsoNumPys(ABCMeta):
    """Of a class of which NumPy's instances are instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, numpy.random.SeedSequence)


class SeedSequence(numpy.random.SeedSequence, metaclass=_AlsoNumPys):
    """Mixes sources of entropy in a reproducible way to set the initial state of independent bit generators.

    Parameters
    ----------
    entropy : None, int, or sequence or array of ints, optional
        What the words are made of; None: fresh entropy of the system.
    spawn_key : sequence of ints, optional
        The place of a child among its parent's, which `spawn` counts.
    pool_size : int, optional
        Size of the pool of entropy in words of 32 bits, at least 4.
    n_children_spawned : int, optional
        How many children there are already.

    Raises
    ------
    TypeError
        If the entropy is made of something else than integers.
    ValueError
        If one of them is negative, or the pool smaller than 4.

    Notes
    -----
    The words are those of `numpy.random.SeedSequence`, and `generate_state` gives a NumPy array of them.
    """

    def __init__(
        self, entropy: Any = None, *, spawn_key: Any = (), pool_size: Any = 4, n_children_spawned: Any = 0,
    ) -> None:
        super().__init__(
            _of_numpy(entropy), spawn_key=_of_numpy(spawn_key), pool_size=_of_numpy(pool_size),
            n_children_spawned=_of_numpy(n_children_spawned),
        )
