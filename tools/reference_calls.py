"""Sample calls for the reference, beyond those that benches/calls.py measures: expressions over `np` and its inputs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benches"))

from calls import CALLS as MEASURED
from calls import each, inputs

SIZE = 1 << 16
__all__ = ["CALLS", "SIZE", "inputs"]


_FILE = "__import__('io').BytesIO({})"
_TEXT = "__import__('io').StringIO('1 2\\n3 4')"
_FURTHER = {
    **each("array2string array_repr array_str asanyarray asarray cosh iscomplexobj isrealobj isscalar iterable "
            "min_scalar_type ndim shape size isfortran require broadcast nditer ndenumerate info common_type",
            "np.{}(x)"),
    **each("empty_like", "np.{}(x)"), **each("may_share_memory shares_memory", "np.{}(x, y)"),
    "row_stack": "np.row_stack([m2, m2])", "hsplit": "np.hsplit(m2, 2)", "vsplit": "np.vsplit(m2, 2)",
    "dsplit": "np.dsplit(cube, 2)", "einsum_path": "np.einsum_path('ij,jk->ik', m2, w2)", "empty": "np.empty(1000)",
    "base_repr": "np.base_repr(5)", "binary_repr": "np.binary_repr(5)", "diag_indices_from": "np.diag_indices_from(m2)",
    "broadcast_shapes": "np.broadcast_shapes((3, 1), (4,))", "can_cast": "np.can_cast('i4', 'f4')",
    "busday_count": "np.busday_count('2024-01', '2024-02')", "is_busday": "np.is_busday('2024-01-01')",
    "busday_offset": "np.busday_offset('2024-01-01', 1)", "datetime_data": "np.datetime_data('M8[s]')",
    "datetime_as_string": "np.datetime_as_string(np.datetime64('2024-01-01'))", "finfo": "np.finfo('f4')",
    "format_float_positional": "np.format_float_positional(1.5)", "nested_iters": "np.nested_iters(m2, [[0], [1]])",
    "format_float_scientific": "np.format_float_scientific(1.5)", "from_dlpack": "np.from_dlpack(x)",
    "frombuffer": "np.frombuffer(bytes(800))", "fromiter": "np.fromiter(iter([1.0, 2.0]), float)",
    "fromstring": "np.fromstring('1 2 3', sep=' ')", "frompyfunc": "np.frompyfunc(lambda v: v + 1, 1, 1)(x[:10])",
    "fromregex": f"np.fromregex({_TEXT}, '([0-9])', [('n', int)])", "genfromtxt": f"np.genfromtxt({_TEXT})",
    "loadtxt": f"np.loadtxt({_TEXT})", "save": f"np.save({_FILE.format('')}, x)",
    "savez": f"np.savez({_FILE.format('')}, x)", "savez_compressed": f"np.savez_compressed({_FILE.format('')}, x)",
    "savetxt": f"np.savetxt({_FILE.format('')}, v)", "load": f"np.load({_FILE.format('_saved')})",
    "isdtype": "np.isdtype(np.dtype('f4'), 'numeric')", "issubdtype": "np.issubdtype('f4', float)",
    "mintypecode": "np.mintypecode('fd')", "ndindex": "np.ndindex(3, 4)", "poly": "np.poly([1.0, 2.0])",
    "promote_types": "np.promote_types('f4', 'i8')", "result_type": "np.result_type(x, 'f4')",
    "typename": "np.typename('f')", "roots": "np.roots([1.0, 3.0, 2.0])", "polyder": "np.polyder(kernel)",
    "polyint": "np.polyint(kernel)", **each("polyadd polysub polymul", "np.{}(kernel, kernel)"),
    "polydiv": "np.polydiv(kernel, [1.0, 2.0])", "tril_indices_from": "np.tril_indices_from(m2)",
    "triu_indices_from": "np.triu_indices_from(m2)", "isnat": "np.isnat(np.datetime64('2024-01-01'))",
    **each("geterr geterrcall getbufsize get_printoptions get_include show_runtime printoptions", "np.{}()"),
    "seterr": "np.seterr()", "set_printoptions": "np.set_printoptions()", "show_config": "np.show_config('dicts')",
    "setbufsize": "np.setbufsize(8192)", "seterrcall": "np.seterrcall(None)",
    "vectorize": "np.vectorize(lambda v: v * 2)(x)", "linspace": "np.linspace(0, 1, 1000)",
    "linalg.tensorinv": "np.linalg.tensorinv(np.eye(24).reshape(4, 6, 8, 3))",
    "linalg.tensorsolve": "np.linalg.tensorsolve(np.eye(24).reshape(6, 4, 2, 3, 4), np.ones((6, 4)))",
    "ndarray.dumps": "x.dumps()", "ndarray.getfield": "x.getfield('f4')", "ndarray.item": "x.item(0)",
    "ndarray.dump": f"x.dump({_FILE.format('')})",
    # what is written into has to live until it is looked at
    **{name: f"(t := x.copy(), {call})" for name, call in (
        ("ndarray.setfield", "t.setfield(1, 'f4')"), ("ndarray.put", "t.put(at, 1.0)"),
        ("ufunc.at", "np.add.at(t, at, 1.0)"), ("ndarray.resize", "t.resize(70000)"),
        ("ndarray.partition", "t.partition(5)"),
    )},
    "ndarray.setflags": "x.setflags(write=True)", "ndarray.to_device": "x.to_device('cpu')",
    "ndarray.to_numpy": "x.to_numpy()",
    "ndarray.tofile": "x.tofile(__import__('os').devnull)", "ndarray.view": "x.view('i8')",
    "ndarray.choose": "bits.choose([x, y])",
    "fromfile": "np.fromfile(__import__('os').devnull)",
    "ufunc.outer": "np.add.outer(v, v)", "ufunc.reduceat": "np.add.reduceat(x, [0, 9])",
    "ufunc.resolve_dtypes": "np.add.resolve_dtypes((np.dtype('f4'), np.dtype('i4'), None))",
    "lib.array_utils.normalize_axis_index": "np.lib.array_utils.normalize_axis_index(0, 1)",
    "lib.array_utils.normalize_axis_tuple": "np.lib.array_utils.normalize_axis_tuple(0, 1)",
    "lib.add_docstring": "None", "lib.add_newdoc": "None", "ctypeslib.load_library": "None",
    "ndarray.swapaxes": "m2.swapaxes(0, 1)", "ndarray.squeeze": "x.squeeze()", "ndarray.trace": "m2.trace()",
    "ndarray.transpose": "m2.transpose()", "ndarray.diagonal": "m2.diagonal()", "ndarray.conjugate": "z.conjugate()",
    "ndarray.argpartition": "x.argpartition(5)",
    "nn.layer_norm": "np.nn.layer_norm(m2, m2.shape[-1])", "nn.rms_norm": "np.nn.rms_norm(m2, m2.shape[-1])",
    **{f"nn.{name}": f"np.nn.{name}(x)" for name in
       "relu leaky_relu elu sigmoid log_sigmoid silu softplus gelu softmax log_softmax".split()},
    **{f"lib.stride_tricks.{name}": f"np.lib.stride_tricks.{name}(x, {how})" for name, how in
       {"as_strided": "(4,), (8,)", "sliding_window_view": "3"}.items()},
    **{f"emath.{name}": f"np.emath.{name}(x)" for name in "sqrt log log2 log10 arccos arcsin arctanh".split()},
    "emath.logn": "np.emath.logn(2, x)", "emath.power": "np.emath.power(x, 2)",
}
# Distributions by their parameters; each is drawn often enough to be seen.
_DRAWS = {
    **dict.fromkeys("random standard_normal standard_exponential standard_cauchy".split(), ""),
    **dict.fromkeys("random_sample ranf sample".split(), ""),
    **dict.fromkeys("normal uniform gumbel laplace logistic lognormal exponential rayleigh".split(), ""),
    **dict.fromkeys("standard_gamma chisquare poisson power weibull pareto standard_t".split(), "3.0,"),
    **dict.fromkeys("beta gamma f noncentral_chisquare wald vonmises".split(), "2.0, 3.0,"),
    **dict.fromkeys("geometric logseries".split(), "0.4,"), "zipf": "2.0,", "noncentral_f": "2.0, 3.0, 1.0,",
    **dict.fromkeys("binomial negative_binomial".split(), "10, 0.4,"), "triangular": "0.0, 1.0, 2.0,",
    "hypergeometric": "20, 10, 12,", "multinomial": "10, [0.2, 0.8],", "dirichlet": "[1.0, 2.0],",
    "multivariate_hypergeometric": "[8, 9], 5,", "multivariate_normal": "[0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]],",
    "integers": "10,", "randint": "10,", "random_integers": "10,", "choice": "100,",
}
_LEGACY = {name: f"np.random.{name}({given} size=20000)" for name, given in _DRAWS.items() if name != "integers"}
_LEGACY |= {"rand": "np.random.rand(20000)", "randn": "np.random.randn(20000)", "bytes": "np.random.bytes(8)",
            "permutation": "np.random.permutation(x)", "shuffle": "(t := x.copy(), np.random.shuffle(t))",
            "seed": "np.random.seed(1)", "get_state": "np.random.get_state()",
            "set_state": "np.random.set_state(np.random.get_state())", "default_rng": "np.random.default_rng(1)"}
_DRAWN = {name: f"np.random.default_rng(1).{name}({given} size=20000)" for name, given in _DRAWS.items()}
_DRAWN |= {"permutation": "np.random.default_rng(1).permutation(x)", "bytes": "np.random.default_rng(1).bytes(8)",
           "shuffle": "(t := x.copy(), np.random.default_rng(1).shuffle(t))",
           "permuted": "np.random.default_rng(1).permuted(x)", "spawn": "np.random.default_rng(1).spawn(2)"}
_FURTHER |= {"polynomial.set_default_printstyle": "np.polynomial.set_default_printstyle('unicode')"}
_FURTHER |= {f"testing.{name}": f"np.testing.{name}({given})" for name, given in {
    "assert_approx_equal": "1.0, 1.0", "assert_array_less": "x - 1, x", "assert_string_equal": "'a', 'a'",
    "assert_array_compare": "lambda a, b: a == b, x, x", "assert_raises": "ValueError, int, 'a'",
    "assert_raises_regex": "ValueError, 'invalid', int, 'a'", "decorate_methods": "type('T', (), {}), lambda f: f, 'x'",
    "measure": "'1 + 1', 1", "print_assert_equal": "'a', 1, 1", "run_threaded": "lambda *_: None, 1, 1",
    "runstring": "'1', {}", **dict.fromkeys(
        "assert_allclose assert_almost_equal assert_array_almost_equal assert_array_equal assert_equal "
        "assert_array_almost_equal_nulp assert_array_max_ulp".split(), "x, x"),
}.items()}
_FURTHER |= {f"random.{name}": call for name, call in _LEGACY.items()}
_FURTHER |= {f"random.Generator.{name}": call for name, call in _DRAWN.items()}
# The same calls where the measured ones need larger inputs.
_SMALLER = {
    "resize": "np.resize(x, (2, 300))", "split": "np.split(x, 8)", "unravel_index": "np.unravel_index(few, (40, 40))",
    "apply_along_axis": "np.apply_along_axis(np.sum, 1, m2[:5])",
}
CALLS: dict[str, str] = {
    **{name: text.replace("1000000", "10000") for name, text in MEASURED.items()}, **_FURTHER, **_SMALLER,
}
