"""Universal functions: the objects, their calls and methods, the operators, floating-point errors."""
