"""The text of explain() as data, its grammar checked on the way."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from typing import Any

import asnumpy as ap

_HEAD = re.compile(r"program \d+: (?:over (?P<shape>\(.*\)), (?P<count>\d+) instructions"
                   r"(?:, (?P<lines>\d+) lines at a time with the next)?|(?P<structured>\w+) -> .*)")
_PASS = re.compile(r"(?:alternate|equal|copies|dead|accumulate|together): \d+ of \d+ instructions, [a-z ]+")
_ARRAY = r"a\d+\([\d, ]*\)(?: from byte \d+)?"
_INPUT = re.compile(rf"  %(\d+) = input (\w+) (?:{_ARRAY}|(?P<value>\S+))")
_STEP = re.compile(r"  ((?:%\d+(?:, )?)+) = (\w+) ((?:%\d+(?:, )?)+) : (\w+)")
_STORE = re.compile(rf"  store %(\d+) {_ARRAY}")
_REDUCE = re.compile(rf"  reduce (\w+) %(\d+) {_ARRAY}")
_OPERAND = re.compile(rf"  (?:reads \w+ (?:{_ARRAY}|\S+)|writes \w+ {_ARRAY})")


@dataclass
class Program:
    """One program that explain() shows."""

    structured: str | None = None
    shape: str = ""
    inputs: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    stores: list[int] = field(default_factory=list)
    reductions: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)  # inputs that are numbers, as they are written
    lines: int = 0  # that run at a time with the next program; 0: it runs by itself


def _ids(text: str) -> list[int]:
    return [int(name) for name in re.findall(r"%(\d+)", text)]


def programs(array: Any = None) -> list[Program]:
    """What is pending, for an array or in all. Every value is defined once, in order, before it is used."""
    text = ap.explain(array, file=io.StringIO())
    found: list[Program] = []
    values = 0
    for line in text.splitlines():
        if line == "nothing is pending" or (not found and _PASS.fullmatch(line)):
            continue
        if head := _HEAD.fullmatch(line):
            found.append(Program(head["structured"], head["shape"] or "", lines=int(head["lines"] or 0)))
            values = 0
            continue
        program = found[-1]
        if program.structured and _OPERAND.fullmatch(line):
            continue
        if match := _INPUT.fullmatch(line):
            assert int(match[1]) == values and not program.steps, f"inputs come first, in order:\n{text}"
            program.inputs.append(match[2])
            program.constants += [match["value"]] if match["value"] else []
            values += 1
        elif match := _STEP.fullmatch(line):
            defined = _ids(match[1])
            assert defined == list(range(values, values + len(defined))), f"values are defined in order:\n{text}"
            assert all(used < values for used in _ids(match[3])), f"a value is used before it is defined:\n{text}"
            assert not program.stores and not program.reductions, f"steps come before outputs:\n{text}"
            program.steps.append(match[2])
            values += len(defined)
        elif match := _STORE.fullmatch(line):
            assert int(match[1]) < values and not program.reductions, f"a store names a value:\n{text}"
            program.stores.append(int(match[1]))
        else:
            match = _REDUCE.fullmatch(line)
            assert match and int(match[2]) < values, f"not a line of a program: {line!r} in\n{text}"
            program.reductions.append(match[1])
    unseen = ap.config.passes != "all" and "dead" not in ap.config.passes.split(",")  # may run, too
    for program in found:
        written = program.structured or program.stores or program.reductions
        assert written or unseen, f"a program without output:\n{text}"
    return found
