"""Runs the Python blocks of a page from top to bottom and holds them to what the page says they show.

    python tests/documented.py docs/devices.md

A comment that ends a line shows the value of that line, or of what it assigns, if it begins as a value does (a bracket,
a digit, a quote, Device). Comments that end a block, or stand before an empty line, show what the statement above them
printed or returned. `...` stands for anything, and what follows a semicolon is an explanation.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import re
import sys
from pathlib import Path
from typing import Any

FENCED = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
VALUE = re.compile(r"[\[({\d'\"-]|Device\(|(True|False|None|array)\b")


def blocks(page: Path) -> list[tuple[int, str]]:
    """Each block with the number of its first line."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start(1)) + 1, found.group(1)) for found in FENCED.finditer(text)]


def promised(lines: list[str], statement: ast.stmt) -> list[str]:
    """What the comments at a statement's end say that it shows."""
    last = lines[(statement.end_lineno or statement.lineno) - 1]
    code = ast.get_source_segment("\n".join(lines), statement) or ""
    comment = last[last.rfind(code.splitlines()[-1]) + len(code.splitlines()[-1]):].strip().removeprefix("#").strip()
    if comment and VALUE.match(comment):
        return [comment.partition(";")[0].strip()]
    below = []
    for line in lines[statement.end_lineno or statement.lineno:]:
        if not line.startswith("#"):
            return below if not line.strip() else []
        below.append(line.removeprefix("#").strip())
    return below


def fits(promise: list[str], shown: str) -> bool:
    def squeezed(text: str) -> str:
        return re.sub(r"\s+", " ", text).strip()

    pattern = ".*".join(re.escape(part) for part in squeezed(" ".join(promise)).split("..."))
    return re.fullmatch(pattern, squeezed(shown)) is not None


def lacking(block: str) -> str:
    """The first module that a block imports and that is not installed, else nothing."""
    statements = [node for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Import)]
    imported = [alias.name for statement in statements for alias in statement.names]
    return next((name for name in imported if importlib.util.find_spec(name.partition(".")[0]) is None), "")


def run(page: Path, names: dict[str, Any] | None = None) -> tuple[int, list[str]]:
    """How many promises were kept, and the libraries whose absence left blocks out; a broken promise raises.

    The page's names are left in `names`."""
    names = {} if names is None else names
    names["__name__"] = "__main__"
    kept, absent = 0, []
    for first, block in blocks(page):
        if name := lacking(block):
            absent.append(name)
            continue
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            promise = promised(lines, statement)
            printed = io.StringIO()
            where = f"{page}:{first + statement.lineno - 1}"
            ast.increment_lineno(statement, first - 1)
            with contextlib.redirect_stdout(printed):
                if isinstance(statement, ast.Expr):
                    value = eval(compile(ast.Expression(statement.value), where, "eval"), names)
                    if value is not None:
                        print(repr(value))
                elif promise and isinstance(statement, ast.Assign):
                    exec(compile(ast.Module([statement], []), where, "exec"), names)
                    print(repr(eval(ast.unparse(statement.targets[0]), names)))
                else:
                    exec(compile(ast.Module([statement], []), where, "exec"), names)
            shown = printed.getvalue()
            if promise:
                assert fits(promise, shown), f"{where}: expected {promise}, got:\n{shown}"
                kept += 1
    return kept, absent


if __name__ == "__main__":
    kept, absent = run(Path(sys.argv[1]))
    print(kept, *absent)
