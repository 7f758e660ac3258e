"""A graph of programs as a picture: SVG without anything beside it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from html import escape

from asnumpy.look._graph import Edge, Graph, Group
from asnumpy.look._layers import place

LETTER, LINE = 7.3, 16.0  # of the type that is written with, 12 pixels high
MARGIN, HEAD = 12.0, 22.0
STYLES = {  # fill, stroke, radius, dashes
    "operation": ("#dcebfa", "#3d6f9e", 3, ""), "reduction": ("#d8f0dc", "#3c7d4a", 3, ""),
    "alone": ("#e7dff5", "#6a4f9c", 3, ""), "host": ("#fbdcdc", "#b3121d", 3, "5 3"),
    "control": ("#f2f2f2", "#555", 12, ""), "constant": ("#fff", "#999", 9, ""), "array": ("#fdf3d0", "#a07d1c", 9, ""),
}
LINES = {"data": ("#555", ""), "place": ("#a07d1c", "4 3"), "inside": ("#999", "1 3")}
LEGEND = "yellow: arrays in memory; frames: what runs together; dashed yellow: an array written again"


class _Picture:
    """Boxes by their place: of nodes by number, and of groups."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.node: dict[int, tuple[float, float, float, float]] = {}  # left, top, width, height
        self.frames: list[tuple[float, float, float, float, str]] = []
        # By edge, the points that its line passes: out of the groups of its source, and from there to its target.
        self.out: dict[tuple[int, int], list[tuple[float, float]]] = {}
        self.on: dict[tuple[int, int], list[tuple[float, float]]] = {}
        self.width, self.height = self._size(graph.whole, 0.0, 0.0, draw=True)

    def _lines(self, number: int) -> list[str]:
        node = self.graph.nodes[number]
        lines = [node.label, node.detail] + (["on the host"] if node.kind == "host" else [])
        return [line for line in lines if line]

    def _size(self, group: Group, left: float, top: float, draw: bool) -> tuple[float, float]:
        """How large a group is; with `draw` its boxes get places from this corner."""
        inner = [self._size(one, 0.0, 0.0, draw=False) for one in group.groups]
        texts = map(self._lines, group.nodes)
        sizes = [(max(map(len, lines)) * LETTER + 14, len(lines) * LINE + 8) for lines in texts]
        sizes += [(max(width + 2 * MARGIN, len(one.label) * LETTER + 2 * MARGIN), height + HEAD + MARGIN)
                  for one, (width, height) in zip(group.groups, inner, strict=True)]
        item = {number: k for k, number in enumerate(group.nodes)}
        for k, one in enumerate(group.groups):
            item.update(dict.fromkeys(one.all_nodes(), len(group.nodes) + k))
        # A line from or to elsewhere crosses the border at a point of its own.
        first: list[int] = []
        last: list[int] = []
        lifted: dict[tuple[int, int], tuple[int, int]] = {}
        for edge in self.graph.edges:
            pair = item.get(edge.source, -1), item.get(edge.target, -1)
            if max(pair) < 0:
                continue
            if min(pair) < 0:
                (first if pair[0] < 0 else last).append(len(sizes))
                pair = (len(sizes), pair[1]) if pair[0] < 0 else (pair[0], len(sizes))
                sizes.append((2.0, 0.0))
            lifted[edge.source, edge.target] = pair
        placed = place(sizes, [pair for pair in lifted.values() if pair[0] != pair[1]], first, last)
        if not draw:
            return placed.width, placed.height
        corners = [(left + x, top + y) for x, y in placed.corners]
        for edge_ends, pair in lifted.items():
            bends = [(left + x, top + y) for x, y in placed.bends.get(pair, [])]
            if pair[1] in last:
                self.out[edge_ends] = [*bends, corners[pair[1]], *self.out.get(edge_ends, [])]
            elif pair[0] in first:
                self.on.setdefault(edge_ends, []).extend([corners[pair[0]], *bends])
            elif pair[0] != pair[1]:
                self.on[edge_ends] = bends
        self.node.update({number: (*corners[k], *sizes[k]) for k, number in enumerate(group.nodes)})
        for k, one in enumerate(group.groups, len(group.nodes)):
            x, y = corners[k]
            self.frames.append((x, y, *sizes[k], one.label))
            free = sizes[k][0] - 2 * MARGIN - inner[k - len(group.nodes)][0]
            self._size(one, x + MARGIN + free / 2, y + HEAD, draw=True)
        return placed.width, placed.height

    def _path(self, edge: Edge) -> str:
        x, y, width, height = self.node[edge.source]
        to_x, to_y, to_width, _ = self.node[edge.target]
        ends = edge.source, edge.target
        points = [(x + width / 2, y + height), *self.out.get(ends, []), *self.on.get(ends, []),
                  (to_x + to_width / 2, to_y)]
        path = f"M{points[0][0]:.0f} {points[0][1]:.0f}"
        for (from_x, from_y), (at_x, at_y) in itertools.pairwise(points):
            half = (from_y + at_y) / 2
            path += f"C{from_x:.0f} {half:.0f} {at_x:.0f} {half:.0f} {at_x:.0f} {at_y:.0f}"
        return path

    def parts(self) -> Iterator[str]:
        """Everything in the order in which it is drawn."""
        for x, y, width, height, label in self.frames:
            yield (f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="6" fill="none" '
                   f'stroke="#888"/><text x="{x + MARGIN:.0f}" y="{y + 15:.0f}" fill="#666">{escape(label)}</text>')
        for edge in self.graph.edges:
            color, dashes = LINES[edge.kind]
            broken = f' stroke-dasharray="{dashes}"' if dashes else ""
            yield (f'<path d="{self._path(edge)}" fill="none" stroke="{color}"{broken} '
                   f'marker-end="url(#asnumpy-arrow)">'
                   f"<title>{escape(edge.label or edge.kind)}</title></path>")
            if edge.label:
                x, y, width, _ = self.node[edge.target]
                from_x = self.node[edge.source][0] + self.node[edge.source][2] / 2
                at = x + width / 2 + (4 if from_x >= x + width / 2 else -4 - len(edge.label) * LETTER * 10 / 12)
                yield f'<text x="{at:.0f}" y="{y - 9:.0f}" fill="#777" font-size="10">{escape(edge.label)}</text>'
        for number, (x, y, width, height) in sorted(self.node.items()):
            fill, stroke, radius, dashes = STYLES[self.graph.nodes[number].kind]
            broken = f' stroke-dasharray="{dashes}"' if dashes else ""
            yield (f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="{radius}" '
                   f'fill="{fill}" stroke="{stroke}"{broken}/>')
            for k, line in enumerate(self._lines(number)):
                weight = ' font-weight="bold"' if k == 0 else ""
                yield (f'<text x="{x + width / 2:.0f}" y="{y + 16 + k * LINE:.0f}" text-anchor="middle"{weight}>'
                       f"{escape(line)}</text>")


def svg(graph: Graph) -> str:
    """The picture; an empty text where the graph has no nodes."""
    if not graph.nodes:
        return ""
    picture = _Picture(graph)
    below = [*graph.notes, LEGEND]
    width = max(picture.width, *(len(line) * LETTER * 11 / 12 for line in below)) + 2 * MARGIN
    height = picture.height + 2 * MARGIN + len(below) * LINE + 8
    marker = ('<defs><marker id="asnumpy-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
              'orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>')
    notes = "".join(
        f'<text x="{MARGIN:.0f}" y="{picture.height + 2 * MARGIN + (k + 1) * LINE:.0f}" font-size="11" fill="#666">'
        f"{escape(line)}</text>" for k, line in enumerate(below)
    )
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" font-size="12" '
            'font-family="ui-monospace, Menlo, Consolas, monospace">'
            f'{marker}<rect width="100%" height="100%" fill="#fff"/>'
            f'<g transform="translate({MARGIN:.0f} {MARGIN:.0f})">' + "".join(picture.parts()) + f"</g>{notes}</svg>")
