"""What this machine offers asnumpy: what was looked for, what was found, and what to do about what is missing."""

from __future__ import annotations

import grp
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from asnumpy.runtime import cann_search, machine
from asnumpy.runtime.apart import told_apart

VERIFIED = "the Ascend backend is verified on the simulator, not yet on hardware"
VARIABLES = (
    "ASNUMPY_CANN", "ASNUMPY_DEVICE", "ASNUMPY_CANNSIM_LIB", "ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME",
    "ASCEND_OPP_PATH", "ASCEND_RT_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
)
PROBE_SECONDS = 120
# Beside a device's own file these must be open to the user.
SHARED_NODES = ("davinci_manager", "devmm_svm", "hisi_hdc")
DRIVER = "usr/local/Ascend/driver"


@dataclass(frozen=True)
class Problem:
    """Something that is missing or wrong, and what to do about it."""

    what: str
    remedy: str


def probe() -> tuple[dict[str, Any], Problem | None]:
    """What loading CANN gives, found out in a process of its own: a broken CANN may end the one that loads it."""
    empty: dict[str, Any] = {
        "asked": os.environ.get("ASNUMPY_CANN", ""), "tried": [], "folder": "", "loaded": False, "simulated": False,
        "version": "", "facts": "", "chip": "", "devices": 0, "missing": [], "absent": [], "failure": "not known",
        "libraries": [],
        "operator_files": "", "doubts": [], "properties": [], "operators": None,
    }
    try:
        report, ended = told_apart("asnumpy.cann._probe", seconds=PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        return empty, Problem(
            f"starting CANN took more than {PROBE_SECONDS} s",
            "look at `npu-smi info`; a device may hang and need a reset",
        )
    if ended:
        return empty, Problem(
            f"a process that loads CANN {ended}",
            "reinstall driver, toolkit and kernels of one version; ASNUMPY_CANN=off keeps asnumpy away from CANN",
        )
    return report, None


def device_nodes(root: Path) -> list[dict[str, Any]]:
    """The files through which the driver offers its devices, whether this user may open them, and whose they are."""
    folder = root / "dev"
    numbered = sorted(path for path in folder.glob("davinci*") if path.name.removeprefix("davinci").isdigit())
    found = []
    for path in [*numbered, *(folder / name for name in SHARED_NODES)]:
        if not path.exists():
            continue
        number = path.stat().st_gid
        try:
            group = grp.getgrgid(number).gr_name
        except KeyError:
            group = str(number)
        found.append({"path": str(path), "usable": os.access(path, os.R_OK | os.W_OK), "group": group})
    return found


def version_in(path: Path) -> str | None:
    """The version that an installation's text file gives; None where there is no such file or no version in it."""
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, value = line.partition("=")
        if name.strip().lower() == "version" and value.strip():
            return value.strip()
    return None


def driver(root: Path) -> str | None:
    """The driver's version; None where none is installed."""
    return version_in(root / DRIVER / "version.info")


def kernels(home: str | None) -> list[str] | None:
    """The chips for which a toolkit has compiled operators; None where it has no folder for them."""
    if not home:
        return None
    folder = Path(home) / "opp" / "built-in" / "op_impl" / "ai_core" / "tbe" / "kernel"
    return sorted(path.name for path in folder.glob("ascend*")) if folder.is_dir() else None


def in_part(tried: list[tuple[str, str]]) -> str | None:
    """What the loader said of a place that has CANN's first library and cannot be used; None where none has it."""
    absent = ("opened", "does not exist", "has no", "not looked for", "libascendcl.so: cannot open")
    return next((f"{place}: {outcome}" for place, outcome in tried if not outcome.startswith(absent)), None)


def problems(report: dict[str, Any]) -> Iterator[Problem]:
    """What is wrong, from a report without its problems."""
    cann, nodes, environment = report["cann"], report["device_nodes"], report["environment"]
    numbered = [node for node in nodes if node["path"].rpartition("davinci")[2].isdigit()]
    closed = [node for node in nodes if not node["usable"]]
    wanted = bool(cann["asked"]) and cann["asked"] != "off"
    part = in_part(cann["tried"])
    if closed and not cann["simulated"]:
        groups = ", ".join(dict.fromkeys(node["group"] for node in closed))
        yield Problem(
            f"no permission on {', '.join(node['path'] for node in closed)}",
            f"add this user to the group ({groups}): sudo usermod -aG {groups.split(', ')[0]} $USER, and log in again; "
            "in a container, start it as a user of that group",
        )
    if cann["failure"] and cann["asked"] != "off":
        if cann["missing"]:
            yield Problem(
                f"the CANN in {cann['folder'] or 'the loader path'} lacks {', '.join(cann['missing'][:6])}",
                "install CANN 8.0 or newer, with driver, toolkit and kernels of one version",
            )
        elif part and not cann["loaded"]:
            yield Problem(
                f"CANN is installed in part: {part}",
                "install the whole toolkit (Ascend-cann-toolkit) and the chip's kernels, and source its set_env.sh",
            )
        elif cann["loaded"] and not cann["devices"]:
            present = {Path(node["path"]).name for node in nodes}
            missing = [name for name in ("davinci0", *SHARED_NODES) if name not in present]
            remedy = "look at `npu-smi info`"
            if not numbered:
                remedy = (
                    "install the driver; in a container pass " + " ".join(f"--device=/dev/{name}" for name in missing)
                    + " and mount /usr/local/Ascend/driver"
                )
            elif environment["ASCEND_RT_VISIBLE_DEVICES"] is not None:
                remedy = "ASCEND_RT_VISIBLE_DEVICES hides devices: unset it, or name those that exist"
            yield Problem(f"CANN sees no device: {cann['failure']}", remedy + "; ASNUMPY_CANN=sim takes the simulator")
        elif wanted:
            remedy = "let ASNUMPY_CANN name a toolkit's folder (the one with lib64), or unset it"
            if cann["asked"] == "sim":
                remedy = "install a build with the simulator (Linux), or let ASNUMPY_CANNSIM_LIB name its folder"
            yield Problem(f"ASNUMPY_CANN={cann['asked']}: nothing was found there", remedy)
        elif numbered:
            yield Problem(
                f"there are devices ({', '.join(node['path'] for node in numbered)}) and no CANN",
                "install the toolkit and the kernels, and source set_env.sh; or let ASNUMPY_CANN name the toolkit",
            )
    if numbered and report["driver"] is None and not cann["simulated"]:
        yield Problem(
            "there are devices and no driver's version file", f"install the driver below /{DRIVER}, or mount it"
        )
    if cann["devices"] and not cann["simulated"]:
        for doubt in cann["doubts"]:
            what, _, remedy = doubt.partition("; ")
            yield Problem(what, remedy)
        if not environment["ASCEND_OPP_PATH"] and not cann["doubts"]:
            yield Problem("ASCEND_OPP_PATH is not set: CANN may not find its operators", "source CANN's set_env.sh")
        if report["kernels"] == []:
            yield Problem("the toolkit has no compiled operators", "install Ascend-cann-kernels for the chip")
    lacking = (cann["operators"] or {}).get("lacking", [])
    if lacking:
        yield Problem(
            f"this CANN lacks {len(lacking)} of {cann['operators']['documented']} operators: {', '.join(lacking[:5])}"
            + (", ..." if len(lacking) > 5 else ""),
            "what needs them runs in another way or on the host; a newer CANN has more",
        )
    device = environment["ASNUMPY_DEVICE"]
    if device and device != "cpu":
        kind, _, number = device.partition(":")
        if kind != "ascend" or not (number or "0").isdigit():
            yield Problem(f"ASNUMPY_DEVICE={device} names no device", "set it to cpu, ascend or ascend:N")
        elif int(number or 0) >= cann["devices"]:
            yield Problem(
                f"ASNUMPY_DEVICE={device}, but CANN sees {cann['devices']} devices", "set it to one of them or to cpu"
            )


def diagnose(root: Path = Path("/")) -> dict[str, Any]:
    """The whole report: versions, what was looked for, what was found, devices, problems."""
    cann, broken = probe()
    environment = {name: os.environ.get(name) for name in VARIABLES}
    report: dict[str, Any] = {
        "asnumpy": sys.modules["asnumpy"].__version__, "numpy": np.__version__,
        "python": f"{platform.python_version()} on {sys.platform} {platform.machine()}",
        "environment": environment, "cann": cann, "driver": driver(root), "device_nodes": device_nodes(root),
        "kernels": kernels(environment["ASCEND_HOME_PATH"] or environment["ASCEND_TOOLKIT_HOME"]),
        "devices": cann.pop("properties"), "verified": VERIFIED,
    }
    checked = machine.read(machine.path_of(cann["chip"], cann["version"], cann["simulated"]))
    report["checked"] = machine.summary(checked)
    found = [broken] if broken else []
    if broken:
        os.environ["ASNUMPY_CANN"] = "off"  # the rest of this process must not load it either
    report["problems"] = [asdict(problem) for problem in [*found, *problems(report)]]
    return report


def gigabytes(count: int) -> str:
    """Bytes as text."""
    return f"{count / 2**30:.1f} GiB"


def checked_in_words(checked: dict[str, Any] | None) -> str:
    """Whether the machine has been checked, when, and what came of it."""
    if checked is None:
        return "not yet with these versions; run `python -m asnumpy check`"
    form = "in the quick form" if checked["quick"] else "in full"
    form += "" if checked["complete"] else ", some steps only"
    failed = f"failed: {', '.join(checked['failed'])}" if checked["failed"] else "nothing failed"
    return f"{checked['when']}, {form}, with this asnumpy, chip and CANN: {failed}; graphs: {checked['graphs']}"


def lines(report: dict[str, Any]) -> Iterator[str]:
    """The report as text, what matters most at the end."""
    cann = report["cann"]
    yield f"asnumpy {report['asnumpy']}, NumPy {report['numpy']}, Python {report['python']}"
    yield ""
    yield "Looked for"
    for name, value in report["environment"].items():
        yield f"  {name:<26} {'not set' if value is None else value}"
    for place, outcome in cann["tried"]:
        yield f"  {place}: {outcome}"
    yield ""
    yield "Found"
    label = " (the simulator: no hardware is used)" if cann["simulated"] else ""
    yield f"  CANN      {cann['version'] or ('none' if not cann['loaded'] else 'of an unknown version')}{label}"
    if cann["loaded"]:
        if cann["facts"]:
            yield f"            facts in use: {cann['facts']}"
        for path, outcome in cann["libraries"]:
            yield f"            {path}" + f": {outcome}" * (outcome != "opened")
        if cann["operator_files"]:
            yield f"            operators' files: {cann['operator_files']}"
        if cann["operators"]:
            count = cann["operators"]
            yield f"            operators: {count['documented'] - len(count['lacking'])} of {count['documented']}"
        if cann["absent"]:
            yield f"            functions of other versions, done without: {', '.join(cann['absent'])}"
    yield f"  driver    {report['driver'] or 'none'}"
    for node in report["device_nodes"]:
        yield f"            {node['path']}: {'usable' if node['usable'] else 'no permission'} (group {node['group']})"
    if report["kernels"] is not None:
        yield f"  kernels   for {', '.join(report['kernels']) or 'no chip'}"
    yield ""
    yield "Devices"
    yield "  cpu"
    for one in report["devices"]:
        memory = f"{gigabytes(one['memory_free'])} of {gigabytes(one['memory_total'])} free"
        cores = f", {one['cube_cores']} cube and {one['vector_cores']} vector cores" if one["cube_cores"] else ""
        yield f"  {one['device']}  {one['chip']}, {memory}{cores}" + (" (simulated)" if one["simulated"] else "")
    yield ""
    yield f"Verified: {report['verified']}."
    if report["devices"]:
        yield f"Checked: {checked_in_words(report['checked'])}."
    for problem in report["problems"]:
        yield ""
        yield f"Problem: {problem['what']}"
        yield f"  To do: {problem['remedy']}"
    if not report["problems"]:
        yield "" if report["devices"] else (
            "No Ascend device: arrays live on the CPU. ASNUMPY_CANN=sim takes the simulator; with an NPU, install "
            "Ascend's driver, toolkit and kernels and source set_env.sh."
        )


def summary() -> dict[str, str]:
    """What `show_config` says of the Ascend backend, in a few lines."""
    found = cann_search.search()
    where = " (the simulator)" if found.simulated else ""
    text = f"CANN {found.version}{where}, devices: {found.devices} x {found.chip}" if not found.failure else "none"
    if found.failure:
        text += f" ({found.failure.splitlines()[0].partition(';')[0]}); `python -m asnumpy info` says more"
    return {"ascend": text, "verified": VERIFIED}
