"""The folders' order, read from the sources: an include or import may only point down, and files stay short."""

from __future__ import annotations

import ast
import graphlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "core"
PACKAGE = ROOT / "src" / "asnumpy"

# Each folder of the core and those that it may use besides itself. Backends do not know each other.
BELOW_BACKENDS = {"base", "ops", "program", "device"}
MAY_USE = {
    "base": set(),
    "ops": {"base"},
    "kernels": {"base", "ops"},
    "cann": {"base"},
    "program": {"base", "ops"},
    "device": {"base", "ops", "program"},
    "cpu": BELOW_BACKENDS | {"kernels"},
    "ascend": BELOW_BACKENDS | {"cann"},
    "runtime": BELOW_BACKENDS | {"cpu", "ascend"},
    "python": BELOW_BACKENDS | {"kernels", "cpu", "ascend", "runtime"},
}
# The rooms of a folder, in order: each may use those before it, and what lies in the folder itself uses them all.
ROOMS = {"ascend": ["library", "memory", "launch", "kernel", "lower"]}
# The package's rooms and modules that `import asnumpy` loads. One may use those before it.
ORDER = (
    "_types _axes _public config dtypes runtime host ufunc creation manipulation indexing reduction sorting statistics "
    "elementwise linalg fft interop array io lib nn profiler"
).split()
MOST_LINES, EVER = 400, 600
# Longer than that: a program that is one run from end to end.
LONGER = {"tests/cannsim/torch_npu_program.py"}
HAND_WRITTEN = ("*.py", "*.pyi", "*.cpp", "*.hpp", "*.cmake", "CMakeLists.txt")


def sources() -> list[Path]:
    return sorted(path for suffix in ("*.hpp", "*.cpp") for path in CORE.rglob(suffix))


def modules() -> dict[str, Path]:
    """Every module of the package by its name; a package's `__init__` has the package's name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("asnumpy", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, name: str, known: set[str]) -> Iterator[str]:
    """The package's own modules that a module imports, wherever in its text, but not for type checkers only."""

    def visit(node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for other in node.orelse:
                yield from visit(other)
            return
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "asnumpy")
        elif isinstance(node, ast.ImportFrom):
            origin = node.module or ""
            if node.level:
                package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
                above = package[: len(package) - node.level + 1]
                origin = ".".join([*above, *([node.module] if node.module else [])])
            if origin.split(".")[0] == "asnumpy":
                for alias in node.names:
                    submodule = f"{origin}.{alias.name}"
                    yield submodule if submodule in known or submodule == "asnumpy._core" else origin
        for child in ast.iter_child_nodes(node):
            yield from visit(child)

    yield from visit(ast.parse(path.read_text()))


def room(name: str) -> str:
    """What a module belongs to: the package's room or public module below `asnumpy`."""
    return name.split(".")[1] if "." in name else ""


def test_includes_point_down() -> None:
    wrong = []
    for path in sources():
        folder = path.relative_to(CORE).parts[0]
        for include in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE):
            if (path.parent / include).exists():
                target = (path.parent / include).resolve().relative_to(CORE).parts[0]
            else:
                target = include.split("/")[0]
            if target != folder and target not in MAY_USE[folder]:
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
    assert not wrong, "\n".join(wrong)
    assert {path.relative_to(CORE).parts[0] for path in sources()} <= set(MAY_USE)


def test_includes_point_down_within_a_folder() -> None:
    wrong = []
    for folder, rooms in ROOMS.items():
        found = {path.name for path in (CORE / folder).iterdir() if path.is_dir()}
        assert found == set(rooms), f"core/{folder}: expected the rooms {rooms}, found {sorted(found)}"
        for path in (path for path in sources() if path.is_relative_to(CORE / folder)):
            room = path.relative_to(CORE / folder).parts[0]
            if room not in rooms:
                continue
            for include in re.findall(rf'^\s*#\s*include\s+"{folder}/([^"]+)"', path.read_text(), re.MULTILINE):
                target = include.split("/")[0]
                if target not in rooms[: rooms.index(room) + 1]:
                    wrong.append(f"{path.relative_to(ROOT)} includes {folder}/{include}")
    assert not wrong, "\n".join(wrong)


def test_python_header_stays_in_its_folder() -> None:
    headers = re.compile(r'#\s*include\s+[<"](Python\.h|nanobind/|numpy/)')
    wrong = [
        str(path.relative_to(ROOT)) for path in sources()
        if path.relative_to(CORE).parts[0] != "python" and headers.search(path.read_text())
    ]
    assert not wrong, "\n".join(wrong)


