"""class RandomState and the functions of numpy.random, which are methods of one hidden RandomState."""

from __future__ import annotations

import builtins
import warnings
from typing import Any

import numpy as np

from asnumpy.array.ndarray import ndarray
from asnumpy.random import _joint, _selection
from asnumpy.random._bit_generator import MT19937, BitGenerator, as_bit_generator, legacy_seed, words_of
from asnumpy.random._distributions import Distributions
from asnumpy.random._generator import random_bytes, take_documentation
from asnumpy.random._integers import draw_integers
from asnumpy.random._source import Parameter, at_least_one, non_negative, rounded


class RandomState(Distributions):
    """NumPy's RandomState over arrays of asnumpy; Generator is its successor.

    The numbers are not numpy.random's for the same seed (see `asnumpy.random`).

    Parameters
    ----------
    seed : None, int, sequence of ints, or BitGenerator
        Whole numbers below 2**32.
    """

    def __init__(self, seed: Any = None) -> None:
        if seed is None or not isinstance(seed, (BitGenerator, np.random.BitGenerator, type)):
            made = MT19937(0)
            made._legacy_seeding(seed)
            self._bit_generator = made
        else:
            self._bit_generator = as_bit_generator(seed, "RandomState")

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = self.get_state(legacy=False)
        return state

    def __setstate__(self, state: Any) -> None:
        self.set_state(state)

    # --- the state ---

    def seed(self, seed: Any = None) -> None:
        self._bit_generator.reseed(legacy_seed(seed))

    def get_state(self, legacy: bool = True) -> Any:
        """A dict; with `legacy` the tuple (name, words, 0, 0, 0.0), in which the four words are counter and key."""
        state = {**self._bit_generator.state, "has_gauss": 0, "gauss": 0.0}
        if not legacy:
            return state
        inner = state["state"]
        return state["bit_generator"], np.concatenate([inner["counter"], inner["key"]]), 0, 0, 0.0

    def set_state(self, state: Any) -> None:
        if isinstance(state, dict):
            self._bit_generator.state = state
            return
        if not isinstance(state, (tuple, list)):
            raise TypeError("set_state: state must be a dict or a tuple.")
        name, words = (state[0], np.asarray(state[1])) if len(state) >= 2 else ("", np.empty(0))
        if words.shape != (4,):
            raise ValueError("set_state: expected a state that asnumpy.random.get_state gave, which has 4 words; "
                             f"got an array of shape {words.shape}")
        counter, key = words_of(words[:2], "counter"), words_of(words[2:], "key")
        self._bit_generator.state = {
            "bit_generator": name, "state": {"counter": counter, "key": key},
        }

    # --- uniform numbers ---

    def random_sample(self, size: Any = None) -> Any:
        return self.draw("random_sample", size, row="random")

    def random(self, size: Any = None) -> Any:
        return self.random_sample(size)

    def rand(self, *args: Any) -> Any:
        return self.draw("random_sample", args or None, row="random")

    def randn(self, *args: Any) -> Any:
        return self.standard_normal(args or None)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        return draw_integers(self, "randint", low, high, size, dtype, False)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        first, last = (1, low) if high is None else (low, high)
        warnings.warn(
            f"This function is deprecated. Please call randint({first}, {last} + 1) instead", DeprecationWarning,
            stacklevel=2,
        )
        return draw_integers(self, "random_integers", first, last, size, np.int64, True)

    def tomaxint(self, size: Any = None) -> Any:
        return draw_integers(self, "tomaxint", 0, int(np.iinfo(np.int_).max), size, int, True)

    def bytes(self, length: int) -> builtins.bytes:
        return random_bytes(self, length)

    # --- distributions whose parameters are fewer, or were checked otherwise, than Generator's ---

    def standard_normal(self, size: Any = None) -> Any:
        return self.draw("standard_normal", size, ("loc", 0.0, None), ("scale", 1.0, None), row="normal")

    def standard_exponential(self, size: Any = None) -> Any:
        return self.draw("standard_exponential", size, ("scale", 1.0, None), row="exponential")

    def standard_gamma(self, shape: Any, size: Any = None) -> Any:
        return self.draw("standard_gamma", size, ("shape", shape, non_negative), ("scale", 1.0, None), row="gamma")

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        at_least_one("nsample", Parameter(nsample).value)
        return self._hypergeometric(ngood, nbad, nsample, size)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> ndarray:
        if np.ndim(n) != 0:
            raise TypeError("multinomial: an integer is required for n")
        return _joint.draw_multinomial(self, n, pvals, size, one_vector=True)

    def multivariate_normal(
        self, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8,
    ) -> ndarray:
        drawn: ndarray = rounded(_joint.draw_multivariate_normal(self, mean, cov, size, check_valid, tol, "svd"))
        return drawn

    def dirichlet(self, alpha: Any, size: Any = None) -> ndarray:
        if np.any(np.less_equal(alpha, 0)):
            raise ValueError("dirichlet: alpha <= 0")
        drawn: ndarray = rounded(_joint.draw_dirichlet(self, alpha, size))
        return drawn

    # --- order ---

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        def length(array: ndarray) -> int:
            if array.ndim != 1:
                raise ValueError("choice: a must be 1-dimensional")
            return array.shape[0]

        array, count = _selection.population_of(
            a, length, "a must be greater than 0 unless no samples are taken",
            "'a' cannot be empty unless no samples are taken", size)
        places = _selection.choose_places(self, count, size, replace, p)
        return places if array is None else _selection.chosen(array, places)

    def permutation(self, x: Any) -> ndarray:
        return _selection.permute(self, x)

    def shuffle(self, x: Any) -> None:
        _selection.shuffle_in_place(self, x)


