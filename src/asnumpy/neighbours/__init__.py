"""What other libraries are told about arrays of ours: a module for each, loaded when that library is imported."""

__all__: list[str] = []
