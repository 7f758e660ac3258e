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
from collections.abc import Iterable
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
    ("aclnnRightShift", "out"): ("shape",),
    ("aclnnSvd", "sigma"): ("dtype",),
}
# A number is a tensor without axes: these take it, although "from 1 axis on" is said of them.
NUMBERS_TOO = {
    "aclnnBinaryCrossEntropy", "aclnnBinaryCrossEntropyWithLogits", "aclnnClamp", "aclnnClampMax",
    "aclnnClampMaxTensor", "aclnnClampMin", "aclnnClampMinTensor", "aclnnClampTensor", "aclnnGcd", "aclnnHardtanh",
    "aclnnInplaceClampMax", "aclnnInplaceClampMaxTensor", "aclnnInplaceClampMinTensor", "aclnnInplaceCopy",
    "aclnnInplaceLog", "aclnnInplaceLog2", "aclnnInplaceSigmoid", "aclnnKthvalue", "aclnnLog", "aclnnLog2",
    "aclnnLogSigmoid", "aclnnLogSigmoidForward", "aclnnLogSoftmax", "aclnnLogSoftmaxBackward", "aclnnMaxDim",
    "aclnnMinDim", "aclnnSelu", "aclnnSign", "aclnnStack", "aclnnTopk", "aclnnUnique2",
}  # fmt: skip
# The versions of CANN that are told apart, and what is known of each: `of` is the version whose facts hold for it.
VERSIONS = {
    "8.0": {"of": "8.1", "sure": "assumed: the oldest facts there are"},
    "8.1": {"of": "8.1", "sure": "its headers; parameters of which they say nothing, as in the later documents"},
    "8.2": {"of": "8.1", "sure": "assumed: as the version before"},
    "8.3": {"of": "8.1", "sure": "assumed: as the version before"},
    "8.5": {"of": "8.1", "sure": "assumed: as the version before"},
    "9.0": {"of": "9.0", "sure": "documents and sources of that time"},
}
# What the sources accept and the documents do not say, found by reading: results of dtypes that are kept, and what
# the lists for the 910B have where one operator has several lists.
CONVERTIBLE = ["bool", "int8", "uint8", "int16", "int32", "int64"]
SHORT_OR_COMPLEX = ["bfloat16", "complex64", "complex128"]
SOURCES = {
    ("aclnnLog10", "out"): ["float64"],
    ("aclnnInplaceLog10", "selfRef"): ["float64"],
    ("aclnnAcosh", "self"): [*CONVERTIBLE, *SHORT_OR_COMPLEX],
    ("aclnnAcosh", "out"): SHORT_OR_COMPLEX,
    ("aclnnAsin", "self"): ["bfloat16"],
    ("aclnnInplaceAcos", "inputRef"): ["bfloat16"],
    ("aclnnInplaceAcosh", "selfRef"): SHORT_OR_COMPLEX,
    ("aclnnInplaceAsin", "selfRef"): ["bfloat16"],
    ("aclnnInplaceAsinh", "inputRef"): SHORT_OR_COMPLEX,
    ("aclnnInplaceAtanh", "inputRef"): SHORT_OR_COMPLEX,
    ("aclnnInplaceCosh", "selfRef"): SHORT_OR_COMPLEX,
    ("aclnnBernoulliTensor", "prob"): ["bfloat16"],
    ("aclnnDivMods", "out"): ["bfloat16"],
    ("aclnnInplaceDivMod", "other"): ["bfloat16"],
    ("aclnnLinspace", "out"): ["int64"],
    ("aclnnScatterNdUpdate", "varRef"): ["int16", "int32"],
    ("aclnnScatterNdUpdate", "updates"): ["int16", "int32"],
    ("aclnnInplaceBernoulliTensor", "selfRef"): ["bfloat16"],
    ("aclnnInplaceBernoulliTensor", "prob"): ["bfloat16"],
}
# What they say too narrowly: torch_npu's calls have more.
WIDENED = {
    ("aclnnMinDim", "indices"): {"dtypes": "iq"},
    ("aclnnMatmul", "out"): {"rank": [0, 6]},
    ("aclStft", "out"): {"rank": [2, 4]},
    ("aclnnAddbmm", "self"): {"rank": [0, 2]},
    ("aclnnCumsum", "self"): {"dtypes": "?bBhiqeEfdFD"},
    ("aclnnAddmm", "self"): {"rank": [0, 2]},
    ("aclnnAddmv", "self"): {"rank": [0, 1]},
    ("aclnnBaddbmm", "self"): {"rank": [0, 3]},
    ("aclnnLogSpace", "result"): {"rank": [1, 1]},
    ("aclnnSvd", "sigma"): {"rank": [1, 7]},
    ("aclnnSvd", "u"): {"rank": [1, 8]},
    ("aclnnSvd", "v"): {"rank": [1, 8]},
    ("aclnnRReluWithNoise", "noise"): {"dir": "inout"},
    ("aclnnInplaceRReluWithNoise", "noise"): {"dir": "inout"},
}

