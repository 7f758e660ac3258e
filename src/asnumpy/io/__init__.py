"""Arrays in files, text and raw bytes."""

from asnumpy.io.files import load, memmap, save, savez, savez_compressed
from asnumpy.io.text import frombuffer, fromfile, fromregex, fromstring, genfromtxt, loadtxt, savetxt

__all__ = [
    "frombuffer", "fromfile", "fromregex", "fromstring", "genfromtxt", "load", "loadtxt", "memmap", "save",
    "savetxt", "savez", "savez_compressed",
]
