"""Whether two views share memory: by their bounds, exactly, and as far as NumPy is allowed to look."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import agree
from hypothesis import given
from hypothesis import strategies as st

import asnumpy as ap
from asnumpy import _core

steps = st.integers(-5, 5).filter(bool)
slices = st.builds(slice, st.none() | st.integers(-9, 9), st.none() | st.integers(-9, 9), steps)


@given(st.tuples(slices, slices), st.tuples(slices, slices), st.sampled_from([None, 0, -1, 1, 100]))
def test_views_of_one_array(first: tuple[slice, ...], second: tuple[slice, ...], work: int | None) -> None:
    x = np.zeros((7, 8), "int16")
    for name in ("may_share_memory", "shares_memory"):
        agree(lambda xp, a, name=name: getattr(xp, name)(a[first], a[second], max_work=work), x)
    agree(lambda xp, a: xp.shares_memory(a[first].view("int8") if a[first].flags.c_contiguous else a, a[second]), x)


def test_other_arrays() -> None:
    x = ap.zeros((4, 6))
    shared = np.asarray(x.reshape(-1)[3:]) if x._host_visible else None
    assert ap.may_share_memory(x[:, 0], x[:, 1]) and not ap.shares_memory(x[:, 0], x[:, 1])
    assert not ap.may_share_memory(x, ap.zeros((4, 6)))
    assert not ap.may_share_memory(x, [1, 2])
    if shared is not None:
        assert ap.shares_memory(x, shared) and not ap.shares_memory(x[0, :3], shared)


def test_too_hard() -> None:
    a = ap.empty(2_000_000, "int8")
    one = ap.lib.stride_tricks.as_strided(a, (105, 105, 105), (3667, 6112, 8557))
    two = ap.lib.stride_tricks.as_strided(a[640_230:], (105, 105, 1), (1222, 1223, 1))
    with pytest.raises(np.exceptions.TooHardError):
        ap.shares_memory(one, two, max_work=10)
    assert ap.may_share_memory(one, two, max_work=10)


def test_what_numpys_functions_get_may_be_said_to_be_writeable_once_more() -> None:
    x = ap.asarray(np.arange(3.0), device="cpu")
    view, read = _core.to_numpy_view(x), _core.to_numpy_view(x, False)
    view.flags.writeable = True
    view.flags.writeable = False
    view.flags.writeable = True
    view[1] = 5
    assert x.tolist() == [0, 5, 2]
    with pytest.raises(ValueError, match="WRITEABLE"):
        read.flags.writeable = True
