"""Elements chosen or written by position or condition, and the arrays of positions for it."""
