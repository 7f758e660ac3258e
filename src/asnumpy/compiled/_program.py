"""A fused program as what writes code for it reads it: data alone, the same for every kind of device.

This is the middle of the generator. An end (`_cpp` for the CPU, `_cuda` for NVIDIA's GPUs) takes a `Program` and
writes source; it never asks the core what a program means, and the core never sees source. A program is in SSA form:
value number `i` is input number `i`, and each step defines the next numbers. `core/program/program.hpp` has the
grammar, which the core has checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from asnumpy import _core


@dataclass(frozen=True)
class Step:
    """One row applied to values: `row` is NumPy's name of the function, `loop` the number of its signature."""

    row: str
    loop: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    gives: tuple[str, ...]  # the dtypes of the outputs


@dataclass(frozen=True)
class Reduction:
    """A value that is combined along the reduced axes by a row of two operands."""

    row: str
    loop: int
    value: int


@dataclass(frozen=True)
class Items:
    """The elements of a short innermost axis, which a function takes together: `core/cpu/items.hpp` says what an input
    may have of an item. Where they are joined, the value that is reduced becomes one element for each item."""

    length: int
    joined: bool
    parts: tuple[str, ...]  # by input: "whole", "one", "same" or "number"
    begins: int | None = None  # the number with which the reduction begins, unless it is the first element


@dataclass(frozen=True)
class Program:
    """Inputs by their dtypes, steps, the values that are stored at every point, and those that are reduced.

    Equal programs have the same text, so either is the key of what is made from one. Shapes, strides, addresses and the
    values of constants are no part of it. `numbers` are the inputs, by position, that are one number for all elements
    of a call, if elements are taken one by one; `items` says how they are taken otherwise.
    """

    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    stores: tuple[int, ...]
    reductions: tuple[Reduction, ...] = ()
    numbers: tuple[int, ...] = ()
    items: Items | None = None

    @classmethod
    def read(cls, data: tuple[Any, ...]) -> Program:
        """A program of the core."""
        inputs, steps, stores, reductions, *code = data
        numbers, items = code or ((), ())
        read = tuple(Step(*one) for one in steps), stores, tuple(Reduction(*one) for one in reductions)
        return cls(inputs, *read, numbers, Items(*items) if items else None)

    @cached_property
    def dtypes(self) -> tuple[str, ...]:
        """Of every value."""
        return self.inputs + tuple(dtype for step in self.steps for dtype in step.gives)

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows that it uses, each once, in the order of their first use."""
        return tuple(dict.fromkeys([step.row for step in self.steps] + [one.row for one in self.reductions]))

    def name(self, value: int) -> str:
        """What a value is called in source: `x0` is an input, `v3` the result of a step."""
        return f"{'x' if value < len(self.inputs) else 'v'}{value}"

    def text(self) -> str:
        """One line for each input, step, store and reduction."""
        kinds = ["number" if i in self.numbers else "input" for i in range(len(self.inputs))]
        lines = [f"{self.name(i)} = {kinds[i]} {dtype}" for i, dtype in enumerate(self.inputs)]
        for step in self.steps:
            made = ", ".join(f"{self.name(value)}: {self.dtypes[value]}" for value in step.outputs)
            lines.append(f"{made} = {step.row}({', '.join(map(self.name, step.inputs))})")
        lines += [f"store {self.name(value)}" for value in self.stores]
        lines += [f"reduce {self.name(one.value)} by {one.row}" for one in self.reductions]
        return "\n".join(lines)


def pending(array: Any = None) -> list[tuple[Program, tuple[Program, ...]]]:
    """The programs that will run (for the value of this array when given), each with its strands: the parts of it of
    which the CPU's end makes a loop each."""
    return [
        (Program.read(program), tuple(map(Program.read, strands))) for program, strands in _core.programs.pending(array)
    ]