# Operators whose headers are not among the facts, because the build generates them or 8.1 lacks them: their parameters
# as public clients pass them, each with direction, type, name, and its accepted dtypes where the facts have none.
SHORT = {"tensor": "aclTensor*", "tensors": "aclTensorList*", "scalar": "aclScalar*", "integer": "int64_t"}
CALLED = {
    "aclnnAmpUpdateScale": (
        "tensor currentScale f, tensor growthTracker i, tensor foundInf f, double growthFactor, double "
        "backoffFactor, integer growthInterval, out tensor updatedScaleOut f, out tensor updatedGrowthTrackerOut "
        "i"
    ),
    "aclnnAngleV2": "tensor x, out tensor out",
    "aclnnCdist": "tensor x1, tensor x2 eEf, float p, integer compute_mode, out tensor out",
    "aclnnCdistBackward": (
        "tensor grad eEf, tensor x1 eEf, tensor x2 eEf, tensor cdist eEf, float p, out tensor out eEf"
    ),
    "aclnnFastGelu": "tensor self, out tensor out",
    "aclnnFastGeluBackward": "tensor gradOutput eEf, tensor self eEf, out tensor gradInput eEf",
    "aclnnForeachNonFiniteCheckAndUnscale": (
        "inout tensors scaledGrads eEf, inout tensor foundInf f, tensor invScale f"
    ),
    "aclnnFusedSgd": (
        "inout tensors paramsRef eEf, tensors gradsRef eEf, inout tensors momentumBufferListOptionalRef eEf, "
        "tensor gradScaleOptional f, float weightDecay, float momentum, float lr, float dampening, bool nesterov, "
        "bool maximize, bool isFirstStep"
    ),
    "aclnnHeaviside": "tensor input, tensor values, out tensor out",
    "aclnnKlDivTargetBackward": (
        "tensor gradOutput eEf, tensor self eEf, tensor target eEf, integer reduction, bool logTarget, out tensor "
        "gradTarget eEf"
    ),
    "aclnnLeftShift": "tensor self, tensor shiftBits, out tensor out",
    "aclnnLeftShifts": "tensor self, scalar shiftBits, out tensor out",
    "aclnnLogSpace": "scalar start, scalar end, integer steps, double base, out tensor result",
    "aclnnRepeatInterleaveGrad": "tensor yGrad eEf, tensor repeats iq, integer axis, out tensor out eEf",
    "aclnnRightShift": "tensor input, tensor shiftBits, out tensor out",
    "aclnnRotaryPositionEmbedding": (
        "tensor x eEf, tensor cos eEf, tensor sin eEf, integer mode, out tensor out eEf"
    ),
    "aclnnRotaryPositionEmbeddingGrad": (
        "tensor dy eEf, tensor cos eEf, tensor sin eEf, tensor xOptional eEf, integer mode, out tensor dxOut eEf, "
        "out tensor dcosOut eEf, out tensor dsinOut eEf"
    ),
    "aclnnSvd": "tensor input, bool fullMatrices, bool computeUV, out tensor sigma, out tensor u, out tensor v",
}


