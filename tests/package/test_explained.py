"""What users meet most often ends with the heading of the documentation that explains it."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import website

TEXT = (website.ROOT / "core/base/documentation.hpp").read_text()
HEADINGS = dict(re.findall(r'case Explained::(\w+): return "([^"]*)";', TEXT))
BEGIN = "import warnings\nimport numpy as np\nimport asnumpy as ap\nx = ap.ones((2, 2), device='ascend:0')\n"
# By what they explain: a program on the simulator that ends with an exception or a warning as one.
PROGRAMS = {
    "host_work": BEGIN + "ap.config.fallback = 'error'\nx @ x\n",
    "host_work, as a warning": BEGIN + "warnings.simplefilter('error')\n(x @ x).tolist()\n",
    "implicit_copy": BEGIN + "ap.config.implicit_copies = 'error'\nnp.asarray(x)\n",
    "implicit_copy, as a warning": (
        BEGIN + "warnings.simplefilter('error')\nnp.asarray(ap.ones(1 << 20, device='ascend:0'))\n"
    ),
    "traced_value": BEGIN + "ap.jit(lambda a: -a if a.max() > 0 else a)(x)\n",
    "refused_operator": (
        BEGIN + "from asnumpy import cannsim\nwarnings.simplefilter('error')\n"
        "cannsim.refuse('aclnnExp', code=561103)\nap.exp(x.astype('float32')).tolist()\n"
    ),
    "missing_cann": BEGIN,
}


def test_each_has_a_program() -> None:
    assert {name.partition(",")[0] for name in PROGRAMS} == set(HEADINGS) and HEADINGS


@pytest.mark.parametrize("name", PROGRAMS)
def test_message_ends_with_its_heading(name: str) -> None:
    environment = {**os.environ, "ASNUMPY_CANN": "off" if name == "missing_cann" else "sim"}
    for setting in ("ASNUMPY_DEVICE", "ASNUMPY_FALLBACK", "ASNUMPY_IMPLICIT_COPIES", "ASNUMPY_JIT"):
        environment.pop(setting, None)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAMS[name]], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.rstrip().endswith(f"; see {HEADINGS[name.partition(',')[0]]}"), done.stderr
