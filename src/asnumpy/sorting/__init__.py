"""Order, searching and sets."""
