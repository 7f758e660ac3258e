"""Writes the tables of CANN's interface from the data files: generate.py DATA OUT."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

Rows = dict[str, Any]
KINDS = {
    "aclTensor*": "tensor",
    "aclTensorList*": "tensors",
    "aclScalar*": "scalar",
    "aclScalarList*": "scalars",
    "aclIntArray*": "ints",
    "aclFloatArray*": "floats",
    "aclBoolArray*": "bools",
    "char*": "text",
    "bool": "boolean",
    "double": "real",
    "float": "real",
    "aclDataType": "dtype",
}
PRIMITIVES = {
    "void",
    "char",
    "bool",
    "int",
    "float",
    "double",
    "size_t",
    "int8_t",
    "uint8_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "uint16_t",
}
HEAD = "// Written by core/cann/generate.py from core/cann/data.\n"


def names(rows: Rows) -> list[str]:
    return [name for name in rows if not name.startswith("_")]


def signature(params: list[Rows]) -> tuple[str, ...]:
    """The C types of an operator's parameters, all pointers alike."""
    return tuple("pointer" if "*" in param["type"] else param["type"] for param in params)


def all_signatures(rows: Rows) -> list[tuple[str, ...]]:
    return sorted({signature(rows[name]) for name in names(rows)})


def first_phases(rows: Rows) -> str:
    """A function for each signature that calls through a pointer of the right type."""
    members = {"pointer": "pointer", "bool": "integer", "double": "real", "float": "real"}
    declared = {"pointer": "const void*", "int": "std::int32_t", "aclDataType": "std::int32_t"}
    cases = []
    for number, kinds in enumerate(all_signatures(rows)):
        types = [declared.get(kind, kind if kind in ("bool", "double", "float") else f"std::{kind}") for kind in kinds]
        values = [
            f"a[{place}].integer != 0"
            if kind == "bool"
            else f"a[{place}].pointer"
            if kind == "pointer"
            else f"static_cast<{types[place]}>(a[{place}].{members.get(kind, 'integer')})"
            for place, kind in enumerate(kinds)
        ]
        pointer = f"int (*)({', '.join([*types, 'std::uint64_t*', 'aclOpExecutor**'])})"
        call = f"(function)({', '.join([*values, 'workspace', 'executor'])});"
        cases.append(f"        case {number}: return reinterpret_cast<{pointer}>{call}")
    return (
        f'{HEAD}#include <cstdlib>\n\n#include "cann/operators.hpp"\n\nnamespace asnumpy::cann {{\n\n'
        "int call_first_phase(const OperatorFacts& facts, void* function, const Value* a, std::uint64_t* workspace, "
        "aclOpExecutor** executor) {\n    switch (facts.signature) {\n"
        + "\n".join(cases)
        + "\n    }\n    std::abort();  // the table names no other signature\n}\n\n}  // namespace asnumpy::cann\n"
    )


def operator_table(rows: Rows) -> str:
    letters = "".join(rows["_meta"]["letters"])

    def mask(*texts: str) -> str:
        return ", ".join(str(sum(1 << letters.index(letter) for letter in text)) for text in texts)

    parameters, operators, first, signatures = [], [], 0, all_signatures(rows)
    for name in names(rows):
        params = rows[name]
        position = {param["name"]: index for index, param in enumerate(params)}
        for param in params:
            masks = mask(
                param.get("dtypes", ""), param.get("later", ""), param.get("doubted", ""), param.get("headers", ""),
                param.get("sources", ""),
            )
            low, high = param.get("rank", [0, 8])
            kind = KINDS.get(param["type"], "integer")
            direction = {"in": "in", "out": "out", "inout": "inout"}[param.get("dir", "in")]
            optional = "optional" in param["name"].lower()
            parameters.append(
                f'{{"{param["name"]}", Kind::{kind}, Direction::{direction}, {masks}, {low}, {high}, '
                f"{position.get(param.get('shape'), -1)}, {position.get(param.get('dtype'), -1)}, "
                f"{str(optional).lower()}, {str(param.get('empty', True)).lower()}, "
                f"{str(param.get('contiguous', False)).lower()}}},"
            )
        later = str(name in rows["_later"]).lower()
        engines = mask(*rows["_engines"].get(name, ["", ""]))
        number = signatures.index(signature(params))
        operators.append(f'{{"{name}", {first}, {len(params)}, {number}, {later}, {engines}}},')
        first += len(params)
    versions = [
        f'{{"{name}", {", ".join(name.split("."))}, {str(facts["of"] != "8.1").lower()}, "{facts["sure"]}"}},'
        for name, facts in rows["_meta"]["versions"].items()
    ]
    promotions = []
    for table in ("tensor_tensor", "tensor_scalar"):
        lines = []
        for letter in letters:
            row = rows["_promotion"][table].get(letter, "-" * len(letters))
            lines.append("{" + ", ".join(str(letters.index(to)) if to in letters else "-1" for to in row) + "},")
        promotions.append(
            f"const std::int8_t {table}[{len(letters)}][{len(letters)}] = {{\n" + "\n".join(lines) + "\n};\n"
        )
    return (
        f'{HEAD}#include "cann/operators.hpp"\n#include "cann/versions.hpp"\n\nnamespace asnumpy::cann {{\n\n'
        "namespace {\nconstexpr KnownVersion version_table[] = {\n" + "\n".join(versions) + "\n};\n"
        "constexpr Parameter parameter_table[] = {\n" + "\n".join(parameters) + "\n};\n"
        "constexpr OperatorFacts operator_table[] = {\n" + "\n".join(operators) + "\n};\n}  // namespace\n\n"
        "std::span<const KnownVersion> versions() { return version_table; }\n"
        "std::span<const OperatorFacts> operators() { return operator_table; }\n"
        "std::span<const Parameter> parameters(const OperatorFacts& op) {\n"
        "    return {parameter_table + op.first, op.count};\n}\n"
        + "".join(promotions)
        + "\n}  // namespace asnumpy::cann\n"
    )


