"""LightGBM's datasets and boosters take arrays and Numbers of ours, and predictions of ours are ours.

Labels and weights had to be of NumPy's class, and rows that were not became a sparse matrix.
"""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import giving_ours, taking_numpys
from asnumpy.interop.arrivals import change, change_methods

_basic: Any = importlib.import_module("lightgbm.basic")
change_methods(_basic.Dataset, [
    "__init__", "create_valid", "set_field", "set_group", "set_init_score", "set_label", "set_position", "set_weight",
    "subset",
], taking_numpys)  # fmt: skip
change_methods(_basic.Booster, ["predict"], giving_ours)
change_methods(_basic.Booster, ["refit"], taking_numpys)
# Gradients of an objective of the user's.
change("lightgbm", _basic, ["_list_to_1d_numpy", "_data_to_2d_numpy"], taking_numpys)
