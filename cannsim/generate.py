"""Writes the simulator's tables and C entry points from its data files: generate.py DATA OUT."""

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
ENTRY_FILES = 4  # the entry points in parts, so that they compile side by side
HEAD = "// Written by cannsim/generate.py from cannsim/data.\n"
# Which functions a library that programs link or load exports besides those that it needs. Nothing: an empty library.
LIBRARIES = {
    "ascendcl": "runtime",
    "acl_rt": "runtime",
    "runtime": "runtime",
    "nnopbase": "objects",
    "opapi": "operators",
    "opapi_math": "operators",
    "opapi_nn": "operators",
    "hccl": "",
    "acl_op_compiler": "",
    "ge_runner": "",
    "graph": "",
    "acl_tdt_channel": "",
    "ascend_hal": "",
    "profapi": "",
}


def names(rows: Rows) -> list[str]:
    return [name for name in rows if not name.startswith("_")]


def operator_table(rows: Rows) -> str:
    letters = "".join(rows["_meta"]["letters"])
    parameters, operators, first = [], [], 0
    for name in names(rows):
        params = rows[name]
        position = {param["name"]: index for index, param in enumerate(params)}
        for param in params:
            mask = sum(1 << letters.index(letter) for letter in param.get("dtypes", ""))
            low, high = param.get("rank", [0, 8])
            kind = KINDS.get(param["type"], "integer")
            direction = {"in": "in", "out": "out", "inout": "inout"}[param.get("dir", "in")]
            optional = "optional" in param["name"].lower()
            parameters.append(
                f'{{"{param["name"]}", Kind::{kind}, Direction::{direction}, {mask}, {low}, {high}, '
                f"{position.get(param.get('shape'), -1)}, {position.get(param.get('dtype'), -1)}, "
                f"{str(optional).lower()}, {str(param.get('empty', True)).lower()}}},"
            )
        operators.append(f'{{"{name}", {first}, {len(params)}}},')
        first += len(params)
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
        f'{HEAD}#include "aclnn/facts.hpp"\n\nnamespace cannsim {{\n\n'
        "namespace {\nconstexpr Parameter parameter_table[] = {\n" + "\n".join(parameters) + "\n};\n"
        "constexpr OperatorFacts operator_table[] = {\n" + "\n".join(operators) + "\n};\n}  // namespace\n\n"
        "std::span<const OperatorFacts> operators() { return operator_table; }\n"
        "std::span<const Parameter> parameters(const OperatorFacts& op) {\n"
        "    return {parameter_table + op.first, op.count};\n}\n"
        + "".join(promotions)
        + "\n}  // namespace cannsim\n"
    )


def declared(param_type: str) -> str:
    return {"int": "int32_t", "char*": "const char*"}.get(param_type, param_type)


def operator_entries(rows: Rows, part: int) -> str:
    lines = [f'{HEAD}#include "aclnn/entry.hpp"\n\nusing namespace cannsim;\n\nextern "C" {{\n']
    for index, name in enumerate(names(rows)):
        if index % ENTRY_FILES != part:
            continue
        params = [
            (declared(param["type"]).replace("aclDataType", "int32_t"), f"p{i}") for i, param in enumerate(rows[name])
        ]
        values = ", ".join(variable for _, variable in params)
        arguments = "".join(f"{kind} {variable}, " for kind, variable in params)
        lines.append(
            f"CANNSIM_ABI int32_t {name}GetWorkspaceSize({arguments}uint64_t* size, aclOpExecutor** executor) {{\n"
            f"    const Argument arguments[] = {{{values}}};\n"
            f"    return plan({index}, arguments, size, executor);\n}}\n"
            f"CANNSIM_ABI int32_t {name}(void* workspace, uint64_t size, aclOpExecutor* executor, void* stream) {{\n"
            f"    return launch({index}, workspace, size, executor, stream);\n}}"
        )
    return "\n".join([*lines, '}  // extern "C"\n'])


class Types:
    """The C types of the runtime's functions, as the simulator declares them: enums are int32_t, handles void*."""

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
        return f"CANNSIM_ABI {self.of(function['returns'])} {name}({', '.join(params)});"


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
        '#define CANNSIM_ABI __attribute__((visibility("default")))\n\n'
        + "\n".join(f"struct {name};" for name in sorted(types.opaque))
        + "\n\n"
        'extern "C" {\n'
        + "\n".join(lines)
        + "\n}\n\nnamespace cannsim {\n\n"
        + "\n".join(values)
        + "\n\nconst char* code_name(int code);  // null for an unknown code\n\n}  // namespace cannsim\n"
    )


def absent(rows: Rows) -> str:
    """A weak definition of every runtime function: what the sources define takes its place in the library."""
    lines = [f'{HEAD}#include "runtime/absent.hpp"\n\nextern "C" {{']
    for name in names(rows):
        returns = rows[name]["returns"]
        if returns in ("aclError", "aclnnStatus"):
            body = f'int {name}() {{ return cannsim::absent("{name}"); }}'
        elif returns == "void":
            body = f'void {name}() {{ cannsim::absent("{name}"); }}'
        else:
            body = f'void* {name}() {{ cannsim::absent("{name}"); return nullptr; }}'
        lines.append(f'__attribute__((weak, visibility("default"))) {body}')
    codes: dict[int, str] = {}
    for group in ("_acl_error", "_aclnn_status"):
        for name, value in rows[group].items():
            codes.setdefault(value, name)
    cases = "\n".join(f'        case {value}: return "{name}";' for value, name in codes.items())
    return "\n".join(
        [
            *lines,
            '}  // extern "C"\n',
            "namespace cannsim {\n",
            "const char* code_name(int code);",
            "const char* code_name(int code) {\n    switch (code) {",
            cases,
            "        default: return nullptr;\n    }\n}",
            "\n}  // namespace cannsim\n",
        ]
    )


def exports(functions: list[str]) -> str:
    """A library's own symbols, for linkers; at run time its filtee, the simulator, answers for each of them."""
    lines = [
        f'extern "C" __attribute__((visibility("default"))) int {name}() {{ return 500000; }}' for name in functions
    ]
    return HEAD + "\n".join(lines) + "\n"


def main() -> int:
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    operators = json.loads((data / "operators.json").read_text())
    runtime = json.loads((data / "runtime.json").read_text())
    files = {
        "operator_table.cpp": operator_table(operators),
        "abi.hpp": abi(runtime),
        "runtime_absent.cpp": absent(runtime),
    }
    files |= {f"operator_entries_{part}.cpp": operator_entries(operators, part) for part in range(ENTRY_FILES)}
    groups = {
        "runtime": [name for name in names(runtime) if runtime[name]["lib"] == "libascendcl.so"],
        "objects": [name for name in names(runtime) if runtime[name]["lib"] == "libnnopbase.so"],
        "operators": [name + phase for name in names(operators) for phase in ("GetWorkspaceSize", "")],
        "": [],
    }
    files |= {f"exports_{library}.cpp": exports(groups[group]) for library, group in LIBRARIES.items()}
    for name, text in files.items():
        path = out / name
        if not path.exists() or path.read_text() != text:  # unchanged files are not compiled again
            path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
