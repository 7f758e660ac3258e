"""The numbers have the distributions they are said to have, at ordinary and at extreme parameters; seeds are fixed."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import special, stats

import asnumpy as ap

COUNT = 20_000
LEAST = 1e-3  # of a p-value: about one seed in a thousand would fall below by chance


def drawn(name, args, count=COUNT, seed=0, **kwargs):
    values = ap.to_numpy(getattr(ap.random.default_rng([seed, 77]), name)(*args, size=count, **kwargs))
    assert values.shape == (count,)
    return values


CONTINUOUS = [
    ("random", (), stats.uniform()),
    ("uniform", (-3, 5), stats.uniform(-3, 8)), ("uniform", (1e9, 1e9 + 1), stats.uniform(1e9, 1)),
    ("normal", (0, 1), stats.norm()), ("normal", (-5, 1e-3), stats.norm(-5, 1e-3)),
    ("standard_normal", (), stats.norm()),
    ("lognormal", (0, 0.1), stats.lognorm(0.1)), ("lognormal", (1, 3), stats.lognorm(3, scale=math.e)),
    ("exponential", (2,), stats.expon(scale=2)), ("standard_exponential", (), stats.expon()),
    ("laplace", (1, 2), stats.laplace(1, 2)), ("logistic", (1, 2), stats.logistic(1, 2)),
    ("gumbel", (1, 2), stats.gumbel_r(1, 2)), ("rayleigh", (3,), stats.rayleigh(scale=3)),
    *[("weibull", (a,), stats.weibull_min(a)) for a in (0.1, 1, 50)],
    *[("pareto", (a,), stats.lomax(a)) for a in (0.2, 3, 1000)],
    *[("power", (a,), stats.powerlaw(a)) for a in (0.05, 1, 30)],
    ("standard_cauchy", (), stats.cauchy()),
    ("triangular", (0, 0, 1), stats.triang(0)), ("triangular", (0, 1, 1), stats.triang(1)),
    ("triangular", (-1, 0.5, 2), stats.triang(0.5, -1, 3)),
    *[("gamma", (a, 2), stats.gamma(a, scale=2)) for a in (0.02, 0.1, 0.5, 0.999, 1, 1.001, 1.5, 10, 1e4, 1e10)],
    ("standard_gamma", (3,), stats.gamma(3)),
    *[("beta", ab, stats.beta(*ab)) for ab in (
        (0.3, 0.3), (0.5, 1), (1, 1), (0.3, 5), (2, 3), (1e3, 1e4), (1, 1e6), (0.01, 2))],
    *[("chisquare", (df,), stats.chi2(df)) for df in (0.1, 1, 2, 5, 1e3)],
    *[("f", ab, stats.f(*ab)) for ab in ((1, 1), (5, 0.7), (100, 50), (0.5, 1e6))],
    *[("noncentral_chisquare", ab, stats.ncx2(*ab)) for ab in ((0.3, 2), (1, 1), (1.5, 0.01), (7, 50), (3, 1e3))],
    ("noncentral_chisquare", (4, 0), stats.chi2(4)),
    *[("noncentral_f", abc, stats.ncf(*abc)) for abc in ((2, 5, 1), (0.7, 3, 10), (20, 30, 5))],
    *[("standard_t", (df,), stats.t(df)) for df in (0.3, 1, 4, 1e6)], ("standard_t", (math.inf,), stats.norm()),
    ("vonmises", (0, 1e-9), stats.uniform(-math.pi, 2 * math.pi)),
    *[("vonmises", (0, kappa), stats.vonmises(kappa)) for kappa in (1e-6, 0.1, 1, 20, 1e4, 1e5)],
    ("vonmises", (0, 1e8), stats.norm(0, 1e-4)),
    *[("wald", (mean, scale), stats.invgauss(mean / scale, scale=scale))
      for mean, scale in ((1, 1), (0.1, 10), (100, 1), (1, 0.001), (1, 1e4))],
]


@pytest.mark.parametrize("name, args, law", CONTINUOUS, ids=[f"{name}{args}" for name, args, _ in CONTINUOUS])
def test_kolmogorov_smirnov(name, args, law):
    values = drawn(name, args)
    assert np.isfinite(values).all()
    assert stats.kstest(values, law.cdf).pvalue > LEAST
    # a second draw is another sample of the same law
    assert stats.kstest(drawn(name, args, seed=1), law.cdf).pvalue > LEAST


@pytest.mark.parametrize("name, law", [("random", stats.uniform()), ("standard_normal", stats.norm()),
                                       ("standard_exponential", stats.expon())])
def test_float32(name, law):
    values = drawn(name, (), dtype="float32")
    assert values.dtype == np.float32
    assert stats.kstest(values.astype(float), law.cdf).pvalue > LEAST
    if name == "random":
        assert values.max() < 1


@pytest.mark.parametrize("a", [1e-3, 1e-2, 0.05])
def test_beta_near_both_ends(a):
    # much of it lies closer to 1 than doubles can tell, and what lies closer to 0 than they can is 0
    values = drawn("beta", (a, a))
    low = values[values < 0.5]
    assert stats.binomtest(len(low), COUNT, 0.5).pvalue > LEAST
    least = 2 * stats.beta(a, a).cdf(1e-300)
    below = 2 * stats.beta(a, a).cdf(low[low > 1e-300])
    assert stats.kstest(below, stats.uniform(least, 1 - least).cdf).pvalue > LEAST
    assert stats.binomtest(len(low) - len(below), len(low), least).pvalue > LEAST


def test_gamma_that_underflows():
    values = drawn("gamma", (1e-3, 1))
    assert stats.binomtest(int((values < 1e-200).sum()), COUNT, stats.gamma(1e-3).cdf(1e-200)).pvalue > LEAST
    assert (drawn("gamma", (0, 5), 100) == 0).all()
    assert (drawn("weibull", (0,), 100) == 0).all()


DISCRETE = [
    *[("poisson", (lam,), stats.poisson(lam)) for lam in (0.01, 0.5, 3, 9.99, 10, 12, 50, 1000, 1e6)],
    *[("binomial", args, stats.binom(*args)) for args in (
        (1, 0.5), (10, 0.3), (20, 0.99), (100, 0.05), (100, 0.1), (25, 0.4), (1000, 0.5), (10**6, 0.3), (10**9, 1e-8),
        (10**9, 0.5))],
    *[("negative_binomial", args, stats.nbinom(*args)) for args in ((0.5, 0.1), (3, 0.7), (1000, 0.5), (2, 0.001))],
    *[("geometric", (p,), stats.geom(p)) for p in (1, 0.999, 0.5, 0.01, 1e-6)],
    *[("hypergeometric", (good, bad, sample), stats.hypergeom(good + bad, good, sample)) for good, bad, sample in (
        (5, 5, 3), (100, 50, 9), (100, 200, 60), (200, 100, 60), (100, 200, 250), (200, 100, 250), (1000, 30, 500),
        (10**6, 10**6, 1000), (3, 1000, 500))],
    *[("integers", (0, top), stats.randint(0, top)) for top in (1, 2, 3, 10, 1000)],
]


@pytest.mark.parametrize("name, args, law", DISCRETE, ids=[f"{name}{args}" for name, args, _ in DISCRETE])
def test_chi_square(name, args, law):
    for seed in (2, 3):
        values = drawn(name, args, seed=seed)
        assert values.dtype == np.int64
        bounds = np.unique(law.ppf(np.linspace(0.03, 0.97, 24)))
        steps = np.diff(np.concatenate([[0.0], law.cdf(bounds), [1.0]]))
        counts = np.diff(np.concatenate([[0], [(values <= bound).sum() for bound in bounds], [COUNT]]))
        assert (counts[steps <= 1e-12] == 0).all()
        keep = steps > 1e-12
        if keep.sum() > 1:
            expected = COUNT * steps[keep]
            assert stats.chisquare(counts[keep], expected * counts[keep].sum() / expected.sum()).pvalue > LEAST


LONG_TAILS = [
    *[("logseries", (p,), stats.logser(p)) for p in (0.01, 0.5, 0.99, 0.9999)],
    *[("zipf", (a,), stats.zipf(a)) for a in (1.05, 1.2, 2, 5, 30)],
]


@pytest.mark.parametrize("name, args, law", LONG_TAILS, ids=[f"{name}{args}" for name, args, _ in LONG_TAILS])
def test_long_tails(name, args, law):
    values = drawn(name, args, seed=4)
    assert values.min() >= 1
    chances = law.pmf(np.arange(1, 21))
    counts = np.array([(values == k).sum() for k in range(1, 21)])
    beyond = 0.0  # of what an int64 holds, as NumPy's
    if name == "zipf":
        beyond = 2.0 ** (63 * (1 - args[0])) / ((args[0] - 1) * special.zeta(args[0]))
    expected = COUNT * np.append(chances, max(1 - chances.sum() - beyond, 0)) / (1 - beyond)
    counts = np.append(counts, COUNT - counts.sum())
    rare = expected < 5
    expected, counts = np.append(expected[~rare], expected[rare].sum()), np.append(counts[~rare], counts[rare].sum())
    keep = expected > 1
    if keep.sum() > 1:
        assert stats.chisquare(counts[keep], expected[keep] * counts[keep].sum() / expected[keep].sum()).pvalue > LEAST
    assert counts[~keep].sum() <= 12


@pytest.mark.parametrize("name, args, mean, deviation", [
    ("poisson", (1e15,), 1e15, math.sqrt(1e15)), ("poisson", (9e18,), 9e18, 3e9),
    ("binomial", (10**15, 0.3), 3e14, math.sqrt(2.1e14)), ("binomial", (2**62, 0.5), 2.0**61, 2.0**30),
    ("negative_binomial", (1e10, 0.5), 1e10, math.sqrt(2e10)),
    ("hypergeometric", (9 * 10**8, 9 * 10**8, 10**9), 5e8, math.sqrt(1e9 / 4 * (8 / 17.999999990))),
    ("gamma", (1e15, 1), 1e15, math.sqrt(1e15)), ("chisquare", (1e12,), 1e12, math.sqrt(2e12)),
    ("beta", (1e10, 1e10), 0.5, math.sqrt(0.25 / 2e10)), ("normal", (1e15, 1e12), 1e15, 1e12),
    ("noncentral_chisquare", (5, 1e8), 1e8 + 5, math.sqrt(2 * (5 + 2e8))), ("wald", (1e-5, 1e5), 1e-5, 1e-10),
    ("integers", (-(2**62), 2**62), -0.5, 2**63 / math.sqrt(12)),
], ids=str)
def test_moments_of_extremes(name, args, mean, deviation):
    values = drawn(name, args, seed=5).astype(np.float64)
    assert abs(values.mean() - mean) < 4.5 * deviation / math.sqrt(COUNT)
    assert abs(values.std() / deviation - 1) < 4.5 / math.sqrt(COUNT)


def test_limits():
    rng = ap.random.default_rng(6)
    assert rng.binomial(10, 0.0) == 0
    assert rng.binomial(10, 1.0) == 10
    assert rng.poisson(0.0) == 0
    assert rng.geometric(1.0) == 1
    assert rng.negative_binomial(3, 1.0) == 0
    assert rng.hypergeometric(5, 0, 3) == 3
    assert rng.hypergeometric(0, 5, 3) == 0
    assert rng.hypergeometric(20, 30, 50) == 20
    assert rng.logseries(0.0) == 1
    assert rng.zipf(2000.0) == 1
    assert rng.geometric(1e-300) == 2**63 - 1
    assert rng.normal(3, 0) == 3
    assert rng.exponential(0) == 0
    assert rng.exponential(math.inf) == math.inf
    assert rng.gamma(math.inf) == math.inf
    for name, args in (
        ("normal", (math.nan,)), ("gamma", (math.nan,)), ("beta", (math.nan, 2)), ("wald", (math.nan, 1)),
        ("vonmises", (0, math.nan)), ("vonmises", (math.inf, 1)), ("noncentral_chisquare", (math.nan, 1)),
        ("standard_t", (math.nan,)), ("f", (math.nan, 1)), ("noncentral_f", (1, 1, math.nan)),
        ("weibull", (math.nan,)), ("laplace", (0, math.nan)), ("power", (math.nan,)),
    ):
        assert math.isnan(getattr(rng, name)(*args)), name


def test_normal_tails():
    values = np.abs(drawn("standard_normal", (), 4_000_000))
    for bound in (2.5, 3, 3.5, 4, 4.5):
        assert stats.binomtest(int((values > bound).sum()), len(values), 2 * stats.norm.sf(bound)).pvalue > LEAST


def test_words_are_even():
    words = np.asarray(ap.random.Philox(7).random_raw(200_000))
    ones = np.array([int((words >> np.uint64(bit) & np.uint64(1)).sum()) for bit in range(64)])
    assert stats.chi2.sf((((ones - 1e5) ** 2) / 5e4).sum(), 64) > LEAST
    for byte in range(8):
        counts = np.bincount((words >> np.uint64(8 * byte) & np.uint64(255)).astype(np.int64), minlength=256)
        assert stats.chisquare(counts).pvalue > LEAST
    # neighbours, those of the other half of a block, and those of the next group are independent
    uniform = words / 2.0**64 - 0.5
    for lag in (1, 2, 8, 16, 17):
        correlation = (uniform[:-lag] * uniform[lag:]).mean() * 12
        assert abs(correlation) < 4 / math.sqrt(len(words))


def test_streams_are_independent():
    parent = ap.random.default_rng(8)
    columns = [ap.to_numpy(each.standard_normal(50_000)) for each in (parent, *parent.spawn(3))]
    columns.append(ap.to_numpy(ap.random.Generator(parent.bit_generator.jumped()).standard_normal(50_000)))
    correlations = np.corrcoef(columns)[np.triu_indices(5, 1)]
    assert np.abs(correlations).max() < 4 / math.sqrt(50_000)


# --- several numbers together ---


def test_rejected_elements_draw_anew():
    # more words than a draw gives in advance: the elements' own streams must not repeat each other
    values = drawn("vonmises", (0, 3), 50_000)
    assert len(np.unique(values)) == len(values)
    assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 4 / math.sqrt(50_000)
    values = drawn("gamma", (0.3, 1), 50_000)
    assert len(np.unique(values)) == len(values)


def test_permutations_are_equally_likely():
    rng = ap.random.default_rng(9)
    lines = ap.to_numpy(rng.permuted(np.tile(np.arange(4), (24_000, 1)), axis=1))
    counts = np.unique(lines @ np.array([64, 16, 4, 1]), return_counts=True)[1]
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > LEAST
    places = ap.to_numpy(rng.permutation(100_000))
    assert (np.sort(places) == np.arange(100_000)).all()
    assert abs(np.corrcoef(places, np.arange(100_000))[0, 1]) < 4 / math.sqrt(100_000)
    moved = np.bincount(np.argsort(places)[:50_000] // 1000, minlength=100)
    assert stats.chisquare(moved).pvalue > LEAST


@pytest.mark.parametrize("population, count", [(10, 3), (1000, 3), (10**12, 1000), (50, 50), (40, 11), (40, 9)])
def test_choice_without_replacement(population, count):
    rng = ap.random.default_rng(10)
    together = []
    for _ in range(400):
        chosen = rng.choice(population, count, replace=False).tolist()
        assert len(set(chosen)) == count
        assert 0 <= min(chosen) <= max(chosen) < population
        together += chosen
    assert stats.chisquare(np.histogram(together, bins=10, range=(0, population))[0]).pvalue > LEAST


def test_choice_with_probabilities():
    rng = ap.random.default_rng(11)
    p = np.array([0.5, 0.25, 0.0, 0.2, 0.05])
    counts = np.bincount(ap.to_numpy(rng.choice(5, COUNT, p=p)), minlength=5)
    assert counts[2] == 0
    assert stats.chisquare(counts[p > 0], COUNT * p[p > 0]).pvalue > LEAST
    pairs = [tuple(rng.choice(5, 2, replace=False, p=p).tolist()) for _ in range(4000)]
    expected = {(i, j): p[i] * p[j] / (1 - p[i]) for i, j in itertools.permutations((0, 1, 3, 4), 2)}
    counts = [pairs.count(pair) for pair in expected]
    assert sum(counts) == 4000
    assert stats.chisquare(counts, 4000 * np.array(list(expected.values()))).pvalue > LEAST


@pytest.mark.parametrize("n, pvals", [(1, [0.2, 0.3, 0.5]), (50, [0.1, 0.2, 0.3, 0.4]), (10**6, [0.5, 1e-4, 0.4999])])
def test_multinomial(n, pvals):
    values = ap.to_numpy(ap.random.default_rng(12).multinomial(n, pvals, COUNT))
    assert (values.sum(1) == n).all()
    for column, p in zip(values.T, pvals, strict=True):
        law = stats.binom(n, p)
        bounds = np.unique(law.ppf([0.1, 0.3, 0.5, 0.7, 0.9]))
        for bound in bounds:
            assert stats.binomtest(int((column <= bound).sum()), COUNT, law.cdf(bound)).pvalue > LEAST / 10
    covariance = np.cov(values[:, 0], values[:, 1])[0, 1]
    spread = n * math.sqrt(pvals[0] * pvals[1] * (1 - pvals[0]) * (1 - pvals[1]))
    assert abs(covariance + n * pvals[0] * pvals[1]) < 5 * spread / math.sqrt(COUNT)


def test_multivariate_hypergeometric():
    colors = [5, 20, 0, 40]
    values = ap.to_numpy(ap.random.default_rng(13).multivariate_hypergeometric(colors, 17, COUNT))
    assert (values.sum(1) == 17).all()
    assert (values <= colors).all()
    for column, count in zip(values.T, colors, strict=True):
        law = stats.hypergeom(65, count, 17)
        for bound in np.unique(law.ppf([0.2, 0.5, 0.8])):
            assert stats.binomtest(int((column <= bound).sum()), COUNT, law.cdf(bound)).pvalue > LEAST / 10


@pytest.mark.parametrize("alpha", [[1, 2, 3], [0.5, 0.05, 4], [0.09, 0.04, 0.06], [0.09, 0.0, 0.06], [3.0, 0.0, 1.0]])
def test_dirichlet(alpha):
    values = ap.to_numpy(ap.random.default_rng(14).dirichlet(alpha, COUNT))
    np.testing.assert_allclose(values.sum(1), 1, rtol=1e-12)
    for column, a in zip(values.T, alpha, strict=True):
        if a == 0:
            assert (column == 0).all()
            continue
        law = stats.beta(a, sum(alpha) - a)
        for bound in (1e-6, 1e-3, 0.1, 0.3, 0.6, 0.9):
            assert stats.binomtest(int((column <= bound).sum()), COUNT, law.cdf(bound)).pvalue > LEAST / 10


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_multivariate_normal(method):
    mean, cov = np.array([1.0, -2.0, 0.5]), np.array([[2.0, 0.6, 0.1], [0.6, 1.0, -0.3], [0.1, -0.3, 0.5]])
    values = ap.to_numpy(ap.random.default_rng(15).multivariate_normal(mean, cov, COUNT, method=method))
    white = np.linalg.solve(np.linalg.cholesky(cov), (values - mean).T)
    for row in white:
        assert stats.kstest(row, stats.norm.cdf).pvalue > LEAST
    assert np.abs(np.corrcoef(white)[np.triu_indices(3, 1)]).max() < 4 / math.sqrt(COUNT)


def test_bytes():
    counts = np.bincount(np.frombuffer(ap.random.default_rng(16).bytes(100_000), np.uint8), minlength=256)
    assert stats.chisquare(counts).pvalue > LEAST
