"""Writing a new project from the template, whose operator is called layer_scale.

Its Python files end in .in: they are another package's, and no tool is to take them for asnumpy's.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

PARTS = ("ascend", "cpu", "cuda", "torch")
USUAL = ("ascend", "cpu")
_TEMPLATE = Path(__file__).parent / "template"
_NAME = "layer_scale"
_MARK = re.compile(r" *(?:#|<!--):(\w+)(?:-->)?$")


def write(name: str, folder: Path, parts: Sequence[str] = USUAL) -> list[Path]:
    """Write a project.

    Parameters
    ----------
    name : str
        The operator's name, which is the package's too.
    folder : path
        Where it goes; it may not exist or must be empty.
    parts : sequence of str
        For which devices and frameworks it has a file: of `PARTS`.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    ValueError
        If the name is no Python name in lower case.
    FileExistsError
        If the folder holds something.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise ValueError(
            f"operator new: expected a name of lower-case letters, digits and underscores, got {name!r}"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"operator new: expected {folder} not to exist or to be empty; take another --folder")
    return [_write(path, name, folder, parts) for path in _files(parts)]


def _files(parts: Sequence[str]) -> Iterator[Path]:
    """The template's files, without those that are named after a part that is not wanted."""
    for path in sorted(_TEMPLATE.rglob("*")):
        part = path.name.partition(".")[0].removeprefix("test").lstrip("_")
        if path.is_file() and "__pycache__" not in path.parts and (part not in PARTS or part in parts):
            yield path


def _write(path: Path, name: str, folder: Path, parts: Sequence[str]) -> Path:
    target = folder / str(path.relative_to(_TEMPLATE)).replace(_NAME, name).removesuffix(".in")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(_kept(path.read_text(), parts)).replace(_NAME, name))
    return target


def _kept(text: str, parts: Sequence[str]) -> Iterator[str]:
    """The lines without those that are marked with a part that is not wanted; the marks go."""
    for line in text.splitlines(keepends=True):
        mark = _MARK.search(line.rstrip("\n"))
        if mark is None:
            yield line
        elif mark[1] in parts:
            yield line[: mark.start()] + "\n"
