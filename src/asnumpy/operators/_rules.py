"""The user's rules: a YAML file that says which implementation computes what, and where built-in operations go.

    rules:
      - operator: "layer_*"             # or builtin: multiply; a pattern or a list of patterns
        device: ascend                  # cpu, ascend, ascend:1 or cuda; where it is left out, any
        dtypes: f2 bf2                  # those that arrays may have
        size: {at_least: 1, below: 4096}  # elements of the largest array
        order: [ascend, composed, host]
        on_error: next                  # an implementation that fails: raise (as without it), or the next in order
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from asnumpy.operators._declaration import dtype_named

if TYPE_CHECKING:
    from asnumpy.operators._call import Form

_KEYS = ("operator", "builtin", "device", "dtypes", "size", "order", "on_error")
_SIZES = ("at_least", "below")
_KINDS = ("composed", "cpu", "ascend", "cuda")  # of an operator's implementations


@dataclass(frozen=True)
class Rule:
    """One rule of a file; conditions that are None hold always."""

    file: str
    line: int
    kind: str                                # "operator" or "builtin"
    patterns: tuple[str, ...]
    order: tuple[str, ...]
    device: str | None = None
    dtypes: frozenset[np.dtype] | None = None
    at_least: int = 0
    below: int | None = None
    on_error: str = "raise"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def names(self, name: str) -> bool:
        """Whether it is about the operation of that name."""
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.patterns)

    def holds(self, device: str, dtypes: Iterable[np.dtype], size: int) -> bool:
        """Whether its conditions hold for a call."""
        if self.device is not None and self.device not in (device, device.partition(":")[0]):
            return False
        if self.dtypes is not None and not all(dtype in self.dtypes for dtype in dtypes):
            return False
        return self.at_least <= size and (self.below is None or size < self.below)


_rules: tuple[Rule, ...] = ()


def current() -> tuple[Rule, ...]:
    """Those in use, in their order."""
    return _rules


def put(rules: Iterable[Rule]) -> None:
    """Uses these from now on."""
    global _rules
    _rules = tuple(rules)


def of_operator(call: Form) -> Rule | None:
    """The first rule for calls of an operator."""
    if not _rules:
        return None
    mine = (rule for rule in _rules if rule.kind == "operator" and rule.names(call.declaration.name))
    return next((rule for rule in mine if rule.holds(call.device, call.dtypes, call.size)), None)


def read(path: str | os.PathLike[str]) -> tuple[Rule, ...]:
    """The rules of a file.

    Raises
    ------
    ImportError
        If PyYAML is not installed.
    ValueError
        If something in it is wrong: with the file and the line.
    """
    try:
        import yaml
    except ImportError:
        raise ImportError(
            f'asnumpy.operators: reading the rules in {path} needs PyYAML; install it with: '
            f'pip install "asnumpy[dispatch]"'
        ) from None
    name = os.fspath(path)
    try:
        text = Path(path).read_text()
    except OSError as error:
        raise ValueError(f"{name}: expected a file of rules: {error.strerror}") from None
    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f":{mark.line + 1}"
        raise ValueError(f"{name}{line}: this is no YAML: {getattr(error, 'problem', None) or error}") from None
    return tuple(_File(name, yaml).rules(tree))


class _File:
    def __init__(self, name: str, yaml: Any) -> None:
        self.name, self._yaml = name, yaml

    def refuse(self, node: Any, expected: str, got: Any) -> NoReturn:
        line = 1 if node is None else node.start_mark.line + 1
        raise ValueError(f"{self.name}:{line}: expected {expected}, got {got}")

    def rules(self, tree: Any) -> list[Rule]:
        if tree is None:
            return []
        whole = self._mapping(tree, ("rules",), "the key rules, a list of rules")
        if "rules" not in whole:
            self.refuse(tree, "the key rules, a list of rules", "none")
        listed = whole["rules"]
        if not isinstance(listed, self._yaml.SequenceNode):
            self.refuse(listed, "a list of rules, each after a '-'", self._words(listed))
        return [self._rule(node) for node in listed.value]

    def _rule(self, node: Any) -> Rule:
        fields = self._mapping(node, _KEYS, f"one of the keys {', '.join(_KEYS)}")
        kinds = [kind for kind in ("operator", "builtin") if kind in fields]
        if len(kinds) != 1:
            self.refuse(node, "one of the keys operator and builtin, with the names", " and ".join(kinds) or "neither")
        if "order" not in fields:
            self.refuse(node, "the key order, which implementations are tried", "none")
        sizes = {"at_least": 0, "below": None}
        if "size" in fields:
            expected = "size: {at_least: N, below: M}"
            for key, value in self._mapping(fields["size"], _SIZES, expected).items():
                sizes[key] = self._whole(value)
            if sizes["below"] is not None and sizes["below"] <= (sizes["at_least"] or 0):
                self.refuse(fields["size"], "a size below which is more than at_least", f"{sizes['below']}")
        order = self._names(fields["order"])
        strangers = [word for word in order if word in _KINDS] if kinds[0] == "builtin" else []
        if strangers:
            self.refuse(fields["order"], "builtin, host or the name of an operator, for a built-in operation has no "
                        "implementations of that kind", repr(strangers[0]))
        return Rule(
            self.name, node.start_mark.line + 1, kinds[0], self._names(fields[kinds[0]]), order,
            self._device(fields.get("device")), self._dtypes(fields.get("dtypes")), sizes["at_least"] or 0,
            sizes["below"], self._on_error(fields.get("on_error")),
        )

    def _mapping(self, node: Any, keys: tuple[str, ...], expected: str) -> dict[str, Any]:
        if not isinstance(node, self._yaml.MappingNode):
            self.refuse(node, expected, self._words(node))
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, self._yaml.ScalarNode) or key.value not in keys:
                self.refuse(key, expected, self._words(key))
            if key.value in found:
                self.refuse(key, "each key once", f"{key.value} again")
            found[key.value] = value
        return found

    def _value(self, node: Any) -> Any:
        loader = self._yaml.SafeLoader("")
        try:
            return loader.construct_object(node, deep=True)
        except self._yaml.YAMLError as error:
            self.refuse(node, "a plain value", getattr(error, "problem", None) or error)
        finally:
            loader.dispose()

    def _words(self, node: Any) -> str:
        return repr(self._value(node))

    def _names(self, node: Any) -> tuple[str, ...]:
        value = self._value(node)
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            self.refuse(node, "a name or a list of names", repr(value))
        return tuple(names)

    def _whole(self, node: Any) -> int:
        value = self._value(node)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            self.refuse(node, "a whole number of elements", repr(value))
        return value

    def _device(self, node: Any) -> str | None:
        if node is None:
            return None
        value = self._value(node)
        kind, _, number = value.partition(":") if isinstance(value, str) else ("", "", "")
        kind = "ascend" if kind == "npu" else kind
        if kind not in ("cpu", "ascend", "cuda") or (number and not number.isdigit()):
            self.refuse(node, "cpu, ascend, ascend:N or cuda", repr(value))
        return f"{kind}:{number}" if number else kind

    def _dtypes(self, node: Any) -> frozenset[np.dtype] | None:
        if node is None:
            return None
        value = self._value(node)
        names = value.replace(",", " ").split() if isinstance(value, str) else value
        if not isinstance(names, list) or not names:
            self.refuse(node, "dtypes such as f2 f4", repr(value))
        found = [dtype_named(name) if isinstance(name, str) else None for name in names]
        for name, dtype in zip(names, found, strict=True):
            if dtype is None:
                self.refuse(node, "dtypes such as f2, float32 or bf2", repr(name))
        return frozenset(dtype for dtype in found if dtype is not None)

    def _on_error(self, node: Any) -> str:
        value = "raise" if node is None else self._value(node)
        if value not in ("raise", "next"):
            self.refuse(node, "raise or next", repr(value))
        return str(value)
