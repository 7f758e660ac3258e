"""A bar."""
Bar = bar = None
