"""What users meet most often ends with the heading of the documentation that explains it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import website

TEXT = (website.ROOT / "core/base/documentation.hpp").read_text()
HEADINGS = dict(re.findall(r'case Explained::(\w+): return "([^"]*)";', TEXT))
# By what they explain: an expression that is an error, and one that only warns.
ERRORS = {
    "host_work": "using('fallback', 'error', lambda: x @ x)",
    "implicit_copy": "using('implicit_copies', 'error', lambda: np.asarray(x))",
    "traced_value": "ap.jit(lambda a: -a if a.max() > 0 else a)(x)",
}
WARNINGS = {
    "host_work": "(x @ x).tolist()",
    "implicit_copy": "np.asarray(ap.ones(1 << 20, device='ascend:0'))",
    "refused_operator": "cannsim.refuse('aclnnExp', code=561103), ap.exp(x.astype('float32')).tolist()",
}
PROGRAM = """
import json, sys, warnings
import numpy as np
import asnumpy as ap
from asnumpy import cannsim

def using(setting, word, call):
    with ap.config.using(**{setting: word}):
        return call()

def said(expression):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            eval(expression)
        except Exception as error:
            return str(error)
    return str(seen[-1].message)

x = ap.ones((2, 2), device="ascend:0")
print(json.dumps([said(one) for one in json.loads(sys.argv[1])]))
"""


def ran(program: str, cann: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    settings = ("ASNUMPY_DEVICE", "ASNUMPY_FALLBACK", "ASNUMPY_IMPLICIT_COPIES", "ASNUMPY_JIT")
    environment = {name: value for name, value in os.environ.items() if name not in settings}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], env=environment | {"ASNUMPY_CANN": cann}, capture_output=True,
        text=True, check=False, timeout=120,
    )


def test_all_are_tried() -> None:
    assert {*ERRORS, *WARNINGS, "missing_cann"} == set(HEADINGS)


def test_messages_end_with_their_heading() -> None:
    cases = [*ERRORS.items(), *WARNINGS.items()]
    done = ran(PROGRAM, "sim", json.dumps([expression for _, expression in cases]))
    assert done.returncode == 0, done.stderr
    for (what, expression), message in zip(cases, json.loads(done.stdout), strict=True):
        assert message.endswith(f"; see {HEADINGS[what]}"), f"{expression}: {message}"


def test_a_missing_cann_has_its_heading() -> None:
    done = ran("import asnumpy as ap\nap.ones(2, device='ascend:0')", "off")
    assert done.stderr.rstrip().endswith(f"; see {HEADINGS['missing_cann']}"), done.stderr
