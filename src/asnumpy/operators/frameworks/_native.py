"""From an operator whose kernels are launched by expressions to C++ that checks a call and launches them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from asnumpy.operators._declaration import REQUIRED, Attribute, Axis, Declaration, Tensor, axis_text, symbols
from asnumpy.operators._expressions import Condition, Scope, attribute_type, c_text
from asnumpy.operators._implementations import Implementation
from asnumpy.operators._launch import Launch, c_type, unfit
from asnumpy.operators._operator import Operator

_HERE = Path(__file__).parent
_C_TYPES = {"int": "int64_t", "float": "double", "bool": "bool", "str": "const char*",
            "ints": "Numbers<int64_t>", "floats": "Numbers<double>"}  # fmt: skip

_COMPUTE = """\
namespace asnumpy_native {{
namespace {{

struct Attributes {{
{fields}}};

constexpr int tensors = {tensors};

// Inputs, then outputs; throws what is wrong.
void compute(const Given* given, [[maybe_unused]] const Attributes& attributes, [[maybe_unused]] void* stream) {{
{lines}}}

}}  // namespace
}}  // namespace asnumpy_native
"""


@dataclass(frozen=True)
class Native:
    """C++ by its parts: the kernels' own source, and the function `compute`, which `prelude` stands before."""

    kernels: str
    options: tuple[str, ...]
    names: tuple[str, ...]    # of the kernels, in C
    compute: str


def prelude(device: str) -> str:
    """What the C++ of an operator uses."""
    names = ["native.hpp"] + ["native_npu.hpp"] * (device != "cpu")
    return "\n".join((_HERE / name).read_text() for name in names)


def unvalued(operator: Operator, given: Collection[str] = ()) -> str:
    """Why C could not say all of a call; nothing where it can. `given`: attributes that a library is made with."""
    for one in operator.declaration.attributes:
        if one.kind == "tuple" and one.default is REQUIRED and one.name not in given:
            return f"{one.name}: C gives no tuple, and it has no default; give it to to_library"
    return ""


def why_not(operator: Operator, device: str) -> str:
    """Why there is none for a device; nothing where there is."""
    launches = [launch for _, launch in _launched(operator, device)]
    if not launches:
        return (f"none of its implementations for {device} is a Launch, which C could do; its kernel is attached by "
                f"one: op.{device}(ap.operators.Launch(...))")
    if unfit(operator.declaration):
        return unfit(operator.declaration)
    if any(one.module.code is None for one in launches):
        return "its kernels were compiled before; C needs their source: RawModule(code=...)"
    if len({(one.module.code, one.module.options) for one in launches}) > 1:
        return "its kernels are of several sources; put them into one RawModule"
    if any(one.module.name_expressions for one in launches):
        return "its kernels are instances of templates, which C cannot name"
    told = {one.type for one in operator.declaration.inputs if not one.optional}
    lost = [one.name for one in operator.declaration.outputs
            if one.type in operator.declaration.letters and one.type not in told]
    return f"no input that is always there tells the dtype of {lost[0]}" if lost else ""


def _launched(operator: Operator, device: str) -> list[tuple[Implementation, Launch]]:
    """The implementations of a device that need no Python."""
    return [(one, one.function) for one in operator.implementations
            if one.kind == device and isinstance(one.function, Launch)
            and (one.when is None or isinstance(one.when, Condition))]  # fmt: skip


def native(operator: Operator, device: str, defaults: Mapping[str, object], exported: str = "") -> Native:
    """The C++ of an operator's kernels for a device, for which `why_not` says nothing.

    `defaults` are the values that attributes begin with; they begin with those of the declaration otherwise. A kernel
    that has the exported name gets another one: C has one name for one function.
    """
    launched = _launched(operator, device)
    module = launched[0][1].module
    assert module.code is not None
    declaration = operator.declaration
    values = {one.name: one.default for one in declaration.attributes} | dict(defaults)
    fields = "".join(_field(one, values[one.name]) for one in declaration.attributes)
    names = {launch.kernel.name: launch.kernel.name for _, launch in launched}
    kernels = module.code
    if exported in names:
        names[exported] = f"{exported}_kernel"
        kernels = f"#define {exported} {exported}_kernel\n{kernels}\n#undef {exported}\n"
    lines = [*_checks(declaration), *_launches(declaration, launched, device, names)]
    compute = _COMPUTE.format(
        fields=fields, tensors=len(declaration.inputs) + len(declaration.outputs),
        lines="".join(f"    {line}\n" for line in lines),
    )  # fmt: skip
    return Native(kernels, module.options, tuple(names.values()), compute)