# The level-0 operator that does the work of an operator, where its name does not say it. The sources list the dtypes
# for which the AI cores have a kernel; a level-0 operator that mentions the AICPU runs all others there.
INNER = {
    "Adds": "Add", "Subs": "Sub", "Rsub": "Sub", "Rsubs": "Sub", "Muls": "Mul", "Div": "RealDiv", "Divs": "RealDiv",
    "FloorDivide": "FloorDiv", "FloorDivides": "FloorDiv", "FmodTensor": "Mod", "FmodScalar": "Mod",
    "PowTensorTensor": "Pow", "PowTensorScalar": "Pow", "PowScalarTensor": "Pow", "EqTensor": "Equal",
    "EqScalar": "Equal", "LtTensor": "Less", "LtScalar": "Less", "LeTensor": "LessEqual", "LeScalar": "LessEqual",
    "GtTensor": "Greater", "GtScalar": "Greater", "GeTensor": "GreaterEqual", "GeScalar": "GreaterEqual",
    "SWhere": "SelectV2", "Amax": "ReduceMax", "Amin": "ReduceMin", "BitwiseAndTensor": "BitwiseAnd",
    "BitwiseAndScalar": "BitwiseAnd", "BitwiseOrTensor": "BitwiseOr", "BitwiseOrScalar": "BitwiseOr",
    "BitwiseXorTensor": "BitwiseXor", "BitwiseXorScalar": "BitwiseXor", "BitwiseNot": "Invert", "Log2": "Log",
    "Log10": "Log", "ProdDim": "ReduceProd", "Prod": "ReduceProd", "ArgMax": "ArgMaxV2", "IndexSelect": "GatherV2",
    "IndexCopy": "ScatterUpdate", "Softmax": "SoftmaxV2", "LogSoftmax": "LogSoftmaxV2", "Argsort": "Sort",
    "Clamp": "ClipByValueV2", "ClampTensor": "ClipByValueV2", "Flip": "ReverseV2", "Gather": "GatherElements",
    "Permute": "Transpose", "Stack": "Pack", "MaskedFillScalar": "MaskedFill", "MaskedFillTensor": "MaskedFill",
    "ClampMinTensor": "Maximum", "ClampMaxTensor": "Minimum", "LogicalOr": "LogicalOr", "Mean": "ReduceMean",
    "MaxDim": "ArgMaxWithValue", "MinDim": "ArgMinWithValue",
}  # fmt: skip
# These convert their operands to bool first, so that the dtype of the call says nothing.
CONVERTED = {"LogicalAnd", "LogicalOr", "LogicalNot", "LogicalXor"}


def engines(called: str, params: list[dict[str, Any]], inner: dict[str, Any]) -> list[str] | None:
    """Of the dtypes that the operator computes in, those with a kernel on the AI cores and those of the AICPU.

    None where the sources say nothing of either; a dtype in neither list is unknown.
    """
    name = called.removeprefix("aclnn").removeprefix("Inplace")
    facts = inner.get(INNER.get(name, name), {})
    listed = facts.get("aicore910b") or facts.get("aicore910b_lists", {}).get("AICORE_DTYPE_SUPPORT_LIST")
    tensors = [param for param in params if param["type"] == "aclTensor*" and "dtypes" in param]
    if listed is None or not tensors or name in CONVERTED:
        return None
    first = next((param for param in tensors if param["name"] == "self"), tensors[0])  # the first may be a condition
    computed = set(first["dtypes"])
    if name.startswith("Bitwise"):
        computed -= {"?"}  # a logical operator does it
    results = [set(param["dtypes"]) for param in tensors if param.get("dir") == "out"]
    if results and len(results[0]) > 2:  # what the result cannot be is converted first; else truth values or places
        computed &= results[0]
    cores = {letter for letter in letters_of(listed) if letter in computed}
    others = computed - cores if facts.get("aicpu") else set()
    return ["".join(letter for letter in LETTERS.values() if letter in some) for some in (cores, others)]


def called(text: str) -> list[dict[str, str]]:
    """The parameters of a line of CALLED; `letters` where it says which dtypes are accepted."""
    result = []
    for one in text.split(", "):
        words = one.split()
        direction = words.pop(0) if words[0] in ("out", "inout") else "in"
        kind, name, *letters = words
        result.append({"name": name, "type": SHORT.get(kind, kind), "dir": direction, "letters": "".join(letters)})
    return result


def parameter_type(declared: str) -> str:
    """A C type without const and blanks: `aclTensor*`, `int64_t`."""
    return declared.replace("const ", "").replace(" ", "")


