"""hdbscan takes Numbers for the sizes of clusters: it asks for NumPy's integers."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change

_clusters: Any = importlib.import_module("hdbscan.hdbscan_")
change("hdbscan", _clusters, ["hdbscan"], taking_numpys)
