"""Elements that no device holds (text, objects, dates, records, foreign byte orders) stay in NumPy's arrays."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from agreement import assert_same_error, calls_of_numpys
from host_values import (
    FIELDS,
    NUMERIC,
    assert_as_numpy,
    copied,
    dates,
    numbers,
    objects,
    records,
    text,
)

import asnumpy as ap
from asnumpy import config

MAKERS: dict[str, Callable[[Any], Any]] = {
    "array of text": text,
    "array of bytes": lambda xp: xp.array([b"a", b"bc"]),
    "array of objects": objects,
    "large integers": lambda xp: xp.array([2**70, 1]),
    "array of dates": dates,
    "array of spans": lambda xp: xp.array([1, 2], "m8[s]"),
    "array of records": records,
    "array in the other byte order": lambda xp: xp.array([1, 2], ">i4"),
    "asarray of text": lambda xp: xp.asarray(["a", "b"]),
    "asarray of an array of text": lambda xp: xp.asarray(np.array(["a", "b"])),
    "asarray of a foreign array": lambda xp: xp.asarray(np.array([1.5, 2.5], ">f8")),
    "asanyarray": lambda xp: xp.asanyarray([None, 1]),
    "ascontiguousarray": lambda xp: xp.ascontiguousarray(["a"]),
    "asfortranarray": lambda xp: xp.asfortranarray([["a", "b"], ["c", "d"]]),
    "asarray with a dtype": lambda xp: xp.asarray([1, 2], dtype=object),
    "array with an order": lambda xp: xp.array([["a", "b"]], order="F"),
    "array with ndmin": lambda xp: xp.array(["a"], ndmin=2),
    "empty": lambda xp: xp.empty(3, dtype=object),
    "zeros of text": lambda xp: xp.zeros(2, "U3"),
    "zeros of records": lambda xp: xp.zeros(2, FIELDS),
    "zeros in the other byte order": lambda xp: xp.zeros(2, ">f4"),
    "ones of objects": lambda xp: xp.ones((2, 2), object),
    "full of text": lambda xp: xp.full((2, 2), "ab"),
    "full of dates": lambda xp: xp.full(2, np.datetime64("2024-01-01")),
    "empty_like": lambda xp: xp.empty_like(numbers(xp), dtype=object),
    "zeros_like": lambda xp: xp.zeros_like(text(xp)),
    "ones_like with a dtype": lambda xp: xp.ones_like(numbers(xp), dtype="m8[s]"),
    "full_like": lambda xp: xp.full_like(text(xp), "kiwi"),
    "full_like with a dtype": lambda xp: xp.full_like(numbers(xp), "kiwi", dtype="U4"),
    "arange of dates": lambda xp: xp.arange("2024-01", "2024-05", dtype="datetime64[M]"),
    "arange of spans": lambda xp: xp.arange(np.timedelta64(0, "s"), np.timedelta64(5, "s")),
    "eye of objects": lambda xp: xp.eye(2, dtype=object),
    "identity": lambda xp: xp.identity(2, dtype=object),
    "frombuffer": lambda xp: xp.frombuffer(b"abcd", dtype="S2"),
    "frombuffer in the other byte order": lambda xp: xp.frombuffer(b"\0\1\0\2", dtype=">i2"),
    "fromiter": lambda xp: xp.fromiter(("a" * n for n in range(3)), dtype="U3"),
    "fromstring": lambda xp: xp.fromstring("1 2", dtype=">i4", sep=" "),
    "fromfunction": lambda xp: xp.fromfunction(lambda i: i + 1, (3,), dtype=object),
    "copy": lambda xp: xp.copy(text(xp)),
    "astype to text": lambda xp: numbers(xp).astype("U4"),
    "astype to objects": lambda xp: numbers(xp).astype(object),
    "astype to the other byte order": lambda xp: numbers(xp).astype(">f8"),
    "astype to dates": lambda xp: xp.arange(3).astype("M8[D]"),
    "the function astype": lambda xp: xp.astype(numbers(xp), object),
    "view as bytes": lambda xp: numbers(xp).view("V8"),
    "view as records": lambda xp: numbers(xp).view([("x", "f4"), ("y", "f4")]),
    "view in the other byte order": lambda xp: numbers(xp).view(">f8"),
    "loadtxt": lambda xp: xp.loadtxt(io.StringIO("a,1\nb,2"), delimiter=",", dtype=[("k", "U1"), ("v", "i8")]),
    "loadtxt of text": lambda xp: xp.loadtxt(io.StringIO("a b\nc d"), dtype=str),
    "genfromtxt": lambda xp: xp.genfromtxt(io.StringIO("k,v\na,1\nb,2"), delimiter=",", names=True, dtype=None,
                                           encoding="utf-8"),
    "ndarray": lambda xp: xp.ndarray((2,), "S1", b"ab"),
    "a class of records": lambda xp: xp.rec.array([(1, "a"), (2, "b")], names="n,s"),
    "rec.fromarrays": lambda xp: xp.rec.fromarrays([[1, 2], ["a", "b"]], names="n,s"),
    "matrix": lambda xp: xp.matrix([[1, 2], [3, 4]]) * 2,
    "masked array": lambda xp: xp.ma.masked_array([1, 2, 3], [0, 1, 0]).sum(),
}

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "where of text": lambda xp: xp.where(numbers(xp) > 2, "high", "low"),
    "where of text and numbers": lambda xp: xp.where(numbers(xp) > 2, numbers(xp), None),
    "where by text": lambda xp: xp.where(text(xp) == "fig", numbers(xp), -1.0),
    "select": lambda xp: xp.select([numbers(xp) > 4, numbers(xp) > 2], ["a", "b"], default="c"),
    "choose": lambda xp: xp.choose(xp.array([0, 1, 0]), [["a", "b", "c"], ["x", "y", "z"]]),
    "piecewise": lambda xp: xp.piecewise(numbers(xp).astype(object), [numbers(xp) > 2], ["a", "b"]),
    "unique": lambda xp: xp.unique(text(xp)),
    "unique with all": lambda xp: xp.unique(text(xp), return_index=True, return_inverse=True, return_counts=True),
    "unique_counts": lambda xp: tuple(xp.unique_counts(text(xp))),
    "sort": lambda xp: xp.sort(text(xp)),
    "argsort": lambda xp: xp.argsort(text(xp), kind="stable"),
    "lexsort": lambda xp: xp.lexsort((numbers(xp), text(xp))),
    "searchsorted": lambda xp: xp.searchsorted(xp.sort(text(xp)), ["fig", "pear"]),
    "isin": lambda xp: xp.isin(text(xp), ["fig"]),
    "intersect1d": lambda xp: xp.intersect1d(text(xp), ["fig", "kiwi"]),
    "union1d": lambda xp: xp.union1d(text(xp), ["kiwi"]),
    "setdiff1d": lambda xp: xp.setdiff1d(text(xp), ["fig"]),
    "concatenate": lambda xp: xp.concatenate([text(xp), ["kiwi"]]),
    "concatenate with numbers": lambda xp: xp.concatenate([numbers(xp), objects(xp)]),
    "stack": lambda xp: xp.stack([text(xp), text(xp)]),
    "hstack": lambda xp: xp.hstack([text(xp), text(xp)]),
    "vstack": lambda xp: xp.vstack([text(xp), text(xp)]),
    "column_stack": lambda xp: xp.column_stack([text(xp), numbers(xp)]),
    "block": lambda xp: xp.block([text(xp), text(xp)]),
    "append": lambda xp: xp.append(text(xp), "kiwi"),
    "insert": lambda xp: xp.insert(text(xp), 1, "kiwi"),
    "delete": lambda xp: xp.delete(text(xp), [0, 1]),
    "r_": lambda xp: xp.r_[text(xp), ["kiwi"]],
    "c_": lambda xp: xp.c_[text(xp), text(xp)],
    "repeat": lambda xp: xp.repeat(text(xp), 2),
    "repeat by ours": lambda xp: xp.repeat(text(xp), xp.arange(4)),
    "tile": lambda xp: xp.tile(text(xp), 2),
    "reshape": lambda xp: xp.reshape(text(xp), (2, 2)),
    "ravel": lambda xp: xp.ravel(xp.reshape(text(xp), (2, 2))),
    "transpose": lambda xp: xp.transpose(xp.reshape(text(xp), (2, 2))),
    "moveaxis": lambda xp: xp.moveaxis(xp.reshape(text(xp), (2, 2)), 0, 1),
    "expand_dims": lambda xp: xp.expand_dims(text(xp), 0),
    "squeeze": lambda xp: xp.squeeze(xp.expand_dims(text(xp), 0)),
    "broadcast_to": lambda xp: xp.broadcast_to(text(xp), (2, 4)),
    "broadcast_arrays": lambda xp: xp.broadcast_arrays(text(xp), numbers(xp)),
    "atleast_2d": lambda xp: xp.atleast_2d(text(xp)),
    "split": lambda xp: xp.split(text(xp), 2),
    "flip": lambda xp: xp.flip(text(xp)),
    "roll": lambda xp: xp.roll(text(xp), 1),
    "rot90": lambda xp: xp.rot90(xp.reshape(text(xp), (2, 2))),
    "take": lambda xp: xp.take(text(xp), [0, 2]),
    "take by ours": lambda xp: xp.take(text(xp), xp.array([0, 2])),
    "compress": lambda xp: xp.compress(numbers(xp) > 2, text(xp)),
    "extract": lambda xp: xp.extract(numbers(xp) > 2, text(xp)),
    "take_along_axis": lambda xp: xp.take_along_axis(text(xp), xp.argsort(text(xp)), 0),
    "diag": lambda xp: xp.diag(text(xp)),
    "pad": lambda xp: xp.pad(text(xp), 1, constant_values="-"),
    "meshgrid": lambda xp: xp.meshgrid(text(xp), numbers(xp)),
    "index by a mask of ours": lambda xp: text(xp)[numbers(xp) > 2],
    "index by integers of ours": lambda xp: text(xp)[xp.array([2, 0])],
    "mask by text": lambda xp: numbers(xp)[text(xp) == "fig"],
    "masks together": lambda xp: numbers(xp)[(text(xp) == "fig") & (numbers(xp) > 2)],
    "assign by text": lambda xp: changed(numbers(xp), text(xp) == "fig", 9.0),
    "assign numbers that are text": lambda xp: changed(numbers(xp), slice(None), ["1", "2", "3", "4"]),
    "assign objects": lambda xp: changed(numbers(xp), slice(0, 2), np.array([5, 6.5], object)),
    "assign to objects": lambda xp: changed(xp.empty(3, object), slice(0, 2), xp.arange(2)),
    "count_nonzero": lambda xp: xp.count_nonzero(text(xp) == "fig"),
    "nonzero": lambda xp: xp.nonzero(objects(xp)),
    "any": lambda xp: xp.any(text(xp) == "fig"),
    "equal": lambda xp: xp.equal(text(xp), "fig"),
    "add of text": lambda xp: xp.add(text(xp), "s"),
    "array_equal": lambda xp: xp.array_equal(text(xp), text(xp)),
    "sum of objects": lambda xp: xp.sum(xp.array([2**70, 1])),
    "max of dates": lambda xp: xp.max(dates(xp)),
    "argmin of dates": lambda xp: xp.argmin(dates(xp)),
    "difference of dates": lambda xp: xp.diff(dates(xp)),
    "mean of spans": lambda xp: xp.mean(xp.diff(dates(xp))),
    "dates and spans": lambda xp: dates(xp) + np.timedelta64(1, "D"),
    "days of ours": lambda xp: dates(xp)[0] + xp.arange(3).astype("m8[D]"),
    "dates by number": lambda xp: (dates(xp) - dates(xp)[0]) / np.timedelta64(1, "D"),
    "isnat": lambda xp: xp.isnat(dates(xp)),
    "busday_count": lambda xp: xp.busday_count("2024-01-01", dates(xp)),
    "datetime_as_string": lambda xp: xp.datetime_as_string(dates(xp)),
    "a field": lambda xp: records(xp)["weight"] * 2,
    "sort by a field": lambda xp: xp.sort(records(xp), order="count")["name"],
    "mean of a field": lambda xp: xp.mean(records(xp)["weight"]),
    "field with ours": lambda xp: xp.arange(3) * records(xp)["weight"],
    "interp by dates": lambda xp: xp.interp(1.5, xp.arange(3), records(xp)["weight"]),
    "objects and numbers": lambda xp: numbers(xp) + np.array([1, 2, 3, 4], object),
    "objects first": lambda xp: np.array([1, 2, 3, 4], object) * numbers(xp),
    "an object": lambda xp: numbers(xp) * __import__("fractions").Fraction(1, 2),
    "an object first": lambda xp: __import__("fractions").Fraction(1, 2) * numbers(xp),
    "equal to text": lambda xp: numbers(xp) == "a",
    "equal to None": lambda xp: numbers(xp) == None,  # noqa: E711  (elementwise, as NumPy)
    "unlike objects": lambda xp: numbers(xp) != np.array([0, "a", None, 4.5], object),
    "vectorize": lambda xp: xp.vectorize(lambda x: f"<{x}>")(xp.arange(3)),
    "vectorize over text": lambda xp: xp.vectorize(len)(text(xp)),
    "apply_along_axis": lambda xp: xp.apply_along_axis(lambda row: "-".join(map(str, row)), 1, xp.ones((2, 2), int)),
    "frompyfunc": lambda xp: xp.frompyfunc(lambda x: x + 1, 1, 1)(xp.arange(3)),
    "char.upper": lambda xp: xp.char.upper(text(xp)),
    "strings.str_len": lambda xp: xp.strings.str_len(text(xp)),
    "bincount of labels": lambda xp: xp.bincount(xp.unique(text(xp), return_inverse=True)[1]),
    "histogram of spans": lambda xp: xp.histogram(xp.diff(dates(xp)).astype("i8"), bins=2),
    "lists of both": lambda xp: xp.array([[1, "a"], [2, "b"]]),
    "a list of an element and a date": lambda xp: xp.array([xp.arange(3.0)[1], np.datetime64("2020-01-01")]),
    "reduce of objects": lambda xp: xp.add.reduce(xp.array([1, 2.5], object)),
    "outer of objects": lambda xp: xp.multiply.outer(xp.array([1, 2], object), xp.arange(2)),
    "dot of objects": lambda xp: xp.dot(xp.array([1, 2], object), xp.arange(2)),
    "matmul of objects": lambda xp: xp.array([1, 2], object) @ xp.arange(2),
    "clip of objects": lambda xp: xp.clip(xp.array([1, 5], object), 2, 4),
    "cumsum of objects": lambda xp: xp.cumsum(xp.array([1, 2], object)),
    "tolist": lambda xp: [text(xp).tolist(), dates(xp).tolist(), records(xp).tolist()],
    "array2string": lambda xp: xp.array2string(text(xp)),
    "array_repr": lambda xp: xp.array_repr(records(xp)),
    "isscalar": lambda xp: [xp.isscalar("a"), xp.isscalar(text(xp))],
    "shape and size": lambda xp: [xp.shape(text(xp)), xp.ndim(["a"]), xp.size(["a", "b"])],
    "result_type": lambda xp: xp.result_type(text(xp), numbers(xp)),
    "copyto": lambda xp: copied(xp, text(xp), "x"),
    "put": lambda xp: put(xp, text(xp), [0], ["x"]),
    "putmask": lambda xp: masked(xp, text(xp), numbers(xp) > 2, ["x"]),
    "place": lambda xp: placed(xp, text(xp), numbers(xp) > 2, ["x", "y"]),
    "fill_diagonal": lambda xp: diagonal(xp, xp.full((2, 2), "a"), "z"),
    "nan_to_num of objects": lambda xp: xp.nan_to_num(xp.array([1.5, 2], object)),
    "iteration": lambda xp: [str(one) for one in text(xp)],
    "the matrix class": lambda xp: xp.asmatrix(xp.ones((2, 2))),
    "saved and loaded": lambda xp: reloaded(xp, text(xp)),
    "records saved and loaded": lambda xp: reloaded(xp, records(xp)),
    "savetxt": lambda xp: written(xp, records(xp), fmt="%s %d %.2f"),
}


def changed(array: Any, key: Any, value: Any) -> Any:
    array[key] = value
    return array


def put(xp: Any, array: Any, index: Any, values: Any) -> Any:
    xp.put(array, index, values)
    return array


def masked(xp: Any, array: Any, mask: Any, values: Any) -> Any:
    xp.putmask(array, mask, values)
    return array


def placed(xp: Any, array: Any, mask: Any, values: Any) -> Any:
    xp.place(array, mask, values)
    return array


def diagonal(xp: Any, array: Any, value: Any) -> Any:
    xp.fill_diagonal(array, value)
    return array


def reloaded(xp: Any, array: Any) -> Any:
    file = io.BytesIO()
    xp.save(file, array)
    file.seek(0)
    return xp.load(file)


def written(xp: Any, array: Any, **how: Any) -> str:
    file = io.StringIO()
    xp.savetxt(file, array, **how)
    return file.getvalue()


@pytest.mark.parametrize("name", MAKERS)
def test_arrays_of_other_elements_are_numpys(name: str) -> None:
    expected = MAKERS[name](np)
    got = MAKERS[name](ap)
    if name.startswith("empty"):
        assert (got.dtype, got.shape, type(got)) == (expected.dtype, expected.shape, type(expected))
        return
    if expected.dtype.kind not in NUMERIC or not expected.dtype.isnative:
        assert isinstance(got, np.ndarray)
    assert_as_numpy(expected, got)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_with_them(name: str) -> None:
    assert_as_numpy(PROGRAMS[name](np), PROGRAMS[name](ap))


@pytest.mark.parametrize("call", [
    lambda xp: xp.add(text(xp), 1),
    lambda xp: xp.sin(text(xp)),
    lambda xp: xp.sum(text(xp)),
    lambda xp: numbers(xp) + "a",
    lambda xp: xp.arange(2) + 2**70,
    lambda xp: xp.round(xp.array([1.25], object), 1),
    lambda xp: xp.array(["a"], dtype=float),
    lambda xp: xp.array([[1], [2, 3]]),
    lambda xp: xp.zeros(3, "no such dtype"),
    lambda xp: xp.concatenate([text(xp), xp.reshape(text(xp), (2, 2))]),
    lambda xp: changed(numbers(xp), slice(None), ["a", "b", "c", "d"]),
    lambda xp: xp.dot(text(xp), text(xp)),
])
def test_what_numpy_refuses_is_refused(call: Callable[[Any], Any]) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
        call(np)
    assert_same_error(caught.value, lambda: call(ap))


@pytest.fixture
def refusing() -> Iterator[None]:
    with config.using(unsupported="error"):
        yield


@pytest.mark.parametrize("call", [text, objects, dates, records, MAKERS["astype to text"], PROGRAMS["where of text"]])
@pytest.mark.usefixtures("refusing")
def test_refused_where_the_program_asks_for_it(call: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"asnumpy\.config\.unsupported"):
        call(ap)


def test_they_are_counted() -> None:
    before = calls_of_numpys().get("numpy.unique", 0)
    ap.unique(np.array(["b", "a"]))
    assert calls_of_numpys()["numpy.unique"] == before + 1


def test_a_list_that_contains_itself():
    loop = []
    loop.append(loop)
    assert ap.array([loop, loop], dtype=object).shape == np.array([loop, loop], dtype=object).shape
    assert ap.array([loop, [None]], dtype=object).shape == (2, 1)


def test_a_scalar_of_a_subclass_stays_what_it_is():
    class Mine(np.float64):
        pass

    made = ap.array(Mine(2.0), dtype=object)
    assert type(made[()]) is Mine
    assert type(ap.asarray([Mine(2.0)], dtype=object)[0]) is Mine


@pytest.mark.parametrize("call", [
    lambda xp: xp.ones(3).sum().astype(object),
    lambda xp: xp.ones(3).sum().astype("U5"),
    lambda xp: xp.arange(3)[1].astype("S3"),
    lambda xp: xp.array([xp.array(5), xp.array(7)], dtype="S2"),
    lambda xp: xp.array([[xp.array(5)], [2.5]], dtype="U4"),
    lambda xp: xp.asarray([xp.arange(2), xp.arange(2)], dtype="U3"),
], ids=["number to object", "number to text", "element to bytes", "arrays to bytes", "nested to text", "rows to text"])
def test_scalars_and_lists_of_arrays_as_text(call):
    assert_as_numpy(call(np), call(ap))
