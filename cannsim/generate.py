"""Writes the simulator's C entry points from the facts of CANN's interface: generate.py DATA OUT."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Rows = dict[str, Any]
ENTRY_FILES = 4  # the entry points in parts, so that they compile side by side
HEAD = "// Written by cannsim/generate.py from core/cann/data.\n"
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
    "msprofiler": "",
    "acl_rtc": "compiler",
}
# Of libacl_rtc.so, which compiles kernels at run time; CANN 8 has none.
COMPILER = [
    "aclrtcCreateProg",
    "aclrtcAddNameExpr",
    "aclrtcCompileProg",
    "aclrtcGetBinDataSize",
    "aclrtcGetBinData",
    "aclrtcGetLoweredName",
    "aclrtcGetCompileLogSize",
    "aclrtcGetCompileLog",
    "aclrtcDestroyProg",
]


def names(rows: Rows) -> list[str]:
    return [name for name in rows if not name.startswith("_")]


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
            f"CANN_ABI int32_t {name}GetWorkspaceSize({arguments}uint64_t* size, aclOpExecutor** executor) {{\n"
            f"    const Argument arguments[] = {{{values}}};\n"
            f"    return plan({index}, arguments, size, executor);\n}}\n"
            f"CANN_ABI int32_t {name}(void* workspace, uint64_t size, aclOpExecutor* executor, void* stream) {{\n"
            f"    return launch({index}, workspace, size, executor, stream);\n}}"
        )
    return "\n".join([*lines, '}  // extern "C"\n'])


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
    return "\n".join([*lines, '}  // extern "C"\n'])


def exports(functions: list[str]) -> str:
    """A library's own symbols, for linkers; at run time its filtee, the simulator, answers for each of them."""
    lines = [
        f'extern "C" __attribute__((visibility("default"))) int {name}() {{ return 500000; }}' for name in functions
    ]
    return HEAD + "\n".join(lines) + "\n"


def exported(absent: list[str]) -> str:
    """A linker's script for the simulator of an older CANN: exports.map without what that one lacks."""
    script = Path(__file__).with_name("exports.map").read_text()
    return script.replace("local: *;", f"local: {'; '.join([*absent, '*'])};")


def main() -> int:
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    operators = json.loads((data / "operators.json").read_text())
    runtime = json.loads((data / "runtime.json").read_text())
    files = {"runtime_absent.cpp": absent(runtime)}
    files |= {f"operator_entries_{part}.cpp": operator_entries(operators, part) for part in range(ENTRY_FILES)}
    later = {name + phase for name in operators["_later"] for phase in ("GetWorkspaceSize", "")}
    later |= {name for name in names(runtime) if runtime[name].get("newer")}
    later |= set(COMPILER)
    groups = {
        "runtime": [name for name in names(runtime) if runtime[name]["lib"] == "libascendcl.so"],
        "objects": [name for name in names(runtime) if runtime[name]["lib"] == "libnnopbase.so"],
        "operators": [name + phase for name in names(operators) for phase in ("GetWorkspaceSize", "")],
        "compiler": COMPILER,
        "": [],
    }
    files |= {f"exports_{library}.cpp": exports(groups[group]) for library, group in LIBRARIES.items()}
    files |= {
        f"older_{library}.cpp": exports([name for name in groups[group] if name not in later])
        for library, group in LIBRARIES.items() if group
    }
    files["older.map"] = exported(sorted(later))
    for name, text in files.items():
        path = out / name
        if not path.exists() or path.read_text() != text:  # unchanged files are not compiled again
            path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
