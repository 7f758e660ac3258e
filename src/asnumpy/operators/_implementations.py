"""What computes an operator: a function for a kind of device, with the conditions on which it may be taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from asnumpy import _core, creation
from asnumpy.array import ndarray
from asnumpy.dtypes.dtype import can_cast
from asnumpy.operators import _cuda_arrays
from asnumpy.operators._call import Call, Form
from asnumpy.operators._declaration import Declaration
from asnumpy.operators._grammar import dtypes as dtypes_of_text

COMPOSED, HOST = "composed", "host"
KERNELS = ("cpu", "ascend", "cuda")


@dataclass
class Implementation:
    """One of an operator's, named by its kind, and with a number from the second of a kind on."""

    kind: str
    name: str
    function: Callable[..., Any]
    dtypes: Mapping[str, frozenset[np.dtype]]      # by letter; what is not there may have any
    when: Callable[..., Any] | None = None
    missing: Callable[[], str] | None = None       # says what this machine lacks for it, before a call
    lacks: str = ""                                # the same, once a call has found it out

    def why_not(self, call: Call) -> str:
        """Why it cannot do a call; nothing where it can."""
        return self.why_never(call.form) or self.why_not_now(call)

    def why_never(self, form: Form) -> str:
        """Why it can do no call of this form."""
        for letter, accepted in self.dtypes.items():
            if letter in form.letters and form.letters[letter] not in accepted:
                return f"it is not for {letter} = {form.letters[letter].name}"
        return ""

    def why_not_now(self, call: Call) -> str:
        """Why it cannot do this one of a form of which it can do some."""
        if self.lacks:
            return self.lacks
        if self.missing is not None and (lacks := self.missing()):
            self.lacks = lacks
            return lacks
        if self.when is not None:
            inputs = call.given if self.kind == COMPOSED else call.kernel_inputs()
            if not self.when(*inputs, **call.attributes):
                return "its condition (when=) does not hold"
        return ""

    def run(self, call: Call) -> Any:
        """The outputs: one, or a tuple."""
        made = self._compose(call) if self.kind == COMPOSED else self._launch(call)
        return made[0] if len(made) == 1 else tuple(made)

    def _compose(self, call: Call) -> list[Any]:
        before = _core.exchange_thread_device(call.form.device)  # where it makes arrays of its own
        try:
            made = self.function(*call.given, **call.attributes)
        finally:
            _core.exchange_thread_device(before)
        if len(call.form.outputs) == 1:
            return [self._finished(call, 0, made)]
        if not isinstance(made, tuple | list) or len(made) != len(call.outputs):
            raise TypeError(f"{call.declaration.name}: composed: expected a tuple of {len(call.outputs)} outputs, got "
                            f"{len(made) if isinstance(made, tuple | list) else type(made).__name__}")
        return [self._finished(call, place, value) for place, value in enumerate(made)]

    def _finished(self, call: Call, place: int, value: Any) -> Any:
        shape, dtype = call.form.outputs[place]
        if not isinstance(value, ndarray):
            value = creation.asarray(value, device=call.device)
        if value.shape != shape:
            raise ValueError(f"{_made_by(call, place)}: expected the declared shape {shape}, got {value.shape}")
        if value.dtype is not dtype and not can_cast(value.dtype, dtype, "same_kind"):
            raise TypeError(f"{_made_by(call, place)}: expected the declared dtype {dtype.name}, got "
                            f"{value.dtype.name}")
        target = None if call.out is None else call.out[place]
        if target is not None:
            target[...] = value
            return target
        if value.dtype != dtype:
            return value.astype(dtype)
        for one in call.given:
            if one is not None and _core.may_share_memory(value, one):
                return value.copy()
        return value

    def _launch(self, call: Call) -> list[Any]:
        inputs = call.kernel_inputs()
        if call.out is None and self.kind != "cuda":
            made = [_core.empty(shape, dtype, "C", call.form.device) for shape, dtype in call.form.outputs]
            if call.form.writes:
                self.function(*inputs, *made, **call.attributes)
            return made
        targets = list(call.out) if call.out is not None else [None] * len(call.outputs)
        made = [self._target(call, inputs, target, *output)
                for target, output in zip(targets, call.outputs, strict=True)]
        if call.form.writes:
            self.function(*inputs, *made, **call.attributes)
        for place, target in enumerate(targets):
            if target is None or target is made[place]:
                continue
            if call.kind == "cuda":
                made[place] = target.array
            else:
                target[...] = made[place]
                made[place] = target
        return made

    def _target(self, call: Call, inputs: list[Any], given: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        """What the kernel writes to: an array that was given, where it may."""
        if call.kind == "cuda":
            return self._cuda_target(call, given, shape, dtype)
        if given is not None and given.dtype == dtype and given._flags_c_contiguous:
            for value in inputs:
                if value is not None and _core.may_share_memory(given, value):
                    break
            else:
                return given
        return _core.empty(shape, dtype, "C", call.form.device)

    def _cuda_target(self, call: Call, given: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        if given is not None:
            if not given.contiguous:
                raise ValueError(f"{call.declaration.name}: out: expected an array in C order")
            return given.array
        model = next(value for value in call.given if isinstance(value, _cuda_arrays.CudaArray))
        try:
            return _cuda_arrays.empty_like(model, shape, dtype)
        except TypeError as error:
            raise TypeError(f"{call.declaration.name}: {error}") from None


def _made_by(call: Call, place: int) -> str:
    return f"{call.declaration.name}: composed: {call.declaration.outputs[place].name}"


def conditions(declaration: Declaration, given: Any) -> dict[str, frozenset[np.dtype]]:
    """`dtypes=` of an attachment by letter: for all letters, or a dict of them; ValueError for what is not declared."""
    if given is None:
        return {}
    by_letter: dict[str, Any] = dict(given) if isinstance(given, Mapping) else dict.fromkeys(declaration.letters, given)
    found = {}
    for letter, text in by_letter.items():
        if letter not in declaration.letters:
            known = ", ".join(declaration.letters) or "none"
            raise ValueError(f"{declaration.name}: dtypes: there is no letter {letter!r}; declared are: {known}")
        named = dtypes_of_text(letter, text)
        strangers = [dtype.name for dtype in named if dtype not in declaration.letters[letter]]
        if strangers:
            raise ValueError(f"{declaration.name}: dtypes: {letter} is not declared to be {' or '.join(strangers)}")
        found[letter] = frozenset(named)
    return found
