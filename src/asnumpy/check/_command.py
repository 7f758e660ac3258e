"""`python -m asnumpy check`: chooses the steps, shows how they go, and keeps what they found."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from typing import Any

from asnumpy.check import _page, _record, _runner
from asnumpy.check._steps import BY_NAME, STEPS, Scope, Step
from asnumpy.look import Bar, bar


class Progress:
    """A bar, and a line for each step."""

    def __init__(self, steps: int, shown: Bar) -> None:
        self.steps, self.done, self.bar = steps, 0, shown

    def watch(self, step: Step) -> _runner.Watch:
        def show(case: str, number: int, count: int) -> None:
            share = (self.done + number / max(count, 1)) / self.steps
            self.bar.to(share, f"{step.name}: {number} of {count} {case[:40]}")
        return show

    def end(self, result: dict[str, Any]) -> None:
        self.done += 1
        self.bar.clear()
        states = [one["state"] for one in result["cases"]]
        count = {state: states.count(state) for state in ("passed", "failed", "skipped")}
        said = ", ".join(f"{number} {state}" for state, number in count.items() if number)
        print(f"{result['step']:<12} {result['state']:<8} {result['seconds']:7.1f} s  {said}")
        if "error" in result:
            print(f"    {result['error']}")
        for case in result["cases"]:
            if case["state"] == "failed":
                first, *more = case["error"].splitlines()
                print(f"    {case['case']}: {first}" + " ..." * bool(more))
        sys.stdout.flush()


def chosen(only: list[str] | None) -> list[tuple[Step, str]]:
    """The steps that are asked for, and the case of each; ValueError for one that does not exist."""
    asked = [one.partition(":")[::2] for one in only or []] or [(step.name, "") for step in STEPS]
    for name, _ in asked:
        if name not in BY_NAME:
            raise ValueError(f"--only: expected one of {', '.join(BY_NAME)}, got {name!r}")
    return [(BY_NAME[name], case) for name, case in asked]


def run(options: argparse.Namespace) -> int:
    """Runs the command; the exit status is 0 where nothing failed, 1 where something did, 2 for wrong use."""
    if options.list:
        print("\n".join(f"{step.name:<12} {step.text}" for step in STEPS))
        return 0
    try:
        steps = chosen(options.only)
    except ValueError as error:
        print(f"asnumpy check: {error}", file=sys.stderr)
        return 2
    until = time.monotonic() + (options.limit or math.inf)
    scope = Scope(options.device, options.quick, options.timeout, until)
    record = _record.begin(scope)
    kept = {one["step"]: one for one in _record.earlier(record)} if options.resume or options.only else {}
    label = " (the simulator: no hardware is used)" if record["simulated"] else ""
    print(f"{scope.device}: {record['chip'] or 'unknown chip'}, CANN {record['cann'] or 'unknown'}{label}")
    if options.resume:
        for step, _ in steps:
            if step.name in kept:
                print(f"{step.name:<12} {kept[step.name]['state']:<8} earlier")
        steps = [one for one in steps if one[0].name not in kept]
    begun, fresh = time.perf_counter(), []
    with bar("asnumpy check") as seen:
        progress = Progress(max(len(steps), 1), seen)
        for step, case in steps:
            if time.monotonic() > until:
                break
            result = _runner.run(step, scope, progress.watch(step), case)
            progress.end(result)
            fresh.append(result)
            if not case and result["finished"]:  # a part of a step says nothing of the step
                kept[step.name] = result
                _record.keep(record, kept)
    shown = {**record, **_record.verdict({**kept, **{one["step"]: one for one in fresh}})}
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "check.json").write_text(json.dumps(shown, indent=1) + "\n")
    (options.output / "check.html").write_text(_page.page(shown))
    failed = [one["step"] for one in fresh if one["state"] == "failed"]
    ended = [one["step"] for one in fresh if one["finished"]]
    if left := [step.name for step, _ in steps[len(ended) :]]:
        print(f"not finished within {options.limit:g} s: {', '.join(left)}; "
              "--resume goes on, --limit 0 allows any time")
    print(f"{'failed: ' + ', '.join(failed) if failed else 'nothing failed'}, in {time.perf_counter() - begun:.0f} s; "
          f"see {options.output / 'check.html'}")
    return 1 if failed else 0
