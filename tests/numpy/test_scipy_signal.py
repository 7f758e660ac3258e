"""asnumpy.scipy.signal beside SciPy's: dtypes, layouts, options, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.signal

import asnumpy as ap
from asnumpy.scipy.signal import _convolution, _filters

DTYPES = [np.float64, np.float32, np.int64]
LENGTH = 240
ON_HOST = ap.ones(1)._host_visible


@pytest.fixture(autouse=True)
def however_few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compositions are compared on few elements, too, which SciPy computes quicker on the host."""
    if "few" not in request.node.name:
        for module in (_convolution, _filters):
            monkeypatch.setattr(module, "_LEAST", 0)


def signal(dtype: Any, *shape: int) -> np.ndarray:
    return (np.random.default_rng(sum(shape)).normal(0.5, 3, shape) * 4).astype(dtype)


def near(got: Any, wanted: Any, single: bool = False) -> None:
    """Within rounding of the largest element, as transforms round."""
    if isinstance(wanted, tuple):
        assert type(got) is tuple and len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            near(one, other, single)
        return
    assert isinstance(got, ap.ndarray) and got.shape == wanted.shape and got.dtype == wanted.dtype
    size = float(np.abs(wanted).max(initial=0.0, where=np.isfinite(wanted)))
    np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=0, atol=(3e-5 if single else 1e-12) * max(size, 1e-300))


def compared(name: str, *args: Any, composed: bool = True, single: bool = False, **options: Any) -> None:
    """Our function of our arrays beside SciPy's of NumPy's; what is composed calls none of SciPy's."""
    ours = [ap.array(one) if isinstance(one, np.ndarray) else one for one in args]
    named = {key: ap.array(one) if isinstance(one, np.ndarray) else one for key, one in options.items()}
    wanted = getattr(scipy.signal, name)(*args, **options)
    before = calls(name)
    got = getattr(ap.scipy.signal, name)(*ours, **named)
    assert (calls(name) == before) is composed, (name, options)
    near(got, wanted, single or any(isinstance(one, np.ndarray) and one.dtype == np.float32 for one in args))


def calls(name: str) -> int:
    return sum(one["count"] for one in ap.fallbacks() if one["function"] == f"scipy.signal.{name}")


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve", "convolve", "correlate"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_convolutions(name: str, mode: str, dtype: Any) -> None:
    for first, second in (((LENGTH,), (7,)), ((LENGTH,), (8,)), ((9,), (30,)), ((500,), (3,)), ((12, 15), (3, 4))):
        a, b = signal(dtype, *first), signal(dtype, *second)
        wider = name in ("convolve", "correlate") and mode == "same" and first == (9,)
        compared(name, a, b, mode, composed=not wider)  # directly, a kernel that is wider is SciPy's
        if name in ("convolve", "correlate") and not wider:
            compared(name, a, b, mode, method="direct")
            compared(name, a, b, mode=mode, method="fft")
    if name in ("fftconvolve", "oaconvolve"):
        compared(name, signal(dtype, 4, 300), signal(dtype, 1, 9), mode, axes=1)
        compared(name, signal(dtype, 300, 4), signal(dtype, 9, 4), mode, axes=[0])
        compared(name, signal(dtype, 5, 9), signal(dtype, 40, 60), mode)


