"""Why programs are slower than NumPy, as profiles of small and medium sizes showed it; printed beside those rows."""

from __future__ import annotations

__all__ = ["CAUSES", "cause"]

CAUSES: dict[str, tuple[str, ...]] = {
    "a product of more than 65,536 multiplications is recorded, which costs 2 to 3 us beside the product": (
        "power iteration", "conjugate gradient", "least squares by gradients", "covariance by columns",
        "recurrent cell", "Cholesky by columns", "LDL by rows",
    ),
    "small products that are summed over several axes: 8.6 us where NumPy takes 4.2": (
        "convolution by places", "network for digits",
    ),
    "above 4,096 elements `x[mask]` and `nonzero` run what is recorded, for the length of their result": (
        "Mandelbrot with masks", "Mandelbrot, shrinking", "breadth first by fronts", "sieve of primes",
    ),
    "1,000 elements and more of columns or in steps are gathered before they are computed with": (
        "alternating directions", "recursive filter of rows",
    ),
}


def cause(program: str) -> str:
    """What is known about a program that is slower than NumPy."""
    return "; ".join(text for text, programs in CAUSES.items() if program in programs)