def _field(one: Attribute, value: object) -> str:
    """Of the structure of attributes, with what it begins as."""
    kind = attribute_type(one)
    if one.kind != "tuple":
        return f"    {_C_TYPES[kind]} {one.name}_{_initial(value)};\n"
    given = () if value is REQUIRED else value
    assert isinstance(given, tuple)
    item = _C_TYPES[kind[:-1]]
    listed = ", ".join(_initial(float(each) if kind == "floats" else each).removeprefix(" = ") for each in given)
    values = f"    static constexpr {item} {one.name}_values[] = {{{listed or '0'}}};\n"
    return f"{values}    {_C_TYPES[kind]} {one.name}_{{{one.name}_values, {len(given)}}};\n"


def _initial(value: object) -> str:
    if isinstance(value, bool):
        return f" = {str(value).lower()}"
    if isinstance(value, int):
        return f" = {value}"
    if isinstance(value, str):
        return f" = {c_text(value)}"
    if not isinstance(value, float):
        return "{}"  # none is declared: whoever calls sets it
    words = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}
    return f" = {words.get(repr(value), repr(value))}"


# --- checks, in the order in which Python makes them


def _checks(declaration: Declaration) -> Iterator[str]:
    yield f'const Check check("{declaration.name}");'
    scope = Scope(declaration, declaration.name, outputs=True)
    both = [*declaration.inputs, *declaration.outputs]
    for one in declaration.attributes:
        if one.kind == "str":
            text = f'check.text(attributes.{one.name}_, "{one.name}")'
            yield f"[[maybe_unused]] const std::string_view a_{one.name} = {text};"
        else:
            yield f"[[maybe_unused]] const {_C_TYPES[attribute_type(one)]} a_{one.name} = attributes.{one.name}_;"
    batched = any(one.batched for one in declaration.inputs)
    for place, tensor in enumerate(both):
        many = str(tensor.batched and (batched or tensor not in declaration.outputs)).lower()
        function = "optional" if tensor.optional else "tensor"
        yield (f'const Tensor t_{tensor.name} = check.{function}(given[{place}], "{tensor.name}", {len(tensor.core)}, '
               f'{many}, "{_axes(tensor)}");')
    yield from _dtypes(declaration)
    yield from _lengths(declaration, scope)
    if batched:
        yield "Batch batch;"
        for tensor in both:
            if tensor.batched:
                yield _where(tensor, f"check.batch(batch, t_{tensor.name}, {tensor.shape.index(...)}, "
                                     f"{len(tensor.core)});")  # fmt: skip
    for tensor in declaration.outputs:
        for place, axis in _places(tensor):
            yield _length(scope, tensor, place, axis)
    for number, output in enumerate(declaration.outputs):
        for other in (*declaration.inputs, *declaration.outputs[:number]):
            yield f"check.apart(t_{output.name}, t_{other.name});"
    yield f"if ({' && '.join(f't_{one.name}.size == 0' for one in declaration.outputs)}) return;"


def _where(tensor: Tensor, check: str) -> str:
    """A check of what may have been left out."""
    return f"if (t_{tensor.name}.there) {check}" if tensor.optional else check


def _lengths(declaration: Declaration, scope: Scope) -> Iterator[str]:
    """What the first input that is there says of a symbol, the others are held to."""
    told: dict[str, Tensor | None] = {one.name: None for one in declaration.attributes if one.kind == "int"}
    plain = [(tensor, *each) for tensor in declaration.inputs for each in _places(tensor)]
    for tensor, place, axis in plain:
        if not isinstance(axis, str):
            continue
        there = f"t_{tensor.name}.axis({place})"
        if axis not in told:
            told[axis] = tensor
            value = f"t_{tensor.name}.there ? {there} : 0" if tensor.optional else there
            yield f"[[maybe_unused]] {'' if tensor.optional else 'const '}int64_t n_{axis} = {value};"
            if tensor.optional:
                yield f"[[maybe_unused]] const Tensor* by_{axis} = t_{tensor.name}.there ? &t_{tensor.name} : nullptr;"
            continue
        teller = told[axis]
        if teller is None or not teller.optional:
            as_that = f" as that of {teller.name}" if teller is not None else ""
            yield _where(tensor, _length(scope, tensor, place, axis, f'"{as_that}"' if as_that else ""))
        else:
            check = _length(scope, tensor, place, axis, f'" as that of " + by_{axis}->name')
            yield f"if (t_{tensor.name}.there && by_{axis}) {check}"
            yield f"if (t_{tensor.name}.there && !by_{axis}) n_{axis} = {there}, by_{axis} = &t_{tensor.name};"
    for tensor, place, axis in plain:
        if not isinstance(axis, str):
            yield _where(tensor, _length(scope, tensor, place, axis))


