"""`python -m asnumpy cache`: its grammar and what it prints."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_SPANS = ((86400, "days"), (3600, "hours"), (60, "minutes"))


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line's grammar."""
    cache = commands.add_parser(
        "cache", help="show, check or remove what is kept on disk: machine code, compiled kernels",
        epilog="Exit status: 0 nothing is wrong; 1 something is, or could not be removed; 2 wrong use.",
    )
    cache.add_argument("action", nargs="?", choices=("show", "verify", "clear"), default="show",
                       help="show what there is (the default), verify that it is sound and loads, or remove it")
    cache.add_argument("--kind", action="append", metavar="KIND",
                       help="of this kind only: programs, operators, ascend, simulator or machines; may be repeated")
    cache.add_argument("--dry-run", action="store_true", help="clear: say what would be removed and leave it")
    cache.add_argument("--json", action="store_true", help="print all of it as JSON")


def run(options: argparse.Namespace) -> int:
    """Do it; return the exit status."""
    from asnumpy import stores

    kinds = options.kind or list(stores.KINDS)
    unknown = [kind for kind in kinds if kind not in stores.KINDS]
    if unknown or (options.dry_run and options.action != "clear"):
        kinds_told = f"unknown kind {unknown[0]!r}; there are {', '.join(stores.KINDS)}" if unknown else ""
        told = kinds_told or "--dry-run is of clear"
        print(f"asnumpy cache: {told}", file=sys.stderr)
        return 2
    if options.action == "verify":
        return _verify(kinds, options.json)
    if options.action == "clear":
        return _clear(kinds, options.dry_run, options.json)
    return _show(kinds, options.json)


def _show(kinds: Sequence[str], as_json: bool) -> int:
    from asnumpy import stores

    now = time.time()
    told: list[dict[str, Any]] = []
    everything = stores.entries(kinds)
    for kind in kinds:
        of_kind = [one for one in everything if one.kind == kind]
        told.append({
            "kind": kind, "what": stores.KINDS[kind], "number": len(of_kind),
            "bytes": sum(one.bytes for one in of_kind),
            "newest_seconds": round(now - of_kind[-1].used) if of_kind else None,
            "oldest_seconds": round(now - of_kind[0].used) if of_kind else None,
        })  # fmt: skip
    folders = [
        {"name": store.name, "folder": str(store.folder), "there": store.folder.is_dir(), "wrong": store.wrong,
         "most_files": store.most_files, "most_bytes": store.most_bytes}
        for store in stores.stores()
    ]  # fmt: skip
    if as_json:
        print(json.dumps({"kinds": told, "folders": folders}, indent=2))
        return 0
    for one in told:
        used = f"used {_span(one['newest_seconds'])} to {_span(one['oldest_seconds'])} ago" if one["number"] else ""
        print(f"{one['kind']:<10} {one['number']:>5} {_size(one['bytes']):>10}  {one['what']}{used and '; ' + used}")
    print()
    for one in folders:
        print(f"{one['folder']}: {_state(one)}")
    return 0


def _state(folder: dict[str, Any]) -> str:
    limits = f"at most {folder['most_files']} entries and {_size(folder['most_bytes'])}" if folder["most_files"] else ""
    state = "" if folder["there"] else "not there yet"
    if folder["wrong"]:
        state = f"is not used, since it {folder['wrong']}"
    return "; ".join(filter(None, (state, limits))) or "no limits"


def _verify(kinds: Sequence[str], as_json: bool) -> int:
    from asnumpy import stores

    checked, wrong = len(stores.entries(kinds)), stores.verify(kinds)
    if as_json:
        print(json.dumps({"checked": checked, "wrong": [[str(path), why] for path, why in wrong]}, indent=2))
    else:
        for path, why in wrong:
            print(f"{path}: {why}")
        print(f"{checked} entries: " + (f"{len(wrong)} problems; `python -m asnumpy cache clear` removes what is kept"
                                        if wrong else "nothing is wrong"))  # fmt: skip
    return 1 if wrong else 0


def _clear(kinds: Sequence[str], dry_run: bool, as_json: bool) -> int:
    from asnumpy import stores

    gone, left = stores.clear(kinds, dry_run)
    size = sum(one.bytes for one in gone)
    if as_json:
        told = {"removed": [str(one.path) for one in gone], "bytes": size, "dry_run": dry_run,
                "left": [[str(path), why] for path, why in left]}  # fmt: skip
        print(json.dumps(told, indent=2))
    else:
        print(f"{'would remove' if dry_run else 'removed'} {len(gone)} entries, {_size(size)}")
        for path, why in left:
            print(f"{path}: {why}", file=sys.stderr)
    return 1 if left else 0


def _size(number: int) -> str:
    return next((f"{number / unit:.1f} {name}" for unit, name in _UNITS if number >= unit), f"{number} bytes")


def _span(seconds: int) -> str:
    return next((f"{seconds // unit} {name}" for unit, name in _SPANS if seconds >= 2 * unit), f"{max(seconds, 0)} s")
