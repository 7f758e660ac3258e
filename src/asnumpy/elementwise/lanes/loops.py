"""Loops over lanes: they go on until every lane has ended, and lanes that have ended soon cost nothing more."""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.arrays import zeros
from asnumpy.elementwise.lanes.functions import spread_truth
from asnumpy.elementwise.lanes.values import UNBOUND, Fallback, Lanes, both, constant, either, mapped, merge, negated

if TYPE_CHECKING:
    from asnumpy.elementwise.lanes.interpreter import Run

FEW = 32          # so many lanes that go on are left to Python, which needs no arrays
SPARSE = 8192     # from so many lanes on those that go on are gathered, when they are less than half


class Loop:
    """A loop that runs: which lanes have left it, and with which variables; `skipped`: those at a `continue`."""

    def __init__(self, needed: frozenset[str]) -> None:
        self.needed = needed
        self.left: Any = False
        self.variables: dict[str, Any] = {}
        self.skipped: list[tuple[Any, dict[str, Any]]] = []

    def leave(self, mask: Any, variables: dict[str, Any]) -> None:
        if mask is False:
            return
        leaving = {name: variables[name] for name in self.needed if name in variables}
        self.variables = leaving if self.left is False else joined(mask, leaving, self.variables)
        self.left = either(self.left, mask)


def joined(mask: Any, new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """The variables of both ways, the first way's in these lanes; one that only a way has is unbound in the other."""
    return {name: merge(mask, new.get(name, UNBOUND), old.get(name, UNBOUND)) for name in {**old, **new}}


def run_loop(run: Run, node: ast.For | ast.While, items: Iterator[int] | None) -> None:
    """All turns of a loop, and its `else`; `items` are what a `for` goes through."""
    lanes, frame = run.lanes, run.frame
    loop = Loop(frame.source.after[node])
    ended = Loop(frame.source.after[node]) if node.orelse else loop  # whose lanes had no `break`
    _turns(run, node, items, loop, ended)
    if ended is not loop and ended.left is not False:
        lanes.live, frame.variables = ended.left, ended.variables
        run.block(node.orelse)
        loop.leave(lanes.live, frame.variables)
    lanes.live, frame.variables = loop.left, loop.variables


def _turns(
    run: Run, node: ast.For | ast.While, items: Iterator[int] | None, loop: Loop, ended: Loop, inside: bool = False,
) -> None:
    """Turn after turn; `inside`: it begins where the body does."""
    lanes, frame = run.lanes, run.frame
    frame.loops.append(loop)
    turns = 0
    while lanes.live is not False:
        if inside:
            inside = False
        else:
            if isinstance(node, ast.While):
                mask = spread_truth(lanes, run.value(node.test))
                ended.leave(both(lanes.live, negated(mask)), frame.variables)
                lanes.live = both(lanes.live, mask)
            else:
                item = next(items, None) if items is not None else None
                if item is None:
                    ended.leave(lanes.live, frame.variables)
                    break
                run.bind(node.target, constant(item))
            turns += 1
            if isinstance(lanes.live, ndarray) and _due(turns, items is None):
                _look(run, node, items, loop, ended)
            if lanes.live is False:
                break
        run.block(node.body)
        for mask, variables in loop.skipped:
            frame.variables = variables if lanes.live is False else joined(mask, variables, frame.variables)
            lanes.live = either(lanes.live, mask)
        loop.skipped = []
    frame.loops.pop()


def _due(turns: int, endless: bool) -> bool:
    """Whether to see now which lanes go on: that needs values, so a short `for` does without."""
    if _core.tracing():
        if endless:
            raise Fallback
        return False
    if endless and turns <= 4:
        return True
    return turns % 4 == 0 if endless and turns <= 32 else turns % 8 == 0 and turns > 8


def _look(run: Run, node: ast.For | ast.While, items: Iterator[int] | None, loop: Loop, ended: Loop) -> None:
    """Ends the loop if all lanes have ended, and gathers those that have not if they are few."""
    lanes = run.lanes
    lanes.live = both(lanes.live, negated(lanes.lost))
    size = math.prod(lanes.shape)
    live = _core.broadcast_to(lanes.live, lanes.shape).reshape(-1)
    going = int(live.sum())
    if going > FEW and not (going * 2 <= size and size >= SPARSE):
        return
    if going > FEW:
        _gathered(run, node, items, loop, ended, live)
    elif going:
        lanes.fail()
    lanes.live = False


def _gathered(
    run: Run, node: ast.For | ast.While, items: Iterator[int] | None, loop: Loop, ended: Loop, live: ndarray,
) -> None:
    """The rest of a loop on arrays that have only the lanes that go on, whose values are then put back."""
    lanes, frame = run.lanes, run.frame
    places = live.nonzero()[0]
    size = live.size

    def gather(one: Any) -> Any:
        return _core.broadcast_to(one, lanes.shape).reshape(-1)[places]

    def scatter(one: Any) -> Any:
        if isinstance(one, bool):
            return lanes.live if one else False
        full = zeros(size, one.dtype)
        full[places] = one
        return full.reshape(lanes.shape)

    fewer = Lanes(places.shape)
    part = copy.copy(frame)
    names = loop.needed | frame.source.within[node]
    part.variables = {name: mapped(gather, one) for name, one in frame.variables.items() if name in names}
    part.result, part.loops = None, []
    loops = [Loop(one.needed) for one in ((loop,) if ended is loop else (loop, ended))]
    _turns(type(run)(fewer, part), node, items, loops[0], loops[-1], inside=True)
    lanes.lost = either(lanes.lost, scatter(fewer.lost))
    gone: Any = False
    for one, own in zip((loop, ended), loops, strict=False):
        gone = either(gone, own.left)
        one.leave(scatter(own.left), {name: mapped(scatter, value) for name, value in own.variables.items()})
    if part.result is not None:
        returned = scatter(negated(gone))
        made = mapped(scatter, part.result)
        frame.result = made if frame.result is None else merge(returned, made, frame.result)
