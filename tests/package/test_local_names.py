"""Names that are a file's own, read from the sources: files that are compiled together share them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The libraries whose files CMake compiles together (ASNUMPY_TOGETHER): the folders of these files and of their headers.
LIBRARIES = {
    "core": (["core/program", "core/device", "core/cpu", "core/ascend", "core/runtime"], ["core"]),
    "module": (["core/python"], ["core"]),
    "simulator": (
        ["cannsim/runtime", "cannsim/aclnn", "cannsim/operators", "cannsim/aclop", "cannsim/api"], ["cannsim", "core"],
    ),
}
LISTS = ["core/CMakeLists.txt", "core/python/module.cmake", "cannsim/CMakeLists.txt"]

TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[A-Za-z_]\w*|[0-9][\w.\']*|::|->|[^\s\w]')
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n\\]|\\.)*$', re.MULTILINE | re.DOTALL)
DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
UNDEFINED = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)
ALONE = re.compile(r"set_source_files_properties\(([^()]*?)\sPROPERTIES\s+SKIP_UNITY_BUILD_INCLUSION ON\)")
CLOSING = {"(": ")", "{": "}", "[": "]"}
WITH_ARGUMENTS = {"alignas", "decltype", "noexcept", "requires", "__attribute__"}

# The namespaces that it is in, "" where one is anonymous, its name, and of what `using` declares the whole.
Declaration = tuple[tuple[str, ...], str, str]


def end_of(tokens: list[str], i: int) -> int:
    """The place after the bracket that closes the one at i."""
    depth = 0
    while i < len(tokens):
        depth += (tokens[i] in CLOSING) - (tokens[i] in CLOSING.values())
        i += 1
        if depth == 0:
            break
    return i


def end_of_arguments(tokens: list[str], i: int) -> int:
    """The place after the `>` that closes the `<` at i."""
    depth = 0
    while i < len(tokens):
        if tokens[i] in CLOSING:
            i = end_of(tokens, i)
            continue
        depth += (tokens[i] == "<") - (tokens[i] == ">")
        i += 1
        if depth == 0:
            break
    return i


def is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] == "_"


def enumerators(tokens: list[str]) -> Iterator[str]:
    """The names in the braces of an enum without a scope of its own, which are its surroundings' too."""
    i, first = 0, True
    while i < len(tokens):
        if first and is_name(tokens[i]):
            yield tokens[i]
        first = tokens[i] == ","
        i = end_of(tokens, i) if tokens[i] in CLOSING else i + 1


def names_of(statement: list[str]) -> Iterator[str]:
    """The names that one statement of a namespace declares; none where it defines what was declared elsewhere."""
    i, last = 0, ""
    if statement[0] in ("static_assert", "friend", "asm"):
        return
    if statement[:2] == ["extern", '"C"']:
        return
    if statement[:2] == ["using", "namespace"]:
        yield "using namespace"
        return
    if statement[0] == "using":
        yield statement[1] if statement[2] == "=" else statement[-1]
        return
    while i < len(statement):
        token = statement[i]
        if statement[i:i + 2] == ["[", "["]:
            i = end_of(statement, i)
            continue
        if token == "template" or token in WITH_ARGUMENTS:
            i += 1
            if i < len(statement) and statement[i] == "<":
                i = end_of_arguments(statement, i)
            elif i < len(statement) and statement[i] == "(":
                i = end_of(statement, i)
            continue
        if token in ("struct", "class", "union", "enum", "concept") and i + 1 < len(statement):
            i += 1 + (statement[i + 1] == "class")
            while not is_name(statement[i]) or statement[i] == "alignas":
                i = end_of(statement, i + (statement[i] == "alignas"))
            if i + 1 == len(statement) or statement[i + 1] in (":", "{", "=", "final"):
                if i + 1 < len(statement) and statement[i + 1] == "<":  # a specialisation
                    return
                yield statement[i]
                if token == "enum" and statement[1] != "class" and "{" in statement:
                    yield from enumerators(statement[statement.index("{") + 1:-1])
                return
            last = statement[i]
            i += 1
            continue
        if token == "operator":
            return
        if token == "<":
            i = end_of_arguments(statement, i)
            last = ""
            continue
        if token == "(":
            if last:
                yield last
            return
        if token in ("=", "{", "[", ",", ";"):
            if last:
                yield last
            depth = 0  # on to the next of `a = 1, b = 2`
            while i < len(statement) and not (statement[i] == "," and depth == 0):
                if statement[i] in CLOSING:
                    i = end_of(statement, i)
                    continue
                depth += (statement[i] == "<") - (statement[i] == ">")
                i += 1
            i, last = i + 1, ""
            continue
        last = token if is_name(token) and statement[i - 1] != "::" else ""
        i += 1
    if last:
        yield last


