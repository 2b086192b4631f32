"""Made-up programs over lists, dicts, sets and tuples, as text.

Containers are arguments, or begin empty and take their types from what the program does with them;
they are nested, have several names, change while a loop goes over them, are passed to inner
functions, and much of it fails: a key or an item is missing, a bound is out of range.  Every loop
ends, and no number grows without limit.
"""

from __future__ import annotations

from collections.abc import Callable

from fuzz.choosing import Chooser

PARAMETERS = "n, m, a, b, rows, d, s, w, words"
INTS = ("n", "m", "i", "j")
LISTS = ("a", "b", "c")
DICTS = ("d", "e")
SETS = ("s", "t")
BEGINNING = (
    *("i = 1", "j = 2", "fuel = 60", "c = []", "e = {}", "g = {}", "p = {}", "q = []"),
    "t = set()",
)
# Inner functions, which programs call with containers.
HELPERS = """
def put(items, x):
    items.append(x)
    return len(items)
def count(table, k):
    table[k] = table.get(k, 0) + 1
    return table[k]
def both(one, two):
    one.extend(two[:3])
    return one
def found(table, k):
    try:
        return table[k]
    except KeyError:
        return -1
"""
HANDLED = ("KeyError", "IndexError", "ValueError", "RuntimeError", "ZeroDivisionError", "Exception")
DEEPEST = 3


