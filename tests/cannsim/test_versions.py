"""One version of CANN at a time: its dtypes, its name, and uses about which CANN's own words differ."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import FILE, dtype_of, facts, parameters

OLD, NEW = "8.1", "9.0"


def output(version: str, source: str) -> str:
    """What the program prints under that version, with `acl` imported."""
    program = "from cannsim import acl\nimport numpy as np\nacl.start()\n" + textwrap.dedent(source)
    environment = {**os.environ, "CANNSIM_CANN": version, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_every_known_version() -> None:
    source = """
        import ctypes
        version = ctypes.create_string_buffer(1024)
        assert acl.rt.aclsysGetCANNVersion(0, version) == 0
        print(version.value.decode())
    """
    for version in facts()["_meta"]["versions"]:
        assert output(version, source).startswith(version + ".")


def test_an_unknown_one_is_told() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "from cannsim import acl"], capture_output=True, text=True, check=False,
        env={**os.environ, "CANNSIM_CANN": "7.1", "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert "CANNSIM_CANN=7.1 makes no sense" in run.stderr


@pytest.mark.parametrize("version", [OLD, "8.0", "8.3", NEW])
def test_later_dtypes(version: str) -> None:
    """All of the unary operators with one input and one output of the same dtypes."""
    letters = facts()["_meta"]["letters"]
    cases = []
    for name, params in facts().items():
        if name.startswith("_") or len(params) != 2 or params[0]["type"] != "aclTensor*" or "later" not in params[0]:
            continue
        cases += [(name, letters[one]) for one in params[0]["later"] if one not in "cEFD"][:2]
    assert len(cases) > 5
    source = f"""
        for name, dtype in {cases!r}:
            try:
                acl.plan(name, acl.Tensor(np.ones((2, 3), dtype)), None)
            except acl.AclError as refused:
                print(refused.code, refused.text)
    """
    lines = output(version, source).splitlines()
    assert len(lines) == len(cases)
    for (_, dtype), line in zip(cases, lines, strict=True):
        # Without an output it is refused in any case: for the dtype, or for what is missing.
        assert line.startswith("161002" if version != NEW else "161001"), line
        assert version == NEW or f"got {dtype} in CANN {version}" in line


def test_what_an_older_one_lacks_is_not_found() -> None:
    runtime = json.loads(FILE.with_name("runtime.json").read_text())
    later = [(name, one["lib"]) for name, one in runtime.items() if not name.startswith("_") and "newer" in one]
    names = [name for name, library in later if library == "libascendcl.so"]
    names += [name + phase for name in facts()["_later"] for phase in ("GetWorkspaceSize", "")]
    assert len(names) > 200
    kept = ["aclrtMalloc", "aclCreateTensor", "aclnnAdd", "aclnnAddGetWorkspaceSize", "aclrtStreamQuery"]
    source = f"""
        libraries = (acl.rt, acl.nn, acl.sim)
        print(sum(hasattr(library, name) for library in libraries for name in {names!r}))
        print(all(hasattr(acl.nn, name) for name in {kept!r}))
    """
    assert output(OLD, source).split() == ["0", "True"]
    assert output("8.5", source).split() == ["0", "True"]
    assert output(NEW, source).split() == [str(3 * len(names)), "True"]


def test_contested_uses_are_reported() -> None:
    acl.sim.cannsim_report_json.restype = acl.ctypes.c_char_p
    (self, _, out) = parameters("aclnnLeakyRelu")
    assert "d" in self["sources"] and "d" in out["headers"]
    acl.sim.cannsim_clear()
    slope = acl.Scalar(0.5, np.float64)
    got = acl.result("aclnnLeakyRelu", np.array([-2.0, 3.0]), slope, ..., out=np.zeros(2))
    slope.destroy()
    np.testing.assert_array_equal(got, [-1.0, 3.0])
    report: dict[str, Any] = json.loads(acl.sim.cannsim_report_json())
    assert report["contested"] == [
        {"name": "aclnnLeakyRelu", "parameter": name, "dtype": "float64", "count": 1} for name in ("out", "self")
    ]
    assert report["cann"] == NEW


def test_every_disagreement_is_about_dtypes_there_are() -> None:
    names = facts()["_meta"]["letters"]
    kinds = {"later": 0, "headers": 0, "sources": 0, "doubted": 0}
    for name, params in facts().items():
        if name.startswith("_"):
            continue
        for one in params:
            for kind in kinds.keys() & one.keys():
                kinds[kind] += 1
                inside = set(one[kind]) <= set(one["dtypes"])
                assert inside if kind in ("later", "doubted") else not set(one[kind]) & set(one["dtypes"])
                assert all(dtype_of(names[letter]) is not None for letter in one[kind] if letter != "c")
    assert all(kinds.values())
