"""The end for the CPU, for launches that come in rounds: all rounds as one function (`core/cpu/rounds.hpp`).

What differs from call to call or from round to round (addresses, lengths, distances) are numbers: each is one of
`numbers`, and what a round's row of the table adds to it. So the function is one for all sizes. A part that is
somebody else's is a call of `other`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from asnumpy.compiled._program import Program, Step
from asnumpy.compiled._rows import TYPES, step_lines, used_rows

_SAME, _NEXT, _SOME = range(3)
_CALLED = (
    "using Called = void (*)(void* const*, const void* const*, std::size_t);",
    "using Product = void (*)(char*, char*, char*, const std::int64_t*);",
)


@dataclass(frozen=True)
class Part:
    """One launch: a program, or a product of matrices, or neither where it is somebody else's."""

    program: Program | None
    product: int | None  # which of those that are called
    axes: int  # the loops around an element
    strides: tuple[tuple[int, ...], ...]  # by operand and axis
    begins: int | None  # the number with which a reduction begins
    calls: tuple[int, ...]  # by step: which of the core's loops is called for it, -1: none


@dataclass(frozen=True)
class Round:
    """What rounds have in common; `columns` are by number."""

    parts: tuple[Part, ...]
    columns: tuple[int, ...]

    @classmethod
    def read(cls, data: tuple[Any, ...]) -> Round:
        """A round of the core."""
        parts, columns = data
        return cls(tuple(cls._part(*part) for part in parts), columns)

    @staticmethod
    def _part(computed: Any, *layout: Any) -> Part:
        if isinstance(computed, int):
            return Part(None, computed, *layout)
        return Part(None if computed is None else Program.read(computed), None, *layout)


def source(name: str, of: Round) -> str:
    """A file with the function of the rounds."""
    programs = [part.program for part in of.parts if part.program is not None]
    includes, names = used_rows(programs)
    if any(program.reductions for program in programs):
        includes = ['#include "kernels/fold.hpp"', *includes]
    lines = ["#include <cstddef>", "#include <cstdint>", "", '#include "ops/element.hpp"', *includes]
    lines += ["", "namespace {", "", "using namespace asnumpy;", ""]
    lines += [*_CALLED, *names]
    for k, part in enumerate(of.parts):
        if part.program is not None:
            lines += ["", *_element(k, part), *_reduced(k, part)]
    lines += ["", "}  // namespace", "", *_function(name, of)]
    return "\n".join(lines) + "\n"


def _types(program: Program) -> list[str]:
    """Of the operands: inputs, stores, and a reduction's result."""
    given = [*program.stores, *(one.value for one in program.reductions)]
    return [TYPES[dtype] for dtype in (*program.inputs, *(program.dtypes[value] for value in given))]


def _element(k: int, part: Part) -> list[str]:
    """What one element takes: its inputs, and the places of its stores."""
    program = part.program
    assert program is not None
    types, read = _types(program), len(program.inputs)
    given = [f"{types[i]} {program.name(i)}" for i in range(read)]
    given += [f"{types[read + i]}* to{i}" for i in range(len(program.stores))]
    if max(part.calls, default=-1) >= 0:
        given.insert(0, "const Called* called")
    gives = types[-1] if program.reductions else "void"
    lines = [f"[[gnu::always_inline]] inline {gives} element_{k}({', '.join(given)}) {{"]
    for step, called in zip(program.steps, part.calls, strict=True):
        lines += step_lines(program, step) if called < 0 else _called(program, step, called)
    lines += [f"    ops::store(to{i}, 0, {program.name(value)});" for i, value in enumerate(program.stores)]
    lines += [f"    return {program.name(one.value)};" for one in program.reductions]
    return [*lines, "}"]


