"""asnumpy.scipy.stats: the names of scipy.stats; common distributions and summaries are compositions."""

from asnumpy.scipy._names import names_of as _names_of
from asnumpy.scipy.stats._distributions import cauchy, expon, laplace, logistic, norm, uniform
from asnumpy.scipy.stats._samples import entropy, gmean, hmean, kurtosis, moment, sem, skew, zscore

__all__ = [
    "cauchy", "entropy", "expon", "gmean", "hmean", "kurtosis", "laplace", "logistic", "moment", "norm", "sem", "skew",
    "uniform", "zscore",
]
__getattr__, __dir__ = _names_of(globals())
