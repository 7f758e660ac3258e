"""Averages, spread, quantiles, histograms, differences, with and without NaN."""
