"""Take the hum out of a recording: a filter by FFT, and its peaks, spectrogram and signal-to-noise ratio."""

import argparse
import random
from pathlib import Path

import matplotlib.pyplot as plt
from scipy import signal

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seconds", type=float, default=2.0)
parser.add_argument("--rate", type=int, default=4000, help="samples a second")
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)

# A chirp that fades in and out, the mains with two overtones, and noise.
random.seed(11)
t = np.arange(0, options.seconds, 1 / options.rate)
chirp = np.sin(2 * np.pi * (150 * t + 120 * t**2)) * np.hanning(t.size)
hum = sum(0.6 / k * np.sin(2 * np.pi * 50 * k * t + k) for k in (1, 2, 3))
noise = np.array([random.gauss(0, 0.1) for _ in t])
recorded = chirp + hum + noise


def decibels(part, rest):
    """The ratio of two signals' powers."""
    return 10 * np.log10(np.mean(part**2) / np.mean(rest**2))


spectrum = np.fft.rfft(recorded * signal.windows.hann(t.size))
frequency = np.fft.rfftfreq(t.size, 1 / options.rate)
power = np.abs(spectrum) ** 2
loudest = np.argsort(power)[::-1][:20]
lines = sorted({round(float(frequency[i]) / 50) * 50 for i in loudest if frequency[i] < 160})
print(f"{t.size} samples, lines of the mains at {lines} Hz, strongest {frequency[power.argmax()]:.1f} Hz")

spectrum = np.fft.rfft(recorded)
for line in lines:
    spectrum[np.abs(frequency - line) < 2] = 0
spectrum[frequency > 1000] *= 0.05
clean = np.fft.irfft(spectrum, n=t.size)
print(f"signal to noise: {decibels(chirp, recorded - chirp):.2f} dB -> {decibels(chirp, clean - chirp):.2f} dB")

smooth = np.convolve(clean**2, np.ones(101) / 101, mode="same")
loud = np.flatnonzero(smooth > 0.5 * smooth.max())
print(f"loud between {t[loud[0]]:.2f} s and {t[loud[-1]]:.2f} s, energy {np.trapezoid(clean**2, t):.4f}")
centres, times, density = signal.spectrogram(clean, options.rate, nperseg=256)
ridge = centres[density.argmax(axis=0)]
slope, start = np.polyfit(times, ridge, 1)
print(f"the chirp rises from {start:.0f} Hz by {slope:.0f} Hz a second")

figure, axes = plt.subplots(3, 1, figsize=(8, 9))
axes[0].plot(t, recorded, label="recorded", linewidth=0.5)
axes[0].plot(t, clean, label="clean", linewidth=0.5)
axes[0].fill_between(t, -np.sqrt(smooth), np.sqrt(smooth), alpha=0.3, label="loudness")
axes[0].legend(loc="upper right")
axes[1].semilogy(frequency, power + 1e-6)
axes[1].set(xlabel="Hz", xlim=(0, 1000), ylabel="power")
axes[2].pcolormesh(times, centres, 10 * np.log10(density + 1e-9), shading="gouraud")
axes[2].plot(times, start + slope * times, color="white", linestyle="--")
axes[2].set(xlabel="s", ylabel="Hz", ylim=(0, 1000))
figure.tight_layout()
figure.savefig(options.output / "hum.png", dpi=80)
np.savez(options.output / "hum.npz", clean=clean, frequency=frequency, power=power, ridge=ridge)
