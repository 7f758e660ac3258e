"""Writes random small array programs: views, in-place updates, expressions, reductions, exchanges, deletions, reads.

A program is Python source over a namespace `xp`. It is run on NumPy while it is written, so that every statement is
legal and every array's shape is known. Only operations with one right answer are used (no transcendental function, no
sum of floats, no product of complex numbers), so that any two correct libraries agree to the bit.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

DTYPES = ["bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "float16", "float32", "float64", "complex64"]
SHAPES = [(), (1,), (4,), (7,), (3, 4), (4, 3), (4, 4), (1, 5), (5, 1), (2, 3, 4), (3, 1, 2), (0,), (2, 0, 3),
          (5000,), (70, 65)]
# So large that programs may run some lines at a time.
ROWED_SHAPES = [(300, 260), (300, 260), (300, 260), (300, 1), (300,), (260,), (20, 15, 260), (260, 300)]
SCALARS = ["True", "0", "1", "2", "3", "-1", "7", "100", "0.5", "-2.0", "3.0", "1.5"]
BINARY = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">", ">="]
IN_PLACE = ["=", "=", "+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>="]
SETUP = """\
def fill(dtype, shape):
    count = int(np.prod(shape, dtype=np.int64))
    values = (np.arange(count) * 37 + 11) % 23 - 7
    if np.dtype(dtype).kind in 'fc':
        values = values / 4
    return xp.asarray(values.astype(dtype).reshape(shape))