def _called(program: Program, step: Step, number: int) -> list[str]:
    """A step by a loop of the core, for one element."""
    at, lines = step.outputs[0], []
    for position, value in enumerate(step.inputs):
        lines.append(f"    const {TYPES[program.dtypes[value]]} in{at}_{position} = {program.name(value)};")
    for value in step.outputs:
        lines.append(f"    {TYPES[program.dtypes[value]]} {program.name(value)};")
    outs = ", ".join(f"&{program.name(value)}" for value in step.outputs)
    ins = ", ".join(f"&in{at}_{position}" for position in range(len(step.inputs)))
    lines.append(f"    void* const out{at}[] = {{{outs}}};")
    lines.append(f"    const void* const in{at}[] = {{{ins}}};")
    return [*lines, f"    called[{number}](out{at}, in{at}, 1);"]


def _at(kind: str, pointer: str, stride: int, apart: str, const: bool) -> str:
    """The place of element `i` of an operand."""
    kind = f"const {kind}" if const else kind
    if stride == _SOME:
        return f"reinterpret_cast<{kind}*>({pointer} + static_cast<std::int64_t>(i) * {apart})"
    start = f"reinterpret_cast<{kind}*>({pointer})"
    return start if stride == _SAME else f"{start} + i"


def _call(k: int, part: Part, pointers: list[str], apart: list[str]) -> str:
    """One element, by its number `i` on the innermost axis."""
    assert part.program is not None
    types, given = _types(part.program), ["called"] * (max(part.calls, default=-1) >= 0)
    for operand, pointer in enumerate(pointers[: len(types) - len(part.program.reductions)]):
        stride = part.strides[operand][-1] if part.axes else _SAME
        read = operand < len(part.program.inputs)
        place = _at(types[operand], pointer, stride, apart[operand], read)
        given.append(f"ops::load({place}, 0)" if read else place)
    return f"element_{k}({', '.join(given)})"


def _reduced(k: int, part: Part) -> list[str]:
    """What a fold reads instead of elements in memory."""
    program = part.program
    assert program is not None
    if not program.reductions:
        return []
    kind, operands = _types(program)[-1], range(len(part.strides) - 1)
    moved = []
    for operand in operands:
        stride = part.strides[operand][-1]
        size = f"sizeof({_types(program)[operand]})"
        step = {_SAME: "0", _NEXT: f"static_cast<std::int64_t>({size})", _SOME: f"s{operand}"}[stride]
        moved.append(f"p{operand} + static_cast<std::int64_t>(i) * {step}")
    fields = [f"p{operand}" for operand in operands], [f"s{operand}" for operand in operands]
    return [
        "",
        f"using fold_{k} = cpu::FoldOf<row_{program.reductions[0].row}, {kind}>;",
        f"struct elements_{k} {{",
        *(f"    char* {name};" for name in fields[0]),
        *(f"    std::int64_t {name};" for name in fields[1]),
        "    static constexpr bool several = true;",
        f"    [[gnu::always_inline]] {kind} operator[](std::size_t i) const {{",
        f"        return {_call(k, part, *fields)};",
        "    }",
        f"    elements_{k} from(std::size_t i) const {{ return {{{', '.join([*moved, *fields[1]])}}}; }}",
        "    void fetch(std::size_t, std::size_t) const {}",
        "};",
    ]


def _numbers(part: Part) -> Iterator[tuple[str, int, int]]:
    """What the numbers of a part are, in their order: ``each_number`` of the core."""
    product = part.product is not None
    for axis in range(3 if product else part.axes):
        yield "length", 0, axis
    for operand, strides in enumerate(part.strides):
        yield "base", operand, 0
        yield "offset", operand, 0
        along = (_SOME, _SOME) if product else strides
        yield from (("stride", operand, axis) for axis, stride in enumerate(along) if stride == _SOME)


