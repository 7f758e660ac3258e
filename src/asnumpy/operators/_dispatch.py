"""Which implementation computes a call, why, and how often each did: the rules, the choice and the counts."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from asnumpy import _core, config, creation
from asnumpy.operators import _rules
from asnumpy.operators._call import Call, Form
from asnumpy.operators._compiler import CompileError, CompilerMissing
from asnumpy.operators._implementations import COMPOSED, HOST, Implementation
from asnumpy.runtime.cann_error import CannError
from asnumpy.runtime.fallbacks import report

_counts: Counter[tuple[str, str, str, str]] = Counter()
_told: set[tuple[str, str]] = set()
_lock = threading.Lock()


@dataclass(frozen=True)
class Choice:
    """One candidate for a call: an implementation, where it runs, and why it cannot, or why it is in its place."""

    implementation: Implementation
    on_host: bool
    why: str
    why_not: str = ""

    @cached_property
    def name(self) -> str:
        """As rules and counts call it."""
        return f"{HOST} ({self.implementation.name})" if self.on_host else self.implementation.name


@dataclass(frozen=True)
class Plan:
    """What is tried for the calls of one form, while there are these implementations and these rules."""

    implementations: list[Implementation]
    rules: tuple[_rules.Rule, ...]
    rule: _rules.Rule | None
    choices: tuple[Choice, ...]       # with what speaks against one for every such call


def plan(implementations: list[Implementation], form: Form) -> Plan:
    """The one that the form keeps, or a new one."""
    rules = _rules.current()
    found: Plan | None = form.kept.get("plan")
    if found is None or found.rules is not rules or found.implementations != implementations:
        rule = _rules.of_operator(form)
        found = Plan(list(implementations), rules, rule, tuple(_planned(implementations, form, rule)))
        form.kept["plan"] = found
    return found


def candidates(implementations: list[Implementation], call: Call) -> Iterator[Choice]:
    """Every implementation in the order in which it is tried, with what speaks against it."""
    for choice in plan(implementations, call.form).choices:
        why_not = choice.why_not or choice.implementation.why_not_now(call)
        yield replace(choice, why_not=why_not) if why_not else choice


def _planned(implementations: list[Implementation], call: Form, rule: _rules.Rule | None) -> Iterator[Choice]:
    order = (call.kind, COMPOSED, HOST) if rule is None else rule.order
    because = "the default order" if rule is None else str(rule)
    seen: list[tuple[str, bool]] = []
    for word in order:
        for one in _called(word, implementations):
            on_host = word == HOST and call.kind != "cpu"
            if (one.name, on_host) in seen:
                continue
            seen.append((one.name, on_host))
            why = "its arrays lie there" if rule is None and one.kind == call.kind else because
            yield Choice(one, on_host, why, _why_not(one, call, on_host))


def _called(word: str, implementations: list[Implementation]) -> list[Implementation]:
    """Those that a word of an order means: a kind, a name, or the host, where either of two kinds runs."""
    if word == HOST:
        return [one for kind in ("cpu", COMPOSED) for one in implementations if one.kind == kind]
    return [one for one in implementations if word in (one.kind, one.name)]


def _why_not(one: Implementation, call: Form, on_host: bool) -> str:
    if on_host and call.kind == "cuda":
        return "arrays of CUDA devices are not copied to the host"
    if not on_host and one.kind == COMPOSED and call.kind == "cuda":
        return "asnumpy has no arrays on CUDA devices"
    if not on_host and one.kind not in (COMPOSED, call.kind):
        return f"its arrays lie on {call.device}"
    return one.why_never(call)


def run(implementations: list[Implementation], call: Call) -> Any:
    """Computes a call by the first that can; counts it."""
    form = call.form
    name, passed, planned = form.declaration.name, [], plan(implementations, form)
    for choice in planned.choices:
        one = choice.implementation
        why_not = choice.why_not or one.why_not_now(call)
        if why_not:
            if one.lacks and not choice.on_host:
                tell(name, one)
            passed.append(f"{choice.name}: {why_not}")
            continue
        try:
            made = _on_host(one, call) if choice.on_host else one.run(call)
        except CompilerMissing as error:
            one.lacks = str(error)
            tell(name, one)
            passed.append(f"{choice.name}: {error}")
            continue
        except (CompileError, CannError) as error:
            rule = planned.rule
            if rule is None or rule.on_error != "next":
                raise
            count(name, choice.name, call.device, f"failed, next by {rule}: {str(error).splitlines()[0]}")
            passed.append(f"{choice.name}: {error}")
            continue
        count(name, choice.name, form.device, choice.why)
        return made
    if not passed and implementations:
        names = ", ".join(one.name for one in implementations)
        rule = planned.rule
        passed = [f"it has only {names}" + ("" if rule is None else f", of which the order of {rule} names none")]
    raise RuntimeError(
        f"{name}: no implementation can compute this call on {form.device}: " + "; ".join(passed or ["there is none"])
    )


def _on_host(one: Implementation, call: Call) -> Any:
    """On copies on the CPU; the results go to the arrays' device. Counted as what leaves its device."""
    bytes_ = sum(value.nbytes for value in call.given if value is not None)
    dtypes = ", ".join(dtype.name for dtype in call.dtypes)
    why = f"its implementation {one.name} runs there"
    _core.count_fallback(call.declaration.name, dtypes, call.device, why, bytes_)
    given = [None if value is None else value.to_device("cpu") for value in call.given]
    made = one.run(Call(replace(call.form, device="cpu"), given, call.attributes, None))
    results = made if isinstance(made, tuple) else (made,)
    moved = []
    for place, result in enumerate(results):
        target = None if call.out is None else call.out[place]
        if target is None:
            moved.append(creation.asarray(result, device=call.device))
        else:
            target[...] = result.to_device(call.device)
            moved.append(target)
    return moved[0] if len(moved) == 1 else tuple(moved)


def count(operator: str, implementation: str, device: str, why: str) -> None:
    """Counts one call."""
    with _lock:
        _counts[operator, implementation, device, why] += 1


def tell(operator: str, one: Implementation) -> None:
    """Says once that an implementation cannot be used here."""
    with _lock:
        first = (operator, one.name) not in _told
        _told.add((operator, one.name))
    if first and config.fallback != "count":
        reason = one.lacks.splitlines()[0]
        report(f"{operator}: its implementation {one.name} is not available here: {reason}; the next in "
               f"order is used; told once, asnumpy.config.fallback = 'count' is silent")


def runs() -> list[dict[str, Any]]:
    """Which implementations have run in this process, those that did so most often first.

    Returns a list of dicts: `operator`, `implementation`, `device` of the arrays, `why` it was chosen, `count`.
    """
    with _lock:
        rows = _counts.most_common()
    return [
        {"operator": operator, "implementation": implementation, "device": device, "why": why, "count": number}
        for (operator, implementation, device, why), number in rows
    ]


def forget_runs() -> None:
    """Empties runs(); what is not available is told anew."""
    with _lock:
        _counts.clear()
        _told.clear()

