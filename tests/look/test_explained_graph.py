"""explain() as a graph: what its text says is in it, and every box has a place of its own."""

from __future__ import annotations

import io
import itertools
import pickle
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy.look import Graph, read, svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def deferred() -> Iterator[None]:
    ap.synchronize()
    with ap.config.using(eager=False, eager_size=0, passes="all"):
        yield


def explained(x: Any = None) -> Any:
    return ap.explain(x, file=io.StringIO())


def found(graph: Graph, kind: str) -> list[str]:
    return [f"{node.label} {node.detail}" for node in graph.nodes if node.kind == kind]


def edges(graph: Graph, kind: str = "data") -> set[tuple[str, str]]:
    labels = [node.label for node in graph.nodes]
    return {(labels[edge.source], labels[edge.target]) for edge in graph.edges if edge.kind == kind}


def texts(picture: str) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_a_program_and_a_product() -> None:
    x = ap.asarray(np.ones((40, 50), np.float32))
    y = ap.asarray(np.ones((40, 7), np.float32))
    ap.synchronize()
    graph = read(explained(((x + 1.5) * x).T @ y))
    assert found(graph, "operation") == ["add float32 (40, 50)", "multiply float32 (40, 50)"]
    assert found(graph, "constant") == ["1.5 float32"]
    assert found(graph, "alone") == ["matmul float32 (50, 7)"]
    assert found(graph, "array") == ["a0 float32 (40, 50)", "a1 float32 (40, 50)", "a2 float32 (40, 7)",
                                     "a3 float32 (50, 7)"]  # fmt: skip
    assert edges(graph) == {
        ("a0", "add"), ("1.5", "add"), ("add", "multiply"), ("a0", "multiply"), ("multiply", "a1"), ("a1", "matmul"),
        ("a2", "matmul"), ("matmul", "a3"),
    }
    assert [group.label for group in graph.whole.groups] == ["program 0: over (40, 50), 2 instructions"]
    assert {graph.nodes[k].label for k in graph.whole.groups[0].nodes} == {"1.5", "add", "multiply"}
    seen = [edge.label for edge in graph.edges if edge.label]
    assert seen == ["(50, 40)"], "the product reads it turned"


def test_what_is_written_again() -> None:
    x = ap.zeros(100_000)
    x[3:] = 7
    graph = read(explained(x.sum()))
    assert ("a0", "a0") in edges(graph, "place")
    assert found(graph, "reduction") == ["reduce add float64 ()"]
    names = edges(graph)
    assert ("7", "a0") in names and ("a0", "reduce add") in names


def test_work_of_the_host_is_marked() -> None:
    compiled = ap.jit(lambda a: ap.linalg.cholesky(a @ a.T) + 1).compile(ap.eye(3, dtype="float32"))
    graph = read(compiled.explain())
    assert [node.label for node in graph.nodes if node.kind == "host"] == ["numpy.linalg.cholesky"]
    assert ("numpy.linalg.cholesky", "add") in {
        (a, c) for (a, b), (d, c) in itertools.product(edges(graph), repeat=2) if b == d
    }
    assert texts(compiled.explain().svg()).count("on the host") == 1


def test_loops_and_choices() -> None:
    def function(x: Any) -> Any:
        grown = ap.while_loop(lambda s: s.sum() < 100, lambda s: s * 2, x)
        return ap.cond(grown[0] > 3, lambda s: s + 1, lambda s: s - 1, grown) * 5

    explanation = ap.jit(function).compile(ap.ones(300)).explain()
    graph = read(explanation)
    assert [node.label for node in graph.nodes if node.kind == "control"] == ["loop while", "where true"]
    labels = [group.label for group in graph.whole.groups if not group.label.startswith("program")]
    assert labels == ["loop while", "repeat", "where true", "otherwise"]
    written = {target for source, target in edges(graph) if source == "loop while"}
    assert written & {source for source, target in edges(graph) if target == "where true"}
    inside = {edge.source for edge in graph.edges if edge.kind == "inside"}
    assert inside == {k for k, node in enumerate(graph.nodes) if node.kind == "control"}
    assert no_box_on_another(svg(graph))


def boxes(picture: str) -> list[tuple[float, float, float, float, bool]]:
    found = []
    for one in ElementTree.fromstring(picture).iter(f"{SVG}rect"):
        if one.get("width") != "100%":
            x, y, width, height = (float(one.get(name) or "0") for name in ("x", "y", "width", "height"))
            found.append((x, y, x + width, y + height, one.get("fill") == "none"))
    return found