seen = []
"""


def run(lines: list[str], xp: Any, setup: str = SETUP) -> dict[str, Any]:
    """The names of the program after its last line."""
    space: dict[str, Any] = {"xp": xp, "np": np}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        exec(compile(setup + "\n".join(lines), "<random program>", "exec"), space)
    return space


def script(lines: list[str], library: str) -> str:
    return f"import numpy as np\nimport {library} as xp\n\n{SETUP}" + "\n".join(lines) + "\n"


def live(space: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in space.items() if re.fullmatch(r"[abc]\d+", name)}


class Writer:
    """Draws one program, statement by statement."""

    def __init__(self, draw: Any, shapes: list[tuple[int, ...]] = SHAPES) -> None:
        self.draw = draw
        self.shapes = shapes
        self.largest = 20000 if shapes is SHAPES else 200000
        self.lines: list[str] = []
        self.space = run([], np)
        self.named = 0

    def statements(self) -> list[Any]:
        """What a program may have besides."""
        return []

    def choose(self, options: Any) -> Any:
        return self.draw(st.sampled_from(list(options)))

    def write(self, line: str) -> bool:
        """Appends the line if NumPy accepts it."""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                exec(line, self.space)
        except (ValueError, TypeError, IndexError, ArithmeticError):
            return False
        self.lines.append(line)
        return True

    def value(self, text: str) -> np.ndarray | None:
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return np.asarray(eval(text, self.space))
        except (ValueError, TypeError, IndexError, ArithmeticError):
            return None

    def name(self) -> str:
        self.named += 1
        return f"a{self.named}"

    def pick(self) -> str:
        return self.choose(sorted(live(self.space)))

    def key(self, shape: tuple[int, ...]) -> str:
        kind = self.draw(st.integers(0, 9))
        if kind == 0 and shape and shape[0]:
            return repr(self.draw(st.lists(st.integers(-shape[0], shape[0] - 1), min_size=1, max_size=5)))
        if kind <= 4 and shape:
            length = shape[0]
            start, step = self.draw(st.integers(0, min(length, 3))), self.choose([1, 1, 1, 2, -1])
            stop = length - self.draw(st.integers(0, min(length, 3)))
            return f"{start}:{stop}:{step}" if step > 0 else f"{stop}:{start or None}:{step}".replace("None", "")
        return repr(self.draw(hnp.basic_indices(shape, max_dims=4, allow_newaxis=True, allow_ellipsis=True)))

    def term(self, shape: tuple[int, ...] | None = None) -> str:
        """An operand, if asked for one that broadcasts to a shape."""
        if self.draw(st.integers(0, 5)) == 0:
            return self.choose(SCALARS)
        for _ in range(4):
            text = self.pick()
            if self.draw(st.booleans()):
                text = f"{text}[{self.key(self.space[text].shape)}]"
            found = self.value(text)
            if found is None:
                continue
            try:
                if shape is None or np.broadcast_shapes(found.shape, shape) == shape:
                    return text
            except ValueError:
                continue
        return self.choose(SCALARS)

    def expression(self, shape: tuple[int, ...] | None = None, depth: int = 2) -> str:
        kind = self.draw(st.integers(0, 9)) if depth else 0
        if kind <= 1:
            return self.term(shape)
        one = self.expression(shape, depth - 1)
        if kind == 2:
            return self.choose([f"(-{one})", f"abs({one})", f"(~{one})", f"xp.sqrt(abs({one}))", f"xp.square({one})"])
        if kind == 3:
            return f"xp.where({one} > {self.choose(SCALARS)}, {self.term(shape)}, {self.term(shape)})"
        return f"({one} {self.choose(BINARY)} {self.expression(shape, depth - 1)})"

    def usable(self, text: str, shape: tuple[int, ...] | None = None) -> bool:
        """Whether it has one right answer: no complex products, no overflowing or NaN conversions, not too large."""
        found = self.value(text)
        if found is None or found.dtype not in [np.dtype(name) for name in DTYPES] or found.size > self.largest:
            return False
        if found.dtype.kind == "c" and any(sign in text for sign in ("*", "/", "sqrt", "square", "abs")):
            return False
        return shape is None or np.broadcast_shapes(found.shape, shape) == shape

    # --- statements ---

    def create(self) -> None:
        self.write(f"{self.name()} = fill({self.choose(DTYPES)!r}, {self.choose(self.shapes)!r})")

    def view(self) -> None:
        source = self.pick()
        shape = self.space[source].shape
        axes = self.draw(st.permutations(range(len(shape))))
        forms = [
            f"{source}[{self.key(shape)}]",
            f"{source}[{self.key(shape)}]",
            f"{source}[{self.key(shape)}]",
            f"{source}.T",
            f"{source}.transpose({tuple(axes)!r})",
            f"{source}.reshape(-1)",
            f"{source}[None, ..., None]",
            f"{source}[::-1]",
            f"{source}.squeeze()",
            f"xp.broadcast_to({source}, (2,) + {shape!r})",
            f"{source}.ravel()",
            f"{source}.reshape({self.choose(self.factored(int(np.prod(shape))))!r})",
            f"xp.flip({source})" if shape else f"{source}.view()",
            f"{source}.view()",
            f"xp.moveaxis({source}, 0, -1)",
        ]
        text = self.choose(forms)
        if isinstance(found := self.value(text), np.ndarray) and found.size <= self.largest:
            self.write(f"{self.name()} = {text}" if found.ndim else f"{self.name()} = xp.asarray({text})")

    def overlapping(self) -> None:
        """A view whose elements overlap each other: windows, or one row many times; and perhaps an update of it."""
        source = self.pick()
        array = self.space[source]
        if array.ndim == 0 or array.size == 0 or array.size > 6000:
            return
        window, axis = self.draw(st.integers(1, min(array.shape[-1], 4))), array.ndim - 1
        tricks = "xp.lib.stride_tricks"
        repeated = f"{tricks}.as_strided({source}, (3,) + {source}.shape, (0,) + {source}.strides)"
        text = self.choose([
            f"{tricks}.sliding_window_view({source}, {window}, {axis}, writeable=True)",
            f"{tricks}.sliding_window_view({source}, {window}, {axis}, writeable=True)",
            f"{tricks}.sliding_window_view({source}, {window}, {axis}, writeable=True).T",
            repeated,
            f"xp.moveaxis({repeated}, 0, -1)",
        ])
        if array.flags.writeable and self.write(f"{self.name()} = {text}") and self.draw(st.booleans()):
            self.update(f"a{self.named}")

    @staticmethod
    def factored(size: int) -> list[tuple[int, ...]]:
        found: list[tuple[int, ...]] = [(size,), (1, size), (size, 1)]
        found += [(k, size // k) for k in (2, 3, 4, 5, 7) if size % k == 0]
        return found + [(2, size // 4, 2)] if size % 4 == 0 else found

    def assign(self) -> None:
        text = self.expression()
        if self.usable(text):
            self.write(f"{self.name()} = xp.asarray({text})")

    def update(self, target: str | None = None) -> None:
        target = target or self.pick()
        where = f"{target}[{self.key(self.space[target].shape)}]" if self.draw(st.integers(0, 4)) else f"{target}[...]"
        found = self.value(where)
        if found is None:
            return
        text = self.expression(found.shape)
        if not self.usable(text, found.shape):
            return
        sign = self.choose(IN_PLACE)
        # The same rules hold for the value that the update computes, and for its conversion.
        plain = f"({where} {sign[:-1]} ({text}))" if sign != "=" else f"({text})"
        if self.usable(plain, found.shape) and self.converts(plain, found.dtype):
            self.write(f"{where} {sign} {text}")

    def converts(self, text: str, dtype: np.dtype) -> bool:
        value = self.value(text)
        if value is None or value.dtype.kind not in "fc" or dtype.kind not in "iu":
            return value is not None
        with np.errstate(all="ignore"):
            low = 0 if dtype.kind == "u" else -100
            return bool(np.all((value.real > low - 1) & (value.real < 100)))

    def cast(self) -> None:
        source, dtype = self.pick(), self.choose(DTYPES)
        if self.converts(source, np.dtype(dtype)):
            self.write(f"{self.name()} = {source}.astype({dtype!r})")

    def reduce(self) -> None:
        source = self.pick()
        array = self.space[source]
        axis = self.choose([None, *range(array.ndim)])
        name = self.choose(["sum", "prod", "max", "min", "any", "all", "argmax", "cumsum", "count"])
        if array.dtype.kind in "fc" and name in ("sum", "prod", "max", "min", "cumsum"):
            return  # rounding, or the choice among zeros of either sign, shows the order
        keep = self.choose(["", ", keepdims=True"]) if name not in ("argmax", "cumsum", "count") else ""
        call = f"xp.count_nonzero({source}, axis={axis})" if name == "count" else f"{source}.{name}(axis={axis}{keep})"
        self.write(f"{self.name()} = xp.asarray({call})")

    def rows(self) -> None:
        """What softmax, layer_norm and their like do: numbers of each row, and then work on the row with them."""
        source = self.pick()
        array = self.space[source]
        axis = self.choose([-1, -1, -1, 0])
        if array.ndim < 2 or array.size == 0:
            return
        whole = array.dtype.kind in "biu"
        number = self.choose(["sum", "max", "min"]) if whole else "count"
        of_row = (
            f"{source}.{number}(axis={axis}, keepdims=True)"
            if whole
            else f"xp.count_nonzero({source} > {self.choose(SCALARS)}, axis={axis}, keepdims=True)"
        )
        moved, total = f"a{self.named + 2}", f"a{self.named + 3}"
        for text in (
            of_row,
            f"{source} {self.choose(['+', '-', '-', '*'])} a{self.named + 1}",
            f"{moved}.sum(axis=-1, keepdims=True)" if whole
            else f"xp.count_nonzero({moved} < 0, axis=-1, keepdims=True)",
            f"{moved} + {total}",
        ):
            if not self.usable(text) or not self.write(f"{self.name()} = {text}"):
                return
        if self.draw(st.booleans()):
            self.write(f"{moved} += {total}")

    def out(self) -> None:
        target = self.pick()
        where = f"{target}[{self.key(self.space[target].shape)}]" if self.draw(st.booleans()) else target
        found = self.value(where)
        if found is None or found.dtype.kind == "c" or not isinstance(eval(where, self.space), np.ndarray):
            return
        one, other = self.term(found.shape), self.term(found.shape)
        name = self.choose(["add", "subtract", "multiply", "less", "bitwise_and", "floor_divide", "copyto", "reduce"])
        if name == "copyto":
            if self.converts(one, found.dtype):
                self.write(f"xp.copyto({where}, {one}, casting='unsafe')")
        elif name == "reduce":
            source = self.pick()
            if self.space[source].dtype.kind in "biu":
                self.write(f"xp.bitwise_xor.reduce({source}, axis=0, out={where})")
        elif self.usable(f"xp.{name}({one}, {other})", found.shape) and one not in SCALARS:
            self.write(f"xp.{name}({one}, {other}, out={where})")

    def masked(self) -> None:
        target = self.pick()
        array = self.space[target]
        if array.dtype.kind != "c" and self.write(
            f"{target}[{target} > {self.choose(SCALARS)}] = {self.choose(SCALARS[:8])}"
        ):
            return

    def copy(self) -> None:
        self.write(f"{self.name()} = {self.pick()}.copy()")

    def swap(self) -> None:
        one, other = self.pick(), self.pick()
        self.write(f"{one}, {other} = {other}, {one}")

    def delete(self) -> None:
        if len(live(self.space)) > 2:
            self.write(f"del {self.pick()}")

    def read(self) -> None:
        source = self.pick()
        size = self.space[source].size
        if size and self.draw(st.booleans()):
            self.write(f"seen.append(repr({source}.reshape(-1)[{self.draw(st.integers(0, size - 1))}].item()))")
        else:
            self.write(f"seen.append(repr({source}.tolist()))")

    def shifted(self) -> None:
        """An array changed by a part of itself that lies elsewhere."""
        source = self.pick()
        array = self.space[source]
        if array.ndim == 0 or array.dtype.kind == "c" or not array.flags.writeable:
            return
        places = [("[1:]", "[:-1]"), ("[:-1]", "[1:]"), ("[...]", "[::-1]"), ("[::2]", "[:1]"), ("[...]", ".T")]
        one, other = self.choose(places)
        sign = self.choose(["+", "-", "", "*", "|"])
        text = f"({source}{one} {sign} {source}{other})" if sign else f"{source}{other}"
        if self.usable(text) and self.converts(text, array.dtype):
            function = {"+": "add", "-": "subtract", "*": "multiply", "|": "bitwise_or"}.get(sign)
            if function and self.draw(st.booleans()):
                self.write(f"xp.{function}({source}{one}, {source}{other}, out={source}{one})")
            else:
                self.write(f"{source}{one} {sign}= {source}{other}")

    def product(self) -> None:
        source = self.pick()
        if self.space[source].ndim == 2 and self.space[source].dtype.kind in "iu" and self.space[source].size < 100:
            self.write(f"{self.name()} = {source} @ {source}.T + {self.choose(SCALARS[:6])}")


@st.composite
def programs(draw: Any, rowed: bool = False) -> list[str]:
    """Lines of source. rowed: over large arrays, most statements about their rows."""
    from backend.object_writer import with_objects  # which is built on this

    objects = not rowed and draw(st.integers(0, 2)) == 0
    writer = with_objects(draw) if objects else Writer(draw, ROWED_SHAPES) if rowed else Writer(draw)
    for _ in range(draw(st.integers(1, 3))):
        writer.create()
    statements = [
        writer.view,
        writer.view,
        writer.view,
        writer.overlapping,
        writer.overlapping,
        writer.shifted,
        writer.shifted,
        writer.assign,
        writer.assign,
        writer.assign,
        writer.update,
        writer.update,
        writer.update,
        writer.update,
        writer.out,
        writer.reduce,
        writer.rows,
        writer.cast,
        writer.copy,
        writer.swap,
        writer.delete,
        writer.read,
        writer.masked,
        writer.create,
        writer.product,
    ]
    if rowed:
        plain = [writer.view, writer.assign, writer.update, writer.reduce, writer.copy, writer.delete, writer.cast]
        statements = [writer.rows] * 6 + plain
    statements += writer.statements()
    for number in draw(st.lists(st.integers(0, len(statements) - 1), min_size=3, max_size=18)):
        statements[number]()
    return writer.lines
