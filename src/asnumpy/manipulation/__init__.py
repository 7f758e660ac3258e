"""Shapes and axes, joining, splitting, padding."""
