"""Operators of the user's own: declared once, with implementations by device, called like any function of arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, TypeVar

from asnumpy.operators import _dispatch, _registry
from asnumpy.operators._binding import Binder
from asnumpy.operators._call import Call
from asnumpy.operators._declaration import Declaration
from asnumpy.operators._expressions import Condition
from asnumpy.operators._grammar import parse
from asnumpy.operators._implementations import COMPOSED, KERNELS, Implementation, conditions

F = TypeVar("F", bound=Callable[..., Any])


class Operator:
    """An operator that `asnumpy.operator` has declared: a function of arrays, to which implementations are attached.

    Parameters
    ----------
    declaration : Declaration
        What `asnumpy.operator` has read.
    """

    def __init__(self, declaration: Declaration) -> None:
        self.declaration, self.name = declaration, declaration.name
        self.implementations: list[Implementation] = []
        self.gradient_function: Callable[..., Any] | None = None
        self._binder = Binder(declaration)
        self.__name__ = self.__qualname__ = declaration.name.rpartition(".")[2]
        self.__module__ = "asnumpy.operators"
        self.__signature__ = self._binder.signature
        self.__doc__ = declaration.document()

    def __repr__(self) -> str:
        kinds = ", ".join(one.name for one in self.implementations) or "nothing that computes it"
        return f"<operator {self.declaration}; {kinds}>"

    def __reduce__(self) -> Any:
        return _registry.get, (self.name,)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs for these inputs; a plain function alone becomes the implementation `composed`."""
        if len(args) == 1 and not kwargs and isinstance(args[0], FunctionType):
            self.composed(args[0])
            return self
        return _dispatch.run(self.implementations, self._binder.bind(args, kwargs))

    def bind(self, *args: Any, **kwargs: Any) -> Call:
        """A call's arguments, checked: what `explain` and other users of the declaration ask before anything runs."""
        return self._binder.bind(args, kwargs)

    # --- what computes it

    def composed(self, function: F) -> F:
        """Attach the function over asnumpy that runs everywhere and is the reference.

        Parameters
        ----------
        function : callable
            Takes the inputs, and the attributes by keyword; gives the output, or a tuple of them.

        Returns
        -------
        callable
            The function itself.
        """
        if any(one.kind == COMPOSED for one in self.implementations):
            raise ValueError(f"{self.name}: composed: there is one already, which is the reference")
        inputs = [one.name for one in self.declaration.inputs]
        self._expect_form(function, COMPOSED, inputs)
        self.implementations.append(Implementation(COMPOSED, COMPOSED, function, {}))
        about = inspect.cleandoc(function.__doc__ or "")
        if about:
            self.__doc__ = self.declaration.document(about)
        return function

    def cpu(self, function: Any = None, *, dtypes: Any = None, when: str | Callable[..., Any] | None = None) -> Any:
        """Attach a function that launches on arrays of the CPU.

        Parameters
        ----------
        function : callable
            Takes the inputs, then the outputs, which it fills, and the attributes by keyword. All arrays lie in C
            order, those with ``...`` as large as it is.
        dtypes : str or dict of str, optional
            For which dtypes of the letters it is: ``"f4"``, ``{"T": "f2 f4"}``.
        when : str or callable, optional
            Whether it may be taken: an expression over lengths and attributes, ``"n <= 4096 and eps > 0"``, or what
            gets the inputs and the attributes and says so.

        Returns
        -------
        callable
            The function itself, or what takes it.
        """
        return self._attach("cpu", function, dtypes, when)

    def ascend(self, function: Any = None, *, aclnn: str | None = None, dtypes: Any = None,
               when: str | Callable[..., Any] | None = None) -> Any:  # fmt: skip
        """Attach a function that launches on arrays of an NPU, or an operator of CANN's or of an installed package.

        Parameters
        ----------
        function, dtypes, when
            As those of `cpu`.
        aclnn : str, optional
            In place of a function: the name of an operator, ``"aclnnLayerScale"``. It is given the inputs, the
            attributes and the outputs in the order of the declaration.

        Returns
        -------
        callable
            The function itself, or what takes it; None with `aclnn`.
        """
        if aclnn is None:
            return self._attach("ascend", function, dtypes, when)
        if function is not None:
            raise TypeError(f"{self.name}: ascend: expected a function or aclnn=, and not both")
        from asnumpy.operators import _aclnn

        self._append("ascend", *_aclnn.launcher(self.declaration, aclnn), dtypes, when)
        return None

    def cuda(self, function: Any = None, *, dtypes: Any = None, when: str | Callable[..., Any] | None = None) -> Any:
        """Attach a function that launches on arrays of a CUDA device: whatever has ``__cuda_array_interface__``.

        Parameters
        ----------
        function, dtypes, when
            As those of `cpu`; the arrays are those of the caller's library.

        Returns
        -------
        callable
            The function itself, or what takes it.
        """
        return self._attach("cuda", function, dtypes, when)

    def _attach(self, kind: str, function: Any, dtypes: Any, when: Any) -> Any:
        def attach(function: F) -> F:
            names = [one.name for one in (*self.declaration.inputs, *self.declaration.outputs)]
            self._expect_form(function, kind, names)
            self._append(kind, function, None, dtypes, when)
            return function

        return attach if function is None else attach(function)

    def _append(self, kind: str, function: Any, missing: Any, dtypes: Any, when: Any) -> None:
        assert kind in KERNELS
        number = 1 + sum(one.kind == kind for one in self.implementations)
        name = kind if number == 1 else f"{kind}.{number}"
        accepted = conditions(self.declaration, dtypes)
        if isinstance(when, str):
            when = Condition(self.declaration, when)
        self.implementations.append(Implementation(kind, name, function, accepted, when, missing))

    def _expect_form(self, function: Any, kind: str, names: Sequence[str]) -> None:
        """TypeError for a function that cannot be called with these arrays and the attributes by keyword."""
        if not callable(function):
            raise TypeError(f"{self.name}: {kind}: expected a function, got {type(function).__name__}")
        keywords = dict.fromkeys(one.name for one in self.declaration.attributes)
        try:
            inspect.signature(function).bind(*names, **keywords)
        except TypeError as error:
            told = ", ".join([*names, *(["*", *keywords] if keywords else [])])
            raise TypeError(f"{self.name}: {kind}: expected a function of ({told}): {error}") from None
        except ValueError:  # a builtin that does not say what it takes
            pass

    # --- gradients

    def gradient(self, function: F) -> F:
        """Attach the function of its gradients.

        Parameters
        ----------
        function : callable
            Takes the inputs, the outputs, the gradients of the outputs, and the attributes by keyword; gives the
            gradient of each input in their order, None where there is none (one alone needs no tuple).

        Returns
        -------
        callable
            The function itself.
        """
        inputs, outputs = self.declaration.inputs, self.declaration.outputs
        names = [one.name for one in (*inputs, *outputs)] + [f"d{one.name}" for one in outputs]
        self._expect_form(function, "gradient", names)
        self.gradient_function = function
        return function

    def gradients(self, inputs: Sequence[Any], outputs: Sequence[Any], output_gradients: Sequence[Any],
                  **attributes: Any) -> tuple[Any, ...]:  # fmt: skip
        """The gradients of the inputs, by the function that was declared.

        Parameters
        ----------
        inputs, outputs, output_gradients : sequence of array
            What a call got and gave, and the gradients of what it gave.
        **attributes
            Those of the call.

        Returns
        -------
        tuple
            An array or None for each input.
        """
        if self.gradient_function is None:
            raise ValueError(f"{self.name}: no gradient is declared; declare it with @{self.__name__}.gradient")
        made = self.gradient_function(*inputs, *outputs, *output_gradients, **attributes)
        given = made if isinstance(made, tuple | list) else (made,)
        if len(given) != len(self.declaration.inputs):
            raise TypeError(f"{self.name}: gradient: expected {len(self.declaration.inputs)} gradients, one for each "
                            f"input (None for none), got {len(given)}")
        return tuple(given)


