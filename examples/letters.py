"""A text as a Markov chain: which letter follows which, how much a letter tells, and a new text of the same kind."""

import argparse
import random
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt

import asnumpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--text", type=Path, default=Path(__file__).parent / "data" / "tides.txt")
parser.add_argument("--output", type=Path, default=Path("results"), help="folder for the picture and the data")
options = parser.parse_args()
options.output.mkdir(parents=True, exist_ok=True)

text = " ".join("".join(c if c.isalpha() else " " for c in options.text.read_text().lower()).split())
alphabet = sorted(set(text))
number = {letter: i for i, letter in enumerate(alphabet)}
codes = np.array([number[letter] for letter in text])

# How often each letter follows each.
follows = np.zeros((len(alphabet), len(alphabet)), dtype=int)
for first, second in zip(codes[:-1], codes[1:]):
    follows[first, second] += 1
check = np.zeros_like(follows)
np.add.at(check, (codes[:-1], codes[1:]), 1)
assert (check == follows).all()
chance = follows / np.maximum(follows.sum(axis=1, keepdims=True), 1)

frequency = np.bincount(codes) / len(codes)
entropy = -sum(p * np.log2(p) for p in frequency if p > 0)
conditional = -np.sum(frequency[:, None] * chance * np.log2(chance, out=np.zeros_like(chance), where=chance > 0))
print(f"{len(text)} letters, {len(alphabet)} different; {entropy:.3f} bits each, {conditional:.3f} after another")

values, vectors = np.linalg.eig(chance.T)
stationary = np.real(vectors[:, np.argmax(np.real(values))])
stationary = stationary / stationary.sum()
state = np.full(len(alphabet), 1 / len(alphabet))
for steps in range(1, 1000):
    following = state @ chance
    if np.abs(following - state).max() < 1e-12:
        break
    state = following
same = np.allclose(state, stationary, atol=1e-9)
print(f"the chain forgets its start in {steps} steps; as the eigenvector says: {same}")

best = sorted(range(len(alphabet)), key=lambda i: frequency[i], reverse=True)[:6]
print("letters:", ", ".join(f"{alphabet[i]!r} {frequency[i]:.1%}" for i in best))
flat = np.argsort(follows, axis=None, kind="stable")[::-1][:8]
pairs = [(alphabet[i] + alphabet[j], follows[i, j]) for i, j in zip(*np.unravel_index(flat, follows.shape))]
print("pairs:", ", ".join(f"{pair!r} {times}" for pair, times in sorted(pairs, key=lambda p: (-p[1], p[0]))))

words = text.split()
lengths = np.array([len(word) for word in words])
by_length = Counter(lengths)
for length in sorted(by_length):
    print(f"{length:3d} letters: {'*' * (by_length[length] // 2)} {by_length[length]}")
print(f"words: {len(words)}, {round(lengths.mean(), 2)} letters on average, longest {words[lengths.argmax()]}")
common = Counter(words).most_common(4)
ranks = np.arange(1, len(set(words)) + 1)
counts = np.array(sorted(Counter(words).values(), reverse=True))
print("common:", common, f"Zipf's exponent {-np.polyfit(np.log(ranks), np.log(counts), 1)[0]:.3f}")

random.seed(5)
letter, written = number["t"], []
for _ in range(60):
    written.append(alphabet[letter])
    letter = random.choices(range(len(alphabet)), weights=chance[letter])[0]
print("".join(written))
at = {letter: list(np.flatnonzero(codes == number[letter])[:3]) for letter in "bkv" if letter in number}
print("first places:", {letter: [text[max(i - 3, 0) : i + 3] for i in places] for letter, places in at.items()})

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
shown = left.imshow(np.sqrt(chance), cmap="viridis")
left.set_xticks(range(len(alphabet)), alphabet)
left.set_yticks(range(len(alphabet)), alphabet)
figure.colorbar(shown, ax=left)
right.pie([by_length[n] for n in sorted(by_length)], labels=[str(n) for n in sorted(by_length)])
right.set(title="Words by length")
figure.savefig(options.output / "letters.png", dpi=80)
np.savez(options.output / "letters.npz", follows=follows, chance=chance, state=state, lengths=lengths)
