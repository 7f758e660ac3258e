"""class ndarray: its attributes, methods and text."""
