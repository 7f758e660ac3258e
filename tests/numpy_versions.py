"""Where one version of NumPy does otherwise than the next: the tests that take it as their oracle, and what changed."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np


class Change(NamedTuple):
    version: str  # of NumPy, that made the change
    what: str
    tests: tuple[str, ...]  # patterns of test names, with the parameters where only some are concerned
    holds_since: bool = True     # the tests hold from the version on; False: up to it


# asnumpy does as the NumPy of the tests' own time; what an older one lacked or a newer one took away need not exist.
CHANGES = (
    Change("2.1", "floor, ceil and trunc keep bool", tuple(
        f"test_{test}[*{name}*]" for name in ("floor", "ceil", "trunc")
        for test in ("elementwise", "values", "public_function", "layouts_of_*puts", "overlapping_output"))),
    Change("2.1", "the limits of clip are optional, and called min and max too", ("test_clip[*]", "test_clip_forms")),
    Change("2.1", "cumulative_sum, cumulative_prod and unstack are new", (
        "test_running[*]", "test_integer_results_wrap[*]", "test_cumulative_functions", "test_views_of_axes[*]")),
    Change("2.1", "reshape takes copy", ("test_reshape",)),
    Change("2.1", "nonzero refuses arrays without axes", ("test_where_forms", "test_nonzero[*]")),
    Change("2.1", "DLPack tells of read-only memory", (
        "test_read_only[*dlpack]", "test_readonly_memory_stays_so[*]", "test_dlpack_*",
        "test_host_memory_taken_in_is_shared_too[*]",
        "test_two_arrays_over_the_same_host_memory[*]", "test_shifted_arrays_over_the_same_host_memory[*]",
        "test_everything_comes_back[exports in a circle*]", "test_memory_is_not_shared_after_the_fork")),
    Change("2.1", "__array_namespace_info__ is new", ("test_inspection",)),
    Change("2.1", "indices of uint64 are taken", ("test_take[*indices6]",)),
    Change("2.1", "full and copyto hold Python integers to the range", ("test_full_out_of_range", "test_copyto_rules")),
    Change("2.2", "arrays that come by DLPack may be written", ("test_exchange_shares_memory",)),
    Change("2.2", "trim_zeros takes several axes", ("test_trim_zeros[*]", "test_lists_are_trimmed_to_lists[*]")),
    Change("2.2", "cov keeps the variables of a single observation apart", ("test_covariance[*]",)),
    Change("2.2", "an empty array has no truth", ("test_bad_call[*truth of nothing]",)),
    Change("2.3", "signs of the infinite parts of complex inverse functions", (
        "test_*[*arcsin]", "test_*[*arcsinh]", "test_*[*arccosh]")),
    Change("2.3", "the largest of no values is a norm of 0", ("test_norms[*]", "test_norms_of_views")),
    Change("2.3", "an integer array to a float power in place is refused", ("test_operators[*]",)),
    Change("2.3", "an array may be its own index while it is written", (
        "test_source_overlaps_target", "test_picking_through_itself")),
    Change("2.3", "lib.format shows its public names only", ("test_open_memmap_and_format",)),
    Change("2.3", "a shape of None is refused", ("test_bad_shapes[None]",)),
    Change("2.4", "methods removed in 2.0 have no name any more; all others have docstrings", (
        "test_every_public_name", "test_docstrings[*]", "test_documented[*]", "test_every_function_has_a_docstring")),
    Change("2.4", "pad takes a dict of axes", ("test_pad_options", "test_pad_modes[*]")),
    Change("2.4", "an empty key of a flat iterator does not end the process", ("test_keys_of_flat[()]",)),
    Change("2.4", "bit generators tell their signatures", ("test_constructors[*]",)),
    Change("2.4", "only arrays without axes become Python numbers", ("test_conversions", "test_write[(1,2,3)]")),
    Change("2.4", "the interface that tools/interface.toml is about", (
        "test_signature[*]", "test_names[*]", "test_share", "test_ufuncs")),
    Change("2.5", "another interface", (
        "test_signature[*]", "test_names[*]", "test_share", "test_ufuncs", "test_every_public_name"), False),
    Change("2.5", "cross takes no vectors of two", ("test_cross[2-*]", "test_cross[3-2]"), False),
    Change("2.5", "where refuses Python integers out of range", (
        "test_where_dtypes[*]", "test_where_forms", "test_choices[*]"), False),
    Change("2.5", "take casts to its output", ("test_take_out",), False),
    Change("2.5", "eigenvalues are complex also where all are real", (
        "test_eigenvalues_of_any_matrix", "test_forms_that_depend_on_values[<lambda>3]",
        "test_eigenvalues_are_complex"), False),
    Change("2.5", "fix is deprecated", ("test_round_forms",), False),
    Change("2.5", "the array interface of a scalar has strides", ("test_strides_of_views_and_copies",), False),
)


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern.replace("[", "[[]"))  # a bracket is a bracket


def reason_to_skip(name: str) -> str | None:
    """Why the test of this name has no oracle in the NumPy in use; None when it has."""
    for change in CHANGES:
        holds = (_release(np.__version__) >= _release(change.version)) == change.holds_since
        if not holds and any(_matches(name, pattern) for pattern in change.tests):
            return f"NumPy {change.version}, not the {np.__version__} in use: {change.what}"
    return None
