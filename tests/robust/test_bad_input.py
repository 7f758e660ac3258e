"""Bad input raises NumPy's exception at the call, with a text that says what was wrong, and changes nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from agreement import assert_same_error

import asnumpy as ap

Call = Callable[[Any, Any], object]


@pytest.fixture(autouse=True, params=["recorded", "at once when small", "eager"])
def recording(request: pytest.FixtureRequest) -> Iterator[None]:
    with ap.config.using(eager=request.param == "eager", eager_size=0 if request.param == "recorded" else 4096):
        yield


# name: a call of (namespace, its 4x6 array), and words of which one must be in the text
BAD: dict[str, tuple[Call, tuple[str, ...]]] = {
    # shapes
    "operands": (lambda xp, a: a + xp.ones((5, 6)), ("broadcast", "add")),
    "operands of a function": (lambda xp, a: xp.maximum(a, xp.ones(4)), ("broadcast", "maximum")),
    "three operands": (lambda xp, a: xp.where(a > 1, xp.ones(4), a), ("broadcast", "where")),
    "output": (lambda xp, a: xp.add(a, a, out=xp.ones((6, 4))), ("broadcast",)),
    "output too small": (lambda xp, a: xp.add(a, a, out=xp.ones((1, 6))), ("broadcast",)),
    "in place grows": (lambda xp, a: a[0].__iadd__(a), ("broadcast",)),
    "reshape": (lambda xp, a: a.reshape(5, 5), ("reshape",)),
    "reshape two unknown": (lambda xp, a: a.reshape(-1, -1), ("unknown",)),
    "assignment": (lambda xp, a: a.__setitem__(0, xp.ones(5)), ("broadcast",)),
    "concatenate": (lambda xp, a: xp.concatenate([a, xp.ones((4, 6, 1))]), ("dimension",)),
    "stack": (lambda xp, a: xp.stack([a, xp.ones(3)]), ("shape",)),
    "matmul": (lambda xp, a: a @ a, ("matmul", "mismatch")),
    "dot": (lambda xp, a: xp.dot(a, a), ("aligned", "mismatch", "shapes")),
    "broadcast_to": (lambda xp, a: xp.broadcast_to(a, (4, 5)), ("broadcast",)),
    "squeeze": (lambda xp, a: a.squeeze(0), ("squeeze",)),
    "split": (lambda xp, a: xp.split(a, 3), ("split", "division")),
    "too many dimensions": (lambda xp, a: a.reshape((1,) * 63 + (4, 6)), ("64", "dimension", "ndim")),
    "ufunc mask": (lambda xp, a: xp.add(a, 1, where=xp.ones(5, dtype=bool)), ("broadcast",)),
    # axes
    "sum": (lambda xp, a: a.sum(axis=2), ("axis",)),
    "sum below": (lambda xp, a: xp.sum(a, axis=-3), ("axis",)),
    "axis twice": (lambda xp, a: a.sum(axis=(0, 0)), ("axis",)),
    "axis of another type": (lambda xp, a: a.sum(axis=0.5), ("integer", "float")),
    "argmax": (lambda xp, a: a.argmax(axis=4), ("axis",)),
    "cumsum": (lambda xp, a: xp.cumsum(a, axis=3), ("axis",)),
    "transpose": (lambda xp, a: a.transpose(0, 0), ("axis", "axes")),
    "transpose short": (lambda xp, a: a.transpose(0), ("axes",)),
    "swapaxes": (lambda xp, a: a.swapaxes(0, 5), ("axis",)),
    "moveaxis": (lambda xp, a: xp.moveaxis(a, 7, 0), ("axis",)),
    "expand_dims": (lambda xp, a: xp.expand_dims(a, 5), ("axis",)),
    "flip": (lambda xp, a: xp.flip(a, 3), ("axis",)),
    "roll": (lambda xp, a: xp.roll(a, 1, axis=3), ("axis",)),
    "sort": (lambda xp, a: xp.sort(a, axis=3), ("axis",)),
    "take": (lambda xp, a: xp.take(a, [0], axis=3), ("axis",)),
    "empty maximum": (lambda xp, a: a[:0].max(), ("zero-size",)),
    "empty argmin": (lambda xp, a: a[:0].argmin(), ("empty",)),
    # indices
    "integer": (lambda xp, a: a[4], ("index 4", "bounds")),
    "negative integer": (lambda xp, a: a[-5], ("-5", "bounds")),
    "second axis": (lambda xp, a: a[0, 6], ("6", "axis 1")),
    "too many": (lambda xp, a: a[0, 0, 0], ("too many indices",)),
    "two ellipses": (lambda xp, a: a[..., ...], ("ellipsis",)),
    "float index": (lambda xp, a: a[1.0], ("indices",)),
    "text index": (lambda xp, a: a["x"], ("indices",)),
    "float slice": (lambda xp, a: a[1.5:2], ("slice indices",)),
    "zero step": (lambda xp, a: a[::0], ("zero",)),
    "list": (lambda xp, a: a[[0, 4]], ("bounds",)),
    "list of floats": (lambda xp, a: a[[0.5]], ("integer", "indices")),
    "lists of different shape": (lambda xp, a: a[[0, 1], [0, 1, 2]], ("broadcast",)),
    "mask": (lambda xp, a: a[xp.ones(5, dtype=bool)], ("boolean", "mask")),
    "mask of two axes": (lambda xp, a: a[xp.ones((4, 5), dtype=bool)], ("boolean", "mask")),
    "store to": (lambda xp, a: a.__setitem__(9, 1), ("bounds",)),
    "store to list": (lambda xp, a: a.__setitem__([0, 9], 1), ("bounds",)),
    "store too many": (lambda xp, a: a.__setitem__(a > 0, xp.ones(2)), ("assign", "mask", "broadcast")),
    "item": (lambda xp, a: a.item(), ("item", "size")),
    "item far": (lambda xp, a: a.item(99), ("bounds",)),
    "unpacked too far": (lambda xp, a: (lambda x, y: None)(*a), ("positional",)),
    "iteration of 0-d": (lambda xp, a: list(a[0, 0:1].reshape(())), ("0-d",)),
    "length of 0-d": (lambda xp, a: len(a[0, 0:1].reshape(())), ("unsized",)),
    "take far": (lambda xp, a: xp.take(a, [24]), ("bounds",)),
    "put far": (lambda xp, a: xp.put(a, [24], 1), ("bounds",)),
    "delete far": (lambda xp, a: xp.delete(a, 9, axis=0), ("bounds",)),
    # dtypes and casts
    "bitwise of floats": (lambda xp, a: a & 1, ("bitwise_and",)),
    "shift of floats": (lambda xp, a: a << 1, ("left_shift",)),
    "invert": (lambda xp, a: ~a, ("invert",)),
    "subtract of bools": (lambda xp, a: (a > 1) - (a > 2), ("subtract",)),
    "negative of bools": (lambda xp, a: -(a > 1), ("negative",)),
    "floor of complex": (lambda xp, a: xp.floor(a * 1j), ("floor",)),
    "order of a matrix and text": (lambda xp, a: a < "x", ("less", "str", "ufunc")),
    "integer += float": (lambda xp, a: a.astype(np.int32).__iadd__(1.5), ("add", "cast")),
    "integer /= integer": (lambda xp, a: a.astype(np.int64).__itruediv__(2), ("divide", "cast")),
    "small integer += array": (lambda xp, a: a.astype(np.int8).__iadd__(a), ("add", "cast")),
    "float += complex": (lambda xp, a: a.__iadd__(1j), ("add", "cast")),
    "bool += integer": (lambda xp, a: (a > 1).__iadd__(a.astype(np.int8)), ("add", "cast")),
    "unsigned += negative": (lambda xp, a: a.astype(np.uint8).__iadd__(-1), ("bounds", "uint8")),
    "python integer": (lambda xp, a: a.astype(np.int8) + 300, ("300", "int8")),
    "stored integer": (lambda xp, a: a.astype(np.uint8).__setitem__(0, 256), ("256", "uint8")),
    "output dtype": (lambda xp, a: xp.add(a, a, out=xp.ones((4, 6), dtype=np.int32)), ("add", "cast")),
    "requested dtype": (lambda xp, a: xp.add(a, 1, dtype=np.int32), ("add", "cast")),
    "casting": (lambda xp, a: a.astype(np.int32, casting="safe"), ("cast",)),
    "casting word": (lambda xp, a: xp.add(a, 1, casting="nearly"), ("casting", "nearly")),
    "unknown dtype": (lambda xp, a: a.astype("float99"), ("float99",)),
    "power": (lambda xp, a: a.astype(int) ** -1, ("negative integer powers",)),
    "power of arrays": (lambda xp, a: a.astype(int) ** (a.astype(int) - 30), ("negative integer powers",)),
    "text to number": (lambda xp, a: a.__setitem__(0, "x"), ("float", "convert")),
    # scalars and truth
    "truth": (lambda xp, a: bool(a), ("ambiguous",)),
    "truth of nothing": (lambda xp, a: bool(a[:0]), ("empty", "ambiguous")),
    "float": (lambda xp, a: float(a), ("scalar", "size", "0-dimensional")),
    "integer of floats": (lambda xp, a: range(5)[a[0, 0:1].reshape(())], ("index", "integer")),
    "complex to float": (lambda xp, a: float((a * 1j)[0, 0:1].reshape(()).tolist()), ("complex",)),
    "hash": (lambda xp, a: hash(a), ("unhashable",)),
    "and": (lambda xp, a: a and a, ("ambiguous",)),
    # calls
    "too few": (lambda xp, a: xp.add(a), ("add", "argument")),
    "too many arguments": (lambda xp, a: xp.sqrt(a, a, a), ("sqrt", "argument")),
    "keyword": (lambda xp, a: xp.add(a, a, nothing=1), ("nothing",)),
    "out not an array": (lambda xp, a: xp.add(a, a, out=3), ("return arrays", "array", "out")),
    "out twice": (lambda xp, a: xp.add(a, a, a, out=a), ("out",)),
    "reduce of a unary": (lambda xp, a: xp.sqrt.reduce(a), ("binary", "reduce")),
    "attribute": (lambda xp, a: a.nothing, ("nothing",)),
    "shape assignment": (lambda xp, a: setattr(a, "ndim", 3), ("ndim", "attribute", "writable")),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_call(case: str) -> None:
    call, words = BAD[case]
    plain = np.arange(24.0).reshape(4, 6)
    mine = ap.from_numpy(plain)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with pytest.raises(Exception) as expected:
            call(np, plain.copy())
        assert_same_error(expected.value, lambda: call(ap, mine))
        try:
            call(ap, mine)
        except Exception as error:
            text = str(error)
    assert any(word.lower() in text.lower() for word in words), f"{text!r} has none of {words}"
    assert np.array_equal(np.asarray(mine), plain), "the array has changed"


UNSUPPORTED = [
    np.array([object(), None]),
    np.array([1, "a"], dtype=object),
    np.array([[1], [2, 3]], dtype=object),
    np.array(["a", "bc"]),
    np.array([b"a"]),
    np.array(["2020-01-01"], dtype="M8[D]"),
    np.array([5], dtype="m8[s]"),
    np.array([(1, 2.0)], dtype=[("x", "i4"), ("y", "f8")]),
    np.zeros(2, dtype="V8"),
]


@pytest.mark.parametrize("array", UNSUPPORTED, ids=lambda a: str(a.dtype))
@pytest.mark.parametrize(
    "entry", ["array", "asarray", "from_numpy", "zeros", "empty_like", "astype", "operand", "store", "full"]
)
def test_unsupported_dtype(array: np.ndarray, entry: str) -> None:
    a = ap.ones(2)
    calls: dict[str, Callable[[], object]] = {
        "array": lambda: ap.array(array),
        "asarray": lambda: ap.asarray(array),
        "from_numpy": lambda: ap.from_numpy(array),
        "zeros": lambda: ap.zeros(3, array.dtype),
        "empty_like": lambda: ap.empty_like(a, dtype=array.dtype),
        "astype": lambda: a.astype(array.dtype),
        "operand": lambda: ap.add(a, array),
        "store": lambda: a.__setitem__(slice(None), array),
        "full": lambda: ap.full(2, 1, dtype=array.dtype),
    }
    if entry in ("operand", "store"):
        numpys = np.ones(2)
        theirs = {"operand": lambda: np.add(numpys, array), "store": lambda: numpys.__setitem__(slice(None), array)}
        try:
            expected = theirs[entry]()
        except Exception as error:
            assert_same_error(error, calls[entry])
        else:
            got = calls[entry]()
            assert got is expected is None or (isinstance(got, np.ndarray) and got.dtype == expected.dtype)
            if entry == "store":
                assert np.array_equal(np.asarray(a), numpys)
                return
    else:
        with ap.config.using(unsupported="error"), pytest.raises(TypeError) as caught:
            calls[entry]()
        text = str(caught.value)
        assert "dtype" in text and (
            "instead" in text or "keep" in text or "array of its own" in text or "use" in text
        ), text
    assert np.array_equal(np.asarray(a), [1, 1])


def test_ragged_sequence() -> None:
    with pytest.raises(ValueError, match="inhomogeneous"):
        np.array([[1, 2], [3]])
    with pytest.raises(ValueError, match="inhomogeneous"):
        ap.array([[1, 2], [3]])


READ_ONLY: dict[str, Callable[[Any], object]] = {
    "item": lambda a: a.__setitem__(0, 5),
    "slice": lambda a: a.__setitem__(slice(None), 5),
    "list": lambda a: a.__setitem__([0], 5),
    "mask": lambda a: a.__setitem__(a > 0, 5),
    "in place": lambda a: a.__iadd__(1),
    "view in place": lambda a: a[1:].__imul__(2),
    "out": lambda a: np.add(1, 1, out=a),
    "fill": lambda a: a.fill(3),
    "sort": lambda a: a.sort(),
    "put": lambda a: a.put([0], 1),
    "reversed": lambda a: a[::-1].__setitem__(0, 1),
}


@pytest.mark.parametrize("source", ["flag", "broadcast", "numpy", "dlpack"])
@pytest.mark.parametrize("case", READ_ONLY)
def test_read_only(case: str, source: str) -> None:
    plain = np.arange(6.0)
    mine = ap.from_numpy(plain)
    if source == "flag":
        plain.flags.writeable = mine.flags.writeable = False
    elif source == "broadcast":
        plain, mine = np.broadcast_to(plain, (2, 6))[0], ap.broadcast_to(mine, (2, 6))[0]
    else:
        plain.flags.writeable = False
        mine = ap.from_dlpack(plain) if source == "dlpack" else ap.ndarray((6,), np.float64, plain)
    with pytest.raises(ValueError) as expected:
        READ_ONLY[case](plain)
    with pytest.raises(ValueError, match="read-only") as caught:
        READ_ONLY[case](mine)
    assert "read-only" in str(caught.value) and "read-only" in str(expected.value)
    assert np.array_equal(np.asarray(mine), np.arange(6.0))
    view = np.asarray(mine)
    assert not view.flags.writeable


def test_errors_leave_pending_work_alone() -> None:
    x = ap.arange(6000)
    y = x * 2
    for call in (lambda: y + ap.ones(7), lambda: y[6000], lambda: y.sum(axis=3), lambda: y & 1.5):
        with pytest.raises((ValueError, IndexError, TypeError)):
            call()
    assert int(y.sum()) == 6000 * 5999