def test_convolutions_of_two_dtypes_and_integers() -> None:
    compared("fftconvolve", signal(np.float32, 50), signal(np.float64, 9), single=True)
    compared("fftconvolve", signal(np.int64, 50), signal(np.int64, 9))
    compared("oaconvolve", signal(np.float64, 300), signal(np.complex128, 5))
    compared("convolve", signal(np.int64, 50), signal(np.int64, 9), composed=False)
    compared("convolve", signal(np.int64, 50), signal(np.int32, 9), method="direct")
    compared("correlate", signal(np.int64, 50), signal(np.int32, 9), mode="same", method="direct")


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_planes(name: str, mode: str, boundary: str) -> None:
    for kernel in ((3, 3), (4, 1)):
        compared(name, signal(np.float64, 12, 9), signal(np.float64, *kernel), mode, boundary, 0)
    for dtype in (np.float32, np.complex128):
        compared(name, signal(dtype, 12, 9), signal(dtype, 2, 5), mode, boundary)
    compared(name, signal(np.float64, 12, 9).T, signal(np.float64, 3, 2), mode, boundary)
    compared(name, signal(np.int64, 6, 6), signal(np.int64, 3, 2), mode, boundary, composed=False)
    if boundary == "fill":
        compared(name, signal(np.float64, 12, 9), signal(np.float64, 3, 2), mode, fillvalue=2.5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_finite_responses(dtype: Any) -> None:
    x, plane, b = signal(dtype, LENGTH), signal(dtype, 6, 50), scipy.signal.firwin(9, 0.3)
    cases: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((b, 1.0, x), {}), ((b, [2.0], plane), {"axis": 0}), ((list(b), [1.0], plane.T), {"axis": 1}),
        ((b, 1.0, plane), {"zi": np.ones((6, 8))}), ((b, 1.0, x), {"zi": np.arange(8.0)}),
        ((b.astype(np.float32), np.ones(1, np.float32), x), {}), ((scipy.signal.firwin(61, 0.3), 1, x), {}),
    ]
    for args, options in cases:
        compared("lfilter", *args, composed=not ON_HOST, **options)
    compared("lfilter", scipy.signal.firwin(401, 0.3), 1, plane, composed=False)


def test_what_feeds_back_is_scipys_on_the_host() -> None:
    b, a = scipy.signal.butter(3, 0.2)
    x = signal(np.float64, LENGTH)
    compared("lfilter", b, a, x, composed=not ON_HOST)
    compared("lfilter", b, a, x, zi=scipy.signal.lfilter_zi(b, a), composed=not ON_HOST)
    compared("filtfilt", b, a, x, composed=not ON_HOST)
    sections = scipy.signal.butter(4, 0.2, output="sos")
    compared("sosfilt", sections, x, composed=not ON_HOST)
    compared("sosfiltfilt", sections, x, composed=not ON_HOST)
    compared("decimate", x, 3, composed=not ON_HOST)
    designed = ap.scipy.signal.butter(3, 0.2)
    near(designed, (b, a))
    near(ap.scipy.signal.lfilter(*designed, ap.array(x)), scipy.signal.lfilter(b, a, x))


