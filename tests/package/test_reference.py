"""The reference is what tools/reference.py writes, every function in it was measured, and docstrings say enough."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import asnumpy as ap
import reference


@pytest.fixture(scope="module")
def page() -> str:
    return reference.page()


def test_current(page: str) -> None:
    written = reference.PAGE.read_text()
    if not written.startswith(reference.head()):
        pytest.skip(f"the page was written with another NumPy than {np.__version__}, whose names differ")
    assert written == page, "run python tools/reference.py"


def test_every_function_was_measured(page: str) -> None:
    assert reference.unmeasured(page) == [], "add sample calls to tools/reference_calls.py"


@pytest.mark.parametrize(
    ("name", "runs"),
    [("exp", "fused"), ("sum", "fused"), ("matmul", "composed"), ("take", "composed"), ("transpose", "view"),
     ("sort", "composed"), ("result_type", "-"), ("nn.gelu", "fused"), ("linalg.svd", "host")],
)
def test_measurement(name: str, runs: str) -> None:
    """What is known of some functions: the measurement sees it."""
    value = ap
    for part in name.split("."):
        value = getattr(value, part)
    with ap.Device("cpu"):  # as the page is written
        assert reference.Measurement().where(name, value) == runs


def _own_functions() -> list[str]:
    names = [name for name in ap.__all__ if not hasattr(np, name)]
    names += [f"nn.{name}" for name in ap.nn.__all__] + [f"config.{name}" for name in ("using", "settings")]
    return [name for name in names if inspect.isfunction(inspect.unwrap(_value(name)))]


def _value(name: str) -> object:
    value = ap
    for part in name.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("name", _own_functions())
def test_own_functions_are_documented(name: str) -> None:
    """A docstring without NumPy's behind it names each parameter and says what comes back."""
    function = _value(name)
    text = inspect.getdoc(function) or ""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    if "Parameters: as for" not in text:
        for parameter in signature.parameters.values():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                assert parameter.name in text, f"{name} does not explain {parameter.name}"
    if signature.return_annotation not in ("None", "Iterator[None]"):
        assert "eturns" in text or " as a" in text, f"{name} does not say what it returns"


def _functions_of_numpy() -> list[str]:
    return [name for name in ap.__all__ if inspect.isfunction(inspect.unwrap(getattr(ap, name))) and hasattr(np, name)]


@pytest.mark.parametrize("name", _functions_of_numpy())
def test_functions_of_numpy_are_documented(name: str) -> None:
    """NumPy's text stands behind our own; an alias has that of the function."""
    own = getattr(ap, name)
    theirs = (getattr(np, own.__name__).__doc__ or "").split()[:25]  # SciPy shortens the end of some
    assert theirs and " ".join(theirs) in " ".join((own.__doc__ or "").split())
