"""A pytest plugin that gives SciPy's and scikit-learn's tests asnumpy as their array library, and runs only those.

Used by running.py: `SCIPY_ARRAY_API=1 pytest -p suites.libraries scipy/stats/tests/test_stats.py`. SciPy's table of
libraries and scikit-learn's are written out in their sources. Here asnumpy is the only row of both, under its own name:
what a test says of another library is not said of this one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

import asnumpy as ap

_NAME = ap.__name__


def _scipy() -> None:
    import scipy.conftest

    theirs: Any = scipy.conftest
    theirs.xp_known_backends.add(_NAME)
    rows = [pytest.param(ap, id=_NAME, marks=pytest.mark.array_api_backends)]
    theirs.xp = pytest.fixture(params=rows)(theirs.xp.__wrapped__)


def _sklearn() -> None:
    import sklearn.utils._array_api

    theirs: Any = sklearn.utils._array_api
    devices = [str(device) for device in ap.__array_namespace_info__().devices()]

    def combinations(include_numpy_namespaces: bool = True) -> Iterator[tuple[str, str, str]]:
        for device, dtype in itertools.product(devices, ("float64", "float32")):
            yield _NAME, device, dtype

    def mixed() -> Iterator[tuple[Any, Any, str]]:
        """What goes to another library or device in one call; not to array_api_strict, which adds no floats to ints."""
        here = [theirs.NamespaceAndDevice(_NAME, device) for device in devices]
        numpy = theirs.NamespaceAndDevice("numpy", None)
        strict = theirs.NamespaceAndDevice("array_api_strict", "device1")
        pairs = [(numpy, one) for one in here] + [(one, numpy) for one in here] + [(strict, one) for one in here]
        for other, one in pairs + list(itertools.permutations(here, 2)):
            yield other, one, " ".join(str(part) for part in (*other, "to", *one))

    theirs.yield_namespaces = lambda include_numpy_namespaces=True: iter([_NAME])
    theirs.yield_namespace_device_dtype_combinations = combinations
    theirs.yield_mixed_namespace_input_permutations = mixed


_scipy()
_sklearn()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if _NAME in getattr(getattr(item, "callspec", None), "id", "")]
