"""Element types: names, promotion, limits."""
