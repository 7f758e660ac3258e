"""Rules: a file says which implementation computes what, and where built-in operations go."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from host_compiler import compiler

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


FUNCTIONS = {
    "library.bit_count": (np.bitwise_count, [np.uint64, np.uint32]),
    "library.complex_divide": (lambda x: x / (x[::-1] + 2), [np.complex64]),
    "library.complex_exp": (np.exp, [np.complex64]),
    "library.running_sum": (np.cumsum, [np.int64]),
    "library.pack_bits": (np.packbits, [np.uint8]),
    "library.unpack_bits": (np.unpackbits, [np.uint8]),
    "library.sort_int64": (lambda x: np.sort(x.reshape(-1, 1024)), [np.int64]),
    "library.fft_rows": (lambda x: np.fft.fft(x.reshape(-1, 256)), [np.complex64]),
}


@pytest.mark.skipif(
    KIND == "cpu" or os.environ.get("CANNSIM_CANN", "9.0").startswith("8") or compiler() is None,
    reason="kernels of an NPU, for which neither CANN 8 nor a machine without a compiler has one",
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_librarys_rules_send_numpys_functions_to_kernels(name):
    pytest.importorskip("yaml", reason="PyYAML is not installed")
    function, dtypes = FUNCTIONS[name]
    operators.use_rules("library")
    operators.forget_runs()
    try:
        for dtype in dtypes:
            rng = np.random.default_rng(3)
            x = rng.integers(0, 200, 1 << 16).astype(dtype)
            if dtype is np.complex64:
                x = (rng.normal(size=x.shape) + 1j * rng.normal(size=x.shape)).astype(dtype)
            for values, runs in ((x, True), (x[:1024], False)):
                before = sum(one["count"] for one in operators.runs() if one["operator"] == name)
                made = function(ap.array(values))
                expected = function(values)
                assert made.dtype == expected.dtype and made.shape == expected.shape
                bound = {"rtol": 2e-5, "atol": 2e-4} if dtype is np.complex64 else {"rtol": 0, "atol": 0}
                np.testing.assert_allclose(ap.to_numpy(made), expected, **bound)
                after = sum(one["count"] for one in operators.runs() if one["operator"] == name)
                assert (after > before) == runs
            assert [one["implementation"] for one in operators.runs() if one["operator"] == name] == ["ascend"]
    finally:
        operators.use_rules(None)
