"""The distributions of single numbers: methods that Generator and RandomState share."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy.random._source import (
    FLOAT64,
    INT64,
    MOST_POISSON,
    Parameter,
    Source,
    above_one,
    non_negative,
    poisson_mean,
    positive,
    positive_number,
    positive_probability,
    probability,
    probability_below_one,
    rounded,
)


class Distributions(Source):
    """Continuous ones give float64, discrete ones int64; parameters broadcast together and to `size`."""

    # --- of a location and a scale ---

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self.draw("normal", size, ("loc", loc, None), ("scale", scale, non_negative))

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        return self.draw("lognormal", size, ("mean", mean, None), ("sigma", sigma, non_negative))

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self.draw("laplace", size, ("loc", loc, None), ("scale", scale, non_negative))

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self.draw("logistic", size, ("loc", loc, None), ("scale", scale, non_negative))

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return self.draw("gumbel", size, ("loc", loc, None), ("scale", scale, non_negative))

    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> Any:
        return self.draw("vonmises", size, ("mu", mu, None), ("kappa", kappa, non_negative))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        return self.draw("exponential", size, ("scale", scale, non_negative))

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> Any:
        return self.draw("rayleigh", size, ("scale", scale, non_negative))

    def wald(self, mean: Any, scale: Any, size: Any = None) -> Any:
        return self.draw("wald", size, ("mean", mean, positive), ("scale", scale, positive))

    def standard_cauchy(self, size: Any = None) -> Any:
        return self.draw("standard_cauchy", size)

    # --- of a shape ---

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        return self.draw("gamma", size, ("shape", shape, non_negative), ("scale", scale, non_negative))

    def beta(self, a: Any, b: Any, size: Any = None) -> Any:
        return self.draw("beta", size, ("a", a, positive), ("b", b, positive))

    def chisquare(self, df: Any, size: Any = None) -> Any:
        return self.draw("chisquare", size, ("df", df, positive))

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> Any:
        return self.draw("noncentral_chisquare", size, ("df", df, positive), ("nonc", nonc, non_negative))

    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> Any:
        return self.draw("f", size, ("dfnum", dfnum, positive), ("dfden", dfden, positive))

    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> Any:
        return self.draw("noncentral_f", size, ("dfnum", dfnum, positive), ("dfden", dfden, positive),
                         ("nonc", nonc, non_negative))

    def standard_t(self, df: Any, size: Any = None) -> Any:
        return self.draw("standard_t", size, ("df", df, positive))

    def pareto(self, a: Any, size: Any = None) -> Any:
        return self.draw("pareto", size, ("a", a, positive))

    def weibull(self, a: Any, size: Any = None) -> Any:
        return self.draw("weibull", size, ("a", a, non_negative))

    def power(self, a: Any, size: Any = None) -> Any:
        return self.draw("power", size, ("a", a, positive))

    # --- of bounds ---

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self._uniform(low, high, size)

    def _uniform(self, low: Any, high: Any, size: Any, ordered: bool = False) -> Any:
        first, last = Parameter(low), Parameter(high)
        with np.errstate(all="ignore"):
            length = np.subtract(last.value, first.value)
        if not np.all(np.isfinite(length)):
            raise OverflowError("uniform: high - low range exceeds valid bounds")
        if ordered and np.any(np.signbit(length)):
            raise ValueError("uniform: high - low < 0")
        width = Parameter(length)
        width.device = last.device
        return rounded(self.draw_checked("uniform", size, [first, width]))

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> Any:
        a, b, c = Parameter(left), Parameter(mode), Parameter(right)
        if np.any(np.greater(a.value, b.value)):
            raise ValueError("triangular: left > mode")
        if np.any(np.greater(b.value, c.value)):
            raise ValueError("triangular: mode > right")
        if np.any(np.equal(a.value, c.value)):
            raise ValueError("triangular: left == right")
        return rounded(self.draw_checked("triangular", size, [a, b, c]))

    # --- discrete ---

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        return self.draw("poisson", size, ("lam", lam, poisson_mean), dtype=INT64)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return self.draw("binomial", size, ("n", n, non_negative), ("p", p, probability), dtype=INT64,
                         kinds=(INT64, FLOAT64))

    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        trials, share = Parameter(n), Parameter(p)
        for check, name, one in ((positive_number, "n", trials), (positive_probability, "p", share)):
            try:
                check(name, one.value)
            except ValueError as error:
                raise ValueError(f"negative_binomial: {error}") from None
        with np.errstate(all="ignore"):  # ten standard deviations above the mean of the mixed Poisson's mean
            most = np.multiply(np.divide(np.subtract(1, share.value), share.value),
                               np.add(trials.value, 10 * np.sqrt(trials.value)))
        if np.any(most > MOST_POISSON):
            raise ValueError(
                "negative_binomial: n too large or p too small, see Generator.negative_binomial Notes")
        return self.draw_checked("negative_binomial", size, [trials, share], dtype=INT64)

    def geometric(self, p: Any, size: Any = None) -> Any:
        return self.draw("geometric", size, ("p", p, positive_probability), dtype=INT64)

    def logseries(self, p: Any, size: Any = None) -> Any:
        return self.draw("logseries", size, ("p", p, probability_below_one), dtype=INT64)

    def zipf(self, a: Any, size: Any = None) -> Any:
        return self.draw("zipf", size, ("a", a, above_one), dtype=INT64)

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        return self._hypergeometric(ngood, nbad, nsample, size, most=10**9)

    def _hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any, most: int | None = None) -> Any:
        good, bad, sample = (Parameter(each, INT64) for each in (ngood, nbad, nsample))
        if most is not None and any(np.any(np.greater_equal(one.value, most)) for one in (good, bad)):
            raise ValueError(f"hypergeometric: both ngood and nbad must be less than {most}")
        for name, one in (("ngood", good), ("nbad", bad), ("nsample", sample)):
            try:
                non_negative(name, one.value)
            except ValueError as error:
                raise ValueError(f"hypergeometric: {error}") from None
        if np.any(np.less(np.add(good.value, bad.value), sample.value)):
            raise ValueError("hypergeometric: ngood + nbad < nsample")
        return self.draw_checked("hypergeometric", size, [good, bad, sample], dtype=INT64)