def no_box_on_another(picture: str) -> bool:
    """Frames may hold others as a whole; nothing else touches."""
    for (x, y, to_x, to_y, frame), (x2, y2, to_x2, to_y2, frame2) in itertools.combinations(boxes(picture), 2):
        apart = to_x <= x2 or to_x2 <= x or to_y <= y2 or to_y2 <= y
        inside = (frame and x <= x2 and y <= y2 and to_x2 <= to_x and to_y2 <= to_y) or (
            frame2 and x2 <= x and y2 <= y and to_x <= to_x2 and to_y <= to_y2
        )
        if not apart and not inside:
            return False
    return True


def softmax() -> Any:
    x = ap.ones((300, 400))
    e = ap.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def many() -> Any:
    x = y = ap.ones((300, 400)) * 2
    for k in range(30):
        x = ap.sin(x) * (k + 0.5) + y[:, ::-1]
    return x


def wide() -> Any:
    x = ap.ones((300, 400))
    return sum((x * k).sum() for k in range(25))


def products() -> Any:
    x, y = ap.ones((30, 40)) + 1, ap.ones((30, 40)) * 2
    return (x @ y.T + 1) @ (y - 1)


def scan() -> Any:
    x, y = ap.ones((300, 400)) + 1, ap.ones((300, 400)) * 2
    return ap.cumsum(x, axis=0)[::2] / y[::2]


@pytest.mark.parametrize("function", [softmax, many, wide, products, scan])
def test_the_picture(function: Callable[[], Any]) -> None:
    explanation = explained(function())
    picture = explanation.svg()
    graph = read(explanation)
    shown = texts(picture)
    for node in graph.nodes:
        assert node.label in shown and (not node.detail or node.detail in shown)
    root = ElementTree.fromstring(picture)
    width, height = float(root.get("width") or 0), float(root.get("height") or 0)
    assert len(boxes(picture)) == len(graph.nodes) + sum(1 for _ in all_groups(graph))
    assert all(0 <= x < to_x <= width and 0 <= y < to_y <= height for x, y, to_x, to_y, _ in boxes(picture))
    assert no_box_on_another(picture)
    lines = [one for one in root.iter(f"{SVG}path") if one.find(f"{SVG}title") is not None]
    assert len(lines) == len(graph.edges)
    for line in lines:  # no line goes up
        heights = [float(number) for number in re.findall(r"-?[\d.]+", line.get("d") or "")][1::2]
        assert heights == sorted(heights)
    assert "http://www.w3.org/2000/svg" in picture and picture.count("http") == 1, "nothing is fetched"


def all_groups(graph: Graph) -> Iterator[Any]:
    waiting = list(graph.whole.groups)
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.groups


def test_all_that_is_pending_and_nothing() -> None:
    ap.synchronize()
    nothing = explained()
    assert nothing == "nothing is pending\n" and nothing.svg() == "" and nothing._repr_svg_() is None
    x, y = ap.ones(5000) + 1, ap.ones(5000) * 2
    assert explained()._repr_svg_().startswith("<svg")
    assert len(read(explained()).whole.groups) >= len(read(explained(x)).whole.groups) >= 1
    ap.eval(x, y)


def test_it_is_a_text() -> None:
    y = ap.ones(5000) + 1
    explanation = explained(y)
    assert isinstance(explanation, str) and "add" in explanation
    assert pickle.loads(pickle.dumps(explanation)) == explanation
    with_code = ap.explain(y, code=True, file=io.StringIO())
    assert with_code.startswith(str(explanation)) and with_code.svg() == explanation.svg()


def test_text_that_is_none_of_it() -> None:
    with pytest.raises(ValueError, match="expected the text of programs, got 'hello'"):
        read("hello\n")
    with pytest.raises(ValueError, match="got '  store"):
        read("  store %0 a0(3,)\n")


def test_a_large_one_is_cut() -> None:
    part = "program 0: over (5,), 1 instructions\n  %0 = input float64 a{0}(5,)\n  %1 = add %0, %0 : float64\n" \
           "  store %1 a{1}(5,)\n"
    graph = read("".join(part.format(k, k + 1) for k in range(2000)))
    assert 1000 <= len(graph.nodes) < 1010
    assert "is not drawn" in graph.notes[-1]
    assert no_box_on_another(svg(read("".join(part.format(k, k + 1) for k in range(30)))))
