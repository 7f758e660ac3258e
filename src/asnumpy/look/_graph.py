"""The text of `explain` as a graph: operations, the arrays between them, and what runs together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_NODES = 1000  # a larger picture is not looked at
_ARRAY = r"(a\d+)(\([\d, ]*\))(?: from byte (\d+))?"
_PROGRAM = re.compile(r"program \d+: over (\(.*?\)), \d+ instructions.*")
_ALONE = re.compile(r"program \d+: (\w+) -> (\w+?)(\(.*?\))(, on the host)?")
_HOST = re.compile(r"(\S.*), on the host")
_INPUT = re.compile(rf"  %(\d+) = input (\w+) (?:{_ARRAY}|(\S+))")
_STEP = re.compile(r"  (%\d+(?:, %\d+)*) = (\w+) ((?:%\d+(?:, )?)*) : (\w+)")
_STORE = re.compile(rf"  store %(\d+) {_ARRAY}")
_REDUCE = re.compile(rf"  reduce (\w+) %(\d+) {_ARRAY}")
_READS = re.compile(rf"  reads (\w+) (?:{_ARRAY}|(\S+))")
_WRITES = re.compile(rf"  writes (\w+) {_ARRAY}")
_NOTE = re.compile(r"\w+: \d+ of \d+ instructions, .*")
# A control's inside, its second part, its end.
_BEGINS, _GOES_ON = ("loop while", "where true"), ("repeat", "otherwise")
_ENDS = ("end of the loop", "end of the choice")


@dataclass
class Node:
    """A box of the picture: kind is "operation", "reduction", "alone", "host", "control", "constant", "array"."""

    kind: str
    label: str
    detail: str


@dataclass
class Edge:
    """From one node to another: kind is "data", "place" (the same array, written again) or "inside" (what a loop does).

    The label says how the reader sees an array, where that is not all of it as it is.
    """

    source: int
    target: int
    kind: str = "data"
    label: str = ""


@dataclass
class Group:
    """What runs together, or the inside of a loop: nodes by their number, and groups, in their order."""

    label: str
    nodes: list[int] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)

    def all_nodes(self) -> Iterator[int]:
        """Those of its groups, too."""
        yield from self.nodes
        for group in self.groups:
            yield from group.all_nodes()


@dataclass
class Graph:
    """Nodes, edges, and the group of all; notes say what passes did, and what is left out."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    whole: Group = field(default_factory=lambda: Group(""))
    notes: list[str] = field(default_factory=list)


