"""Sums, products, extremes and truth over axes, and their running forms."""
