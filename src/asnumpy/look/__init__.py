"""What shows things to people: graphs of programs, pictures of arrays, bars of progress. Loaded when somebody looks."""

from asnumpy.look._graph import Graph, read
from asnumpy.look._progress import Bar, bar
from asnumpy.look._svg import svg
from asnumpy.look._thumbnail import thumbnail

__all__ = ["Bar", "Graph", "bar", "read", "svg", "thumbnail"]
