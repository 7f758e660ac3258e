"""What pandas asks NumPy's class for: arrays and numbers of ours go in as NumPy's, wherever they lie."""

from __future__ import annotations

import dataclasses
from collections import deque, namedtuple
from typing import Any

import numpy as np
import pandas as pd
import pytest

import asnumpy as ap

Pair = namedtuple("Pair", "a b")


@dataclasses.dataclass
class Row:
    mean: Any
    name: str


# Each is computed with arrays of both: k of integers, x of floats, b a matrix, m a mask; s and df are pandas'.
EXPRESSIONS = """
df.groupby(k % 2).sum()
df.groupby([k % 2, 'a']).sum()
df.groupby(by=k).max()
s.groupby(x[:4] > 0.2).sum()
df.set_index(k)
df.set_index([k, 'a'])
df.mul(b)
df.radd(b)
df.sub(x[:4])
df.div(b + 1, fill_value=1)
df.lt(b)
s.eq(x[:4])
s.add(x[:4])
df == x[9]
df > x[1]
df + x[3]
x[3] + df
x[3] - s
s * x[2]
s.astype(bool) & m[0]
pd.Index([1, 2, 3]) + k[0]
pd.Index([1, 2, 3]).get_loc(k[0])
pd.Categorical(k).categories
pd.Categorical(k, categories=k[::-1]).codes
pd.factorize(k)[0]
pd.unique(k)
s.dropna().map(lambda v: x[int(v)])
s.map({0.5: x[1]})
s.apply(lambda v: x[1] * 2)
df.apply(lambda column: np.asarray(column).mean())
df.map(lambda v: x[int(v)])
df.agg(lambda column: np.asarray(column).max())
df.groupby('a').agg(lambda v: np.asarray(v).mean())
s.rolling(2).apply(lambda v: np.asarray(v).mean())
df.at[k[1], 'a']
df.iat[k[1], k[0]]
s[k[0]]
s.get(k[0])
df.get('a')
pd.Series([1.0, 2.0, 3.0], index=[3, 0, 1])[k[0]]
df.loc[k[0] : k[1]]
df.iloc[k[0] : k[2]]
df.iloc[: k[1], k[0]]
pd.Series([x[0], x[1]])
pd.Series([x[0], None])
pd.Series([x[0], 'a'])
pd.Series([k[0], k[1]], name='n', index=['p', 'q'])
pd.Series([x[0], x[1]], dtype=object)
pd.Series([x[0], x[1]], dtype='float32')
pd.Series({'p': x[0], 'q': x[1]})
pd.Series(deque([x[0], x[1]]))
pd.Series(v for v in x[:3])
pd.Series(x[0], index=[1, 2])
pd.Series([[x[0]], [x[1]]]).map(len)
pd.Series(['a', 'b'])
pd.Series([{'a': 1}, None])
pd.Index([x[0], x[1]])
pd.array([k[0], k[1]])
pd.DataFrame({'v': [x[0], x[1]], 't': ['a', 'b']})
pd.DataFrame({'v': x[1]}, index=[0, 1])
pd.DataFrame([[x[0], 'u'], [x[1], 'v']], columns=['c', 'c'])
pd.DataFrame([{'m': line.mean(), 'n': 1} for line in b])
pd.DataFrame([{'m': x[0]}, {'m': x[1], 'k': 3}], index=['i', 'j'])
pd.DataFrame([Row(x[0], 'q'), Row(x[1], 'r')])
pd.DataFrame([Pair(x[0], 1), Pair(x[1], 2)])
pd.DataFrame.from_records([(x[0], 1), (x[1], 2)])
pd.DataFrame.from_dict({'a': [x[0], x[1]]}, orient='index')
pd.DataFrame([])
""".strip().splitlines()


def inputs(module: Any) -> dict[str, Any]:
    frame = pd.DataFrame(np.arange(12.0).reshape(3, 4), columns=list("abcd"))
    return {
        "np": module, "pd": pd, "deque": deque, "Pair": Pair, "Row": Row, "df": frame,
        "s": pd.Series([0.5, 1.0, np.nan, 3.0]), "k": module.asarray(np.array([1, 2, 3])),
        "x": module.asarray(np.linspace(0, 2, 20)), "b": module.asarray(np.arange(12.0).reshape(3, 4) / 3),
        "m": module.asarray(np.array([True, False, True])),
    }


