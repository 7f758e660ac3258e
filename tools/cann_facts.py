#!/usr/bin/env python3
"""Writes the data files of CANN's interface from a folder of collected facts about CANN's interface.

usage: cann_facts.py FACTS core/cann/data
FACTS holds acl_runtime.json, aclnn_signatures.json and aclnn_dtypes.json: names, types, enum values, dtypes, no text
of any CANN file. Only what the simulator and the Ascend backend need goes into the data files, an operator or function
a line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

LETTERS = {
    "bool": "?",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float16": "e",
    "bfloat16": "E",
    "float32": "f",
    "float64": "d",
    "complex32": "c",
    "complex64": "F",
    "complex128": "D",
}
CATEGORY = {"i": "bBhHiIqQ", "f": "eEfd", "c": "cFD", "?": "?"}


# What the sources say of a parameter and cannot mean: an output of a reduction has the reduced shape, a padded tensor
# another shape than its input, indices are integers, any number can be filled in,
# an axis that is not indexed has an empty tensor of any dtype.
WITHDRAWN = {
    ("aclnnLinalgVectorNorm", "out"): ("shape",),
    ("aclnnNorm", "out"): ("shape",),
    ("aclnnLogSumExp", "out"): ("shape",),
    ("aclnnBinaryCrossEntropy", "out"): ("shape",),
    ("aclnnBinaryCrossEntropyWithLogits", "out"): ("shape",),
    ("aclnnReflectionPad1d", "out"): ("shape",),
    ("aclnnReflectionPad2d", "out"): ("shape",),
    ("aclnnReflectionPad3d", "out"): ("shape",),
    ("aclnnRepeatInterleaveTensor", "out"): ("shape",),
    ("aclnnUnique2", "inverseOut"): ("shape",),
    ("aclnnUnique2", "countsOut"): ("shape",),
    ("aclnnInplaceFillDiagonal", "selfRef"): ("rank",),
    ("aclnnInplaceFillDiagonal", "fillValue"): ("dtypes",),
    ("aclnnKthvalue", "indicesOut"): ("dtypes",),
    ("aclnnIsInScalarTensor", "out"): ("shape",),
    ("aclnnSplitTensor", "out"): ("shape",),
    ("aclnnIndex", "indices"): ("dtypes",),
    ("aclnnIndexPutImpl", "indices"): ("dtypes",),
    ("aclnnFmodTensor", "out"): ("shape",),
    ("aclnnPolar", "angle"): ("shape",),
    ("aclnnPolar", "out"): ("shape",),
}
# A number is a tensor without axes: these take it, although "from 1 axis on" is said of them.
NUMBERS_TOO = {
    "aclnnBinaryCrossEntropy", "aclnnBinaryCrossEntropyWithLogits", "aclnnClamp", "aclnnClampMax",
    "aclnnClampMaxTensor", "aclnnClampMin", "aclnnClampMinTensor", "aclnnClampTensor", "aclnnGcd", "aclnnHardtanh",
    "aclnnInplaceClampMax", "aclnnInplaceClampMaxTensor", "aclnnInplaceClampMinTensor", "aclnnInplaceCopy",
    "aclnnInplaceLog", "aclnnInplaceLog2", "aclnnInplaceSigmoid", "aclnnLog", "aclnnLog2", "aclnnLogSigmoid",
    "aclnnLogSigmoidForward", "aclnnMaxDim", "aclnnMinDim", "aclnnSelu", "aclnnSign", "aclnnStack",
}  # fmt: skip
# What they say too narrowly: torch_npu's calls have more.
WIDENED = {
    ("aclnnMinDim", "indices"): {"dtypes": "iq"},
    ("aclnnMatmul", "out"): {"rank": [0, 6]},
    ("aclStft", "out"): {"rank": [2, 4]},
}


def parameter_type(declared: str) -> str:
    """A C type without const and blanks: `aclTensor*`, `int64_t`."""
    return declared.replace("const ", "").replace(" ", "")


def operator(called: str, signature: dict[str, Any], documented: dict[str, Any]) -> list[dict[str, Any]]:
    params = []
    known = {name.lower(): facts for name, facts in documented.get("params", {}).items()}
    for param in signature["params"]:
        name = param["name"]
        facts = known.get(name.lower(), {})
        line: dict[str, Any] = {"name": name, "type": parameter_type(param["type"])}
        if param["dir"] != "in":
            line["dir"] = param["dir"]
        if facts.get("dtypes"):
            letters = "".join(LETTERS.get(dtype, "") for dtype in facts["dtypes"])
            if letters:
                line["dtypes"] = letters
        if facts.get("rank"):
            line["rank"] = facts["rank"]
        for ours, theirs in (("shape", "shape_eq"), ("dtype", "dtype_eq")):
            if isinstance(facts.get(theirs), str):
                line[ours] = facts[theirs]
        if facts.get("empty") is False:
            line["empty"] = False
        for fact in WITHDRAWN.get((called, name), ()):
            line.pop(fact, None)
        if called in NUMBERS_TOO and line.get("rank", [0])[0] == 1:
            line["rank"] = [0, line["rank"][1]]
        line.update(WIDENED.get((called, name), {}))
        params.append(line)
    return params


def table(rows: dict[str, Any]) -> str:
    lines = [
        f"{json.dumps(name)}:{json.dumps(value, separators=(',', ':'), ensure_ascii=False)}"
        for name, value in rows.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def operators(signatures: dict[str, Any], dtypes: dict[str, Any]) -> dict[str, Any]:
    promotion = {}
    for kind, rows in (
        ("tensor_tensor", dtypes["promotion"]["tensor_tensor"]),
        ("tensor_scalar", dtypes["promotion"]["tensor_scalar"]["table"]),
    ):
        promotion[kind] = {
            LETTERS[a]: "".join(LETTERS[row[b]] if row.get(b) else "-" for b in LETTERS) for a, row in rows.items()
        }
    result: dict[str, Any] = {
        "_meta": {
            "what": "CANN 8.1's operators: parameters, accepted dtypes and ranks on the Ascend 910B",
            "letters": {letter: name for name, letter in LETTERS.items()},
            "promotion": "a row per dtype (of the scalar in tensor_scalar), a letter per other dtype in order",
            "castable": dtypes["promotion"]["cast_rule"]["allowed"],
        },
        "_promotion": promotion,
    }
    for name, signature in sorted(signatures.items()):
        result[name] = operator(name, signature, dtypes["ops"].get(name, {}))
    return result


def runtime(facts: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "_meta": {"what": "the functions of CANN's runtime interface, its enum values and error codes"}
    }
    for group in ("typedefs", "structs", "acl_error", "aclnn_status", "flags"):
        result["_" + group] = facts[group]
    result["_enums"] = {name: enum["values"] for name, enum in facts["enums"].items()}
    for name, function in sorted(facts["functions"].items()):
        result[name] = {"returns": function["ret"].strip(), "params": function["params"], "lib": function["lib"]}
        if "since" in function:
            result[name]["newer"] = True
    return result


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    read = {
        name: json.loads((source / f"{name}.json").read_text())
        for name in ("acl_runtime", "aclnn_signatures", "aclnn_dtypes")
    }
    (target / "operators.json").write_text(table(operators(read["aclnn_signatures"], read["aclnn_dtypes"])))
    (target / "runtime.json").write_text(table(runtime(read["acl_runtime"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