def operator(declaration: str, /, **letters: str | Iterable[Any]) -> Operator:
    """Declare an operator: from one line come its checks, errors, signature and docstring.

    Parameters
    ----------
    declaration : str
        Inputs with dtypes and shapes, attributes behind ``*``, outputs:
        ``"layer_scale(x: T[..., n], gamma: T[n], *, eps: float = 1e-5) -> y: T[..., n]"``. A shape is made of symbols,
        whole numbers, ``...`` for axes that broadcast, and, of outputs, expressions such as ``2*n``; ``[]`` is a
        scalar. An input with ``= None`` may be left out. Attributes are int, float, bool, str, dtype or tuple.
    **letters : str
        The dtypes that each letter stands for: ``T="f2 f4"``, in the order in which they are preferred.

    Returns
    -------
    Operator
        To which implementations are attached: ``@op.composed``, ``@op.cpu``, ``@op.ascend``, ``@op.cuda``. As a
        decorator of a function it attaches that as `composed`.

    Raises
    ------
    KernelSyntaxError
        A ValueError with line and column, if the declaration is none.

    Examples
    --------
    >>> import asnumpy as ap
    >>> @ap.operator("scaled(x: T[...], *, by: float = 2.0) -> y: T[...]", T="f4 f8")
    ... def scaled(x, *, by):
    ...     return x * by
    >>> scaled(ap.arange(3.0))
    array([0., 2., 4.])
    """
    made = Operator(parse(declaration, letters))
    _registry.add(made)
    return made