def expect_same(got: Any, expected: Any) -> None:
    assert type(got) is type(expected)
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(got, expected)
    elif isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(got, expected)
        assert [type(one) for one in got] == [type(one) for one in expected]
    elif isinstance(expected, pd.Index):
        pd.testing.assert_index_equal(got, expected)
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_as_with_numpys(expression: str) -> None:
    expect_same(eval(expression, inputs(ap)), eval(expression, inputs(np)))


# n is an integer that was taken out of an array.
COUNTS = """
s.diff(n)
s.shift(n)
s.rolling(n).mean()
s.rolling(window=n, min_periods=n).sum()
s.expanding(n).sum()
s.ewm(span=n).mean()
s.interpolate(limit=n)
s.ffill(limit=n)
s.fillna(1, limit=n)
s.head(n)
s.nlargest(n)
s.sample(n, random_state=0)
df.rolling(n).sum()
df.round(n)
df.diff(n)
df.shift(periods=n)
df.sum(axis=n - 1)
df.dropna(thresh=n)
df.groupby('a').shift(n)
df.columns.insert(n, 'z')
df.index.delete(n)
pd.qcut(df['a'], n)
pd.cut(df['a'], n)
pd.date_range('2020', periods=n)
pd.bdate_range('2020', periods=n)
pd.timedelta_range('1h', periods=n)
pd.period_range('2020', periods=n, freq='D')
pd.interval_range(0, periods=n)
pd.date_range('2020', periods=4).shift(n)
pd.RangeIndex(n)
pd.Timedelta(n, 'D')
pd.Timedelta(days=n)
pd.Timedelta('1h') * n
n * pd.Timedelta('1h')
pd.Timedelta('1h') / n
pd.Timedelta('1h') // n
pd.to_timedelta(n, unit='D')
pd.to_datetime(n, unit='D')
pd.Timestamp(n, unit='s')
pd.Timestamp(2020, n, n)
pd.Timestamp(year=n + 2000, month=n, day=n)
pd.Timestamp('2020').replace(month=n)
pd.Period('2020', freq='D') + n
pd.Period(year=n + 2000, freq='Y')
pd.arrays.IntegerArray(k, m)
pd.arrays.FloatingArray(x[:3], m)
pd.arrays.BooleanArray(m, ~m)
""".strip().splitlines()


@pytest.mark.parametrize("expression", COUNTS)
def test_arguments_that_are_one_number(expression: str) -> None:
    got, expected = (eval(expression, given | {"n": given["k"][1]}) for given in (inputs(ap), inputs(np)))
    if isinstance(expected, pd.api.extensions.ExtensionArray):
        got, expected = pd.Series(got), pd.Series(expected)
    expect_same(got, expected)


@pytest.mark.parametrize("question", ["is_integer", "is_float", "is_bool", "is_complex", "is_number", "is_scalar"])
def test_questions_about_one_number(question: str) -> None:
    ask = getattr(pd.api.types, question)
    for value in (np.int8(3), np.float32(1.5), np.True_, np.complex64(1j), np.array(2), np.array([1])):
        given = ap.asarray(value)[()] if isinstance(value, np.generic) else ap.asarray(value)
        assert ask(given) == ask(value), value
    assert not ask(None) or question == "is_scalar"


STATEMENTS = [
    "df += b", "df -= x[3]", "df['b'] = x[1]", "df['e'] = [x[0], x[1], x[2]]", "df.loc[0, 'a'] = x[3]",
    "df.at[1, 'a'] = x[2]", "df.iat[0, 1] = x[4]", "df.loc[k[0], 'c'] = 7",
    "df.loc[len(df)] = [x[0], x[1], x[2], x[3]]",
    "df.insert(0, 'q', x[2])", "df.insert(1, 'r', k)", "df = df.assign(z=x[5], y=k)", "df.iloc[k[0]:, 0] = x[1]",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_assigned_as_with_numpys(statement: str) -> None:
    frames = []
    for module in (ap, np):
        names = inputs(module)
        exec(statement, names)
        frames.append(names["df"])
    expect_same(*frames)


def test_errors_stay_pandas() -> None:
    frame = inputs(ap)["df"]
    for wrong in (lambda: frame.mul(ap.ones((2, 2))), lambda: frame.set_index(ap.ones(7))):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(KeyError):
        frame.at[ap.arange(9)[8], "a"]


def test_what_holds_none_of_ours_is_made_once() -> None:
    class Counted(pd.Series):
        @property
        def _constructor(self) -> Any:
            return Counted

    values = ["a", "b"]
    assert pd.Series(values).tolist() == values and Counted(values).tolist() == values
    assert pd.Series(values, dtype=object).dtype == object