class Types:
    """The C types of the runtime's functions, as we declare them: enums are int32_t, handles void*."""

    def __init__(self, rows: Rows) -> None:
        self.enums = set(rows["_enums"]) | {"aclrtFuncAttribute", "aclrtEngineType", "aclrtKernelType"}
        self.structs = set(rows["_structs"])
        self.handles = {name for name, what in rows["_typedefs"].items() if what == "void *"}
        self.functions = {name: what for name, what in rows["_typedefs"].items() if "(*)" in what}
        self.opaque: set[str] = set()

    def of(self, declared_type: str) -> str:
        text = declared_type.replace("*", " * ").strip()
        stars = text.count("*")
        words = [word for word in re.split(r"[\s*]+", text) if word not in ("", "struct")]
        const = "const " if words[0] == "const" else ""
        base = next(word for word in words if word != "const")
        if base in ("aclError", "aclnnStatus") or base in self.enums:
            base = "int32_t"
        elif base in self.handles:
            base, stars = "void", stars + 1
            const = "" if stars == 1 else const
        elif base == "aclFloat16":
            base = "uint16_t"
        elif base in self.functions:
            what = self.functions[base]
            result, arguments = re.fullmatch(r"(.*?)\(\*\)\((.*)\)", what).groups()  # type: ignore[union-attr]
            inner = ", ".join(self.of(argument) for argument in arguments.split(",")) if arguments != "void" else ""
            return f"{self.of(result)} (*)({inner})"
        elif base not in PRIMITIVES:
            self.opaque.add(base)
            if not stars:
                raise KeyError(base)
        inner = re.search(r"\*\s*const\s*\*", declared_type)
        return f"{const}{base}* const*" if inner else const + base + "*" * stars

    def declare(self, name: str, function: Rows) -> str:
        params = []
        for argument, declared_type in function["params"]:
            if argument == "?":
                params.append("...")
                continue
            kind = self.of(declared_type)
            params.append(kind.replace("(*)", f"(*{argument})") if "(*)" in kind else f"{kind} {argument}")
        return f"CANN_ABI {self.of(function['returns'])} {name}({', '.join(params)});"


def constants(rows: Rows) -> dict[str, int]:
    found: dict[str, int] = {}
    for values in [*rows["_enums"].values(), rows["_acl_error"], rows["_aclnn_status"], rows["_flags"]]:
        found.update(values)
    found.pop("OK", None)
    return found


def abi(rows: Rows) -> str:
    types, lines = Types(rows), []
    for name in names(rows):
        try:
            lines.append(types.declare(name, rows[name]))
        except KeyError as by_value:  # passed by value: declared where it is implemented
            lines.append(f"// {name} takes {by_value.args[0]} by value")
    values = [
        f"inline constexpr auto {name} = {value}{'u' if value > 0x7FFFFFFF else ''};"
        for name, value in constants(rows).items()
    ]
    return (
        f"{HEAD}#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\n"
        '#define CANN_ABI __attribute__((visibility("default")))\n\n'
        + "\n".join(f"struct {name};" for name in sorted(types.opaque))
        + "\n\n"
        'extern "C" {\n'
        + "\n".join(lines)
        + "\n}\n\nnamespace asnumpy::cann {\n\n"
        + "\n".join(values)
        + "\n\n}  // namespace asnumpy::cann\n"
    )


def code_names(rows: Rows) -> str:
    codes: dict[int, str] = {}
    for group in ("_acl_error", "_aclnn_status"):
        for name, value in rows[group].items():
            codes.setdefault(value, name)
    cases = "\n".join(f'        case {value}: return "{name}";' for value, name in codes.items())
    return (
        f'{HEAD}#include "cann/codes.hpp"\n\nnamespace asnumpy::cann {{\n\n'
        "const char* code_name(int code) {\n    switch (code) {\n"
        f"{cases}\n        default: return nullptr;\n    }}\n}}\n"
        "\n}  // namespace asnumpy::cann\n"
    )


def main() -> int:
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    operators = json.loads((data / "operators.json").read_text())
    runtime = json.loads((data / "runtime.json").read_text())
    files = {
        "operator_table.cpp": operator_table(operators),
        "first_phases.cpp": first_phases(operators),
        "code_names.cpp": code_names(runtime),
        "abi.hpp": abi(runtime),
    }
    for name, text in files.items():
        path = out / name
        if not path.exists() or path.read_text() != text:  # unchanged files are not compiled again
            path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
