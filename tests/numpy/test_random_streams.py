"""The stream: a seed decides, not the threads, the instruction set or the way of asking; states, jumps, spawning."""

from __future__ import annotations

import copy
import hashlib
import itertools
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import _core

COUNT = 30_011  # several tiles, the last one short

# Every row of the core, with parameters that vary and that do not.
DRAWS = {
    "random": lambda r, n: r.random(n), "random float32": lambda r, n: r.random(n, "float32"),
    "normal": lambda r, n: r.normal(1, 2, n), "standard_normal float32": lambda r, n: r.standard_normal(n, "float32"),
    "uniform": lambda r, n: r.uniform(-1, 3, n), "exponential": lambda r, n: r.exponential(3, n),
    "lognormal": lambda r, n: r.lognormal(0, np.linspace(0, 2, n)), "laplace": lambda r, n: r.laplace(0, 1, n),
    "logistic": lambda r, n: r.logistic(0, 1, n), "gumbel": lambda r, n: r.gumbel(0, 1, n),
    "rayleigh": lambda r, n: r.rayleigh(np.linspace(1, 2, n)), "weibull": lambda r, n: r.weibull(1.7, n),
    "pareto": lambda r, n: r.pareto(3, n), "power": lambda r, n: r.power(0.3, n),
    "standard_cauchy": lambda r, n: r.standard_cauchy(n), "triangular": lambda r, n: r.triangular(0, 1, 3, n),
    "gamma": lambda r, n: r.gamma(np.linspace(0.01, 30, n), 2), "chisquare": lambda r, n: r.chisquare(3, n),
    "beta": lambda r, n: r.beta(np.linspace(0.01, 3, n), 0.7), "f": lambda r, n: r.f(3, 4, n),
    "standard_t": lambda r, n: r.standard_t(2.5, n), "wald": lambda r, n: r.wald(1, 2, n),
    "vonmises": lambda r, n: r.vonmises(1, np.linspace(0, 9, n)),
    "noncentral_chisquare": lambda r, n: r.noncentral_chisquare(np.linspace(0.1, 3, n), 2),
    "noncentral_f": lambda r, n: r.noncentral_f(2, 3, 1, n), "integers": lambda r, n: r.integers(0, 10, n),
    "integers wide": lambda r, n: r.integers(0, 2**63 + 5, n, "uint64"), "geometric": lambda r, n: r.geometric(0.01, n),
    "poisson": lambda r, n: r.poisson(np.linspace(0, 100, n)), "binomial": lambda r, n: r.binomial(np.arange(n), 0.3),
    "negative_binomial": lambda r, n: r.negative_binomial(3, 0.2, n), "logseries": lambda r, n: r.logseries(0.9, n),
    "hypergeometric": lambda r, n: r.hypergeometric(np.arange(n), 500, 100), "zipf": lambda r, n: r.zipf(1.5, n),
    "multinomial": lambda r, n: r.multinomial(100, [0.2, 0.3, 0.5], n),
    "multivariate_hypergeometric": lambda r, n: r.multivariate_hypergeometric([10, 20, 30], 15, n),
    "permutation": lambda r, n: r.permutation(n), "choice": lambda r, n: r.choice(10**9, n // 50, replace=False),
    "permuted": lambda r, n: r.permuted(np.arange(n - n % 11).reshape(-1, 11), axis=1),
    "dirichlet": lambda r, n: r.dirichlet([0.5, 2, 3], n), "bytes": lambda r, n: np.frombuffer(r.bytes(n), "u1"),
}
# One word of the stream for each element, or always the same number: these may be drawn in pieces.
IN_PIECES = [name for name in DRAWS if name not in (
    "permutation", "choice", "permuted", "bytes", "dirichlet", "lognormal", "rayleigh", "gamma", "beta", "vonmises",
    "noncentral_chisquare", "poisson", "binomial", "hypergeometric",
)]


def digests() -> dict[str, str]:
    generator = ap.random.default_rng(12345)
    drawn = {name: ap.to_numpy(draw(generator, COUNT)) for name, draw in DRAWS.items()}
    return {name: hashlib.sha256(values.tobytes()).hexdigest() for name, values in drawn.items()}


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    return digests()


def test_every_row_is_drawn(expected):
    rows = {row["name"].removeprefix("random_") for row in _core.rows() if row["name"].startswith("random_")}
    assert rows - {"random_single", *DRAWS} == set()


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_change_nothing(expected, threads):
    before = ap.config.num_threads
    ap.set_num_threads(threads)
    try:
        assert digests() == expected
    finally:
        ap.set_num_threads(before)


@pytest.mark.parametrize("instruction_set", _core.instruction_sets())
def test_instruction_sets_change_nothing(expected, instruction_set):
    program = "import test_random_streams; print(test_random_streams.digests())"
    path = os.pathsep.join([os.path.dirname(__file__), os.path.dirname(os.path.dirname(ap.__file__))])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, "ASNUMPY_ISA": instruction_set, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    assert eval(done.stdout) == expected


@pytest.mark.parametrize("name", IN_PIECES)
def test_pieces_make_the_whole(name):
    whole, pieces = ap.random.default_rng(9), ap.random.default_rng(9)
    together = ap.to_numpy(DRAWS[name](whole, 5000))
    parts = [ap.to_numpy(DRAWS[name](pieces, n)) for n in (1, 17, 2048, 1, 2900, 33)]
    np.testing.assert_array_equal(np.concatenate(parts), together)
    assert whole.bit_generator.random_raw() == pieces.bit_generator.random_raw()


def test_numbers_one_by_one():
    one, many = ap.random.default_rng(10), ap.random.default_rng(10)
    assert [one.random() for _ in range(20)] == many.random(20).tolist()
    assert [one.normal(1, 2) for _ in range(20)] == many.normal(1, 2, 20).tolist()
    assert [one.poisson(30) for _ in range(20)] == many.poisson(30, 20).tolist()
    assert [int(one.integers(-5, 5)) for _ in range(20)] == many.integers(-5, 5, 20).tolist()
    assert [one.gamma(0.5) for _ in range(20)] == many.gamma(0.5, size=20).tolist()


def test_parameters_of_any_layout():
    loc = np.arange(24.0).reshape(4, 6)
    expected = ap.to_numpy(ap.random.default_rng(11).normal(loc, 1))
    for same in (ap.array(loc.T.copy()).T, ap.array(np.repeat(loc, 2, 1))[:, ::2], ap.array(loc[::-1].copy())[::-1]):
        np.testing.assert_array_equal(ap.to_numpy(ap.random.default_rng(11).normal(same, 1)), expected)
    broadcast = ap.random.default_rng(11).normal(np.arange(4.0)[:, None], 1, (4, 6))
    np.testing.assert_allclose(ap.to_numpy(broadcast), expected - loc + np.arange(4.0)[:, None], rtol=0, atol=1e-12)


def test_draws_are_deferred_and_keep_their_place():
    rng = ap.random.default_rng(12)
    late = rng.normal(size=100_000) * 2 + 1
    early = rng.normal(size=100_000)
    first = ap.to_numpy(early)
    again = ap.random.default_rng(12)
    np.testing.assert_array_equal(ap.to_numpy(again.normal(size=100_000)) * 2 + 1, ap.to_numpy(late))
    np.testing.assert_array_equal(ap.to_numpy(again.normal(size=100_000)), first)


# --- the words ---


def philox(key: int, block: int) -> tuple[int, int, int, int]:
    """Philox4x32-10 written from its definition."""
    x = [block >> 32 * i & 0xFFFFFFFF for i in range(4)]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [q >> 32 ^ x[1] ^ k[0], q & 0xFFFFFFFF, p >> 32 ^ x[3] ^ k[1], p & 0xFFFFFFFF]
        k = [k[0] + 0x9E3779B9 & 0xFFFFFFFF, k[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return tuple(x)


def word(key: int, number: int) -> int:
    number = number + (key >> 64 << 64) & (1 << 128) - 1
    group, half, lane = number >> 4, number >> 3 & 1, number & 7
    block = philox(key & (1 << 64) - 1, group << 3 | lane)
    return block[2 * half] | block[2 * half + 1] << 32


def test_the_cipher_is_philox():
    # the published answers of its authors
    assert philox(0, 0) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    ones = (1 << 128) - 1
    assert philox(ones >> 64, ones) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)
    assert philox(0x299F31D0A4093822, 0x0370734413198A2E85A308D3243F6A88) == (
        0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


@pytest.mark.parametrize("counter", [0, 5, 2**64 - 40, 2**64 - 7, 2**65 - 16, 2**127 + 3, 2**128 - 30])
def test_words(counter):
    key = 0x0123456789ABCDEF_FEDCBA9876543210
    drawn = ap.random.Philox(key=key, counter=counter).random_raw(70).tolist()
    assert drawn == [word(key, counter + i & (1 << 128) - 1) for i in range(70)]


def test_raw():
    bits = ap.random.Philox(1)
    first = bits.random_raw()
    assert type(first) is int
    assert bits.random_raw(3, output=False) is None
    rest = bits.random_raw((2, 2))
    assert (rest.shape, rest.dtype) == ((2, 2), np.uint64)
    again = ap.random.Philox(1).random_raw(8).tolist()
    assert again == [first, *again[1:4], *rest.ravel().tolist()]
    uniform = ap.random.Generator(ap.random.Philox(1)).random(8).tolist()
    assert uniform == [(each >> 11) * 2.0**-53 for each in again]


# --- seeds and states ---


def test_seeds():
    def numbers(*args):
        return ap.random.default_rng(*args).random(3).tolist()

    assert numbers(5) == numbers(np.int64(5)) == numbers(np.random.SeedSequence(5)) == numbers(ap.random.Philox(5))
    assert numbers([1, 2]) == numbers((1, 2)) == numbers(ap.array([1, 2]))
    assert numbers(5) != numbers(6)
    assert numbers() != numbers()
    for name in ("PCG64", "MT19937", "SFC64", "PCG64DXSM"):
        assert numbers(getattr(ap.random, name)(5)) == numbers(5)
    generator = ap.random.default_rng(5)
    assert ap.random.default_rng(generator) is generator
    assert ap.random.default_rng(generator.bit_generator).bit_generator is generator.bit_generator
    assert isinstance(ap.random.default_rng(ap.random.RandomState(5)), ap.random.Generator)


@pytest.mark.parametrize("name", ["PCG64", "MT19937", "SFC64", "PCG64DXSM", "Philox"])
def test_generators_of_numpy_give_a_key(name):
    def theirs():
        return getattr(np.random, name)(5)

    first = ap.random.default_rng(theirs())
    assert type(first.bit_generator).__name__ == name
    numbers = first.random(3).tolist()
    assert numbers == ap.random.default_rng(np.random.Generator(theirs())).random(3).tolist()
    used = theirs()
    ap.random.default_rng(used)
    assert ap.random.default_rng(used).random(3).tolist() != numbers


def test_bad_seeds():
    with pytest.raises(ValueError):
        ap.random.default_rng(-1)
    for bad in ("a", 1.5):
        with pytest.raises(TypeError):
            ap.random.default_rng(bad)
    with pytest.raises(ValueError, match="must be instantiated"):
        ap.random.Generator(ap.random.Philox)
    with pytest.raises(AttributeError, match="expected a BitGenerator, got int"):
        ap.random.Generator(5)
    with pytest.raises(NotImplementedError):
        ap.random.BitGenerator(1)
    for arguments in ({"seed": 1, "key": 1}, {"key": -1}, {"key": 2**128}, {"key": [1, 2, 3]}, {"counter": 2**128}):
        with pytest.raises(ValueError):
            ap.random.Philox(**arguments)


def test_state_returns():
    rng = ap.random.default_rng(20)
    rng.normal(size=1001)
    state = rng.bit_generator.state
    expected = rng.random(10).tolist()
    rng.bit_generator.state = state
    assert rng.random(10).tolist() == expected
    other = ap.random.Philox(1)
    other.state = state
    assert ap.random.Generator(other).random(10).tolist() == expected
    assert state["bit_generator"] == "Philox"
    for bad, error in ((5, TypeError), ({}, ValueError), ({"bit_generator": "PCG64"}, ValueError),
                       ({"bit_generator": "Philox", "state": {}}, ValueError)):
        with pytest.raises(error):
            other.state = bad
    with pytest.raises(ValueError, match="does not continue numpy's"):
        ap.random.PCG64(1).state = np.random.PCG64(1).state
    assert ap.random.Generator(other).random(10).tolist() != expected


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("make", [
    lambda: ap.random.default_rng(21), lambda: ap.random.RandomState(21),
    lambda: ap.random.Generator(ap.random.SFC64(21)),
])
def test_copies_continue(make, duplicate):
    original = make()
    original.normal(size=7)
    twin = duplicate(original)
    assert type(twin) is type(original)
    if duplicate is not copy.copy:  # which shares the bit generator, as NumPy's does
        assert twin.normal(size=5).tolist() == original.normal(size=5).tolist()
    bits = make()._bit_generator
    bits.random_raw(3)
    twin = duplicate(bits)
    assert type(twin) is type(bits)
    assert twin.random_raw(5).tolist() == bits.random_raw(5).tolist()
    assert twin.spawn(1)[0].random_raw() == bits.spawn(1)[0].random_raw() or duplicate is copy.copy


def test_jumps():
    bits = ap.random.Philox(22)
    start = bits.random_raw(4).tolist()
    bits.advance(-4)
    assert bits.random_raw(4).tolist() == start
    assert bits.advance(96) is bits
    far = ap.random.Philox(22)
    far.random_raw(100)
    assert bits.random_raw() == far.random_raw()
    jumped = far.jumped()
    assert jumped is not far
    assert jumped.state["state"]["counter"].tolist() == [101, 1]
    assert far.jumped(2).random_raw() == jumped.jumped().random_raw()
    assert far.jumped().random_raw(50).tolist() != far.random_raw(50).tolist()


def test_spawn():
    parent, twin = ap.random.default_rng(23), ap.random.default_rng(23)
    children = parent.spawn(3)
    assert [str(each) for each in children] == ["Generator(Philox)"] * 3
    numbers = [each.random(4).tolist() for each in (*children, parent)]
    assert len({tuple(each) for each in numbers}) == 4
    assert [each.random(4).tolist() for each in (*twin.spawn(3), twin)] == numbers
    assert parent.spawn(1)[0].random(4).tolist() not in numbers
    assert len(parent.bit_generator.spawn(2)) == 2
    assert parent.bit_generator.seed_seq.entropy == 23

    class Plain(np.random.bit_generator.ISeedSequence):
        def generate_state(self, n_words, dtype=np.uint32):
            return np.arange(n_words).astype(dtype)

    with pytest.raises(TypeError, match="does not implement spawning"):
        ap.random.default_rng(Plain()).spawn(1)


def test_legacy_state():
    state = ap.random.RandomState(24)
    state.rand(5)
    for legacy in (True, False):
        kept = state.get_state(legacy)
        expected = state.randn(6).tolist()
        state.set_state(kept)
        assert state.randn(6).tolist() == expected
    assert len(state.get_state()) == 5
    with pytest.raises(ValueError, match="expected a state that"):
        state.set_state(np.random.RandomState(1).get_state())
    state.seed(24)
    assert state.rand(3).tolist() == ap.random.RandomState(24).rand(3).tolist()
    assert ap.random.RandomState(ap.random.MT19937(3)).rand() == ap.random.RandomState(3).rand()


def test_module_functions():
    ap.random.seed(25)
    first = [ap.random.rand(3).tolist(), ap.random.normal(), ap.random.randint(10), ap.random.ranf(2).tolist(),
             ap.random.sample(), ap.random.permutation(5).tolist()]
    kept = ap.random.get_state()
    rest = ap.random.uniform(size=3).tolist()
    ap.random.seed(25)
    assert first == [ap.random.rand(3).tolist(), ap.random.normal(), ap.random.randint(10), ap.random.ranf(2).tolist(),
                     ap.random.sample(), ap.random.permutation(5).tolist()]
    ap.random.set_state(kept)
    assert ap.random.uniform(size=3).tolist() == rest
    before = ap.random.get_bit_generator()
    try:
        ap.random.set_bit_generator(ap.random.Philox(26))
        assert ap.random.random() == ap.random.default_rng(26).random()
    finally:
        ap.random.set_bit_generator(before)


def test_threads_share_a_generator():
    rng = ap.random.default_rng(27)
    drawn: list[list[float]] = [[] for _ in range(4)]

    def work(mine):
        for _ in range(50):
            mine += rng.random(20).tolist()

    workers = [threading.Thread(target=work, args=(mine,)) for mine in drawn]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    # every place of the stream went to one of them
    assert sorted(itertools.chain(*drawn)) == sorted(ap.random.default_rng(27).random(4000).tolist())