def _dtypes(declaration: Declaration) -> Iterator[str]:
    tellers: dict[str, Tensor] = {}
    for tensor in (*declaration.inputs, *declaration.outputs):
        teller = tellers.get(tensor.type)
        letter = tensor.type in declaration.letters
        if teller is not None:
            check = (f'check.dtype(t_{tensor.name}, {{t_{teller.name}.type.name}}, " ({tensor.type}) as that of '
                     f'{teller.name}");')
            yield _where(teller, _where(tensor, check))
            if not teller.optional:
                continue
        names = ", ".join(f'"{dtype.name}"' for dtype in declaration.dtypes_of(tensor))
        yield _where(tensor, f'check.dtype(t_{tensor.name}, {{{names}}}, "{f" ({tensor.type})" if letter else ""}");')
        if letter:
            tellers.setdefault(tensor.type, tensor)


def _places(tensor: Tensor) -> Iterator[tuple[int, Axis]]:
    """Each declared axis and where it is: counted from the end behind `...`."""
    for place, axis in enumerate(tensor.shape):
        if axis is not ...:
            yield (place - len(tensor.shape) if ... in tensor.shape[:place] else place), axis


def _length(scope: Scope, tensor: Tensor, place: int, axis: Axis, told: str = "") -> str:
    """`told`: what tells it, in C++."""
    value = _cpp(scope, axis)
    if isinstance(axis, int):
        return f'check.length(t_{tensor.name}, {place}, {value}, "{axis}");'
    what = f'"{axis_text(axis)} = " + std::to_string({value})' + (f" + {told}" if told else "")
    return f"check.length(t_{tensor.name}, {place}, {value}, {what});"


def _cpp(scope: Scope, axis: Axis) -> str:
    if isinstance(axis, int):
        return str(axis)
    for one in symbols(axis):
        if one not in scope.names:
            raise ValueError(f"{scope.who}: no input has an axis {one} alone, which tells how long it is")
    return scope.number(axis_text(axis)).cpp


def _axes(tensor: Tensor) -> str:
    return "[" + str(tensor).removesuffix(" = None").partition("[")[2]


# --- launches


def _launches(declaration: Declaration, launched: list[tuple[Implementation, Launch]], device: str,
              names: Mapping[str, str]) -> Iterator[str]:  # fmt: skip
    """The first whose conditions hold; else why none did."""
    tellers = {one.type: one for one in reversed(declaration.inputs)}
    refused = []
    for one, launch in launched:
        conditions, words = [], []
        for letter, accepted in one.dtypes.items():
            dtypes = [dtype.name for dtype in declaration.letters[letter] if dtype in accepted]
            teller = tellers[letter]
            either = [f"!t_{teller.name}.there"] * teller.optional
            either += [f't_{teller.name}.type.name == "{name}"' for name in dtypes]
            conditions.append(f"({' || '.join(either)})")
            words.append(f"for {letter} = {' or '.join(dtypes)}")
        if isinstance(one.when, Condition):
            conditions.append(one.when.value.cpp)
            words.append(f"where {one.when.text}")
        given = "".join(f", {value.cpp}" for value in launch.args)
        extras = []
        if launch.workspace is not None or launch.tiling is not None:
            extras = ["HostExtras extras;" if device == "cpu" else "NpuExtras extras(stream);"]
        if launch.workspace is not None:
            extras.append(f'void* const workspace = extras.workspace("{launch.kernel.name}", {launch.workspace.cpp});')
            given += ", workspace"
        if launch.tiling is not None:
            fields = "".join(f".add<{c_type(one)}>({one.cpp})" for one in launch.tiling)
            extras.append(f"void* const tiling = extras.tiling(Structure(){fields});")
            given += ", tiling"
        name, blocks = launch.kernel.name, f"int64_t({launch.blocks.cpp})"
        function = f"::{names[name]}, " if device == "cpu" else f"::aclrtlaunch_{names[name]}, stream, "
        call = [*extras, f'launch("{name}", {function}{blocks}{given});']
        if not conditions:
            yield from call
            return
        yield f"if ({' && '.join(conditions)}) {{"
        yield from (f"    {line}" for line in call)
        yield "    return;"
        yield "}"
        refused.append(f"{one.name} is {', '.join(words)}")
    text = f"{declaration.name}: no kernel computes this call: {'; '.join(refused)}".replace('"', '\\"')
    yield f'throw Failure("RuntimeError", "{text}");'
