"""The library's operators by the simulator's clock: kernels beside the composed forms, on one modelled NPU.

    ASNUMPY_CANN=sim python benches/library.py [--only softmax,sobel] [--write]

Nothing here ran on hardware. Each is called twice, and the second call is timed by the model, with launches and the
wait; results are compared first. What the host computes of a composed form (NumPy's own function) has no modelled time
and is marked. `--write` rewrites docs/operator-library.md.
"""

from __future__ import annotations

import argparse
import inspect
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("ASNUMPY_CANN", "sim")

import numpy as np

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.operators import Operator, library

PAGE = Path(__file__).resolve().parents[1] / "docs" / "operator-library.md"
MILLION = 1 << 20


@dataclass
class Row:
    """One operator: what it was given, and the microseconds of both forms; `left` where the host computed a part."""

    operator: Operator
    given: str
    kernel: float
    composed: float
    left: bool


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(0.1, 0.9, shape).astype(np.float32)


def integers(most: int, dtype: type, *shape: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, most, shape, dtype=dtype)


def inputs() -> dict[str, tuple[list[np.ndarray], dict[str, Any]]]:
    """What each operator is timed with; those that are not here take one tensor of a million float32."""
    image, rows = floats(1024, 1024), floats(2048, 1024)
    gain = floats(1024)
    angles = floats(2048, 64)
    complexes = (floats(MILLION) + 1j * floats(MILLION)).astype(np.complex64)
    words = integers(1 << 32, np.uint32, MILLION)
    return {
        "complex_multiply": ([complexes, complexes], {}),
        "complex_divide": ([complexes, complexes], {}),
        "complex_exp": ([complexes], {}),
        "complex_absolute": ([complexes], {}),
        "swiglu": ([floats(MILLION), floats(MILLION)], {}),
        "geglu": ([floats(MILLION), floats(MILLION)], {}),
        "bit_count": ([words.astype(np.uint64) << np.uint64(20)], {}),
        "bit_reverse": ([words], {}),
        "murmur_mix": ([words], {}),
        "pack_bits": ([integers(2, np.uint8, MILLION)], {}),
        "unpack_bits": ([integers(256, np.uint8, MILLION // 8)], {}),
        "softmax": ([rows], {"axes": (0,)}),
        "log_softmax": ([rows], {}),
        "logsumexp": ([rows], {}),
        "rms_norm": ([rows, gain], {}),
        "layer_norm": ([rows, gain, gain], {}),
        "moments": ([rows], {}),
        "rotary_embedding": ([floats(8, 2048, 128), angles, angles], {}),
        "rgb_to_hsv": ([floats(512, 512, 3)], {}),
        "hsv_to_rgb": ([floats(512, 512, 3)], {}),
        "double_threshold": ([image], {"low": 0.2, "high": 0.6}),
        "sobel": ([image], {}),
        "thin_edges": ([image, image - 0.5, image.T - 0.5], {}),
        "median_filter": ([image], {}),
        "separable_filter": ([image, floats(9)], {}),
        "resize_bilinear": ([image], {"height": 720, "width": 1280}),
        "long_sum": ([floats(MILLION)], {}),
        "linear_recurrence": ([floats(1024, 1024), floats(1024, 1024)], {}),
        "running_sum": ([words.astype(np.int64) << 20], {}),
        "sort_int64": ([words.reshape(256, 4096).astype(np.int64) << 20], {}),
        "basic_matmul": ([floats(2048, 1024), floats(1024, 1024), gain], {"activation": "gelu"}),
        "argsort_int64": ([words.reshape(256, 4096).astype(np.int64) << 20], {}),
        "search_int64": ([np.sort(words[:4096].astype(np.int64)), words.astype(np.int64)], {}),
        "top_k": ([words.reshape(256, 4096).astype(np.int64)], {"k": 50}),
        "histogram": ([floats(MILLION)], {"bins": 100, "low": 0.0, "high": 1.0}),
        "bin_count": ([integers(100, np.int32, MILLION)], {"bins": 100}),
        "fft_rows": ([complexes.reshape(4096, 256)], {}),
        "pairwise_distance": ([floats(1024, 32), floats(1024, 32)], {}),
        "gather_rows": ([floats(4096, 256), integers(4096, np.int32, 4096)], {}),
        "segment_sum": ([floats(16384, 64), np.sort(integers(256, np.int32, 16384))], {"segments": 256}),
        "one_hot": ([integers(1000, np.int32, 1024)], {"depth": 1000}),
    }


def longer() -> dict[str, list[tuple[list[np.ndarray], dict[str, Any]]]]:
    """A second line, for what a core does not hold at once."""
    words = integers(1 << 32, np.uint32, MILLION).astype(np.int64) << 20
    return {
        "sort_int64": [([words.reshape(4, -1)], {})],
        "argsort_int64": [([words.reshape(4, -1)], {})],
        "search_int64": [([np.sort(words), words[:4096]], {})],
        "top_k": [([words], {"k": 50})],
        "fft_rows": [([(floats(16, 1 << 16) + 1j * floats(16, 1 << 16)).astype(np.complex64)], {})],
    }


def modelled(work: Callable[[], Any]) -> tuple[float, Any]:
    """Microseconds of the second call, and what it gave."""
    for _ in range(2):
        ap.synchronize()
        before = cannsim.modelled_seconds()
        made = work()
        ap.eval(*(made if isinstance(made, tuple) else (made,)))
        ap.synchronize()
    return (cannsim.modelled_seconds() - before) * 1e6, made


def measured(operator: Operator, arrays: list[np.ndarray], attributes: dict[str, Any]) -> Row:
    call = operator.bind(*[ap.array(one) for one in arrays], **attributes)
    by_kind = {one.kind: one for one in operator.implementations}
    kernel, made = modelled(lambda: by_kind["ascend"].run(call))
    ap.forget_fallbacks()
    composed, reference = modelled(lambda: by_kind["composed"].run(call))
    left = any(one["kind"] != "copy" for one in ap.fallbacks())
    for one, other in zip(*([x] if not isinstance(x, tuple) else x for x in (made, reference)), strict=True):
        got, expected = ap.asnumpy(one), ap.asnumpy(other)
        np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4, err_msg=operator.name)
    shapes = ", ".join(f"{one.dtype.name} {'x'.join(map(str, one.shape))}" for one in arrays[:2])
    return Row(operator, shapes, kernel, composed, left)


HEAD = """# The operator library

Operators of the project's own, for what CANN lacks or does in many calls. Each has a kernel in Ascend C for NPUs and
a composed form, Python over asnumpy, which runs everywhere and says what the result is.

```python
import asnumpy as ap
from asnumpy.operators import library

edges = library.double_threshold(ap.array([0.1, 0.5, 0.9], dtype=ap.float32), low=0.3, high=0.8)
edges.tolist()                                        # [0, 1, 2]
x = ap.ones((4, 3, 5), dtype=ap.float32)
library.softmax(x, axes=(0, 1)).shape                 # (4, 3, 5)
library.softmax(x, axes=(0,))[0, 0].tolist()          # [0.25, 0.25, 0.25, 0.25, 0.25]
```

They are operators like the user's own ([operators.md](operators.md)): `out=` is taken, `ap.operators.explain` says
what computes a call, a rule may send a call elsewhere. Arrays of an NPU go to the kernel, if dtypes and shapes are
those that it takes; otherwise, and where no compiler of kernels is found, the composed form runs there.
`library.gaussian_weights` makes weights for `separable_filter`. Rows and tables may have any length; in rows of more
than 4096 CANN's own sort is quicker by the model, and a rule sends them there:
`{operator: library.sort_int64, size: {at_least: 100000}, order: [composed]}`.

## NumPy's functions
On an NPU, NumPy's own functions go to these kernels by themselves where CANN's operators take longer by the
simulator's clock, or run on the AICPU or the host, and where the kernel is as exact as what it stands for:
`bitwise_count`, `divide` of complex64, `cumsum` of int64, `packbits`, `unpackbits`, `searchsorted` of int64 in tables
of up to 8192 and of up to 65536 numbers in longer ones, `sort` and `argsort` of int64 and uint64 in rows of up to 4096,
and every transform of `fft` that has a power of two or Bluestein's way in it.
[A table](ascend-coverage.md#kernels-of-the-library) says from how many elements on. What else NumPy's functions
take, `where=`, other axes, dtypes and classes, runs as it did.

`ap.operators.explain("sort", x)` says what computes a call, `ap.operators.runs()` what did. A launch computes what is
recorded and concerns its arrays; other recorded work stays recorded, and nothing waits.

A compiler takes seconds for a kernel. `ap.config.kernels` (`ASNUMPY_KERNELS`) says what happens until it has ended:
with "background", as it is, the first call starts it in a thread, and what ran before the kernel runs until that is
there; a program that ends earlier waits for the thread. With "wait", the first call waits; so it does where
`ap.config.deterministic` is set, because a kernel may round the last bit in another way. With "off" no kernel is used.
A rule of your own comes first: `{builtin: sort, device: ascend, order: [builtin]}` keeps `sort` as it was. Where no
compiler is (CANN 8 has none at run time), all runs as it did; `explain` says so.

Numbers are computed in float32, those of float16 too, which are rounded at the end. What an operator's docstring says
of its accuracy was measured on the simulator against SciPy in double precision. There the functions `lgamma`,
`digamma`, `erfc` and `exp` of Ascend C are exact to a rounding; on a device they are as exact as its own.

## The sources
`src/asnumpy/operators/library/kernels` has a file for each theme, compiled as a whole when the first of its kernels
is launched: `special`, `complex`, `bits`, `pixels`, `images`, `rows`, `sequences`, `sums`, `order`,
`places`, `transforms`, `products`. They share `tiles.h` (what a
core has of the work, copies of any length, vector code of a few instructions) and `elementwise.h` (a loop over tiles
with two buffers for each operand). To add one: a declaration with the composed form, the kernel, a case in
`tests/operators/test_library.py`, inputs in `benches/library.py`.

## Operators
**Nothing here ran on hardware**: the microseconds are those of the [simulator's clock](simulator.md#the-clock), a
model of a 910B, for a call that recurs, with launches and the wait. An asterisk marks a composed form of which the
host computes a part, whose time is not in it. Written by `ASNUMPY_CANN=sim python benches/library.py --write`.

| operator | what it is for | given | kernel us | composed us |
|---|---|---|---|---|
"""


def summary(operator: Operator) -> str:
    composed = next(one for one in operator.implementations if one.kind == "composed")
    return (inspect.getdoc(composed.function) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def page(rows: list[Row]) -> str:
    lines = [
        f"| `{row.operator.declaration}` | {summary(row.operator)} | {row.given} | {row.kernel:.0f} | "
        f"{row.composed:.0f}{'*' * row.left} |"
        for row in rows
    ]
    return HEAD + "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only operators whose name contains one of these texts (a,b,c)")
    parser.add_argument("--write", action="store_true", help="rewrite docs/operator-library.md")
    options = parser.parse_args()
    if options.write and options.only:
        parser.error("--write takes all operators")
    given, more, rows = inputs(), longer(), []
    with warnings.catch_warnings(), ap.config.using(fallback="count", implicit_copies="count", kernels="off"):
        warnings.simplefilter("ignore")
        for name in sorted(library.__all__):
            operator = getattr(library, name)
            if not isinstance(operator, Operator) or not any(part in name for part in options.only.split(",")):
                continue
            for arrays, attributes in [given.get(name, ([floats(MILLION)], {})), *more.get(name, [])]:
                row = measured(operator, arrays, attributes)
                rows.append(row)
                print(f"{name:20} {row.kernel:10.1f} {row.composed:10.1f}{'*' * row.left}  {row.given}", flush=True)
    if options.write:
        PAGE.write_text(page(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