take_documentation(RandomState, np.random.RandomState)

_state = RandomState()
# NumPy's functions of the module: the methods of one generator.
beta = _state.beta
binomial = _state.binomial
bytes = _state.bytes
chisquare = _state.chisquare
choice = _state.choice
dirichlet = _state.dirichlet
exponential = _state.exponential
f = _state.f
gamma = _state.gamma
geometric = _state.geometric
get_state = _state.get_state
gumbel = _state.gumbel
hypergeometric = _state.hypergeometric
laplace = _state.laplace
logistic = _state.logistic
lognormal = _state.lognormal
logseries = _state.logseries
multinomial = _state.multinomial
multivariate_normal = _state.multivariate_normal
negative_binomial = _state.negative_binomial
noncentral_chisquare = _state.noncentral_chisquare
noncentral_f = _state.noncentral_f
normal = _state.normal
pareto = _state.pareto
permutation = _state.permutation
poisson = _state.poisson
power = _state.power
rand = _state.rand
randint = _state.randint
randn = _state.randn
random = _state.random
random_integers = _state.random_integers
random_sample = _state.random_sample
rayleigh = _state.rayleigh
seed = _state.seed
set_state = _state.set_state
shuffle = _state.shuffle
standard_cauchy = _state.standard_cauchy
standard_exponential = _state.standard_exponential
standard_gamma = _state.standard_gamma
standard_normal = _state.standard_normal
standard_t = _state.standard_t
triangular = _state.triangular
uniform = _state.uniform
vonmises = _state.vonmises
wald = _state.wald
weibull = _state.weibull
zipf = _state.zipf


def ranf(*args: Any, **kwargs: Any) -> Any:
    """An alias of `random_sample`."""
    return _state.random_sample(*args, **kwargs)


def sample(*args: Any, **kwargs: Any) -> Any:
    """An alias of `random_sample`."""
    return _state.random_sample(*args, **kwargs)


def get_bit_generator() -> BitGenerator:
    """The bit generator behind the functions of this module."""
    return _state._bit_generator


def set_bit_generator(bitgen: Any) -> None:
    """Makes the functions of this module draw from another bit generator."""
    _state._bit_generator = as_bit_generator(bitgen, "set_bit_generator")


