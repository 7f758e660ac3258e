"""Loops over single elements, as a program has them that was not written for arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from asnumpy.demo.measure import close
from measure import Case, main


def distance(a: Any, b: Any, table: Any) -> Any:
    """The edit distance of two vectors of letters, in a table."""
    table = table.copy()
    for i in range(len(a)):
        for j in range(len(b)):
            same = table[i, j] + (a[i] != b[j])
            table[i + 1, j + 1] = min(same, table[i, j + 1] + 1, table[i + 1, j] + 1)
    return table


def gauss_seidel(matrix: Any, right: Any, x: Any) -> Any:
    n, x = len(right), x.copy()
    for _ in range(3):
        for i in range(n):
            total = right[i]
            for j in range(n):
                if j != i:
                    total = total - matrix[i, j] * x[j]
            x[i] = total / matrix[i, i]
    return x


def checksum(octets: Any, table: Any) -> Any:
    value = table[0] ^ 0xFFFFFFFF
    for octet in octets:
        value = table[(value ^ octet) & 0xFF] ^ (value >> 8)
    return value


def factorise(a: Any) -> Any:
    """The triangular factors of a matrix in its place."""
    n, a = len(a), a.copy()
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def crc_table() -> Any:
    table = np.arange(256, dtype=np.int64)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ 0xEDB88320, table >> 1)
    return table


def elements(name: str, size: str, work: Callable[..., Any], make: Callable[[], list[Any]]) -> Case:
    return Case(name, size, 0.77, lambda xp, *a: work(*a), make, close(1e-12))


def cases() -> Iterator[Case]:
    def random() -> np.random.Generator:
        return np.random.default_rng(7)

    def system(n: int) -> Any:
        return random().random((n, n)) + n * np.eye(n)

    def words() -> list[Any]:
        table = np.zeros((41, 41), dtype=np.int64)
        table[0], table[:, 0] = np.arange(41), np.arange(41)
        return [random().integers(0, 4, 40), random().integers(0, 4, 40), table]

    yield elements("edit distance", "40 x 40", distance, words)
    yield elements("Gauss-Seidel", "30 x 30", gauss_seidel, lambda: [system(30), random().random(30), np.zeros(30)])
    yield elements("CRC of bytes", "2000", checksum, lambda: [random().integers(0, 256, 2000), crc_table()])
    yield elements("LU by elements", "20 x 20", factorise, lambda: [system(20)])


if __name__ == "__main__":
    sys.exit(main(cases))
