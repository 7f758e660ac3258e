"""Stubs of operators for type checkers: their signatures as text, or in a file."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path

from asnumpy.operators._operator import Operator

_HEAD = """\
from typing import Any

from asnumpy import ndarray
from numpy.typing import ArrayLike, DTypeLike
"""


def stub(op: Operator | Iterable[Operator], path: str | Path | None = None) -> str:
    """Write the signatures of operators as a type checker reads them.

    Parameters
    ----------
    op : Operator or iterable of Operator
        One, or those of a module.
    path : path, optional
        A file, ``layer_scale.pyi``, to which the text is written.

    Returns
    -------
    str
        The text.
    """
    ops = [op] if isinstance(op, Operator) else list(op)
    text = "\n\n".join([_HEAD.rstrip(), *map(_definition, ops)]) + "\n"
    if path is not None:
        Path(path).write_text(text)
    return text


def _definition(op: Operator) -> str:
    signature = op.__signature__
    parts, keywords = [], False
    for one in signature.parameters.values():
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not keywords:
            parts.append("*")
            keywords = True
        default = "" if one.default is inspect.Parameter.empty else " = ..."
        parts.append(f"{one.name}: {one.annotation}{default}")
    return f"def {op.__name__}({', '.join(parts)}) -> {signature.return_annotation}: ..."
