"""Rules: a file says which implementation computes what, and where built-in operations go."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import operators

DEVICE = str(ap.zeros(1).device)
KIND = DEVICE.partition(":")[0]


@pytest.fixture
def use(tmp_path):
    """Writes the rules and uses them; afterwards there are none."""
    pytest.importorskip("yaml", reason="PyYAML is not installed")

    def write(text: str) -> None:
        path = tmp_path / "dispatch.yaml"
        path.write_text(textwrap.dedent(text))
        operators.forget_runs()
        operators.use_rules(path)

    yield write
    operators.use_rules(None)


@pytest.fixture
def traced():
    """An operator whose implementations say that they ran."""
    op = ap.operator("traced(x: T[n]) -> y: T[n]", T="f2 f4")
    op.ran = []

    @op.composed
    def _(x):
        op.ran.append("composed")
        return x + 1

    def filled(name):
        def fill(x, y):
            op.ran.append(name)
            y[...] = x + 1
        return fill

    op.cpu(filled("cpu"))
    op.cpu(filled("cpu.2"), dtypes="f4")
    op.ascend(filled("ascend"))
    return op


def ran(op, *args):
    op.ran.clear()
    result = op(*args)
    assert result.tolist() == (ap.asnumpy(args[0]) + 1).tolist()
    assert str(result.device) == str(args[0].device)
    return op.ran


def counted(name):
    return {one["implementation"]: one["why"] for one in operators.runs() if one["operator"] == name}


def test_without_rules_the_arrays_device_comes_first(traced):
    operators.forget_runs()
    x = ap.ones(3, dtype="f4")
    assert ran(traced, x) == [KIND]
    assert counted("traced") == {KIND: "its arrays lie there"}
    assert operators.rules() == ()


def test_order_and_conditions(use, traced):
    use("""
        rules:
          - operator: [nothing_*, "trac*"]
            dtypes: f2, bf2
            order: composed
          - operator: traced
            size: {at_least: 10, below: 20}
            device: DEVICE
            order: [nonsense, cpu.2, composed]
          - operator: traced
            size: {below: 4}
            order: [host, composed]
    """.replace("DEVICE", KIND))
    x = ap.ones(3, dtype="f4")
    assert ran(traced, x.astype("f2")) == ["composed"]
    assert ran(traced, ap.ones(10, dtype="f4")) == (["cpu.2"] if KIND == "cpu" else ["composed"])
    assert ran(traced, ap.ones(9, dtype="f4")) == [KIND]
    assert ran(traced, ap.ones(20, dtype="f4")) == [KIND]
    assert ran(traced, x) == ["cpu"]
    told = operators.explain(traced, x)
    assert told.chosen == ("cpu" if KIND == "cpu" else "host (cpu)")
    assert "dispatch.yaml:10" in str(told)
    reasons = counted("traced")
    assert reasons["composed"].endswith(("dispatch.yaml:3", "dispatch.yaml:6"))
    assert [rule.line for rule in operators.rules()] == [3, 6, 10]


@pytest.mark.skipif(KIND == "cpu", reason="arrays lie on the host anyhow")
def test_the_host_is_counted_as_a_fallback(use, traced):
    use("rules: [{operator: traced, order: [host]}]")
    ap.forget_fallbacks()
    x, y = ap.ones(3, dtype="f4"), ap.zeros(3, dtype="f4")
    assert traced(x, out=y) is y and y.tolist() == [2] * 3
    (one,) = [one for one in ap.fallbacks() if one["function"] == "traced"]
    assert one["device"] == DEVICE and one["reason"] == "its implementation cpu runs there" and one["count"] == 1


def test_what_fails_is_raised_or_the_next_runs(use):
    op = ap.operator("failing(x: f4[n]) -> y: f4[n]")
    op.composed(lambda x: x * 2)

    def fail(x, y):
        raise operators.CompileError("kernel.cpp:1: wrong\nand more")

    op.cpu(fail)
    op.ascend(fail)
    x = ap.ones(2, dtype="f4")
    with pytest.raises(operators.CompileError, match=r"kernel\.cpp:1: wrong"):
        op(x)
    use("rules: [{operator: failing, order: [cpu, ascend, composed], on_error: next}]")
    assert op(x).tolist() == [2, 2]
    assert counted("failing")[KIND].endswith("kernel.cpp:1: wrong")
    use("rules: [{operator: failing, order: [cpu, ascend], on_error: next}]")
    with pytest.raises(RuntimeError, match="failing: no implementation can compute this call"):
        op(x)
    use("rules: [{operator: failing, order: compsed}]")
    with pytest.raises(RuntimeError, match=r"cpu, ascend, of which the order of .*dispatch\.yaml:1 names none"):
        op(x)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("rules:\n  - operator: a\n    order: [\n", 4, "this is no YAML"),
        ("rules:\n  - operator: a\n    ordr: host\n", 3, "one of the keys operator, builtin, .* got 'ordr'"),
        ("rules:\n  - operator: a\n", 2, "the key order, which implementations are tried, got none"),
        ("rules:\n  - order: host\n", 2, "one of the keys operator and builtin, with the names, got neither"),
        ("rules:\n\n  - {operator: a, builtin: b, order: host}\n", 3, "got operator and builtin"),
        ("rules:\n  - operator: a\n    order: host\n    device: tpu\n", 4, "cpu, ascend, ascend:N or cuda, got 'tpu'"),
        ("rules:\n  - operator: a\n    order: host\n    dtypes: [f4, f44]\n", 4, "dtypes such as .*, got 'f44'"),
        ("rules:\n  - operator: a\n    order: host\n    size: 3\n", 4, r"size: {at_least: N, below: M}, got 3"),
        ("rules:\n  - operator: a\n    order: host\n    size: {below: many}\n", 4, "a whole number .*, got 'many'"),
        ("rules:\n  - operator: a\n    order: host\n    size: {over: 3}\n", 4, "size: .*, got 'over'"),
        ("rules:\n  - operator: a\n    order: host\n    on_error: hide\n", 4, "raise or next, got 'hide'"),
        ("rules:\n  - operator: 3\n    order: host\n", 2, "a name or a list of names, got 3"),
        ("rules:\n  - operator: a\n    operator: b\n    order: host\n", 3, "each key once, got operator again"),
        ("- operator: a\n", 1, "the key rules, a list of rules, got"),
        ("other: 3\n", 1, "the key rules, a list of rules, got 'other'"),
        ("rules: 3\n", 1, "a list of rules, each after a '-', got 3"),
        ("rules:\n  - builtin: multipli\n    order: host\n", 2, "no built-in operation with a name like multipli"),
        ("rules:\n  - builtin: nn.gelu\n    order: host\n", 2, "nn.gelu is no function of NumPy's"),
        ("rules:\n  - operator: a\n    size: {at_least: 5, below: 5}\n    order: host\n", 3, "at_least, got 5"),
        ("rules:\n  - builtin: add\n    order: [ascend]\n", 3, "builtin, host or the name of an operator.*'ascend'"),
        ("rules:\n  - ? [a]\n    : b\n", 2, r"one of the keys operator, .* got \['a'\]"),
        ("rules:\n  - !!python/object/apply:os.getpid []\n", 2, "could not determine a constructor"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_told_with_its_line(use, text, line, said):
    with pytest.raises(ValueError, match=said) as caught:
        use(text)
    assert f"dispatch.yaml:{line}: " in str(caught.value)
    assert operators.rules() == ()


def test_a_file_that_is_not_there(use, tmp_path):
    with pytest.raises(ValueError, match=r"none\.yaml: expected a file of rules: No such file"):
        operators.use_rules(tmp_path / "none.yaml")
    use("")
    assert operators.rules() == ()


# --- built-in operations


def test_a_ufunc_goes_to_the_host_below_a_size(use):
    use("""
        rules:
          - builtin: multiply
            dtypes: i8
            size: {below: 5}
            order: [host]
    """)
    ap.forget_fallbacks()
    small, large = ap.arange(4), ap.arange(6)
    assert (small * small).tolist() == [0, 1, 4, 9] and ap.multiply(small, 2).tolist() == [0, 2, 4, 6]
    small *= 3
    assert small.tolist() == [0, 3, 6, 9] and str(small.device) == DEVICE
    assert counted("multiply")["host"].endswith("dispatch.yaml:3")
    assert sum(one["count"] for one in operators.runs()) == 3
    assert sum(one["count"] for one in ap.fallbacks() if one["function"] == "numpy.multiply") == 3
    assert (large * large).tolist() == [0, 1, 4, 9, 16, 25]
    assert (ap.ones(2) * 3).tolist() == [3, 3] and (ap.arange(4) + 1).tolist() == [1, 2, 3, 4]
    assert sum(one["count"] for one in operators.runs()) == 3
    operators.use_rules(None)
    assert (ap.arange(4) * 2).tolist() == [0, 2, 4, 6] and sum(one["count"] for one in operators.runs()) == 3


def test_an_operator_in_the_place_of_a_ufunc(use):
    op = ap.operator("my_multiply(x: T[...], y: T[...]) -> z: T[...]", T="f4 f8")
    op.composed(lambda x, y: x * y + 100)  # made of what it stands for
    use("""
        rules:
          - builtin: multiply
            order: [my_multiply, builtin]
    """)
    x = ap.ones(3, dtype="f4")
    assert (x * 2).tolist() == [102] * 3 and (2 * x).dtype == np.float32
    assert ap.multiply(x, x, out=x) is x and x.tolist() == [101] * 3
    assert ap.multiply(x, 2, where=True, dtype="f8").tolist() == [202] * 3  # which its declaration does not take
    assert (ap.arange(2) * (1 + 0j)).tolist() == [0, 1]
    assert {one["implementation"] for one in operators.runs() if one["operator"] == "multiply"} == {
        "my_multiply", "builtin"
    }
    assert ap.Number(2) * 3 == 6
    with ap.errstate(over="raise"):
        assert (ap.ones(3, dtype="f4") * 2).tolist() == [102] * 3


def test_functions_matrix_products_and_aliases(use):
    op = ap.operator("my_sort(a: T[..., n]) -> s: T[..., n]", T="f4 f8 i8")
    op.composed(lambda a: -ap.sort(-a))
    use("""
        rules:
          - {builtin: sort, order: my_sort}
          - {builtin: [matmul, "linalg.i?v", abs], order: host}
    """)
    x = ap.array([3.0, 1, 2])
    assert ap.sort(x).tolist() == [3, 2, 1] and ap.sort(x, axis=0).tolist() == [1, 2, 3]
    assert counted("sort").keys() == {"my_sort", "builtin"}
    eye = ap.eye(2, dtype="f4")
    assert (eye @ eye).tolist() == ap.matmul(eye, eye).tolist() == [[1, 0], [0, 1]]
    assert ap.linalg.inv(eye * 2).tolist() == [[0.5, 0], [0, 0.5]]
    assert abs(-x).tolist() == ap.absolute(-x).tolist() == [3, 1, 2]
    assert counted("matmul").keys() == counted("linalg.inv").keys() == {"host"}
    counts = {one["operator"]: one["count"] for one in operators.runs() if one["implementation"] == "host"}
    assert counts["matmul"] == 2 and counts[next(name for name in counts if name in ("abs", "absolute"))] == 2
    assert ap.sort.__name__ == "sort" and ap.sort(np.array(["b", "a"])).tolist() == ["a", "b"]
    operators.use_rules(None)
    operators.forget_runs()
    assert ap.sort(x).tolist() == [1, 2, 3] and (eye @ eye).tolist() == [[1, 0], [0, 1]] and operators.runs() == []


def test_reductions_as_functions_methods_and_ufuncs(use):
    op = ap.operator("my_sum(x: T[n], *, axis: int = 0) -> y: T[]", T="f4 f8")
    op.composed(lambda x, *, axis: x.sum(axis=axis) + 100)  # made of what it stands for
    running = ap.operator("my_running(x: T[n]) -> y: T[n]", T="f4 f8")
    running.composed(lambda x: x * 0 + 100)
    use("""
        rules:
          - {builtin: sum, order: [my_sum, builtin]}
          - {builtin: [add.accumulate, cumsum], order: my_running}
          - {builtin: [max, "m*.reduce", mean], order: host}
    """)
    x = ap.arange(4, dtype="f4")
    for made in (ap.sum(x), x.sum(), x.sum(0), ap.sum(x, axis=0), x.sum(axis=0, keepdims=False)):
        assert float(made) == 106
    assert ap.add.reduce(x) == 6 and x.prod() == 0  # which no rule names
    assert x.sum(keepdims=True).tolist() == [6] and x.sum(where=x > 1) == 5  # which the declaration does not take
    assert x.sum(initial=1) == 7 and ap.sum(ap.ones((2, 2)), axis=(0, 1)) == 4
    assert counted("sum").keys() == {"my_sum", "builtin"} and counted("add.reduce") == {}
    for made in (ap.add.accumulate(x), ap.cumsum(x), x.cumsum()):
        assert made.tolist() == [100] * 4
    assert ap.add.accumulate(x, dtype="f8").tolist() == [0, 1, 3, 6]
    assert ap.maximum.reduce(x) == x.max() == ap.amax(x) == 3 and ap.multiply.reduce(x) == 0
    assert x.mean() == ap.mean(x) == 1.5
    counts = {one["operator"]: one["count"] for one in operators.runs() if one["implementation"] == "host"}
    assert counts["maximum.reduce"] == counts["multiply.reduce"] == 1 and counts["mean"] == 2
    assert counts[next(name for name in counts if name in ("max", "amax"))] == 2
    operators.use_rules(None)
    operators.forget_runs()
    assert x.sum() == ap.add.reduce(x) == 6 and ap.maximum.reduce(x) == 3 and operators.runs() == []


def test_an_operator_that_nobody_has(use):
    use("rules: [{builtin: exp, order: no_such_operator}]")
    with pytest.raises(ValueError, match=r"dispatch\.yaml:1: order: expected builtin, host or the name of an operator"):
        ap.exp(ap.ones(2))


def program(text: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], env=environment, capture_output=True,
                          text=True, check=False)  # fmt: skip


def test_the_environment_names_a_file(tmp_path):
    pytest.importorskip("yaml", reason="PyYAML is not installed")
    path = tmp_path / "dispatch.yaml"
    path.write_text("rules:\n  - {builtin: add, order: host}\n")
    done = program("""
        import asnumpy as ap
        assert (ap.ones(2) + 1).tolist() == [2, 2]
        print([one["operator"] for one in ap.operators.runs()])
    """, ASNUMPY_OPERATORS=str(path))  # fmt: skip
    assert done.stdout == "['add']\n", done.stderr
    path.write_text("rules:\n  - {builtin: add, order: hosts}\n  - 3\n")
    done = program("import asnumpy", ASNUMPY_OPERATORS=str(path))
    assert done.returncode == 1 and "dispatch.yaml:3: expected one of the keys" in done.stderr


def test_without_pyyaml(tmp_path):
    (tmp_path / "yaml.py").write_text("raise ImportError('not here')")
    done = program("import asnumpy", ASNUMPY_OPERATORS="dispatch.yaml",
                   PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))  # fmt: skip
    assert done.returncode == 1
    assert "reading the rules in dispatch.yaml needs PyYAML; install it with: pip install" in done.stderr


PACKAGE = """
    import asnumpy as ap

    @ap.operator("%s(x: f4[...]) -> y: f4[...]")
    def op(x):
        return x * 2
"""


def test_packages_are_found_by_their_entry_points(tmp_path):
    for name, body in (("good_ops", PACKAGE % "from_package"), ("bad_ops", "raise RuntimeError('broken')")):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(body))
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[asnumpy.operators]\n{name} = {name}\n")
    done = program("""
        import sys, warnings
        import asnumpy as ap
        ap.operators
        assert "good_ops" not in sys.modules
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            mine = ap.operator("library.sobel(x: f4[]) -> y: f4[]")  # whose name one of the library's has
            for _ in range(2):
                names = ap.operators.registered()
                assert "from_package" in names and names["library.sobel"] is mine
            assert list(names) == sorted(names)
        print([str(one.message) for one in told])
        print(ap.operators.get("from_package")(ap.ones(2, dtype="f4")).tolist())
    """, PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "the entry point bad_ops = bad_ops could not be loaded: RuntimeError: broken" in done.stdout
    assert done.stdout.count("entry point") == 1 and done.stdout.endswith("[2.0, 2.0]\n")
