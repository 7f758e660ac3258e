"""Compiled kernels on disk, by all that they were made from: the store of the core's own kernels, for users' too."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

from asnumpy import _core

# The directives themselves; one whose operand is no name in quotes or angle brackets is made by a macro.
_INCLUDE = re.compile(
    r'^[ \t]*#[ \t]*(?:include|include_next|import|embed)\b[ \t]*(?:(["<])([^">\n]*)[">])?', re.MULTILINE
)
_FILES = ("-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwith", "--sysroot", "-isysroot",
          "-specs", "-fplugin", "-fprofile-use", "-B", "@")  # fmt: skip
_SEARCHED = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH")  # folders that a host's compiler looks into, too


def made_from(code: str, options: Sequence[str], folders: Iterable[str | Path], of_compiler: bool) -> str | None:
    """The source with the files that it includes from folders of the user's, and the options; None: it cannot be said.

    Parameters
    ----------
    code : str
        The source.
    options : sequence of str
        Those of the compiler. ``-I`` names more folders: what is in them matters, and not where they are.
    folders : iterable of path
        Where includes are looked for.
    of_compiler : bool
        Whether a name in quotes that is in none of them is a header of the compiler's.
    """
    places, others = [Path(one) for one in folders], []
    for name in _SEARCHED:
        places += [Path(one or ".") for one in os.environ[name].split(os.pathsep)] if os.environ.get(name) else []
    given = iter(options)
    for option in given:
        if option.startswith(_FILES):
            return None
        if option.startswith("-I"):
            places.append(Path(option[2:] or next(given, ".")))
        else:
            others.append(option)
    texts: dict[str, str] = {}
    waiting: list[tuple[str, Path | None]] = [(code, None)]
    while waiting:
        text, beside = waiting.pop()
        if "__has_include" in text or "__has_embed" in text:
            return None
        for sign, name in _INCLUDE.findall(text.replace("\\\n", "")):
            if not sign:
                return None
            near = [beside] if beside is not None and sign == '"' else []
            found = next((folder / name for folder in [*near, *places] if (folder / name).is_file()), None)
            if found is None and sign == '"' and not of_compiler:
                return None
            if found is None or str(found) in texts:
                continue
            texts[str(found)] = found.read_text(errors="surrogateescape")
            waiting.append((texts[str(found)], found.parent))
    parts = [*others, code, *(f"{Path(path).name}\n{texts[path]}" for path in texts)]
    return "\0".join(f"{len(part)} {part}" for part in parts)


def compiled(source: str | None, compiler: str, make: Callable[[], bytes]) -> bytes:
    """The binary that was kept for this source and compiler, or the one that is made now, and kept.

    Without a compiler (an empty name) what another one has made for the source will do.
    """
    if source is None:
        return make()
    key = _bytes(source)
    found = _core.kept_kernel(key, _bytes(compiler))
    if found is None:
        found = make()
        if compiler:
            _core.keep_kernel(key, _bytes(compiler), found)
    return found


def drop(source: str | None) -> bool:
    """Forgets what is kept of a source; whether anything may have been."""
    if source is not None:
        _core.drop_kernel(_bytes(source))
    return source is not None


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


@cache
def processor() -> str:
    """What the host's processors can do, as far as compilers ask: machines may share the store."""
    words = ("flags", "Features", "model name", "cpu family", "model", "stepping", "CPU implementer", "CPU part",
             "CPU variant", "isa", "mmu")  # fmt: skip
    lines = {os.uname().machine}
    try:
        with open("/proc/cpuinfo") as file:
            lines |= {" ".join(line.split()) for line in file if line.partition(":")[0].strip() in words}
    except OSError:
        pass
    return "\n".join(sorted(lines))