def declarations(text: str) -> Iterator[Declaration]:
    tokens = TOKEN.findall(IGNORED.sub("", text))
    spaces: list[int] = []  # how many names each open namespace has
    scope: list[str] = []
    i = start = 0
    while i < len(tokens):
        if i == start and tokens[i] == "}":
            del scope[len(scope) - spaces.pop():]
            i = start = i + 1
        elif i == start and (tokens[i] == "namespace" or tokens[i:i + 2] == ["inline", "namespace"]):
            end = i + 1
            while tokens[end] not in "{=;":
                end += 1
            if tokens[end] == "{":
                names = [t for t in tokens[i:end] if is_name(t) and t not in ("namespace", "inline")] or [""]
                scope += names
                spaces.append(len(names))
            else:
                end = tokens.index(";", i)
                yield tuple(scope), tokens[i + 1], " ".join(tokens[i:end])
            i = start = end + 1
        elif i == start and tokens[i] == "extern" and tokens[i + 1:i + 3] == ['"C"', "{"]:
            spaces.append(0)
            i = start = i + 3
        elif tokens[i] == ";" or (tokens[i] == "{" and (i + 1 > start)):
            if tokens[i] == "{":
                i = end_of(tokens, i)
                ended = tokens[i] not in ";,=({[" if i < len(tokens) else True
                if not ended:
                    continue
                stop = i
            else:
                stop = i
                i += 1
            statement = tokens[start:stop]
            if statement:
                space = (*scope, "") if statement[0] == "static" else tuple(scope)
                meaning = " ".join(statement) if statement[0] == "using" else ""
                for name in names_of(statement):
                    yield space, name, meaning
            start = i
        elif tokens[i] in CLOSING:
            i = end_of(tokens, i)
        else:
            i += 1


def namespace(scope: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in scope if name)


def conflicts(files: dict[str, str], headers: dict[str, str]) -> list[str]:
    """What one file would take from another, were they one text. A namespace of one file only is its own."""
    users: dict[tuple[str, ...], set[str]] = defaultdict(set)  # of a namespace, and of those within it
    own: dict[tuple[tuple[str, ...], str], dict[str, str]] = defaultdict(dict)
    opened = []
    found = []
    for file, text in files.items():
        for scope, name, meaning in declarations(text):
            space = namespace(scope)
            for length in range(len(space) + 1):
                users[space[:length]].add(file)
            if name == "using namespace":
                opened.append((space, file, meaning))
            elif "" in scope:
                own[space, name][file] = meaning
        left = sorted(set(DEFINED.findall(text)) - set(UNDEFINED.findall(text)))
        found += [f"{file}: the macro {name} stays defined behind its last use; #undef it there" for name in left]
    for space, file, text in opened:
        if len(users[space]) > 1 and (space or (text.split()[-1],) not in users):  # C functions may open the files' own
            found.append(f"{file}: `{text}` reaches the files after it; open a namespace of the file's own for it")
    of_headers = {(scope, name): (header, meaning)
                  for header, text in headers.items() for scope, name, meaning in declarations(text)}
    for (space, name), meanings in sorted(own.items()):
        if len(users[space]) == 1:
            continue
        where = " and ".join(sorted(meanings))
        if len(meanings) > 1 and (len(set(meanings.values())) > 1 or "" in meanings.values()):
            found.append(f"{where}: `{name}` of each; is it one thing, put it in a header, else name them differently")
        for length in range(len(space) + 1):
            header, meaning = of_headers.get((space[:length], name), ("", ""))
            if header and not (meaning and set(meanings.values()) == {meaning}):
                found.append(f"{where}: `{name}` hides what {header} declares; give it another name")
    return found


def texts(folders: list[str], suffix: str) -> dict[str, str]:
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob(suffix))
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths}


@pytest.mark.parametrize("library", LIBRARIES)
def test_no_name_of_a_file_meets_another(library: str) -> None:
    folders, includes = LIBRARIES[library]
    alone = {name for file in LISTS for names in ALONE.findall((ROOT / file).read_text()) for name in names.split()}
    files = {file: text for file, text in texts(folders, "*.cpp").items() if not file.endswith(tuple(alone))}
    assert len(files) > 20
    assert conflicts(files, texts(includes, "*.hpp")) == []


def problems(first: str, second: str = "namespace a { int other(); }", header: str = "") -> str:
    return "\n".join(conflicts({"first.cpp": first, "second.cpp": second}, {"header.hpp": header}))


@pytest.mark.parametrize("declaration", [
    "int f(int x) { return x ? 1 : 2; }",
    "template <class T, int n = (1 > 0)> requires(n > 0) std::array<T, n> f(T (&x)[n]) { return {x}; }",
    "[[noreturn]] void f();",
    "constexpr std::pair<int, int> e{1, 2}, f{3, 4};",
    "int b[2] = {1, 2}, f = 3;",
    "struct f final : other<int> { int operator()() { return q[x[1]]; } };",
    "enum class f : int { one, two };",
    "enum g : int { one = h(1, 2), f };",
    "using f = int;",
    "const auto g = [] { return '{'; }; bool f(std::string s = \"}\");  // {",
])
def test_each_form_of_a_declaration_is_read(declaration: str) -> None:
    other = "namespace a::b { namespace { double f; } }"
    assert "`f` of each" in problems(f"namespace a::b {{ namespace {{\n{declaration}\n}} }}", other)
    assert "`f` of each" not in problems(f"namespace a::c {{ namespace {{\n{declaration}\n}} }}", other)


def test_names_that_meet_are_told() -> None:
    local = "namespace a { namespace { int f() { return 1; } } }"
    assert "first.cpp: `f` hides what header.hpp declares" in problems(local, header="namespace a { int f(int); }")
    assert "hides" not in problems(local, header="namespace a { struct S { int f(int); }; }")
    assert "hides" not in problems(local, "namespace c { int g(); }", header="namespace a { int f(int); }")
    assert "`f` of each" in problems("namespace a { static int f() { return 1; } }", local)
    same = "namespace a { namespace { using std::f; } }"
    assert problems(same, same) == ""
    assert "using namespace b" in problems("namespace a { using namespace b; int g(); }")
    assert problems("using namespace a; int g();") == ""
    assert "using namespace std" in problems("using namespace std; int g();")
    assert "the macro F" in problems("#define F(x) \\\n  x\nnamespace a {}")
    assert problems("#define F 1\nnamespace a { int g = F; }\n#undef F\n") == ""
