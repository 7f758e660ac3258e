"""Checks a device and prints what was found, as JSON: run by `python -m asnumpy health` in a process of its own."""

from __future__ import annotations

import json
import sys

from asnumpy.cann._health import health

if __name__ == "__main__":
    print("\n" + json.dumps(health(sys.argv[1]).as_dict()))
