"""soundfile's files write samples of ours and are read into arrays of ours, also on an NPU.

By itself it reads and writes what lies at an array's address, which is a device's where the array is.
"""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import giving_ours, taking_numpys
from asnumpy.interop.arrivals import change_methods

_file: Any = importlib.import_module("soundfile").SoundFile
change_methods(_file, ["read"], giving_ours)
change_methods(_file, ["write"], taking_numpys)
