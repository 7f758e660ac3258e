"""Averages, spread, quantiles, histograms, differences, with and without NaN."""

from asnumpy.statistics.averages import average, corrcoef, cov, mean, ptp, std, var
from asnumpy.statistics.convolution import convolve, correlate
from asnumpy.statistics.difference import cross, diff, ediff1d, gradient, trapezoid, unwrap
from asnumpy.statistics.histogram import bincount, histogram, histogram2d, histogram_bin_edges, histogramdd
from asnumpy.statistics.interpolation import interp
from asnumpy.statistics.nan import (
    nanargmax, nanargmin, nancumprod, nancumsum, nanmax, nanmean, nanmedian, nanmin, nanpercentile, nanprod,
    nanquantile, nanstd, nansum, nanvar,
)
from asnumpy.statistics.quantiles import median, percentile, quantile

__all__ = [
    "average", "bincount", "convolve", "corrcoef", "correlate", "cov", "cross", "diff", "ediff1d", "gradient",
    "histogram", "histogram2d", "histogram_bin_edges", "histogramdd", "interp", "mean", "median", "nanargmax",
    "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile", "nanprod",
    "nanquantile", "nanstd", "nansum", "nanvar", "percentile", "ptp", "quantile", "std", "trapezoid", "unwrap",
    "var",
]
