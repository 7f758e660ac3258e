"""asnumpy.random: NumPy's random interface over a counter-based stream that is the same on every device.

The numbers are not those of numpy.random for the same seed: every generator here draws from one stream, Philox4x32-10,
in which each number depends only on the key, on its place in the stream and on the parameters. The same seed
therefore gives the same numbers for any number of threads, on every instruction set and on every device, and drawing
10 numbers and then 5 gives the same 15 as drawing them together, for all that are drawn one by one.
"""

# _seeds: where streams begin. _bit_generator: the stream. _source: from parameters to draws. _distributions, _joint,
# _selection: what is drawn.
from asnumpy.random._bit_generator import BitGenerator, MT19937, PCG64, PCG64DXSM, Philox, SFC64
from asnumpy.random._generator import Generator, default_rng
from asnumpy.random._legacy import (
    RandomState, beta, binomial, bytes, chisquare, choice, dirichlet, exponential, f, gamma, geometric,
    get_bit_generator, get_state, gumbel, hypergeometric, laplace, logistic, lognormal, logseries, multinomial,
    multivariate_normal, negative_binomial, noncentral_chisquare, noncentral_f, normal, pareto, permutation,
    poisson, power, rand, randint, randn, random, random_integers, random_sample, ranf, rayleigh, sample, seed,
    set_bit_generator, set_state, shuffle, standard_cauchy, standard_exponential, standard_gamma, standard_normal,
    standard_t, triangular, uniform, vonmises, wald, weibull, zipf,
)
from asnumpy.random._seeds import SeedSequence

__all__ = [
    "BitGenerator", "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState", "SFC64", "SeedSequence",
    "beta", "binomial", "bytes", "chisquare", "choice", "default_rng", "dirichlet", "exponential", "f", "gamma",
    "geometric", "get_bit_generator", "get_state", "gumbel", "hypergeometric", "laplace", "logistic", "lognormal",
    "logseries", "multinomial", "multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f",
    "normal", "pareto", "permutation", "poisson", "power", "rand", "randint", "randn", "random", "random_integers",
    "random_sample", "ranf", "rayleigh", "sample", "seed", "set_bit_generator", "set_state", "shuffle",
    "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal", "standard_t", "triangular",
    "uniform", "vonmises", "wald", "weibull", "zipf",
]