@pytest.mark.parametrize("mode", ["interp", "mirror", "nearest", "wrap", "constant"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_fitted_polynomials(mode: str, dtype: Any) -> None:
    for length, order, options in ((5, 2, {}), (11, 3, {"deriv": 1, "delta": 0.5}), (7, 4, {"deriv": 2})):
        compared("savgol_filter", signal(dtype, LENGTH), length, order, mode=mode, **options)
        compared("savgol_filter", signal(dtype, 30, 4), length, order, mode=mode, axis=0, cval=1.5, **options)
    compared("savgol_filter", signal(dtype, 40), 6, 2, mode="nearest", composed=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_resampling(dtype: Any) -> None:
    x, plane = signal(dtype, 90), signal(dtype, 5, 33)
    for num in (30, 31, 45, 90, 91, 200):
        compared("resample", x, num)
        compared("resample", plane, num, axis=1, window="hann")
    compared("resample", x, 60, np.arange(90.0))
    compared("resample", x, 60, window=scipy.signal.windows.hamming(90))
    for up, down in ((3, 2), (2, 3), (4, 2), (1, 5), (7, 1), (5, 13)):
        compared("resample_poly", x, up, down)
        compared("resample_poly", plane, up, down, axis=1, padtype="mean")
        compared("upfirdn", signal(dtype, 11), x, up, down)
        compared("upfirdn", signal(dtype, 3), plane, up, down, axis=0)
    compared("resample_poly", x, 3, 2, window=np.ones(7), padtype="minimum")
    compared("resample_poly", x, 3, 2, padtype="median")
    compared("resample_poly", x, 3, 2, padtype="line", composed=False)
    compared("decimate", x, 4, ftype="fir")
    compared("decimate", plane, 3, 10, "fir", axis=1, zero_phase=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_trends_and_the_analytic_signal(dtype: Any) -> None:
    x, plane = signal(dtype, LENGTH), signal(dtype, 5, 33)
    for kind in ("linear", "constant"):
        compared("detrend", x, type=kind)
        compared("detrend", plane, axis=0, type=kind)
        compared("detrend", plane.T, type=kind)
    compared("detrend", x, bp=[50, 51, 120])
    compared("detrend", plane, bp=np.array([10]))
    compared("hilbert", x)
    compared("hilbert", x[:-1], 300)
    compared("hilbert", plane, axis=0)
    compared("hilbert", plane, 31)
    compared("hilbert", plane, 9, 0)
    for count in (1, 2, 3):
        compared("hilbert", x[:count])
    with np.errstate(all="ignore"):
        compared("hilbert", np.where(x == x[3], np.inf, x))  # no element stays finite


SPECTRA: dict[str, list[dict[str, Any]]] = {
    "welch": [{}, {"nperseg": 60, "scaling": "spectrum"}, {"nperseg": 61, "noverlap": 7, "average": "median"},
              {"window": "boxcar", "nperseg": 32, "nfft": 50, "detrend": False}, {"fs": 8.0, "detrend": "linear"},
              {"return_onesided": False, "nperseg": 64}],
    "periodogram": [{}, {"nfft": 100}, {"nfft": 300, "window": "hann"}, {"detrend": "linear", "scaling": "spectrum"}],
    "spectrogram": [{"nperseg": 40}, {"nperseg": 40, "mode": "complex"}, {"nperseg": 40, "mode": "magnitude"},
                    {"nperseg": 41, "noverlap": 0, "nfft": 64}],
    "stft": [{"nperseg": 40}, {"nperseg": 41, "boundary": "even"}, {"nperseg": 40, "boundary": "odd", "padded": False},
             {"nperseg": 40, "boundary": None, "scaling": "psd"}, {"nperseg": 64, "boundary": "constant"},
             {"nperseg": 40, "return_onesided": False, "detrend": "constant"}],
}


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("dtype", DTYPES)
def test_spectra(name: str, dtype: Any) -> None:
    for options in SPECTRA[name]:
        long, plane = signal(dtype, 600), signal(dtype, 300, 3)
        compared(name, long, **options)
        compared(name, plane, axis=0, **{"nperseg": 70, **options} if name != "periodogram" else options)
    if name != "periodogram":
        compared(name, long, nperseg=32, window=scipy.signal.windows.hamming(32))


@pytest.mark.parametrize("dtype", DTYPES)
def test_cross_spectra(dtype: Any) -> None:
    rng = np.random.default_rng(2)
    x = signal(dtype, 600)
    y = (x + rng.normal(size=600) * 3).astype(dtype)
    for options in ({}, {"nperseg": 64}, {"nperseg": 64, "detrend": "linear"}):
        compared("csd", x, y, **options)
        compared("coherence", x, y, **options)
    compared("csd", x, y, nperseg=50, average="median")
    compared("csd", x.reshape(300, 2), y.reshape(300, 2), nperseg=50, axis=0)
    compared("csd", x, y[:500], nperseg=50, composed=False)


@pytest.mark.parametrize("single", [False, True])
def test_complex_signals(single: bool) -> None:
    dtype = np.complex64 if single else np.complex128
    x = (signal(np.float64, 300) + 1j * signal(np.float64, 300)[::-1]).astype(dtype)
    for name, options in (("welch", {}), ("periodogram", {}), ("stft", {}), ("spectrogram", {"mode": "magnitude"})):
        compared(name, x, return_onesided=False, single=single, **options)
    compared("welch", x, single=single)


def test_and_back() -> None:
    for dtype in (np.float64, np.float32):
        single = dtype == np.float32
        for shape, size, overlap in (((600,), 64, None), ((3, 400), 40, 30), ((300,), 51, 34)):
            bins = scipy.signal.stft(signal(dtype, *shape), nperseg=size, noverlap=overlap)[2]
            options = {"noverlap": overlap, "nperseg": size}
            compared("istft", bins, single=single, **options)
        both = scipy.signal.stft(signal(dtype, 400), nperseg=40, return_onesided=False, scaling="psd")[2]
        compared("istft", both, input_onesided=False, scaling="psd", single=single)
    turned = scipy.signal.stft(signal(np.float64, 3, 400), nperseg=40)[2]
    compared("istft", np.moveaxis(turned, (1, 2), (2, 0)), time_axis=0, freq_axis=2)
    compared("istft", turned, nperseg=40, noverlap=13, composed=False)  # segments that no step divides
    with pytest.warns(UserWarning, match="NOLA"):
        ap.scipy.signal.istft(ap.array(turned), nperseg=40, noverlap=0, boundary=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_waveforms(dtype: Any) -> None:
    t = np.linspace(-9, 9, 181).astype(dtype)
    for method in ("linear", "quadratic", "logarithmic", "hyperbolic"):
        later = (np.abs(t) / 4).astype(dtype)  # before the frequency of the last kind is infinite
        compared("chirp", later, 0.5, 3.0, 2.5, method, single=dtype == np.float32)
        compared("chirp", later, 0.5, 3, 2, method=method, phi=90, vertex_zero=False, single=dtype == np.float32)
    for share in (0, 0.3, 1):
        compared("sawtooth", t, share)
        compared("square", t, share)
    compared("sawtooth", t, np.full(t.shape, 0.25), composed=False)
    compared("gausspulse", t / 8, 3)
    compared("gausspulse", t / 8, 3, 0.4, retquad=True, retenv=True)
    compared("unit_impulse", 7)
    compared("unit_impulse", (3, 5), "mid", np.float32)
    compared("unit_impulse", (3, 4), (1, 2), int)
    assert ap.scipy.signal.gausspulse("cutoff", fc=5) == scipy.signal.gausspulse("cutoff", fc=5)


def test_few_elements_on_the_host_are_scipys() -> None:
    x, plane = signal(np.float64, 90), signal(np.float64, 8, 9)
    compared("upfirdn", np.ones(3), x, 2, composed=not ON_HOST)
    compared("resample_poly", x, 2, 3, composed=not ON_HOST)
    compared("convolve2d", plane, plane[:3, :3], composed=not ON_HOST)


def test_windows_and_designs() -> None:
    for name in ("hann", "kaiser", "tukey", "blackman"):
        args = (33, 4.0) if name == "kaiser" else (33,)
        near(getattr(ap.scipy.signal.windows, name)(*args), getattr(scipy.signal.windows, name)(*args))
    near(ap.scipy.signal.get_window(("gaussian", 3.0), 20), scipy.signal.get_window(("gaussian", 3.0), 20))
    near(ap.scipy.signal.savgol_coeffs(7, 2), scipy.signal.savgol_coeffs(7, 2))
    near(ap.scipy.signal.firwin(15, 0.4), scipy.signal.firwin(15, 0.4))
    x = signal(np.float64, 90)
    near(ap.scipy.signal.medfilt(ap.array(x), 5), scipy.signal.medfilt(x, 5))
    got, further = ap.scipy.signal.find_peaks(ap.array(x), height=0)
    wanted, properties = scipy.signal.find_peaks(x, height=0)
    near(got, wanted)
    near(further["peak_heights"], properties["peak_heights"])
    assert ap.scipy.signal.choose_conv_method(ap.array(x), ap.array(x)) == scipy.signal.choose_conv_method(x, x)


def test_nothing_to_compute_is_infinite() -> None:
    x = signal(np.float64, 100)
    x[40], x[60] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        compared("lfilter", np.ones(3), 1.0, x.reshape(2, 50), composed=not ON_HOST)
        compared("savgol_filter", x, 5, 2)
        compared("fftconvolve", x, np.ones(3))
        compared("lfilter", np.array([1.0, np.inf]), 1.0, x, composed=False)
        compared("convolve2d", x.reshape(5, 20), np.array([[1.0, np.nan]]), composed=False)
        compared("square", x)
        compared("sawtooth", x, 0.5)


ERRORS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("convolve", (np.ones(4), np.ones((2, 2))), {}), ("convolve", (np.ones(4), np.ones(3), "no such mode"), {}),
    ("convolve", (np.ones(4), np.ones(3), "full", "no such way"), {}),
    ("fftconvolve", (np.ones(4), np.ones(3)), {"axes": 3}),
    ("fftconvolve", (np.ones((4, 2)), np.ones((2, 4)), "valid"), {}),
    ("oaconvolve", (np.ones(4), np.ones(3)), {"axes": []}),
    ("correlate", (np.ones(4), np.ones(3), 0), {}), ("convolve2d", (np.ones(4), np.ones(3)), {}),
    ("convolve2d", (np.ones((4, 4)), np.ones((2, 2)), "full", "no such edge"), {}),
    ("lfilter", (np.ones(3), np.array([]), np.ones(5)), {}), ("lfilter", (np.ones(3), 1.0, np.ones(5)), {"axis": 2}),
    ("lfilter", (np.ones(3), 1.0, np.ones(5)), {"zi": np.ones(7)}), ("savgol_filter", (np.ones(9), 5, 5), {}),
    ("savgol_filter", (np.ones(3), 5, 2), {}), ("savgol_filter", (np.ones(9), 5, 2), {"mode": "no such mode"}),
    ("resample_poly", (np.ones(9), 0, 2), {}), ("resample_poly", (np.ones(9), 2.5, 2), {}),
    ("upfirdn", (np.ones((2, 2)), np.ones(5)), {}), ("detrend", (np.ones(9),), {"type": "no such kind"}),
    ("detrend", (np.ones(9),), {"bp": 12}), ("hilbert", (np.ones(4, complex),), {}), ("hilbert", (np.ones(4), 0), {}),
    ("welch", (np.ones(300),), {"nperseg": 0}), ("welch", (np.ones(300),), {"nperseg": 64, "noverlap": 64}),
    ("welch", (np.ones(300),), {"average": "mode", "nperseg": 64}),
    ("stft", (np.ones(300),), {"boundary": "none such"}),
    ("stft", (np.ones(300),), {"nfft": 100}), ("istft", (np.ones(300, complex),), {}),
    ("csd", (np.ones((2, 9)), np.ones((3, 9))), {}), ("spectrogram", (np.ones(300),), {"mode": "no such mode"}),
    ("chirp", (np.ones(3), 0.0, 1.0, 2.0, "log"), {}), ("chirp", (np.ones(3), 1.0, 1.0, 2.0, "no such kind"), {}),
    ("gausspulse", (np.ones(3), -1), {}), ("unit_impulse", ((3, 4), (7, 1)), {}), ("decimate", (np.ones(9), 2.5), {}),
    ("resample", (np.ones(9), 4), {"domain": "no such domain"}), ("welch", (), {}), ("welch", (np.ones(9),), {"no": 1}),
]


@pytest.mark.parametrize(("name", "args", "options"), ERRORS)
@pytest.mark.filterwarnings("ignore")
def test_errors(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    with pytest.raises(Exception) as theirs:
        getattr(scipy.signal, name)(*args, **options)
    ours = [ap.array(one) if isinstance(one, np.ndarray) else one for one in args]
    with pytest.raises(theirs.type):
        getattr(ap.scipy.signal, name)(*ours, **options)


def test_programs_arguments_stay_as_they_are() -> None:
    x = signal(np.float64, 100)
    cases: list[tuple[str, tuple[Any, ...]]] = [
        ("lfilter", (np.ones(3), 1.0, x)), ("detrend", (x,)), ("welch", (x, 1.0, "hann", 32)),
        ("savgol_filter", (x, 5, 2)), ("oaconvolve", (x, np.ones(3))), ("upfirdn", (np.ones(1), x)),
        ("convolve", (x, np.ones(1))),
    ]
    for name, args in cases:
        ours = [ap.array(one) if isinstance(one, np.ndarray) else one for one in args]
        made = getattr(ap.scipy.signal, name)(*ours)
        first = made[1] if isinstance(made, tuple) else made
        first[...] = 7.0
        for one, other in zip(ours, args, strict=True):
            if isinstance(other, np.ndarray):
                np.testing.assert_array_equal(ap.to_numpy(one), other)


def test_recorded_functions() -> None:
    x, taps = signal(np.float64, 200), scipy.signal.firwin(9, 0.3)

    def work(x: Any, taps: Any, factor: Any) -> Any:
        smooth = ap.scipy.signal.savgol_filter(ap.scipy.signal.lfilter(taps, 1.0, x), 5, 2)
        return ap.scipy.signal.welch(smooth * factor, nperseg=64)[1], ap.scipy.signal.convolve(x, taps, method="direct")

    def wanted(x: Any, taps: Any, factor: Any) -> Any:
        smooth = scipy.signal.savgol_filter(scipy.signal.lfilter(taps, 1.0, x), 5, 2)
        return scipy.signal.welch(smooth * factor, nperseg=64)[1], scipy.signal.convolve(x, taps, method="direct")

    recorded = ap.jit(work)
    for turn in range(3):
        near(recorded(ap.array(x + turn), ap.array(taps * (turn + 1)), 2.0), wanted(x + turn, taps * (turn + 1), 2.0))