def _function(name: str, of: Round) -> list[str]:
    lines = [
        f'extern "C" void {name}(const std::int64_t* numbers, const std::int64_t* table, std::size_t rounds,'
        " char* const* bases, const Called* called, const Product* products, void (*other)(void*, std::size_t),"
        " void* context) {",
        *(f"    const std::int64_t n{k} = numbers[{k}];" for k in range(len(of.columns))),
        f"    for (std::size_t round = 0; round < rounds; ++round, table += {max(of.columns, default=-1) + 1}) {{",
    ]
    position = count()
    for k, part in enumerate(of.parts):
        if part.program is None and part.product is None:
            lines.append(f"        other(context, round * {len(of.parts)} + {k});")
            continue
        number = {}
        for key in _numbers(part):
            at = next(position)
            number[key] = f"n{at}" if of.columns[at] < 0 else f"(n{at} + table[{of.columns[at]}])"
        launch = _launch(k, part, number) if part.program is not None else _multiplied(part, number)
        lines += ["        {", *(f"            {line}" for line in launch), "        }"]
    used = [f"static_cast<void>({name});" for name in ("table", "bases", "called", "products", "other", "context")]
    return [*lines[:1], f"    {' '.join(used)}", *lines[1:], "    }", "}"]


def _places(part: Part, number: dict[tuple[str, int, int], str]) -> list[str]:
    return [
        f"char* const p{one} = bases[{number['base', one, 0]}] + {number['offset', one, 0]};"
        for one in range(len(part.strides))
    ]


def _multiplied(part: Part, number: dict[tuple[str, int, int], str]) -> list[str]:
    """A product of matrices, by the core."""
    sizes = [number["length", 0, axis] for axis in range(3)]
    sizes += [number["stride", one, axis] for one in range(3) for axis in range(2)]
    return [
        *_places(part, number), f"const std::int64_t sizes[] = {{{', '.join(sizes)}}};",
        f"products[{part.product}](p0, p1, p2, sizes);",
    ]  # fmt: skip


def _launch(k: int, part: Part, number: dict[tuple[str, int, int], str]) -> list[str]:
    program = part.program
    assert program is not None
    operands = range(len(part.strides))
    lines = _places(part, number)
    inner = part.axes - 1
    apart = [number.get(("stride", one, inner), "0") for one in operands]
    lines += [f"const std::int64_t s{one} = {apart[one]};" for one in operands if apart[one] != "0"]
    names = [f"s{one}" if apart[one] != "0" else "0" for one in operands]
    if program.reductions:
        kind, result = _types(program)[-1], operands[-1]
        fields = [*(f"p{one}" for one in operands[:-1]), *names[:-1]]
        lines.append(f"const auto length = static_cast<std::size_t>({number['length', 0, 0]});")
        value = f"fold_{k}::pairs(elements_{k}{{{', '.join(fields)}}}, length)"
        if part.begins is not None:
            row = f"row_{program.reductions[0].row}"
            value = f"static_cast<{kind}>({row}::call<{kind}>({kind}({part.begins}), {value}))"
        return [*lines, f"ops::store(reinterpret_cast<{kind}*>(p{result}), 0, {value});"]
    pointers = [f"p{one}" for one in operands]
    if part.axes == 0:
        return [*lines, f"{_call(k, part, pointers, names)};"]
    indent = ""
    steps = {_SAME: "0", _NEXT: "sizeof({})", _SOME: ""}
    for axis in range(inner):
        lines.append(f"{indent}for (std::int64_t j{axis} = 0; j{axis} < {number['length', 0, axis]}; ++j{axis}) {{")
        indent += "    "
        for one, (kind, pointer) in enumerate(zip(_types(program), pointers, strict=True)):
            stride = part.strides[one][axis]
            step = number["stride", one, axis] if stride == _SOME else steps[stride].format(kind)
            place = f"{pointer} + j{axis} * static_cast<std::int64_t>({step})"
            lines.append(f"{indent}char* const q{axis}_{one} = {place};")
        pointers = [f"q{axis}_{one}" for one in operands]
    lines += [
        f"{indent}const auto length = static_cast<std::size_t>({number['length', 0, inner]});",
        "#pragma omp simd",
        f"{indent}for (std::size_t i = 0; i < length; ++i) {_call(k, part, pointers, names)};",
    ]
    return [*lines, *("    " * axis + "}" for axis in reversed(range(inner)))]
