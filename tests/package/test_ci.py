"""Continuous integration's steps: one that fails, is stopped or finds no time left fails the run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parents[2] / ".ci"

pytestmark = pytest.mark.skipif(not CI.exists(), reason="an installed source without .ci")


def run(script: str, limit: int = 60) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-uo", "pipefail", "-c", f"source {CI / 'steps.sh'}\n{script}"], capture_output=True, text=True,
        env={"PATH": "/usr/bin:/bin", "CI_LIMIT": str(limit)}, check=False, timeout=50,
    )
    return done.returncode, done.stdout + done.stderr


def test_all_passed() -> None:
    status, said = run("step one 5 true; step 'the second' 5 echo 'a b'; summary")
    assert status == 0
    assert "a b\n" in said
    assert re.findall(r"\d+ s  passed +(.+)", said) == ["one", "the second"]
    assert said.rstrip().endswith("every step passed") and "NOT" not in said


def test_lanes_run_side_by_side() -> None:
    """Each waits for what only the other one does; what the second one prints is whole."""
    status, said = run("""
meeting=$(mktemp -d)
met() { touch "$meeting/$1"; until [ -e "$meeting/$2" ]; do sleep 0.1; done; echo "$1 met $2"; }
export -f met; export meeting
first() { step one 20 bash -c 'met a b'; step two 20 echo 'said two'; }
second() { step three 20 bash -c 'met b a'; step four 20 echo 'said four'; }
lanes first second
step five 5 true
summary
""")
    assert status == 0, said
    assert sorted(re.findall(r"\d+ s  passed +(.+)", said)) == ["five", "four", "one", "three", "two"]
    assert said.index("b met a") < said.index("said four") < said.index("== five")
    assert said.index("a met b") < said.index("said two")


def test_a_row_that_is_free_takes_the_next() -> None:
    """The first one ends when the last one has, so that the other row has all the others; each is done once."""
    status, said = run("""
meeting=$(mktemp -d); export meeting
first() { step one 20 bash -c 'until [ -e "$meeting/last" ]; do sleep 0.1; done'; }
second() { step two 20 bash -c 'echo >> "$meeting/second"'; }
last() { step three 20 bash -c 'touch "$meeting/last"'; }
lanes first second last
step lines 5 bash -c 'wc -l < "$meeting/second"'
summary
""")
    assert status == 0, said
    assert sorted(re.findall(r"\d+ s  passed +(.+)", said)) == ["lines", "one", "three", "two"]
    assert re.search(r"^1$", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("script", "limit", "expected"),
    [
        ("step one 5 false; step two 5 true", 60, "failed with 1"),
        ("step one 1 sleep 20; step two 5 true", 60, "stopped after 1 s"),
        ("step one 5 sleep 2; step two 5 true", 1, "stopped after 1 s"),
        ("step one 9 bash -c 'sleep 2'; step two 5 true", 2, "left out: the time was over"),
        ("step one 5 no-such-command", 60, "failed with 127"),
        ("a() { step one 5 true; }; b() { step two 5 false; step three 5 true; }; lanes a b", 60, "failed with 1"),
        ("a() { step one 1 sleep 20; }; b() { step two 5 true; }; lanes a b", 60, "stopped after 1 s"),
        ("", 60, "NOT every step passed"),
    ],
)
def test_whatever_did_not_finish_fails_the_run(script: str, limit: int, expected: str) -> None:
    status, said = run(f"{script}\nsummary", limit)
    assert status == 1
    assert expected in said
    assert "NOT every step passed" in said


def test_the_script_ends_with_the_summary() -> None:
    lines = [line for line in (CI / "run").read_text().splitlines() if line]
    assert lines[-1] == "summary"
    assert "set -e" not in lines
