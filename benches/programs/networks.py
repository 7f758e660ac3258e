"""Networks: convolutions by slices and products, recurrent cells, attention, clustering; float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import SINGLE, Agreement, Program, Size

Random = np.random.Generator

CLUSTERED = Agreement(1e-3, "a point that lies as near to two centres may go to either")


def values(rng: Random, *shape: int) -> np.ndarray:
    scale = float(np.sqrt(np.prod(shape[:-1]) or 1))
    return np.asarray(rng.normal(size=shape) / scale, dtype=np.float32)


def convolve(xp: Any, images: Any, weights: Any) -> Any:
    """Images (many, rows, columns, channels), weights (k, k, channels in, out): one product for each place of a row."""
    k = weights.shape[0]
    rows, columns = images.shape[1] - k + 1, images.shape[2] - k + 1
    out = xp.empty((images.shape[0], rows, columns, weights.shape[3]), dtype=images.dtype)
    for i in range(rows):
        for j in range(columns):
            out[:, i, j] = xp.tensordot(images[:, i : i + k, j : j + k], weights, axes=([1, 2, 3], [0, 1, 2]))
    return out


def convolve_shifted(xp: Any, images: Any, weights: Any) -> Any:
    """The same as a sum over the places of the kernel."""
    k = weights.shape[0]
    rows, columns = images.shape[1] - k + 1, images.shape[2] - k + 1
    out = xp.zeros((images.shape[0], rows, columns, weights.shape[3]), dtype=images.dtype)
    for i in range(k):
        for j in range(k):
            out += images[:, i : i + rows, j : j + columns] @ weights[i, j]
    return out


def pool(x: Any) -> Any:
    many, rows, columns, channels = x.shape
    rows, columns = rows // 2, columns // 2
    return x[:, : 2 * rows, : 2 * columns].reshape(many, rows, 2, columns, 2, channels).max(axis=(2, 4))


def digits(xp: Any, images: Any, one: Any, two: Any, three: Any, four: Any) -> Any:
    """A network for digits: two convolutions with pooling, two dense layers."""
    x = pool(xp.maximum(convolve(xp, images, one), 0))
    x = pool(xp.maximum(convolve(xp, x, two), 0))
    x = xp.maximum(x.reshape(len(x), -1) @ three, 0)
    return x @ four


def digit_inputs(size: Size, rng: Random) -> tuple[Any, ...]:
    many, side = size
    flat = (((side - 4) // 2 - 4) // 2) ** 2 * 12
    return (values(rng, many, side, side, 1), values(rng, 5, 5, 1, 6), values(rng, 5, 5, 6, 12), values(rng, flat, 60),
            values(rng, 60, 10))


def layers(size: Size, rng: Random) -> tuple[Any, ...]:
    many, side, k, inside, outside = size
    return values(rng, many, side, side, inside), values(rng, k, k, inside, outside)


def normalise(xp: Any, x: Any) -> Any:
    mean = x.mean(axis=0, keepdims=True)
    deviation = xp.sqrt(((x - mean) ** 2).mean(axis=0, keepdims=True) + 1e-3)
    return (x - mean) / deviation


def residual(xp: Any, images: Any, narrow: Any, middle: Any, wide: Any) -> Any:
    """A block with a short cut: 1 x 1, 3 x 3, 1 x 1, each normalised over the batch."""
    x = xp.maximum(normalise(xp, images @ narrow), 0)
    many, rows, columns, channels = x.shape
    padded = xp.zeros((many, rows + 2, columns + 2, channels), dtype=x.dtype)
    padded[:, 1:-1, 1:-1] = x
    x = xp.maximum(normalise(xp, convolve_shifted(xp, padded, middle)), 0)
    return xp.maximum(normalise(xp, x @ wide) + images, 0)


def block(size: Size, rng: Random) -> tuple[Any, ...]:
    many, side, wide, narrow = size
    return (values(rng, many, side, side, wide), values(rng, wide, narrow), values(rng, 3, 3, narrow, narrow),
            values(rng, narrow, wide))


def perceptron(xp: Any, x: Any, one: Any, two: Any, three: Any) -> Any:
    """Two hidden layers, and probabilities."""
    x = xp.maximum(x @ one, 0)
    x = xp.maximum(x @ two, 0)
    x = x @ three
    x = xp.exp(x - x.max(axis=-1, keepdims=True))
    return x / x.sum(axis=-1, keepdims=True)


def recurrent(xp: Any, sequence: Any, inputs: Any, hidden: Any, bias: Any) -> Any:
    """A cell with long and short memory through time."""

    def gate(x: Any) -> Any:
        return 1 / (1 + xp.exp(-x))

    many, width = sequence.shape[1], hidden.shape[0]
    state, memory = xp.zeros((many, width), dtype=xp.float32), xp.zeros((many, width), dtype=xp.float32)
    for step in sequence:
        sums = step @ inputs + state @ hidden + bias
        kept, new = gate(sums[:, :width]), gate(sums[:, width : 2 * width])
        memory = kept * memory + new * xp.tanh(sums[:, 2 * width : 3 * width])
        state = gate(sums[:, 3 * width :]) * xp.tanh(memory)
    return state, memory


def cell(size: Size, rng: Random) -> tuple[Any, ...]:
    steps, many, wide, width = size
    return (values(rng, steps, many, wide), values(rng, wide, 4 * width), values(rng, width, 4 * width),
            values(rng, 4 * width))


def attention(xp: Any, queries: Any, keys: Any, contents: Any) -> Any:
    """Each head's words look at the words before them."""
    length, width = queries.shape[-2:]
    scores = queries @ keys.transpose(0, 2, 1) / width**0.5
    later = xp.arange(length)[None, :] > xp.arange(length)[:, None]
    scores = xp.where(later, -xp.inf, scores)
    weights = xp.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)) @ contents


