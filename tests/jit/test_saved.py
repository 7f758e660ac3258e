"""What a recorded function costs, and recorded functions as files."""

import dataclasses
import json
import subprocess
import sys
import zipfile
from collections import namedtuple

import numpy as np
import pytest

import asnumpy as ap

Pair = namedtuple("Pair", "low high")


@dataclasses.dataclass
class State:
    position: object
    speed: object


def through_file(compiled, folder):
    path = folder / "function.asnp"
    compiled.save(path)
    return ap.load_compiled(path)


def forms():
    """Name, function, a maker of arguments, static names."""
    rng = np.random.default_rng(7)
    outside = ap.asarray(rng.standard_normal(50))

    def step(u, v, dt):
        u[1:-1] += dt * (v[2:] - v[:-2])
        return u.max()

    def newton(a):
        return ap.while_loop(lambda x: abs(x * x - a).max() > 1e-9, lambda x: (x + a / x) / 2, a)

    def looped(x, n):
        kept = ap.zeros(50)

        def body(i, y):
            return y + outside * i

        kept[...] = ap.range(0, n, body, x)
        return kept * 2

    def chosen(x):
        table = ap.asarray(np.arange(50.0))
        return ap.cond(x.sum() > 0, lambda y: y + table, lambda y: y - outside, x)

    def moved(state, by):
        return State(state.position + state.speed * by, state.speed), Pair(state.position.min(), 3), {"by": by}

    def gathered(x, index):
        x[index] = 0
        return x[index + 1], x.reshape(5, 10).sum(axis=0), x.reshape(5, 10) @ x.reshape(10, 5)

    def dtyped(x, dtype, axis):
        return x.astype(dtype).reshape(5, -1).sum(axis=axis)

    def a():
        return ap.asarray(np.abs(rng.standard_normal(50)) + 0.5)

    index = np.arange(3, 40, 4)
    return [
        ("step", step, lambda: (a(), a(), 0.25), ()),
        ("newton", newton, lambda: (a(),), ()),
        ("looped", looped, lambda: (a(), ap.asarray(np.int64(5))[()]), ()),
        ("chosen", chosen, lambda: (a() - 1,), ()),
        ("containers", moved, lambda: (State(a(), a()), 0.5), ()),
        ("gathered", gathered, lambda: (a(), ap.asarray(index)), ()),
        ("static", dtyped, lambda: (a(), np.float32, (0, 1)), ("dtype", "axis")),
        (
            "views", lambda x, y: (x.T @ y, x[::2] - y[1::2]),
            lambda: (a().reshape(10, 5)[:, ::-1], a().reshape(5, 10).T), (),
        ),
        ("shared", lambda x, y: (x + 1, y * 2), lambda: (lambda w: (w[:20], w[10:30]))(a()), ()),
        ("repeated", lambda x: (x.sum() - x.sum() + x[::2].copy(), x.copy() * x.sum()), lambda: (a(),), ()),
        ("complex", lambda x, z: (x * z).conj().real.sum(), lambda: (a(), 2 - 1j), ()),
    ]


def leaves_of(value):
    if isinstance(value, (tuple, list)):
        return [leaf for one in value for leaf in leaves_of(one)]
    if isinstance(value, dict):
        return leaves_of(list(value.values()))
    if dataclasses.is_dataclass(value):
        return leaves_of([value.position, value.speed])
    return [value]


def programs(said: str) -> list[str]:
    return [line for line in said.splitlines() if " instructions, " not in line]


@pytest.mark.parametrize("name", [form[0] for form in forms()])
def test_a_loaded_function_gives_what_the_saved_one_gives(name, tmp_path):
    _, function, make, static = next(form for form in forms() if form[0] == name)
    jitted = ap.jit(function, static_argnames=static)
    first = make()
    compiled = jitted.compile(*first)
    loaded = through_file(compiled, tmp_path)
    for _ in range(3):
        arguments = make()
        changes = name in ("step", "gathered")
        again = tuple(one.copy() if changes and isinstance(one, ap.ndarray) else one for one in arguments)
        expected = compiled(*arguments)
        got = loaded(*again)
        assert type(got) is type(expected)
        for mine, wanted in zip(leaves_of(got), leaves_of(expected), strict=True):
            assert type(mine) is type(wanted)
            np.testing.assert_array_equal(np.asarray(mine), np.asarray(wanted), strict=True)
        for mine, wanted in zip(leaves_of(again), leaves_of(arguments), strict=True):
            if isinstance(mine, ap.ndarray):
                np.testing.assert_array_equal(np.asarray(mine), np.asarray(wanted))
    assert programs(loaded.explain()) == programs(compiled.explain())  # what passes did was done before
    assert loaded.cost() == compiled.cost()
    assert loaded.__name__ == compiled.__name__


def test_a_loaded_function_is_saved_again(tmp_path):
    compiled = ap.jit(lambda x: ap.sqrt(x) + x[::-1]).compile(ap.ones(20))
    twice = through_file(through_file(compiled, tmp_path), tmp_path)
    x = ap.arange(20.0)
    np.testing.assert_array_equal(np.asarray(twice(x)), np.asarray(compiled(x)))


def test_other_forms_are_refused(tmp_path):
    loaded = through_file(ap.jit(lambda x, n: x * n).compile(ap.ones(20), 3), tmp_path)
    assert loaded(ap.ones(20), 3).tolist() == [3.0] * 20
    x = ap.ones(20)
    for wrong in [(ap.ones(21), 3), (x, 4), (x.astype(np.float32), 3), (ap.ones(40)[::2], 3), (x,)]:
        with pytest.raises(TypeError, match="recorded for other shapes"):
            loaded(*wrong)


