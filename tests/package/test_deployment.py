"""The deployment folder: its files are well formed, agree with the program that they start, and their commands run."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from device_marks import needs_built_simulator

from asnumpy import __main__ as program

FOLDER = Path(__file__).resolve().parents[2] / "deploy"
SIMULATED = {"ASNUMPY_CANN": "sim"}
pytestmark = needs_built_simulator


def run(arguments: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    """A command of the files, with this Python in the place of theirs."""
    assert Path(arguments[0]).name == "python", arguments
    return subprocess.run(
        [sys.executable, *arguments[1:]], capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, **SIMULATED, **variables},
    )


def serving(arguments: list[str]) -> Any:
    """What the program's own grammar makes of a command that serves."""
    assert arguments[1:3] == ["-m", "asnumpy"], arguments
    options = program.parser().parse_args(arguments[3:])
    assert options.command == "health" and options.serve == 8086
    return options


def test_the_image() -> None:
    text = re.sub(r"\\\n", " ", (FOLDER / "Dockerfile").read_text())
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert {word for word, _ in lines} <= {
        "ARG", "FROM", "RUN", "COPY", "USER", "WORKDIR", "ENV", "EXPOSE", "HEALTHCHECK", "CMD"
    }
    words = dict(lines)
    check = json.loads(words["HEALTHCHECK"].partition("CMD ")[2])
    done = run(check)
    assert done.returncode == 0 and "ascend:0 (simulated): works" in done.stdout, done.stderr
    assert run(check, CANNSIM_DEVICES="0").returncode == 1
    options = serving(json.loads(words["CMD"]))
    assert options.address == "0.0.0.0" and words["EXPOSE"] == str(options.serve)
    for script in (rest for word, rest in lines if word == "RUN"):
        assert subprocess.run(["sh", "-n", "-c", script], check=False).returncode == 0, script


def test_the_unit() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(FOLDER / "asnumpy-health.service")
    assert unit.sections() == ["Unit", "Service", "Install"]
    assert run(shlex.split(unit["Service"]["ExecStartPre"])).returncode == 0
    serving(shlex.split(unit["Service"]["ExecStart"]))
    if verify := shutil.which("systemd-analyze"):
        command = [verify, "verify", str(FOLDER / "asnumpy-health.service")]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
        assert all("not executable" in line for line in said.splitlines()), said


def test_the_pod() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML reads the manifest")
    deployment, service = yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text())
    pod = deployment["spec"]["template"]
    assert deployment["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"] == service["spec"]["selector"]
    (container,) = pod["spec"]["containers"]
    options = serving(container["args"])
    (port,) = container["ports"]
    assert port["containerPort"] == options.serve == service["spec"]["ports"][0]["port"]
    volumes = {one["name"] for one in pod["spec"]["volumes"]}
    assert {one["name"] for one in container["volumeMounts"]} == volumes
    limits, requests = container["resources"]["limits"], container["resources"]["requests"]
    assert limits["huawei.com/Ascend910"] == requests["huawei.com/Ascend910"] == 1 and limits.keys() == requests.keys()
    asked = {container[one]["httpGet"]["path"] for one in ("startupProbe", "readinessProbe", "livenessProbe")}
    assert asked == {"/healthz", "/livez"} and container["readinessProbe"]["timeoutSeconds"] > options.timeout


def test_what_the_probes_get(tmp_path: Path) -> None:
    """The served paths, on a device that works and, with the next process, on none."""
    for devices, status in (("1", 200), ("0", 503)):
        server = subprocess.Popen(
            [sys.executable, "-m", "asnumpy", "health", "--serve", "0"], stdout=subprocess.PIPE, text=True,
            env={**os.environ, **SIMULATED, "CANNSIM_DEVICES": devices},
        )
        try:
            assert server.stdout is not None
            url = re.findall(r"http://[\d.]+:\d+", server.stdout.readline())[0]
            try:
                with urllib.request.urlopen(f"{url}/healthz", timeout=60) as answer:
                    code, report = answer.status, json.load(answer)
            except urllib.error.HTTPError as error:
                code, report = error.code, json.load(error)
            assert code == status and report["ok"] == (status == 200), report
            assert urllib.request.urlopen(f"{url}/livez", timeout=60).read() == b"alive\n"
            text = urllib.request.urlopen(f"{url}/metrics", timeout=60).read().decode()
            assert ("asnumpy_cann_calls_total{operator=\"aclnnMul\"" in text) == (status == 200)
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"{url}/else", timeout=60)
        finally:
            server.terminate()
            server.wait(30)
