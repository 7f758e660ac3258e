"""What is documented of each aclnn operator: its parameters in order, and what each accepts on the Ascend 910B."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

KIND_OF = {
    "aclTensor*": "tensor", "aclTensorList*": "tensors", "aclScalar*": "scalar", "aclScalarList*": "scalars",
    "aclIntArray*": "ints", "aclFloatArray*": "floats", "aclBoolArray*": "bools", "char*": "text", "bool": "boolean",
    "double": "real", "float": "real", "aclDataType": "dtype",
}  # all else: integer
# What a value of each kind is called in messages and docstrings.
KINDS = {
    "tensor": "tensor", "tensors": "list of tensors", "scalar": "number", "scalars": "list of numbers",
    "ints": "list of integers", "floats": "list of numbers", "bools": "list of bools", "integer": "integer",
    "real": "number", "boolean": "bool", "text": "text", "dtype": "dtype",
}
DIRECTIONS = {"in": "", "out": ", written", "inout": ", updated in place"}
RANGES = {
    "int8_t": (-(2**7), 2**7 - 1), "int": (-(2**31), 2**31 - 1), "int32_t": (-(2**31), 2**31 - 1),
    "int64_t": (-(2**63), 2**63 - 1), "uint64_t": (0, 2**64 - 1),
}
KEYWORDS = {"from_": "from", "lambda_": "lambda"}  # parameters with names that Python keeps for itself


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its kind, whether it is read or written, and what it accepts."""

    name: str
    kind: str                    # a key of KINDS
    ctype: str                   # how C declares it
    direction: str               # "in", "out" or "inout"
    dtypes: tuple[str, ...]      # empty: nothing is documented
    ranks: tuple[int, int]
    shape_of: str | None         # the parameter whose shape or dtype it must have
    dtype_of: str | None
    optional: bool
    may_be_empty: bool

    @property
    def is_tensor(self) -> bool:
        """Whether it holds tensors: one or a list."""
        return self.kind in ("tensor", "tensors")

    @property
    def written(self) -> bool:
        """Whether the operator writes it."""
        return self.is_tensor and self.direction != "in"

    def describe(self) -> str:
        """What it takes, in words."""
        text = KINDS[self.kind] + (DIRECTIONS[self.direction] if self.is_tensor else "")
        if self.optional:
            text += " or None"
        if self.kind == "integer" and self.ctype != "int64_t":
            low, high = RANGES[self.ctype]
            text += f" from {low} to {high}"
        if self.dtypes and self.kind in ("tensor", "tensors", "scalar", "scalars"):
            text += ": " + ", ".join(self.dtypes)
        if self.is_tensor:
            low, high = self.ranks
            if (low, high) != (0, 8):
                text += f"; {low} axes" if low == high else f"; {low} to {high} axes"
            if self.shape_of:
                text += f"; shape of {self.shape_of}"
            if self.dtype_of:
                text += f"; dtype of {self.dtype_of}"
            if not self.may_be_empty:
                text += "; not empty"
        return text


@dataclass(frozen=True, slots=True)
class Signature:
    """An operator's name and its parameters."""

    name: str
    parameters: tuple[Parameter, ...]

    @property
    def written(self) -> tuple[str, ...]:
        """The names of the parameters that the operator writes, the outputs before those updated in place."""
        outputs = [one.name for one in self.parameters if one.written]
        return tuple(sorted(outputs, key=lambda name: self[name].direction == "inout"))

    def __getitem__(self, name: str) -> Parameter:
        return next(one for one in self.parameters if one.name == name)

    def usage(self) -> str:
        """The call as it is written: `aclnnAdd(self, other, alpha, out)`."""
        return f"{self.name}({', '.join(one.name + ('=None' if one.optional else '') for one in self.parameters)})"


@cache
def _data(name: str) -> dict[str, Any]:
    """A data file of `core/cann`, which the installation puts beside this module; in a source tree it lies there."""
    here = Path(__file__).resolve().parent
    path, in_sources = here / "data" / f"{name}.json", here.parents[2] / "core" / "cann" / "data" / f"{name}.json"
    if not path.exists() and in_sources.exists():
        path = in_sources
    try:
        rows: dict[str, Any] = json.loads(path.read_text())
    except OSError as error:
        raise ImportError(f"asnumpy.cann: expected its facts at {path}: {error.strerror}; reinstall asnumpy") from None
    return rows