def heads(size: Size, rng: Random) -> tuple[Any, ...]:
    return tuple(values(rng, *size) * 10 for _ in range(3))


def clusters(xp: Any, points: Any, count: int) -> Any:
    """Ten rounds of moving centres to the mean of what is nearest to them."""
    centres = points[:count].copy()
    for _ in range(10):
        distance = ((points[:, None, :] - centres) ** 2).sum(axis=2)
        nearest = distance.argmin(axis=1)
        for k in range(count):
            mine = points[nearest == k]
            if len(mine):
                centres[k] = mine.mean(axis=0)
    return centres


def training(xp: Any, x: Any, labels: Any, one: Any, two: Any) -> Any:
    """Steps of gradient descent on a network of one hidden layer."""
    one, two = one.copy(), two.copy()
    for _ in range(10):
        hidden = xp.tanh(x @ one)
        scores = hidden @ two
        scores = xp.exp(scores - scores.max(axis=1, keepdims=True))
        error = (scores / scores.sum(axis=1, keepdims=True) - labels) / len(x)
        back = (error @ two.T) * (1 - hidden * hidden)
        two -= 0.5 * (hidden.T @ error)
        one -= 0.5 * (x.T @ back)
    return one, two


def examples(size: Size, rng: Random) -> tuple[Any, ...]:
    many, wide, width = size
    labels = np.eye(10, dtype=np.float32)[rng.integers(0, 10, many)]
    return values(rng, many, wide), labels, values(rng, wide, width), values(rng, width, 10)


PROGRAMS = (
    Program("convolution by places", convolve, layers,
            ((2, 14, 3, 3, 6), (4, 32, 5, 3, 16), (8, 64, 5, 3, 32)), SINGLE),
    Program("convolution by kernel places", convolve_shifted, layers,
            ((2, 14, 3, 3, 6), (4, 32, 5, 3, 16), (16, 112, 5, 3, 32)), SINGLE),
    Program("network for digits", digits, digit_inputs, ((4, 20), (16, 28), (200, 40)), SINGLE),
    Program("residual block", residual, block, ((2, 8, 16, 4), (4, 24, 64, 16), (8, 56, 256, 64)), SINGLE),
    Program("perceptron", perceptron,
            lambda s, g: (values(g, *s[:2]), values(g, *s[1:3]), values(g, *s[2:]), values(g, s[3], 10)),
            ((8, 60, 60, 30), (32, 400, 400, 200), (256, 2000, 2000, 1000)), SINGLE),
    Program("recurrent cell", recurrent, cell, ((30, 4, 12, 12), (40, 16, 64, 64), (40, 64, 256, 512)), SINGLE),
    Program("attention", attention, heads, ((2, 30, 16), (4, 128, 32), (8, 800, 64)), SINGLE),
    Program("clusters", clusters, lambda s, g: (g.random(s[:2], dtype=np.float32), s[2]),
            ((400, 3, 4), (8000, 4, 8), (200_000, 4, 8)), CLUSTERED),
    Program("training by gradients", training, examples, ((40, 30, 16), (300, 200, 64), (4000, 784, 256)), SINGLE),
)