class _Reader:
    def __init__(self) -> None:
        self.graph = Graph()
        self.open = [self.graph.whole]      # groups, the innermost last
        self.program: Group | None = None   # the one whose lines are read
        self.shape = ""
        self.alone = -1                     # the node whose operands are read
        self.owners: list[int] = []         # of the loops and choices that are open
        self.values: dict[int, tuple[int, str]] = {}   # of a program: the node that makes it, what to write at edges
        self.dtypes: dict[int, str] = {}
        self.joined: set[tuple[int, int]] = set()
        self.arrays: dict[str, tuple[int, str]] = {}   # the node that stands for it now, its shape there

    def add(self, node: Node, group: Group) -> int:
        """A node more; its number."""
        self.graph.nodes.append(node)
        group.nodes.append(len(self.graph.nodes) - 1)
        return group.nodes[-1]

    def join(self, source: int, target: int, kind: str = "data", label: str = "") -> None:
        """An edge more; between two nodes there is one."""
        if (source, target) not in self.joined:
            self.joined.add((source, target))
            self.graph.edges.append(Edge(source, target, kind, label))

    def source(self, name: str, shape: str, byte: str | None, dtype: str, where: Group) -> tuple[int, str]:
        """The node of an array that is read, and how the reader sees it where that differs."""
        if name not in self.arrays:
            self.arrays[name] = self.add(Node("array", name, f"{dtype} {shape}"), where), shape
        node, whole = self.arrays[name]
        return node, "" if shape == whole and not byte else shape

    def write(self, maker: int, name: str, shape: str, dtype: str, where: Group) -> None:
        """An array that a node writes."""
        before = self.arrays.get(name)
        made = self.add(Node("array", name, f"{dtype} {shape}"), where)
        self.join(maker, made)
        if before is not None:
            self.join(before[0], made, "place")
        self.arrays[name] = made, shape

    def begin(self, line: str) -> bool:
        """Takes a line that begins something."""
        if match := _PROGRAM.fullmatch(line):
            self.program, self.shape, self.values = Group(line), match[1], {}
            self.open[-1].groups.append(self.program)
        elif match := _ALONE.fullmatch(line):
            kind = "host" if match[4] else "alone"
            self.program = None
            self.alone = self.add(Node(kind, match[1], f"{match[2]} {match[3]}"), self.open[-1])
        elif line in _BEGINS:
            self.program = None
            self.alone = self.add(Node("control", line, ""), self.open[-1])
            self._open(line)
            self.owners.append(self.alone)
        elif line in _GOES_ON:
            self._close()
            self._open(line)
        elif line in _ENDS:
            self._close()
            self.owners.pop()
        elif match := _HOST.fullmatch(line):
            self.program = None
            self.alone = self.add(Node("host", match[1], ""), self.open[-1])
        else:
            return False
        return True

    def _open(self, label: str) -> None:
        group = Group(label)
        self.open[-1].groups.append(group)
        self.open.append(group)

    def _close(self) -> None:
        self.program = None
        inside = list(self.open.pop().all_nodes())
        if inside:
            self.join(self.owners[-1], min(inside), "inside")

    def go_on(self, line: str) -> bool:
        """Takes a line of a program's, or of an operation's that stands alone."""
        if match := _READS.fullmatch(line):
            where = self._around()
            if match[5] is not None:
                self.join(self.add(Node("constant", match[5], match[1]), where), self.alone)
            else:
                node, seen = self.source(match[2], match[3], match[4], match[1], where)
                self.join(node, self.alone, label=seen)
        elif match := _WRITES.fullmatch(line):
            self.write(self.alone, match[2], match[3], match[1], self._around())
        elif self.program is None:
            return False
        elif match := _INPUT.fullmatch(line):
            value = int(match[1])
            self.dtypes[value] = match[2]
            if match[6] is not None:
                self.values[value] = self.add(Node("constant", match[6], match[2]), self.program), ""
            else:
                self.values[value] = self.source(match[3], match[4], match[5], match[2], self.open[-1])
        elif match := _STEP.fullmatch(line):
            made = self.add(Node("operation", match[2], f"{match[4]} {self.shape}"), self.program)
            for used in re.findall(r"\d+", match[3]):
                node, seen = self.values[int(used)]
                self.join(node, made, label=seen)
            for value in map(int, re.findall(r"\d+", match[1])):
                self.values[value], self.dtypes[value] = (made, ""), match[4]
        elif match := _STORE.fullmatch(line):
            value = int(match[1])
            node, seen = self.values[value]
            if self.graph.nodes[node].kind == "array":
                copied = self.add(Node("operation", "copy", f"{self.dtypes[value]} {self.shape}"), self.program)
                self.join(node, copied, label=seen)
                node = copied
            self.write(node, match[2], match[3], self.dtypes[value], self.open[-1])
        elif match := _REDUCE.fullmatch(line):
            value = int(match[2])
            node, seen = self.values[value]
            made = self.add(Node("reduction", f"reduce {match[1]}", f"{self.dtypes[value]} {match[4]}"), self.program)
            self.join(node, made, label=seen)
            self.write(made, match[3], match[4], self.dtypes[value], self.open[-1])
        else:
            return False
        return True

    def _around(self) -> Group:
        """The group of the node whose operands are read: of a loop the one around its inside."""
        return next(group for group in reversed(self.open) if self.alone in group.nodes)


def read(text: str) -> Graph:
    """The graph of a text of `explain`; without nodes where nothing is pending. ValueError for another text."""
    reader = _Reader()
    for line in text.splitlines():
        begins = not line.startswith(" ")
        if not line or line == "nothing is pending":
            continue
        if _NOTE.fullmatch(line):
            reader.graph.notes.append(line)
        elif begins and len(reader.graph.nodes) >= MOST_NODES:
            reader.graph.notes.append(f"what follows the first {len(reader.graph.nodes)} boxes is not drawn")
            break
        elif not (reader.begin(line) if begins else reader.go_on(line)):
            raise ValueError(f"explain: expected the text of programs, got {line!r}")
    return reader.graph