@cache
def signatures() -> dict[str, Signature]:
    """Every operator by name."""
    rows = _data("operators")
    letters: dict[str, str] = rows["_meta"]["letters"]

    def parameter(row: dict[str, Any], names: set[str]) -> Parameter:
        same = {one: row[one] if row.get(one) in names else None for one in ("shape", "dtype")}
        return Parameter(
            row["name"], KIND_OF.get(row["type"], "integer"), row["type"], row.get("dir", "in"),
            tuple(letters[one] for one in row.get("dtypes", "")), tuple(row.get("rank", (0, 8))), same["shape"],
            same["dtype"], "optional" in row["name"].lower(), row.get("empty", True),
        )

    return {
        name: Signature(name, tuple(parameter(row, {other["name"] for other in params}) for row in params))
        for name, params in rows.items() if not name.startswith("_")
    }


def names_in(facts: str) -> list[str]:
    """The operators that a CANN has by the facts in use, "8.1, its headers": all of them where these are the newest."""
    rows, version = _data("operators"), facts.partition(",")[0]
    versions = rows["_meta"]["versions"]
    newest = [one["of"] for one in versions.values()][-1]
    older = version in versions and versions[version]["of"] != newest
    return [name for name in signatures() if not older or name not in rows["_later"]]


@cache
def enum(name: str) -> dict[str, int]:
    """The values of an enum of CANN's by name."""
    values: dict[str, int] = _data("runtime")["_enums"][name]
    return values


@cache
def error_names() -> dict[int, str]:
    """The names of CANN's error codes."""
    facts = _data("runtime")
    return {code: name for group in ("_acl_error", "_aclnn_status") for name, code in facts[group].items()}


def close(name: str, known: Sequence[str]) -> str:
    """What may have been meant: `; did you mean aclnnAdd?`, or nothing."""
    lowered = {one.lower(): one for one in reversed(known)}
    tried = [name.lower(), "aclnn" + name.lower()]
    exact = [lowered[one] for one in tried if one in lowered]
    near = exact or [lowered[one] for one in difflib.get_close_matches(tried[0], lowered, 3, 0.75)]
    near = near or [lowered[one] for one in difflib.get_close_matches(tried[1], lowered, 3, 0.8)]
    return f"; did you mean {' or '.join(near)}?" if near else ""


def signature(name: str) -> Signature:
    """The operator of that name; ValueError with what may have been meant when there is none."""
    if not isinstance(name, str):
        raise TypeError(f"cann.op: expected the name of an operator as str, got {type(name).__name__}")
    known = signatures()
    if name not in known:
        raise ValueError(
            f"cann.op: CANN has no operator {name!r}{close(name, list(known))}"
            f" cann.operators() lists the {len(known)} there are"
        )
    return known[name]


@cache
def formats() -> dict[str, int]:
    """The formats of tensors by their short names: ND, NCHW..."""
    return {
        name.removeprefix("ACL_").removeprefix("FORMAT_"): value
        for name, value in enum("aclFormat").items() if value >= 0
    }


@cache
def dtype_numbers() -> dict[str, int]:
    """The values of aclDataType by NumPy's (ml_dtypes') names."""
    other = {
        "ACL_FLOAT": "float32", "ACL_DOUBLE": "float64", "ACL_BF16": "bfloat16", "ACL_FLOAT8_E8M0": "float8_e8m0fnu",
        "ACL_FLOAT6_E3M2": "float6_e3m2fn", "ACL_FLOAT6_E2M3": "float6_e2m3fn", "ACL_FLOAT4_E2M1": "float4_e2m1fn",
    }
    names = {name: other.get(name, name.removeprefix("ACL_").lower()) for name in enum("aclDataType")}
    return {renamed: enum("aclDataType")[name] for name, renamed in names.items()}
