"""Made-up programs with objects: the text of a module with classes, functions, closures and
generators.

Under each function that is compiled stands `@jit`.  Every loop has an end: it counts, or what it
goes through is short, and `tick` ends a program that takes too long.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fuzz.object_values import KINDS, Values

DEEPEST = 3  # statements within statements
MOST_LINES = 30  # of a function
_ERRORS = ("ValueError", "KeyError", "Own", "ZeroDivisionError", "TypeError", "IndexError")
_CAUGHT = (*_ERRORS, "Exception", "(KeyError, Own)", "(TypeError, (IndexError, NameError))", "n0")
_FIRST = {
    "n0": "1",
    "n1": "p",
    "n2": "5",
    "t0": "'ab'",
    "t1": "'z' * 2",
    "l0": "[1, 2]",
    "l1": "(3, 'c')",
    "d0": "{'a': 1, 'k': 2}",
    "o0": "C0(2)",
    "o1": "C1(3, 'b')",
    "g0": "gen0(2)",
    "f0": "repr",
    "v0": "q",
    "v1": "None",
}

# --- statements of one line, by what they do ------------------------------------------------------

ASSIGNED = (
    *("<n> = <number>", "<n> = <number>", "<t> = <text>", "<l> = <items>", "<d> = <table>"),
    *("<o> = <object>", "<v> = <value>", "<v> = <value>", "<v> = <odd>", "<v> = <call>"),
    *("<g> = <generator>", "<f> = <function>", "<v> = <l> = <items>", "n1: int = <number>"),
    *("import math as <v>", "from math import floor as <v>", "<f> = lambda p=<n>, *r: (p, <n>)"),
)
SAID = ("say(<value>)", "say(<number>, <text>)", "say(<object>, <v>)", "print(<n>, <t>, sep='-')")
AUGMENTED = (
    *("<n> += <number>", "<n> -= <number>", "<n> //= <number>", "<t> += <t>[:3]", "t0 += t0[:1]"),
    *("<l> += (<items>)[:2]", "<o> += <number>", "<o>.a += 1", "d0['a'] += <number>"),
    *("<l>[<n>] -= 1", "n0 += GLOBAL", "<n> = <n> + <n>", "<t> = (<t> + <t>)[-9:]"),
)
UNPACKED = (
    *("v0, v1 = <items>", "v0, *l0 = <items>", "*l0, v1 = <items>", "(v0, n0), v1 = <items>, 1"),
    *("v0, v1 = v1, v0", "v0, l1, v1 = <o>", "<o>.a, d0['x'] = <items>", "[v0, v1] = <generator>"),
    *("n0, n1 = n1, n0", "(v0, *l0), v1 = (<items>, <value>)"),
)
CHANGED = (
    *("<d>[<value>] = <value>", "<l>[<number>] = <value>", "<l>[1:2] = <items>", "<o>.a = <value>"),
    *("<o>.c = <value>", "<o>.p = <value>", "<o>[<n>] = <value>", "<l>.append(<value>)"),
    *("<l>.pop()", "<d>.setdefault('s', []).append(<n>)", "<d>.update(<table>)", "<d>.pop('a')"),
)
DELETED = (
    *("del <n>", "del <v>", "del <o>", "del <d>['a']", "del <l>[0]", "del <l>[1:]", "del <o>.a"),
    *("del <o>.b", "del <o>[0]", "del v0, <n>", "del l0[:1]", "del d0['a']", "del <t>; <t> = 'c'"),
)
RESUMED = ("<v> = <resumed>", "<v> = <resumed>", "say(<resumed>)", "<g>.close()")
SUSPENDED = (
    *("yield <value>", "<v> = yield <number>", "<v> = yield", "<v> = yield from <items>"),
    *("yield from <generator>", "say((yield <v>), <n>)", "<n> = <number> + ((yield <n>) or 1)"),
    *("<l> = [(yield <n>), <n>]", "<v> = yield from gen0(<n>)"),
)
ASKED = (
    *("say(made0(n0))", "say(made1(q=2))", "say(helper0(1, *l1))", "say(helper1(p))"),
    *("say(list(gen0(3))[:5])", "say(o0 + 1, 2 + o1)", "say(len(o0), bool(o1))", "say([*o0])"),
    *("say(f'{o0:x}{o1}', o0[1])", "say(o0(2, k=3), o0 < o1, o0 == o1)", "say(v0, v1, n0, n1, n2)"),
    *("say(o0.p, o1.missing, 1 in o0)", "say(l0, l1, d0, t0, t1, f0, g0)", "say(deep(30, o1.a))"),
)
GLOBALS = ("GLOBAL = <number>", "GLOBAL += 1", "del GLOBAL", "GLOBAL = <value>")
LEAVING = (
    *("return <value>", "return", "raise Own from None", "raise KeyError(<n>) from Own(2)"),
    *("raise <error>(<value>)", "raise <error>(<text>)", "assert <condition>, <value>"),
    *("raise <v>", "raise <error>"),
)
PATTERNS = (
    *("0 | 1", "int(n0)", "str() as t0", "[v0]", "[v0, *l0]", "(v0, [v1, _])", "None", "{'a': v0}"),
    *("{'k': 2, **d0}", "C0(a=v0)", "C1(2, v1)", "[C0(), *_]", "True", "'ab'", "Own()"),
    *("C0(a=int(n1), b=None)", "{'a': [v0, *_] | v0}", "float() | -1", "contextlib.a", "{}"),
    *("list(l0)", "C0(v0, v1, n0)", "[]", "[int(n0) | str(n0), _]", "(1 | 2) as n2"),
)
TAKEN = (
    *("v0 in range(3)", "n0 in range(<n>)", "v1 in <items>", "t0, v0 in <d>.items()", "v0 in <o>"),
    *("n1, v0 in enumerate(<items>)", "v1 in <generator>", "v0, v1 in zip(<l>, <generator>)"),
    *("v0 in list(<d>)", "d0['i'] in range(2)", "v1 in reversed(<l>)", "o0.a in (1, 2)"),
    *("(v0, *l0) in [<items>, <l>]", "v0 in <d>", "v1 in <l>", "n0 in (1, 2, <number>)"),
)
MANAGERS = (
    *("C0(<number>)", "C1(<number>, <value>)", "<o>", "contextlib.suppress(KeyError, Own)"),
    *("contextlib.nullcontext(<value>)", "contextlib.ExitStack()", "<value>"),
)

BEGIN = """\
import contextlib