def test_the_simulator_uses_its_own_folders_and_the_base() -> None:
    own = {path.name for path in (ROOT / "cannsim").iterdir() if path.is_dir()}
    wrong = []
    for path in sorted(path for suffix in ("*.hpp", "*.cpp") for path in (ROOT / "cannsim").rglob(suffix)):
        assert path.read_text().startswith("//"), f"{path.relative_to(ROOT)} does not say its purpose"
        for include in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE):
            folder = include.split("/")[0] if "/" in include else ""
            if folder not in own | {"base", "ops", "kernels", "cann", "ascendc", "source"} and include != "cannsim.h":
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
    assert not wrong, "\n".join(wrong)


def test_the_headers_for_kernels_use_only_those_before_them() -> None:
    rooms = ["base", "host", "machine", "tensor", "vector", "move", "sync", "cube", "library", "raw", "launch"]
    folder, wrong = ROOT / "ascendc" / "include" / "ascendc", []
    assert {path.name for path in folder.iterdir()} <= set(rooms)
    for path in sorted(folder.rglob("*.hpp")):
        room = path.relative_to(folder).parts[0]
        assert path.read_text().startswith("//"), f"{path.relative_to(ROOT)} does not say its purpose"
        for include in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE):
            library, _, rest = include.partition("/")
            if library != "ascendc" or rest.split("/")[0] not in rooms[: rooms.index(room) + 1]:
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
    assert not wrong, "\n".join(wrong)


def test_the_templates_for_products_use_only_those_before_them() -> None:
    rooms = ["tile", "block", "epilogue", "kernel"]
    folder, wrong = ROOT / "ascendc" / "matmul", []
    assert {path.name for path in folder.iterdir()} == {*rooms, "types.hpp", "matmul.hpp"}
    for path in sorted(folder.glob("*/*.hpp")):
        room = path.parent.name
        known = {"types.hpp", *rooms[: rooms.index(room) + 1]}
        for include in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE):
            library, _, rest = include.partition("/")
            if library != "matmul" or rest.split("/")[0] not in known:
                wrong.append(f"{path.relative_to(ROOT)} includes {include}")
    assert not wrong, "\n".join(wrong)


def test_modules_form_no_circle() -> None:
    known = modules()
    graph = {name: set(imports(path, name, set(known))) - {name} for name, path in known.items()}
    for name in known:  # what the namespace does not load by itself comes after it
        if room(name) not in ORDER and "." in name:
            graph[name].discard("asnumpy")
    try:
        tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        pytest.fail("an import points up: " + " <- ".join(error.args[1]))


def test_rooms_use_only_those_before_them() -> None:
    known = modules()
    wrong = []
    for name, path in known.items():
        for other in imports(path, name, set(known)):
            if name == "asnumpy" or other == "asnumpy._core" or room(other) == room(name):
                continue
            if other == "asnumpy":
                if room(name) in ORDER:
                    wrong.append(f"{name} imports asnumpy, which imports it")
            elif room(other) not in ORDER:
                if room(name) in ORDER:
                    wrong.append(f"{name} imports {other}, which is loaded later")
            elif room(name) in ORDER and ORDER.index(room(other)) > ORDER.index(room(name)):
                wrong.append(f"{name} imports {other}, whose room comes after its own")
    assert not wrong, "\n".join(wrong)


def test_every_room_is_in_the_order() -> None:
    loaded = {room(other) for other in imports(PACKAGE / "__init__.py", "asnumpy", set(modules()))}
    assert loaded - set(ORDER) - {"_core"} == set()
    assert set(ORDER) - {room(name) for name in modules()} == set()


@pytest.mark.parametrize("folder", ["core", "src", "tests", "benches", "examples", "tools", "cannsim", "ascendc"])
def test_files_are_short(folder: str) -> None:
    long = []
    for pattern in HAND_WRITTEN:
        for path in (ROOT / folder).rglob(pattern):
            text = path.read_text()
            lines, name = len(text.splitlines()), str(path.relative_to(ROOT))
            most = EVER if name in LONGER else MOST_LINES
            if lines > most and not text.startswith("# Generated by tools/"):
                long.append(f"{name} has {lines} lines, more than {most}")
    assert not long, "\n".join(long)


def test_what_is_named_as_longer_is() -> None:
    assert [name for name in sorted(LONGER) if len((ROOT / name).read_text().splitlines()) <= MOST_LINES] == []


def test_files_say_their_purpose() -> None:
    silent = [
        str(path.relative_to(ROOT)) for path in sources()
        if not path.read_text().lstrip("#\n").startswith(("//", "/*"))
    ]
    silent += [
        str(path.relative_to(ROOT)) for path in modules().values() if not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert not silent, "\n".join(silent)
