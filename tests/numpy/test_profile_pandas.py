"""A profile warns where pandas decides by an array's class, and of nothing else."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import asnumpy as ap
from asnumpy.profiles import PandasWarning

FRAME = pd.DataFrame({"x": np.arange(10.0), "y": np.arange(10.0) * 2})


def decided() -> dict[str, Any]:
    return {"numbers": lambda mask: pd.Series([mask[0], mask[1]]).dtype}


@pytest.mark.parametrize("what", decided())
def test_pandas_decides_by_class(what: str) -> None:
    take, host = decided()[what], np.arange(10) > 2
    mask = ap.asarray(host)
    expected, without = take(host), take(mask)
    assert not same(without, expected)  # else there is nothing to warn of
    with ap.profile() as p, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        within = take(mask)
    assert same(within, without)
    assert [one.filename for one in told if one.category is PandasWarning] == [__file__]
    found = p.to_dict("pandas")
    assert len(found["lines"]) == 1 and found["lines"][0].startswith(f"{__file__}:") and found["count"] == [1]
    assert "pandas did otherwise" in str(p) and "pandas did otherwise" in p.html()
    with ap.profile() as p, warnings.catch_warnings():
        warnings.simplefilter("error", PandasWarning)
        assert same(take(host), expected) and same(take(ap.to_numpy(mask)), expected)
    assert p.to_dict("pandas")["lines"] == []


def same(one: Any, other: Any) -> bool:
    equal = getattr(one, "equals", None)
    return bool(equal(other)) if equal else one == other


@pytest.mark.parametrize(
    "take",
    [
        lambda mask: FRAME.x.where(mask), lambda mask: FRAME.x * mask, lambda mask: FRAME.x.isin(mask),
        lambda mask: FRAME.iloc[mask], lambda mask: FRAME.iloc[mask, 0], lambda mask: FRAME.index[mask],
    ],
)
def test_what_pandas_takes_is_not_warned_of(take: Any) -> None:
    host = np.arange(10) > 2
    with ap.profile() as p, warnings.catch_warnings():
        warnings.simplefilter("error", PandasWarning)
        assert same(take(ap.asarray(host)), take(host))
    assert p.to_dict("pandas")["lines"] == []


def test_pandas_gets_its_methods_back() -> None:
    def methods() -> list[Any]:
        kinds = (type(FRAME.iloc), pd.RangeIndex, pd.Series)
        return [{name: vars(kind).get(name) for name in ("__getitem__", "__init__")} for kind in kinds]

    before = methods()
    with pytest.raises(KeyError), ap.profile():
        assert methods() != before
        raise KeyError
    assert methods() == before
