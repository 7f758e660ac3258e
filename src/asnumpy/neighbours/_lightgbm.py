"""LightGBM's datasets and boosters take arrays and Numbers of ours, and predictions of ours are ours.

Labels and weights had to be of NumPy's class, and rows that were not became a sparse matrix.
"""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import giving_ours, taking_numpys

_basic: Any = importlib.import_module("lightgbm.basic")
for _name in (
    "__init__", "create_valid", "set_field", "set_group", "set_init_score", "set_label", "set_position", "set_weight",
    "subset",
):
    setattr(_basic.Dataset, _name, taking_numpys(getattr(_basic.Dataset, _name)))
_basic.Booster.predict = giving_ours(_basic.Booster.predict)
_basic.Booster.refit = taking_numpys(_basic.Booster.refit)
_basic._list_to_1d_numpy = taking_numpys(_basic._list_to_1d_numpy)  # gradients of an objective of the user's
_basic._data_to_2d_numpy = taking_numpys(_basic._data_to_2d_numpy)