GLOBAL = 3
LEFT = [250]
LIVE = {}


class Own(ValueError):
    pass


class Enough(BaseException):
    pass


def tick():
    LEFT[0] -= 1
    if LEFT[0] < 0:
        raise Enough


def say(*values):
    print(*map(show, values))
    return values[0]


def show(value, depth=3):
    if isinstance(value, (set, frozenset)):
        return f"set({sorted(map(repr, value))})"
    if depth and isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(show(one, depth - 1) for one in value)})"
    if isinstance(value, (str, bytes, int, float, dict, Counted, type(None))):
        return repr(value)
    return "function" if hasattr(value, "__defaults__") else type(value).__name__


class Counted:
    __slots__ = ()

    def __new__(cls, *args, **named):
        LIVE[cls.__name__] = LIVE.get(cls.__name__, 0) + 1
        return object.__new__(cls)

    def __del__(self):
        LIVE[type(self).__name__] -= 1


@jit
def deep(n, value):
    tick()
    if n <= 0:
        return value
    return deep(n - 1, value) if n % 2 else [deep(n - 1, value)][0]


"""


class ObjectWriter(Values):
    """The text of one program."""

    def __init__(self, random: Random, generator: bool) -> None:
        super().__init__(random)
        self.is_generator = generator
        self.lines: list[str] = []
        self.begun = 0  # the line at which the function begins
        self.loops = self.handlers = self.count = self.inner = 0
        self.yields = self.writes_global = False
        self.begins_short = True
        self.outermost = 1  # how far the statements of the function are indented

    def whole(self) -> str:
        """All of it."""
        for k in range(2):
            self.cls(k)
        for k in range(2):
            self.function(0, f"helper{k}(p, q=2, *rest, k=3, **named)", 1)
        self.function(0, "gen0(p, q=1)", 2, yields=True)
        self.factory()
        self.begins_short = False
        self.function(0, "program(p, q, *rest, k=4)", 4, yields=self.is_generator, asks=ASKED)
        return BEGIN + "\n".join(self.lines) + "\n"

    def add(self, depth: int, text: str) -> None:
        """Add a line."""
        self.lines.append(f"{'    ' * depth}{text}")

    # --- functions and classes --------------------------------------------------------------------

    def function(
        self, depth: int, head: str, count: int, yields: bool = False, asks: tuple[str, ...] = ()
    ) -> None:
        """A function that is compiled; it may end by looking at what is there."""
        self.add(depth, "@jit")
        self.add(depth, f"def {head}:")
        self.body(depth + 1, count, yields, asks)

    def body(self, depth: int, count: int, yields: bool, asks: tuple[str, ...]) -> None:
        """What a function does, with variables of its own."""
        before = self.loops, self.handlers, self.yields, self.begun, self.writes_global
        self.loops = self.handlers = 0
        self.yields, self.begun, self.outermost = yields, len(self.lines), depth
        self.writes_global = self.chance(0.3)
        if self.writes_global:
            self.add(depth, "global GLOBAL")
        self.add(depth, "tick()")
        if self.begins_short:  # else what calls itself would do nothing else
            self.add(depth, "if LEFT[0] % 4: return p")
        for name, value in _FIRST.items():
            maybe = "if q == 3: " if self.chance(0.03) else ""
            self.add(depth, f"{maybe}{name} = {value}")
        self.block(depth, count)
        for question in asks:
            if self.chance(0.3):
                self.guarded(depth, question)
        if yields:
            self.add(depth, self.filled("yield <value>"))
        self.add(depth, self.filled("return <value>"))
        self.loops, self.handlers, self.yields, self.begun, self.writes_global = before

    def factory(self) -> None:
        """Two functions that share variables."""
        self.add(0, "def make(a, n1, l0):")
        self.add(1, "n0, t0, v0 = 2, 'shared', None")
        for k in range(2):
            self.add(1, "@jit")
            self.add(1, f"def made{k}(p=1, q=2, *rest, k=3, **named):")
            self.add(2, self.one("nonlocal n0, v0", "nonlocal n0, l0", "nonlocal v0, t0, a"))
            self.add(2, "tick()")
            self.add(2, "n2, t1, l1, d0, o0, o1 = a, 'y', (1,), {'a': 3}, C0(1), C1(2)")
            self.add(2, "v1 = g0 = f0 = None")
            self.begun, self.outermost = len(self.lines), 2
            self.block(2, 2)
            self.add(2, self.filled("return n0, <value>"))
        self.add(1, "return made0, made1")
        self.add(0, "made0, made1 = make(1, 2, [3])")

    def cls(self, k: int) -> None:
        """A class."""
        base = "C0" if k and self.chance(0.4) else "Counted"
        self.add(0, f"class C{k}({base}):")
        if self.chance(0.4):
            self.add(1, "__slots__ = ('a', 'b', 'c')" if base == "Counted" else "__slots__ = ()")
        self.add(1, "limit = 2")
        self.add(1, "__match_args__ = ('a', 'b')")
        for head, lines in self.methods(f"C{k}"):
            if head.startswith("@"):
                self.add(1, head.split()[0])
                head = head.partition(" ")[2]
            self.add(1, "@jit")
            self.add(1, f"def {head}:")
            self.met(head)
            for line in lines:
                self.add(2, line)

    def met(self, head: str) -> None:
        """What a method does first: it may print, and raise."""
        name = head.partition("(")[0]
        if name in ("__init__", "__repr__", "__hash__"):
            return
        if self.chance(0.3):
            self.add(2, f"say({name!r}, self.a)" if "(self" in head else f"say({name!r})")
        if self.chance(0.2) and "(self" in head:
            self.add(2, f"if self.a == {self.random.randint(1, 4)}:")
            self.add(3, f"raise {self.random.choice(_ERRORS)}({name!r}, self.a)")

    def methods(self, cls: str) -> list[tuple[str, list[str]]]:
        """The methods of a class: heads and bodies."""
        always = [
            ("__init__(self, a, b=None)", ["self.a, self.b = a, b"]),
            ("__repr__(self)", [f"return f'{cls}({{self.a!r}})'"]),
            ("method(self, p=1, *rest)", ["self.a, old = p, self.a", "return old, rest"]),
            ("again(self)", ["return type(self)(self.a, self.b)"]),
            ("above(self)", ["return super().__repr__()[:9], __class__.__name__"]),
            ("@classmethod made(cls, a)", ["return cls(a, cls.limit)"]),
            ("@property p(self)", ["return self.a * 2"]),
        ]
        yielding = ["for k in range(3):", "    try:", "        yield k, self.a"]
        yielding += ["    finally:", "        say('left', k)"]
        at_times = [
            ("__add__(self, other)", [f"return {cls}(self.a, other)"]),
            ("__radd__(self, other)", ["return type(self)(other, self.a)"]),
            ("__iadd__(self, other)", ["self.b = other", "return self"]),
            ("__len__(self)", [self.one("return 2", "return self.a", "return -1", "return 0")]),
            ("__bool__(self)", [self.one("return True", "return self.a", "return self.a == 2")]),
            ("__iter__(self)", [self.one("return iter((self.a, 1))", "yield self.a"), *yielding]),
            ("__contains__(self, item)", ["return item == self.a"]),
            ("__getitem__(self, index)", ["if index == 2:", "    raise IndexError(index)"]),
            ("__setitem__(self, index, value)", ["self.a = index", "self.b = value"]),
            ("__delitem__(self, index)", ["self.a = index"]),
            ("__eq__(self, other)", ["return isinstance(other, Counted) and self.a == other.a"]),
            ("__hash__(self)", ["return 7"]),
            ("__lt__(self, other)", ["return NotImplemented"]),
            ("__call__(self, *args, **named)", ["return args, named, self.a"]),
            ("__enter__(self)", [self.one("return self", "return self.a, 2")]),
            ("__exit__(self, cls, error, traceback)", ["say('exit', cls and cls.__name__)"]),
            ("__getattr__(self, name)", ["if name == 'missing':", "    return name"]),
            ("__format__(self, spec)", ["return f'<{self.a}{spec}>'"]),
            ("__index__(self)", ["return 1"]),
        ]
        often = ("__enter__", "__exit__", "__iter__", "__add__")
        for head, lines in at_times:
            name = head.partition("(")[0]
            if name == "__exit__":
                lines.append(self.one("return self.a == 2", "return False", "self.a = 9", "pass"))
            if name == "__getitem__":
                lines.append("return index, self.a")
            if name == "__getattr__":
                lines.append("raise AttributeError(name)")
            if self.chance(0.8 if name in often else 0.45):
                always.append((head, lines))
        return always

    # --- statements -------------------------------------------------------------------------------

    def block(self, depth: int, count: int) -> None:
        """Some statements."""
        for _ in range(max(count, 1)):
            if self.chance(0.75 if depth <= self.outermost else 0.35):
                self.guarded(depth)
            else:
                self.statement(depth)

    def guarded(self, depth: int, text: str = "") -> None:
        """A statement whose exceptions are told and forgotten: else most programs end early."""
        self.add(depth, "try:")
        if text:
            self.add(depth + 1, text)
        else:
            self.statement(depth + 1)
        self.add(depth, self.one("except Exception as error:", "except Exception as v1:"))
        name = self.lines[-1].split()[-1][:-1]
        self.add(depth + 1, f"say(type({name}).__name__, str({name}))")

    def statement(self, depth: int) -> None:
        """One statement, which has others in it while there is room."""
        kinds: list[Callable[[int], None]] = [self.simple] * 10 + [self.leave]
        if depth < DEEPEST + 1 and len(self.lines) - self.begun < MOST_LINES:
            kinds += [self.attempt] * 3 + [self.managed] * 2 + [self.loop] * 3
            kinds += [self.choice, self.matched, self.closure]
        self.random.choice(kinds)(depth)

    def simple(self, depth: int) -> None:
        """A statement of one line."""
        kinds = [ASSIGNED] * 4 + [SAID] * 2 + [AUGMENTED, UNPACKED, CHANGED, DELETED, RESUMED]
        if self.yields:
            kinds += [SUSPENDED] * 5
        if self.writes_global:
            kinds += [GLOBALS]
        self.add(depth, self.one(*self.random.choice(kinds)))

    def leave(self, depth: int) -> None:
        """What leaves a block."""
        kinds = [*LEAVING]
        if self.loops:
            kinds += ["break", "continue"] * 4
        if self.handlers:
            kinds += ["raise"] * 4
        if self.chance(0.75):
            self.add(depth, self.filled("if <condition>:"))
            depth += 1
        self.add(depth, self.one(*kinds))

    def choice(self, depth: int) -> None:
        """An `if`."""
        self.add(depth, self.filled("if <condition>:"))
        self.block(depth + 1, self.random.randint(1, 2))
        if self.chance(0.3):
            self.add(depth, self.filled("elif <condition>:"))
            self.block(depth + 1, 1)
        if self.chance(0.5):
            self.add(depth, "else:")
            self.block(depth + 1, self.random.randint(1, 2))

    def matched(self, depth: int) -> None:
        """A `match`."""
        self.add(depth, self.filled("match <value>:"))
        for pattern in self.random.sample(PATTERNS, self.random.randint(1, 4)):
            guard = self.filled(" if <condition>") if self.chance(0.3) else ""
            self.add(depth + 1, f"case {pattern}{guard}:")
            self.block(depth + 2, 1)
        if self.chance(0.4):
            self.add(depth + 1, "case _:")
            self.block(depth + 2, 1)

    def closure(self, depth: int) -> None:
        """An inner function that shares variables, which is called now or later."""
        self.inner += 1
        name = f"inner{self.inner}"
        one, other = self.random.sample(["n0", "n2", "v0", "l0", "t0"], 2)
        self.add(depth, self.filled(f"def {name}(p=<value>, *rest, k=<number>, **named):"))
        shown = "v1, n1"
        if self.chance(0.7):
            self.add(depth + 1, f"nonlocal {one}, {other}")
            self.add(depth + 1, f"del {one}" if self.chance(0.2) else f"{one} = {other}")
            shown = f"{one}, {other}"
        if self.chance(0.3):
            self.add(depth + 1, f"yield {shown}")
        self.add(depth + 1, self.filled(f"return p, k, {shown}, <value>"))
        if self.chance(0.7):
            self.add(depth, self.filled(f"<v> = {name}(<arguments>)"))
        else:
            self.add(depth, f"f0 = {name}")

    def loop(self, depth: int) -> None:
        """A loop with an end."""
        if self.chance(0.75):
            self.add(depth, f"for {self.one(*TAKEN)}:")
        else:
            self.count += 1
            self.add(depth, f"w{self.count} = 0")
            self.add(depth, self.filled(f"while <condition> and w{self.count} < 3:"))
            self.add(depth + 1, f"w{self.count} += 1")
        self.add(depth + 1, "tick()")
        self.loops += 1
        self.block(depth + 1, self.random.randint(1, 3))
        self.loops -= 1
        if self.chance(0.3):
            self.add(depth, "else:")
            self.block(depth + 1, 1)

    def managed(self, depth: int) -> None:
        """A `with`."""
        managers = [self.one(*MANAGERS) for _ in range(self.random.randint(1, 2))]
        if self.chance(0.6):
            managers[0] += f" as {self.one('<v>', '<v>', 'o0', '(v0, v1)', 'd0[1]', 'o0.a')}"
        self.add(depth, f"with {', '.join(managers)}:")
        self.block(depth + 1, self.random.randint(1, 3))

    def attempt(self, depth: int) -> None:
        """A `try` with handlers, `else` and `finally` as it comes."""
        self.add(depth, "try:")
        self.block(depth + 1, self.random.randint(1, 3))
        count = self.random.choice((0, 1, 1, 2))
        for _ in range(count):
            name = self.one("", " as v0", " as e", " as n1")
            self.add(depth, f"except {self.random.choice(_CAUGHT)}{name}:")
            self.handler(depth + 1)
        if count and self.chance(0.2):
            self.add(depth, "except:")
            self.handler(depth + 1)
        if count and self.chance(0.3):
            self.add(depth, "else:")
            self.block(depth + 1, 1)
        if not count or self.chance(0.4):
            self.add(depth, "finally:")
            self.block(depth + 1, self.random.randint(1, 2))

    def handler(self, depth: int) -> None:
        """What handles an exception."""
        self.handlers += 1
        self.block(depth, self.random.randint(1, 2))
        self.handlers -= 1


assert set(_FIRST) == {name for names in KINDS.values() for name in names}
