"""Lists, tuples, dicts and dataclasses that functions under jit take and give back."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import pytest
from jit.compared import given, same

import asnumpy as ap
from asnumpy import _core
from asnumpy.runtime.tree import flatten


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclasses.dataclass
class State:
    u: Any
    parts: list[Any]


def test_containers():
    def turned(state, pair, named):
        state.u += 1
        return State(state.u * 2, [pair.left, named["a"]]), Pair(pair.right + 1, None), {"k": (named["a"], "text", 3)}

    def make():
        return State(given(1, 9), [1]), Pair(given(2, 9), given(3, 9)), {"a": given(4, 9)}

    fast, plain = make(), make()
    traced = ap.jit(turned)
    for _ in range(2):
        got, wanted = traced(*fast), turned(*plain)
        assert type(got[0]) is State and type(got[1]) is Pair
        for one, other in ((got[0].u, wanted[0].u), (got[0].parts, wanted[0].parts), (got[2], wanted[2])):
            same(one, other)
        same(tuple(got[1]), tuple(wanted[1]))
    same(fast[0].u, plain[0].u)


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    low: Any
    high: Any = dataclasses.field(default=None, init=False)


RESULTS = {
    "list": lambda x: [x + 1, x * 2],
    "tuple": lambda x: (x + 1, x.sum()),
    "dict": lambda x: {"b": x + 1, "a": x, 3: None},
    "named tuple": lambda x: Pair(x + 1, x * 2),
    "dataclass": lambda x: State(x * 2, [x, "text"]),
    "frozen": lambda x: Kept(x - 1),
    "nested": lambda x: [(x + 1, {"a": [x * 3]}), [], {}, ((),), Pair([x], State(x, []))],
    "leaf": lambda x: x - 1,
}


@pytest.mark.parametrize("work", RESULTS.values(), ids=RESULTS)
def test_calls_of_a_known_form_build_their_results_without_python(work):
    fast = ap.jit(work)
    fast(given(1, 5))
    fast._call = None  # what asks Python would fail from here on
    kept = [(x := given(seed, 5), fast(x)) for seed in (2, 3)]
    for x, got in kept:
        wanted, leaves, other = work(x), [], []
        assert flatten(got, leaves) == flatten(wanted, other)
        for one, right in zip(leaves, other, strict=True):
            if right is x:
                assert one is x
            elif isinstance(right, (ap.ndarray, ap.Number)):
                same(one, right)
            else:
                assert one == right


def test_structures_are_looked_at():
    leaves = iter([1, 2, 3])
    for wrong in (3, (list, 1), (list, 1, [None]), (dict, ("a",), (None, None)), (State, 3, ())):
        with pytest.raises(TypeError):
            _core.unflatten(wrong, leaves)
    with pytest.raises(ValueError, match="a leaf for each place"):
        _core.unflatten((list, 2, (None, None)), iter([1]))