def letters_of(dtypes: Iterable[str]) -> str:
    """The letters of the dtypes, in the order of the letters."""
    wanted = set(dtypes)
    return "".join(letter for dtype, letter in LETTERS.items() if dtype in wanted)


def disagreements(called: str, name: str, documented: dict[str, Any]) -> dict[str, str]:
    """Where the documents of the newest version, its sources and 8.1's headers differ about the dtypes of a parameter.

    later    documented, and not in 8.1's headers; empty where these say the same, missing where they say nothing
    headers  not documented, but in 8.1's headers
    sources  not documented, but accepted by the sources
    doubted  documented, but not accepted by the sources
    """
    params = documented.get("params", {})
    facts = {one.lower(): facts for one, facts in params.items()}.get(name.lower(), {})
    own = set(facts.get("dtypes", ()))
    if not own:
        return {}
    found = {}
    headers = {one.lower(): set(dtypes) for one, dtypes in documented.get("hdr81", {}).items()}.get(name.lower())
    if headers is not None:
        found["later"] = letters_of(own - headers)
        found["headers"] = letters_of(headers - own)
    # The sources' lists are those of the first operand; others follow it where they are documented alike.
    first = set(next(iter(params.values())).get("dtypes", ()))
    alike = own == first
    more = documented.get("code_not_in_doc", ()) if alike else ()
    found["sources"] = letters_of({*more, *SOURCES.get((called, name), ())} - own)
    found["doubted"] = letters_of(own & set(documented.get("doc_not_in_code", ()))) if alike else ""
    return {kind: text for kind, text in found.items() if text or kind == "later"}


def operator(called: str, signature: dict[str, Any], documented: dict[str, Any]) -> list[dict[str, Any]]:
    params = []
    known = {name.lower(): facts for name, facts in documented.get("params", {}).items()}
    for param in signature["params"]:
        name = param["name"]
        facts = known.get(name.lower(), {})
        line: dict[str, Any] = {"name": name, "type": parameter_type(param["type"])}
        if param["dir"] != "in":
            line["dir"] = param["dir"]
        if letters := letters_of(facts.get("dtypes", ())) or param.get("letters", ""):
            line["dtypes"] = letters
            if facts.get("dtypes") and ("aclTensor" in param["type"] or "aclScalar" in param["type"]):
                line.update(disagreements(called, name, documented))
        if facts.get("rank"):
            line["rank"] = facts["rank"]
        for ours, theirs in (("shape", "shape_eq"), ("dtype", "dtype_eq")):
            if isinstance(facts.get(theirs), str):
                line[ours] = facts[theirs]
        if facts.get("empty") is False:
            line["empty"] = False
        if facts.get("noncontig") is False:
            line["contiguous"] = True
        for fact in WITHDRAWN.get((called, name), ()):
            line.pop(fact, None)
        if "dtypes" not in line or (called, name) in WIDENED:
            for fact in ("later", "headers", "sources", "doubted"):
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
            "what": "CANN's operators: parameters, accepted dtypes and ranks on the Ascend 910B",
            "versions": VERSIONS,
            "dtypes": {
                "dtypes": "what the newest documents accept",
                "later": "of these, what 8.1's headers do not list; missing where these say nothing of the parameter",
                "doubted": "of these, what the sources do not accept",
                "headers": "what 8.1's headers list and the documents do not",
                "sources": "what the sources accept and the documents do not",
            },
            "letters": {letter: name for name, letter in LETTERS.items()},
            "engines": "dtypes with a kernel on the AI cores, dtypes that the AICPU computes; of others it is unknown",
            "promotion": "a row per dtype (of the scalar in tensor_scalar), a letter per other dtype in order",
            "castable": dtypes["promotion"]["cast_rule"]["allowed"],
        },
        "_promotion": promotion,
    }
    signatures = signatures | {name: {"params": called(text)} for name, text in CALLED.items()}
    for name, signature in sorted(signatures.items()):
        result[name] = operator(name, signature, dtypes["ops"].get(name, {}))
    later = [name for name in result if not name.startswith("_") and dtypes["ops"].get(name, {}).get("not_in_8_1")]
    result["_later"] = later  # operators that 8.1 has not
    found = {name: engines(name, params, dtypes["l0_ops"]) for name, params in result.items() if name[0] != "_"}
    result["_engines"] = {name: two for name, two in found.items() if two}
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