def test_in_another_process(tmp_path):
    path = tmp_path / "function.asnp"
    outside = ap.arange(2000.0)
    ap.jit(lambda x: (x * outside).sum()).compile(ap.ones(2000)).save(path)
    program = "import sys, asnumpy as ap\nprint(float(ap.load_compiled(sys.argv[1])(ap.ones(2000))))"
    run = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert float(run.stdout) == 1999 * 1000


def test_arrays_from_outside_have_the_values_of_then(tmp_path):
    outside = ap.zeros(5)
    compiled = ap.jit(lambda x: x + outside).compile(ap.ones(5))
    outside[...] = 4
    loaded = through_file(compiled, tmp_path)
    outside[...] = 7
    assert loaded(ap.ones(5)).tolist() == [5.0] * 5
    assert compiled(ap.ones(5)).tolist() == [8.0] * 5


def test_what_a_file_cannot_hold(tmp_path):
    path = tmp_path / "function.asnp"
    outside = ap.zeros(5)

    def changes(x):
        outside[...] = x
        return x + 1

    generator = ap.random.default_rng(3)
    for function, arguments, error, words in [
        (changes, (ap.ones(5),), ValueError, "changes an array that is not among its arguments"),
        (lambda x: x + generator.random(5), (ap.ones(5),), ValueError, "draws random numbers"),
        (lambda x: (x, outside), (ap.ones(5),), ValueError, "give back a copy"),
        (lambda x, o: x + 1, (ap.ones(5), frozenset([2])), TypeError, "frozenset cannot be saved"),
    ]:
        compiled = ap.jit(function).compile(*arguments)
        with pytest.raises(error, match=words):
            compiled.save(path)
        assert list(tmp_path.iterdir()) == []


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "function.asnp"
    compiled = ap.jit(lambda x: x * ap.asarray(np.arange(5.0)) + 1).compile(ap.ones(5))
    compiled.save(path)
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("function.json"))
        constants = {name: archive.read(name) for name in archive.namelist() if name != "function.json"}

    def write(content):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("function.json", json.dumps(content))
            for name, constant in constants.items():
                archive.writestr(name, constant)

    write(header)
    assert ap.load_compiled(path)(ap.ones(5)).tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"is not a file that Compiled\.save wrote"):
        ap.load_compiled(path)
    path.write_text("no archive")
    with pytest.raises(ValueError, match=r"is not a file that Compiled\.save wrote"):
        ap.load_compiled(path)
    with pytest.raises(FileNotFoundError):
        ap.load_compiled(tmp_path / "absent")
    write({**header, "version": "0.0"})
    with pytest.raises(ValueError, match=r"was saved by asnumpy 0\.0, and this is"):
        ap.load_compiled(path)

    def instruction(k):
        return header["recording"][0][0][k]

    for place, wrong in [(1, "no such row"), (2, 999), (0, 7), (9, [6]), (10, []), (11, [[99, "float64", 0, [5], [8]]]),
                         (11, [[0, "float64", 8, [5], [8]]]), (10, [[0, "float32", 0, [5], [4]]])]:
        damaged = json.loads(json.dumps(header))
        assert instruction(place) != wrong
        damaged["recording"][0][0][place] = wrong
        write(damaged)
        with pytest.raises(ValueError, match=r"load_compiled: .*function\.asnp: "):
            ap.load_compiled(path)
    for key in header:
        if key != "version":
            write({name: value for name, value in header.items() if name != key})
            with pytest.raises(ValueError):
                ap.load_compiled(path)


def test_a_class_of_a_module_that_is_not_there(tmp_path):
    program = (
        "import sys, asnumpy as ap\n"
        "try:\n    ap.load_compiled(sys.argv[1])\n"
        "except ValueError as error:\n    print(error)"
    )
    path = tmp_path / "function.asnp"
    ap.jit(lambda pair: pair.low + pair.high).compile(Pair(ap.ones(3), ap.ones(3))).save(path)
    run = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert f"import the module {Pair.__module__}, which has that class, first" in run.stdout


def test_cost():
    n = 100_000
    cost = ap.jit(lambda x, y: (x + y) * 2 - x).compile(ap.empty(n), ap.empty(n)).cost()
    assert (cost.programs, cost.operations, cost.most_memory) == (1, 3 * n, 8 * n)
    assert (cost.bytes_read, cost.bytes_written) == (16 * n, 8 * n)
    product = ap.jit(lambda a, b: a @ b).compile(ap.empty((30, 40)), ap.empty((40, 50))).cost()
    assert product.operations == 2 * 30 * 40 * 50
    row = ap.jit(lambda x, y: x + y).compile(ap.empty((300, 400)), ap.empty(400)).cost()
    assert row.bytes_read == 8 * (300 * 400 + 400)
    loop = ap.jit(lambda x: ap.range(0, 10, lambda i, y: y + 1, x)).compile(ap.empty(n)).cost()
    once = ap.jit(lambda x: ap.range(0, 1, lambda i, y: y + 1, x)).compile(ap.empty(n)).cost()
    assert loop == once and loop.operations >= n
    assert ap.jit(lambda x: x).compile(ap.empty(n)).cost() == (0, 0, 0, 0, 0)