class ContainerWriter(Chooser):
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.loops = 0

    def program(self) -> str:
        """The source of a function `program`."""
        lines = [f"def program({PARAMETERS}):", *_indented(HELPERS.strip().splitlines())]
        lines += _indented([*BEGINNING, *self.statements(0, self.random.randint(4, 10))])
        lines.append("    return i, j, a, b, c, rows, d, e, g, p, q, sorted(s), t, w")
        return "\n".join(lines) + "\n"

    # --- expressions ----------------------------------------------------------------------------

    def whole(self, depth: int = 0) -> str:
        """An integer."""
        if depth >= DEEPEST or self.chance(0.3):
            return self.pick(*INTS, "0", "1", "-1", "2", str(self.random.randint(-9, 40)))
        a, b = self.whole(depth + 1), self.whole(depth + 1)
        options: list[Callable[[], str]] = [
            lambda: f"({a} {self.pick('+', '-', '*', '//', '%')} {b}) % 97",
            lambda: f"len({self.any_container()})",
            lambda: f"{self.pick(*LISTS)}[{a}]",
            lambda: f"{self.pick(*DICTS)}[{a}]",
            lambda: f"{self.pick(*DICTS)}.get({a}, {b})",
            lambda: f"{self.pick(*DICTS)}.pop({a}{self.pick('', f', {b}')})",
            lambda: f"{self.pick(*DICTS)}.setdefault({a}, {b})",
            lambda: f"{self.pick(*LISTS)}.pop({self.pick('', '0', a)})",
            lambda: f"{self.pick(*LISTS)}.{self.pick('index', 'count')}({a})",
            lambda: f"sum({self.ints(depth + 1)}) % 97",
            lambda: f"{self.pick('min', 'max')}({self.ints(depth + 1)}, default={b})",
            lambda: f"{self.pick('min', 'max')}({self.ints(depth + 1)})",
            lambda: f"rows[{a}][{b}]",
            lambda: f"g[{a}][{self.pick('0', '-1', b)}]",
            lambda: f"p.get(({a}, {b}), {self.pick(*INTS)})",
            lambda: f"q[{a}][{self.pick('0', '1')}]",
            lambda: f"w[{self.word()}]",
            lambda: f"w.get({self.word()}, {a})",
            lambda: f"int({self.condition(depth + 1)})",
            lambda: f"({a} if {self.condition(depth + 1)} else {b})",
            lambda: f"put({self.pick(*LISTS)}, {a})",
            lambda: f"count({self.pick(*DICTS)}, {a})",
            lambda: f"found({self.pick(*DICTS)}, {a})",
            lambda: f"sum(1 for x in {self.pick(*LISTS)} if x > {a})",
            lambda: f"sorted({self.ints(depth + 1)})[{self.pick('0', '-1')}]",
        ]
        return self.random.choice(options)()

    def word(self) -> str:
        return self.pick("'a'", "'b'", "'long word'", "words[0]", "words[-1]", "'none'")

    def condition(self, depth: int = 0) -> str:
        a, b = self.whole(depth + 1), self.whole(depth + 1)
        options: list[Callable[[], str]] = [
            lambda: f"{a} {self.pick('<', '==', '!=', '>=')} {b}",
            lambda: f"{a} {self.pick('in', 'not in')} {self.pick(*LISTS, *DICTS, *SETS)}",
            lambda: f"{self.pick(*LISTS)} {self.pick('==', '!=', '<', '>=')} {self.pick(*LISTS)}",
            lambda: f"{self.pick(*LISTS)} {self.pick('is', 'is not')} {self.pick(*LISTS)}",
            lambda: f"{self.pick(*SETS)} {self.pick('==', '<=', '<', '>')} {self.pick(*SETS)}",
            lambda: f"{self.pick(*DICTS)} {self.pick('==', '!=')} {self.pick(*DICTS)}",
            lambda: f"({a}, {b}) in {self.pick('p', 'q')}",
            lambda: f"{self.word()} in {self.pick('w', 'words')}",
            lambda: f"not {self.any_container()}",
            lambda: f"{self.pick('any', 'all')}(x > {a} for x in {self.pick(*LISTS)})",
            lambda: f"{self.pick(*SETS)}.{self.pick('isdisjoint', 'issubset')}({self.pick(*SETS)})",
        ]
        return self.random.choice(options)()

    def any_container(self) -> str:
        return self.pick(*LISTS, *DICTS, *SETS, "rows", "g", "p", "q", "w")

    def ints(self, depth: int = 0) -> str:
        """An iterable of integers, in no order that matters."""
        return self.pick(
            *LISTS, *DICTS, *SETS, f"{self.pick(*DICTS)}.values()", self.a_list(depth),
            self.a_set(depth),
        )  # fmt: skip

    def a_list(self, depth: int = 0) -> str:
        """A list of integers, in an order that is Python's."""
        if depth >= DEEPEST or self.chance(0.3):
            return self.pick(*LISTS)
        one, x = self.a_list(depth + 1), self.whole(depth + 1)
        options: list[Callable[[], str]] = [
            lambda: f"[{x}, {self.whole(depth + 1)}]",
            lambda: f"{one}[{self.bounds()}]",
            lambda: f"({one} + {self.a_list(depth + 1)})[:20]",
            lambda: f"({one}[:9] * {self.pick('2', '0', '(n % 3)')})",
            lambda: f"[x + {x} for x in {one} if x != {self.whole(depth + 1)}]",
            lambda: f"[x * y % 97 for x in {one}[:4] for y in {self.pick(*LISTS)}[:3]]",
            lambda: f"sorted({self.ints(depth + 1)}{self.pick('', ', reverse=True')})",
            lambda: f"list({self.pick(*DICTS)}{self.pick('', '.values()', '.keys()')})",
            lambda: f"list({one})",
            lambda: f"{one}.copy()",
            lambda: f"[*{one}, {x}]",
            lambda: f"both({self.pick(*LISTS)}, {one})",
            lambda: f"[y for x, y in {self.pick('q', f'zip({one}, {one})', f'enumerate({one})')}]",
            lambda: f"[len(x) for x in {self.pick('rows', 'words', 'g.values()')}]",
            lambda: f"rows[{x}]",
            lambda: f"g[{x}]",
            lambda: f"list(reversed({one}))",
        ]
        return self.random.choice(options)()

    def bounds(self) -> str:
        def one() -> str:
            return self.pick("", "0", "1", "-1", "2", "i", "n")

        step = self.pick("", "", ":2", ":-1")
        return f"{one()}:{one()}{step}"

    def a_set(self, depth: int = 0) -> str:
        if depth >= DEEPEST or self.chance(0.3):
            return self.pick(*SETS)
        one, two = self.a_set(depth + 1), self.a_set(depth + 1)
        options: list[Callable[[], str]] = [
            lambda: f"({one} {self.pick('|', '&', '-', '^')} {two})",
            lambda: f"{{{self.whole(depth + 1)}, {self.whole(depth + 1)}}}",
            lambda: f"{{x % 7 for x in {self.ints(depth + 1)}}}",
            lambda: f"set({self.ints(depth + 1)})",
            lambda: f"{one}.{self.pick('union', 'difference')}({self.ints(depth + 1)})",
        ]
        return self.random.choice(options)()

    def a_dict(self, depth: int = 0) -> str:
        if depth >= DEEPEST or self.chance(0.3):
            return self.pick(*DICTS)
        x, y = self.whole(depth + 1), self.whole(depth + 1)
        options: list[Callable[[], str]] = [
            lambda: f"{{{x}: {y}, {y}: {x}}}",
            lambda: f"{{x % 9: x for x in {self.a_list(depth + 1)}}}",
            lambda: f"{{v: k for k, v in {self.pick(*DICTS)}.items()}}",
            lambda: f"dict({self.pick(*DICTS)})",
            lambda: f"{{**{self.pick(*DICTS)}, {x}: {y}}}",
            lambda: f"({self.pick(*DICTS)} | {self.pick(*DICTS)})",
        ]
        return self.random.choice(options)()

    # --- statements -----------------------------------------------------------------------------

    def statements(self, depth: int, count: int) -> list[str]:
        return [line for _ in range(count) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        if depth < 2 and self.chance(0.35):
            return self.compound(depth)
        return [self.simple()]

    def simple(self) -> str:
        x, y = self.whole(1), self.whole(1)
        one, two = self.pick(*LISTS), self.pick(*LISTS)
        table, group = self.pick(*DICTS), self.pick(*SETS)
        return self.pick(
            f"{self.pick('i', 'j')} = {x}",
            f"{one}.append({x})",
            f"{one}.insert({x}, {y})",
            f"{one}.extend({self.a_list(1)})",
            f"{one}.remove({x})",
            f"{one}[{x}] = {y}",
            f"{one}[{self.bounds()}] = {self.a_list(1)}",
            f"del {one}[{self.pick(x, self.bounds())}]",
            f"{one}.{self.pick('sort()', 'reverse()', 'clear()', 'sort(reverse=True)')}",
            f"{one} = {self.a_list()}",
            f"{one} += {self.a_list(1)}",
            f"{one}, {two} = {two}, {one}",
            f"{table}[{x}] = {y}",
            f"{table}[{x}] += {y}",
            f"{table}[{x}] = {table}.get({x}, 0) + 1",
            f"del {table}[{x}]",
            f"{table}.update({self.a_dict(1)})",
            f"{table} = {self.a_dict()}",
            f"{table} |= {self.a_dict(1)}",
            f"i, j = {table}.popitem()",
            f"{table}.clear()",
            f"{group}.{self.pick('add', 'discard', 'remove')}({x})",
            f"{group} = {self.a_set()}",
            f"{group} {self.pick('|=', '&=', '-=', '^=')} {self.a_set(1)}",
            f"{group}.update({self.ints(1)})",
            f"g[{x}] = {self.a_list(1)}",
            f"g.setdefault({x}, []).append({y})",
            f"g[{x}].append({y})",
            f"p[{x}, {y}] = {self.pick(*INTS)}",
            f"p[{x}, 1] = p.get(({x}, 1), 0) + {y}",
            f"q.append(({x}, {y}))",
            "q.sort()",
            f"q.sort(key=lambda one: {self.pick('one[1]', '-one[0]', 'one')})",
            f"rows[{x}].append({y})",
            f"rows.append({self.a_list(1)})",
            f"rows[{x}] = {self.pick(*LISTS)}",
            f"{one} = rows[{x}]",
            f"w[{self.word()}] = {x}",
            f"w[{self.word()}] = w.get({self.word()}, 0) + 1",
            f"i = len({self.any_container()})",
        )

    def compound(self, depth: int) -> list[str]:
        body = self.statements(depth + 1, self.random.randint(1, 3))
        kind = self.random.randrange(9)
        if kind < 2:
            lines = [f"if {self.condition()}:", *_indented(body)]
            if self.chance(0.4):
                lines += ["else:", *_indented(self.statements(depth + 1, 1))]
            return lines
        if kind < 4:
            handled = self.pick(*HANDLED)
            return [
                *("try:", *_indented(body), f"except {handled}:"),
                *_indented(self.statements(depth + 1, 1)),
            ]
        fuel = ["fuel -= 1", "if fuel < 0:", "    break"]
        self.loops += 1
        head, more = self.random.choice(
            [
                (f"for i in {self.a_list(1)}:", []),
                (f"for j in {self.pick(*LISTS)}:", []),
                (f"for i in {self.pick(*DICTS)}:", []),
                (f"for i, j in {self.pick(*DICTS)}.items():", []),
                (f"for j in {self.pick(*DICTS)}.values():", []),
                (f"for i in sorted({self.pick(*SETS)}):", []),
                (f"for i, j in enumerate({self.pick(*LISTS)}):", []),
                (f"for i, j in zip({self.pick(*LISTS)}, {self.a_list(2)}):", []),
                ("for i, j in q:", []),
                ("for i, row in g.items():", ["j = len(row)"]),
                ("for row in rows:", ["i = sum(row)"]),
                ("for word in words:", ["w[word] = w.get(word, 0) + 1"]),
                (f"while {self.pick(*LISTS)} and {self.condition(1)}:", []),
                ("for i in range(n):", []),
            ]
        )
        lines = [head, *_indented([*fuel, *more, *body])]
        if self.chance(0.2):
            lines += ["else:", "    j = -5"]
        return lines


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
