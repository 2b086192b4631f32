"""Made-up programs of whole arrays, as text: expressions, temporaries, views, assignments to parts,
operators in place, branches, loops and reductions.

    written = ArrayWriter(7).written()          # a source, and the shapes, dtypes and layouts of
    written.arguments(random)                   # its arguments; sizes and values differ by call

While a program is written it also runs, with small samples: so what a line gives is known, and most
of what NumPy refuses is never written.  A seed gives always the same program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from corpus.programs.compare import quiet
from fuzz.choosing import Chooser

SAMPLE = (5, 6, 8)  # of the axes, from the outermost to the innermost
FLOATS = ("f8", "f8", "f8", "f4", "f2")
DTYPES = (*FLOATS, "i8", "i4", "u1", "?", "c16")
LAYOUTS = ("C", "C", "C", "F", "strided", "reversed", "transposed", "read-only")
# What the last axis may be: around the eight lanes of a sum, its leaf of 128, a block of 512.
LENGTHS = (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 127, 128, 129, 130, 255, 257, 511, 512, 513, 1025)
SHORT = (0, 1, 2, 3, 4, 5, 8, 9)
AXES = ((2,), (2,), (2,), (1,), (1, 2), (1, 2), (0, 1, 2), (None, 2), (1, None), (0, None, 2))

Axes = tuple[int | None, ...]
Random2 = np.random.Generator


@dataclass(frozen=True)
class Form:
    """What all values of a parameter have in common: axes by number (None has one element), dtype,
    layout, or the letter of a number; `like` is the parameter whose memory it lies in."""

    name: str
    axes: Axes
    dtype: str
    layout: str
    like: str = ""


@dataclass(frozen=True)
class Written:
    """A program, and the forms of its arguments."""

    source: str
    forms: tuple[Form, ...]
    is_tame: bool  # whether all floats are small, so that conversions to integers are defined

    def arguments(self, random: Random) -> tuple[Any, ...]:
        """Arguments of one call, of one set of sizes; sometimes one of another size."""
        sizes = (random.choice(SHORT[:6]), random.choice(SHORT), random.choice(LENGTHS))
        if random.random() < 0.5:
            sizes = SAMPLE
        numbers = np.random.default_rng(random.randrange(1 << 32))
        misfit = random.choice(self.forms).name if random.random() < 0.15 else ""
        made: dict[str, Any] = {}
        for form in self.forms:
            if form.like and random.random() < 0.8:
                made[form.name] = _beside(made[form.like], random)
                continue
            own = tuple(size + (form.name == misfit) for size in sizes)
            made[form.name] = _argument(form, own, numbers, self.is_tame)
        return tuple(made.values())


def _argument(form: Form, sizes: tuple[int, ...], numbers: Random2, tame: bool) -> Any:
    if form.dtype == "int":
        return int(numbers.integers(-3, 9))
    if form.dtype == "float":
        return float(numbers.integers(-9, 9)) / 4
    shape = tuple(1 if axis is None else sizes[axis] for axis in form.axes)
    return laid_out(_values(form.dtype, shape, numbers, tame), form.layout)


def _values(dtype: str, shape: tuple[int, ...], numbers: Random2, tame: bool) -> Any:
    if dtype == "?":
        return numbers.random(shape) < 0.5
    if dtype in ("i8", "i4", "u1"):
        low = 0 if dtype == "u1" else -100
        return numbers.integers(low, 100, shape).astype(dtype)
    values = numbers.normal(size=shape) * 3
    if dtype == "c16":
        return values + 1j * numbers.normal(size=shape)
    if not tame and numbers.random() < 0.4:
        odd = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e300, 5e-324, -1.5)
        values = np.where(numbers.random(shape) < 0.1, numbers.choice(odd, shape), values)
    with np.errstate(all="ignore"):
        return values.astype(dtype)


def laid_out(values: Any, layout: str) -> Any:
    """An array of these values in a layout."""
    if layout == "F":
        return np.asfortranarray(values)
    if layout == "transposed":
        axes = range(values.ndim)[::-1]
        return np.ascontiguousarray(values.transpose(axes)).transpose(axes)
    if layout in ("strided", "reversed"):
        step = 2 if layout == "strided" else -1
        wide = np.zeros((*values.shape[:-1], values.shape[-1] * abs(step)), values.dtype)
        wide[..., ::step] = values
        return wide[..., ::step]
    memory = np.zeros(values.size + 1, values.dtype)  # one more, for arrays that overlap this one
    own = memory[:-1].reshape(values.shape)
    own[...] = values
    own.flags.writeable = layout != "read-only"
    return own


def _beside(array: Any, random: Random) -> Any:
    """An array in the memory of another, of its shape and type: itself, or one that overlaps it."""
    memory = array.base
    if random.random() < 0.4 or memory is None or memory.shape != (array.size + 1,):
        return array
    other = memory[1:].reshape(array.shape)
    other.flags.writeable = array.flags.writeable
    return other


class ArrayWriter(Chooser):
    """Writes one program, and runs it on samples meanwhile."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.numbers = np.random.default_rng(seed)
        self.values: dict[str, Any] = {}  # samples, by variable
        self.lines: list[str] = []
        self.count = 0
        self.misfits = self.chance(0.1)  # whether lines that NumPy refuses are kept
        self.in_branch = 0
        self.outer: set[str] = set()  # variables that branches and loops may not give new types

    def written(self) -> Written:
        """The program."""
        forms = self.forms()
        tame = self.chance(0.5)
        for form in forms:
            value = _argument(form, SAMPLE, self.numbers, True)
            self.values[form.name] = self.values[form.like] if form.like else value
        params = [form.name for form in forms]
        self.tame = tame
        with quiet():
            for _ in range(self.random.randint(2, 9)):
                self.statement("    ")
        shown = [name for name in self.values if name not in params and name != "i"]
        self.random.shuffle(shown)
        result = ", ".join(shown[: self.random.randint(1, 4)]) or params[0]
        head = f"def program({', '.join(params)}):"
        source = "\n".join([head, *self.lines, f"    return {result}"]) + "\n"
        return Written(source, tuple(forms), tame)

    def forms(self) -> list[Form]:
        """The parameters: arrays, an integer and a float."""
        forms: list[Form] = []
        main = self.pick(*DTYPES)
        narrow = self.chance(0.3)  # all arrays of one shape and memory order
        axes, layout = self.pick(*AXES), self.pick(*LAYOUTS)
        for name in "abcd"[: self.random.randint(2, 4)]:
            if forms and self.chance(0.15):
                like = self.pick(*forms)
                forms.append(Form(name, like.axes, like.dtype, like.layout, like.name))
                continue
            if not narrow:
                axes, layout = self.pick(*AXES), self.pick(*LAYOUTS)
            dtype = main if self.chance(0.6) else self.pick(*DTYPES)
            forms.append(Form(name, axes, dtype, layout))
        return [*forms, Form("n", (), "int", ""), Form("x", (), "float", "")]

    # --- samples --------------------------------------------------------------------------------

    def run(self, source: str, values: dict[str, Any]) -> bool:
        """Run lines on samples; False where NumPy refuses them."""
        space = {"np": np, **values}
        try:
            exec(source, space)  # noqa: S102
        except Exception:  # noqa: BLE001  whatever a made-up line raises
            return False
        del space["__builtins__"], space["np"]
        for name, value in space.items():
            if name in values and not _one_type(values[name], value):
                return False
            if _too_wide(value):
                return False
        values.clear()
        values.update(space)
        return True

    def value(self, text: str) -> Any:
        """What an expression gives on samples; None where NumPy refuses it."""
        values = {"np": np, **self.values}
        try:
            found = eval(text, values)  # noqa: S307
        except Exception:  # noqa: BLE001
            return None
        return None if _too_wide(found) else found

    def arrays(self, dtypes: str = "?biufc", ndim: int = 0) -> list[str]:
        """The variables that hold arrays."""
        return [
            name
            for name, value in self.values.items()
            if isinstance(value, np.ndarray)
            and value.ndim >= max(ndim, 1)
            and value.dtype.kind in dtypes.replace("?", "b")
        ]

    def targets(self) -> list[str]:
        return [name for name in self.arrays() if self.values[name].flags.writeable]

    # --- expressions ----------------------------------------------------------------------------

    def operand(self) -> str:
        if self.chance(0.22):
            return self.pick("n", "x", "2", "0.5", "3", "-1", "1.5", "n", "x")
        name = self.pick(*self.arrays())
        if self.chance(0.35):
            name = f"{name}{self.part(self.values[name].ndim)}"
        if self.chance(0.04):
            name = f"{name}.T"
        return name

    def part(self, ndim: int) -> str:
        """An index by slices; now and then by an integer."""
        parts = []
        for _ in range(self.random.randint(1, ndim)):
            slices = (
                ":", ":", "1:-1", "2:", ":-2", "1:", ":-1", "::2", "::-1", "1::2", ":3", "n:",
                ":n", "None", "-3:", "-2::-1",
            )  # fmt: skip
            parts.append(self.pick(*slices))
        if ndim > 1 and self.chance(0.3):
            parts[self.random.randrange(len(parts))] = self.pick("0", "-1", "1")
        if self.chance(0.1):
            parts = ["...", parts[-1]]
        return f"[{', '.join(parts)}]"

    def expression(self, depth: int = 0) -> str:
        """Operators and functions of arrays."""
        if depth > 2 or (depth and self.chance(0.3)):
            return self.operand()
        kind = self.random.random()
        a = self.expression(depth + 1)
        if kind < 0.62:
            sign = self.pick("+", "-", "*", "+", "-", "*", "/")
            return self.checked(f"({a} {sign} {self.expression(depth + 1)})", a)
        if kind < 0.7:
            return self.checked(self.changed(a), a)
        if kind < 0.85:
            name = self.pick(
                "sqrt", "exp", "log", "sin", "abs", "cos", "floor", "tanh", "square", "abs",
                "isnan", "negative", "expm1",
            )  # fmt: skip
            return self.checked(f"np.{name}({a})", a)
        b = self.expression(depth + 1)
        if kind < 0.9:
            name = self.pick("maximum", "minimum", "hypot", "arctan2", "fmax")
            return self.checked(f"np.{name}({a}, {b})", a)
        if kind < 0.93:
            sign = self.pick("<", "<=", "==", "!=", ">", ">=")
            return self.checked(f"({a} {sign} {b})", a)
        if kind < 0.96:
            choice = f"np.where({a} {self.pick('<', '>', '!=')} {b}, {a}, {self.operand()})"
            power = f"({a} ** {self.pick('2', '3', '0.5')})"
            is_array = isinstance(self.value(a), np.ndarray)  # powers of numbers have own rules
            return self.checked(self.pick(choice, power) if is_array else choice, a)
        sign = self.pick("&", "|", "^", "//", "%")
        return self.checked(f"({a} {sign} {b})", a)

    def changed(self, a: str) -> str:
        """The elements of an expression in other types, within bounds, or with another sign."""
        value = self.value(a)
        if not isinstance(value, np.ndarray) or not value.ndim or value.dtype.kind not in "fi":
            return f"(-{a})"
        bounds = self.pick("-1, 2", "0.0, 1.5", "-0.5, np.nan", "None, 3", "1, None")
        to = self.pick("np.float32", "np.float64")
        return self.pick(
            *(f"(-{a})", f"np.clip({a}, {bounds})", f"{a}.clip({bounds})"),
            *(f"np.round({a})", f"{a}.astype({to})", f"{a}.astype({to}, copy=False)"),
        )

    def checked(self, text: str, otherwise: str) -> str:
        if self.value(text) is None and not (self.misfits and self.chance(0.3)):
            return otherwise
        return text

    def array(self) -> str:
        """An expression that gives an array."""
        for _ in range(20):
            text = self.expression()
            value = self.value(text)
            if isinstance(value, np.ndarray) and value.ndim:
                return text
        return f"({self.pick(*self.arrays())} + 1)"

    def reduction(self) -> str:
        """A reduction, to a number of Python's or to an array."""
        name = self.pick(
            *("sum", "sum", "max", "min", "mean", "any", "all", "prod", "count_nonzero"),
            *("var", "std"),
        )
        of = self.array() if self.chance(0.7) else self.pick(*self.arrays())
        value = self.value(of)
        if value is None or not value.ndim:
            of = self.pick(*self.arrays())
            value = self.values[of]
        if name in ("prod", "any", "all", "max", "min") and value.dtype.kind == "c":
            name = "sum"
        options = []
        whole = value.ndim == 1 or self.chance(0.35)
        if not whole:
            options.append(f"axis={self.random.randrange(-value.ndim, value.ndim)}")
        if name != "count_nonzero" and self.chance(0.25):
            options.append("keepdims=True")
            whole = False
        method = name != "count_nonzero" and self.chance(0.4)
        args = options if method else [of, *options]
        text = f"{of}.{name}({', '.join(args)})" if method else f"np.{name}({', '.join(args)})"
        if not whole:
            return text
        if value.dtype.kind == "c":
            return f"float(({text}).real)"
        whole_kinds = {"any": "bool", "all": "bool", "count_nonzero": "int", "mean": "float"}
        whole_kinds |= {"var": "float", "std": "float"}
        to = whole_kinds.get(name) or ("float" if value.dtype.kind == "f" else "int")
        return f"{to}({text})"

    # --- statements -----------------------------------------------------------------------------

    def add(self, lines: list[str], margin: str) -> bool:
        """Add lines, unless NumPy refuses them."""
        if not lines:
            return False
        before = dict(self.values)
        if not self.run("\n".join(lines), self.values):
            self.values = before
            if not (self.misfits and self.chance(0.2) and "for" not in lines[0]):
                return False
            if not lines[0].partition("[")[0].isidentifier() or "[" not in lines[0]:
                return False
        self.lines += [margin + line for line in lines]
        return True

    def statement(self, margin: str) -> None:
        """Add one statement."""
        for _ in range(6):
            if self.add(self.lines_of_one(), margin):
                return

    def fresh(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def lines_of_one(self, nested: bool = False) -> list[str]:
        kind = self.random.random()
        if kind < 0.3 and not nested:
            return [f"{self.fresh()} = {self.array()}"]
        if kind < 0.38 and not nested:
            name = self.pick(*self.arrays())
            return [f"{self.fresh()} = {name}{self.part(self.values[name].ndim)}"]
        if kind < 0.5 and not nested:
            return [f"{self.fresh()} = {self.reduction()}"]
        if kind < 0.55 and not nested:
            name = self.pick(*self.arrays())
            return [f"{self.fresh()} = {self.made(name)}"]
        if kind < 0.6 and not nested:  # a temporary, something that writes, then its use
            first = self.fresh()
            if not self.add([f"{first} = {self.array()}"], "    "):
                return []
            self.add(self.writing(), "    ")
            of = f"{first} {self.pick('+', '*', '-')} {self.operand()}"
            return [f"{self.fresh()} = {of}"]
        if kind < 0.83 or nested:
            return self.writing()
        if kind < 0.9:
            return self.branch()
        return self.loop()

    def made(self, name: str) -> str:
        return self.pick(
            f"np.zeros_like({name})",
            f"{name}.copy()",
            f"np.ones({name}.shape)",
            f"np.zeros(({name}.shape[0], 3))",
            f"np.ones_like({name})",
            f"np.full({name}.shape, x)",
            f"np.zeros(len({name}))",
            name,
            f"{name}.T",
        )

    def writing(self) -> list[str]:
        """A statement that writes to an array."""
        targets = self.targets()
        if not targets:
            return []
        name = self.pick(*targets)
        ndim = self.values[name].ndim
        kind = self.random.random()
        if kind < 0.55:
            value = self.defined(name, self.array() if self.chance(0.9) else self.operand())
            return [f"{name}{self.part(ndim)} = {value}"]
        if kind < 0.8:
            sign = self.pick("+", "-", "*", "+", "/", "//", "%", "&", "|")
            return [f"{name} {sign}= {self.defined(name, self.array())}"]
        if kind < 0.84:
            function = self.pick("add", "subtract", "multiply", "maximum")
            value = self.defined(name, f"np.{function}({self.operand()}, {self.array()})")
            if value.startswith("np."):
                return [f"{value[:-1]}, out={name})"]
        if kind < 0.88:
            sign = self.pick("+", "-", "*")
            return [f"{name}{self.part(ndim)} {sign}= {self.defined(name, self.array())}"]
        index = ", ".join(self.pick("0", "-1", "n", "1") for _ in range(ndim))
        return [f"{name}[{index}] = {self.pick('1', '0', '2')}"]

    def defined(self, target: str, text: str) -> str:
        """The value, unless it would be a float that is converted to an integer or a bool."""
        own, value = self.values[target], self.value(text)
        kinds = "?biufc"
        if value is None:
            return text
        kind = np.asarray(value).dtype.kind
        if kinds.index(kind) > kinds.index(own.dtype.kind):
            return "1"
        if own.dtype.kind == "u" and kind != "b" and np.asarray(value).dtype != own.dtype:
            return "1"
        return text

    def branch(self) -> list[str]:
        lines = [f"if {self.pick('n > 2', 'x < 0', 'n % 2 == 0')}:"]
        lines += self.block()
        if self.chance(0.3):
            lines += ["else:", *self.block()]
        return lines

    def block(self) -> list[str]:
        found: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            found += self.lines_of_one(True) if self.chance(0.6) else self.again()
        return [f"    {line}" for line in found or ["pass"]]

    def again(self) -> list[str]:
        """A new value for a variable that is there."""
        names = [name for name in self.targets() if name.startswith("t")]
        if not names:
            return self.writing()
        name = self.pick(*names)
        return [
            f"{name} = {self.pick(f'{name} * 0.5 + 1', f'{name} + {self.array()}', self.array())}"
        ]

    def loop(self) -> list[str]:
        targets = self.targets()
        name = self.pick(*targets) if targets else ""
        # An element of an array of narrower floats is a number that computes in 64 bits.
        narrow = (np.float16, np.float32)
        if targets and (self.values[name].ndim > 1 or self.values[name].dtype not in narrow):
            sign = self.pick("", "+", "-", "*")
            values = self.pick(self.array(), f"{name}[i]", f"{name}[i - 1] + 1", "x")
            line = f"    {name}[i] {sign}= {self.defined(name, values)}"
            return [f"for i in range({self.pick(f'len({name})', f'1, {name}.shape[0]')}):", line]
        return ["for i in range(3):", *self.block()]


def _one_type(old: Any, new: Any) -> bool:
    if isinstance(old, np.ndarray) != isinstance(new, np.ndarray):
        return False
    if isinstance(old, np.ndarray):
        if old.flags.writeable != new.flags.writeable:
            return False
        return bool(old.dtype == new.dtype and old.ndim == new.ndim)
    return type(old) is type(new)


def _too_wide(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 0 or value.ndim > 4 or value.dtype.char not in "?bBhHiIlLqQfdFD"
    return isinstance(value, np.generic)


Call = Callable[[], tuple[Any, ...]]
