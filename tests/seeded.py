"""Random numbers for tests: the same in every run, so that a change answers for what it breaks and nothing else."""

from __future__ import annotations

import os

import numpy as np


def generator() -> np.random.Generator:
    """A generator in its first state; in the long form (ASNUMPY_THOROUGH=1) one that no run had before."""
    return np.random.default_rng(None if os.environ.get("ASNUMPY_THOROUGH") else 20250)
