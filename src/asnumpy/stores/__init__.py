"""What asnumpy keeps on disk between processes: the folders, what is in them, its check and removal."""

from asnumpy.stores._stores import KINDS, Entry, Store, clear, entries, stores, verify

__all__ = ["KINDS", "Entry", "Store", "clear", "entries", "stores", "verify"]
