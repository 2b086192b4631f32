"""Made-up programs, as text: well typed for the most part, and full of what goes wrong.

They know `:=` inside of expressions, `and` and `or` as values, indices that fail at every place,
names that are unbound, narrow integers with constants that do not fit, arrays of other dimensions
than are used, order of evaluation.  Every loop ends.  A seed gives always the same program.
"""

from __future__ import annotations

from fuzz.choosing import Chooser

PARAMETERS = "n, m, x, c, a, b, p, t, w, o"
INTS = ("n", "m", "i", "j", "k")
FLOATS = ("x", "y", "z")
LOOSE = ("u", "v")  # integers that may be unbound
ARRAYS = ("a", "b")  # float64 and a narrow type, 1-d
BEGINNING = ("i = 3", "j = k = 1", "y = z = 0.5")
DEEPEST = 3


class Writer(Chooser):
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.loops = 0
        self.functions: list[str] = []
        self.bold = self.random.random() < 0.5  # whether much of it goes wrong

    def program(self) -> str:
        """The source of a function `program`."""
        lines = [f"def program({PARAMETERS}):"]
        lines += [f"    {line}" for line in BEGINNING]
        lines += self.indented(self.statements(0, self.random.randint(3, 7), False))
        shown = [*INTS, *FLOATS, *(LOOSE if self.bold and self.chance(0.3) else ())]
        lines.append(f"    return {', '.join(shown)}")
        return "\n".join(lines) + "\n"

    # --- expressions ----------------------------------------------------------------------------

    def whole(self, depth: int = 0) -> str:
        """An integer."""
        if depth >= DEEPEST or self.chance(0.25):
            return self.small_whole()
        a, b = self.whole(depth + 1), self.whole(depth + 1)
        options = [
            lambda: f"({a} {self.pick('+', '-', '*')} {b}) % {self.pick('101', '17', '-13')}",
            lambda: f"({a} {self.pick('&', '|', '^')} {b})",
            lambda: f"({a} {self.pick('//', '%')} {self.pick(b, '3', '-2')})",
            lambda: f"({a} if {self.condition(depth + 1)} else {b})",
            lambda: f"({a} {self.pick('and', 'or')} {b})",
            lambda: f"({self.pick(*INTS)} := {a})",
            lambda: f"{self.pick('min', 'max')}({a}, {b})",
            lambda: f"{self.pick('abs', '-', '~', '+', 'int', '')}({a})",
            lambda: f"(({a}) >> ({b} & 7))",
            lambda: f"(({a}) % 97 << ({b} & 3))",
            lambda: f"int({self.real(depth + 1)})",
            lambda: f"divmod({a}, {self.pick('7', b)})[{self.pick('0', '1', '-1')}]",
            lambda: f"({a}, {b}, 4)[{self.index(3)}]",
            lambda: f"len({self.pick('a', 'b', 't', 'w', 'range(' + a + ' % 9)')})",
            lambda: self.shape(),
            lambda: f"int(b[{self.index_expression(depth + 1)}])",
            lambda: f"(0 if o is None else o) + {a}",
            lambda: f"(({a}) == ({b})) + {self.pick('1', 'n')}",
            lambda: f"sum(({a}, {b} % 11))",
            lambda: self.call(depth + 1),
            lambda: f"int({self.misfit()})",
            lambda: f"(lambda q, r={a}: {self.pick('q - r', 'q and r', '(r, q)[0]')})({b})",
            lambda: f"int(({a}) ** {self.pick('2', '3', '0')}) % 1013",
            lambda: f"int(({a}, {b}) {self.pick('<', '==', '>=')} (i, j))",
            lambda: f"w[{self.index(2)}]",
            lambda: f"round({self.real(depth + 1)})",
            lambda: f"({a} if o is None else o - {b})",
        ]
        return self.random.choice(options)()

    def misfit(self) -> str:
        """An item of the narrow array with a constant that may not fit."""
        item = f"b[{self.index_expression(2)}]"
        constant = self.pick("300", "-1", "-129", "255", "2**31", "2**40", "-2**63", "1")
        sign = self.pick("<", "==", "!=", ">=", "in")
        if sign == "in":
            return f"({item} in ({constant}, i))"
        if self.bold and self.chance(0.03):
            return f"({item} {self.pick('+', '-', '&')} {self.pick('1', 'i', '300')})"
        return f"({item} {sign} {constant})"

    def small_whole(self) -> str:
        if self.bold and self.chance(0.04):
            return self.pick(*LOOSE)
        if self.bold and self.chance(0.03):
            return f"t[{self.index(2)}]"
        return self.pick(
            *INTS, *INTS, "0", "1", "-1", "2", "7", "255", "w[0]", "w[1]", "int(c)",
            str(self.random.randint(-300, 300)),
        )  # fmt: skip

    def index(self, size: int) -> str:
        """A constant index of something of this size; sometimes one that fails."""
        if self.bold and self.chance(0.06):
            return self.pick(str(size), str(-size - 1), str(size + 5))
        return str(self.random.randint(-size, size - 1))

    def index_expression(self, depth: int) -> str:
        if self.chance(0.5):
            return self.pick("0", "-1", "i % 3", "n & 1", "len(b) - 1", "2")
        if self.bold and self.chance(0.1):
            return self.pick("9", "-9", "n", "i * 5")
        return f"{self.whole(depth)} % {self.pick('3', '2', 'max(len(b), 1)')}"

    def shape(self) -> str:
        wrong = self.bold and self.chance(0.08)
        axis = self.pick("1", "2", "-2") if wrong else self.pick("0", "-1")
        if self.chance(0.3):
            return f"p.shape[{self.pick('0', '1', '-1', '-2') if not wrong else '2'}]"
        return self.pick(f"a.shape[{axis}]", "a.size", "b.ndim", f"b.shape[{axis}]", "p.size")

    def real(self, depth: int = 0) -> str:
        """A float."""
        if depth >= DEEPEST or self.chance(0.3):
            simple = (
                *FLOATS,
                "0.5",
                "-1.25",
                "float(a[0])",
                "t[1]",
                "float(a[-1])",
                "float(p[0, 1])",
            )
            return self.pick(*simple)
        a, b = self.real(depth + 1), self.real(depth + 1)
        options = [
            lambda: f"({a} {self.pick('+', '-', '*')} {b}) % 97.0",
            lambda: f"({a} / {self.pick(b, '4.0', self.whole(depth + 1))})",
            lambda: f"({a} if {self.condition(depth + 1)} else {b})",
            lambda: f"({a} {self.pick('and', 'or')} {b})",
            lambda: f"({self.pick(*FLOATS)} := {a})",
            lambda: f"float({self.whole(depth + 1)})",
            lambda: f"math.{self.pick('sqrt', 'floor', 'fabs', 'sin')}(abs({a}) % 50.0) * 1.0",
            lambda: f"float(a[{self.index_expression(depth + 1)}])",
            lambda: (
                f"float(p[{self.pick('0', '1', 'n % 2', '-1')}, {self.pick('0', '2', 'm % 3')}])"
            ),
            lambda: f"{self.pick('min', 'max')}({a}, {b})",
            lambda: f"({a}, {self.whole(depth + 1)})[0]",
            lambda: f"abs({a})",
            lambda: f"({a} // {self.pick('0.75', b)})",
        ]
        return self.random.choice(options)()

    def condition(self, depth: int = 0) -> str:
        """A truth value, or something that has one."""
        a, b = self.whole(depth + 1), self.whole(depth + 1)
        sign = self.pick("<", "<=", "==", "!=", ">", ">=")
        options = [
            lambda: f"{a} {sign} {b}",
            lambda: f"{self.real(depth + 1)} {sign} {self.real(depth + 1)}",
            lambda: f"({self.condition(depth + 1)} {self.pick('and', 'or')} {b})",
            lambda: f"(not {self.condition(depth + 1)})",
            lambda: f"{a} {sign} {b} {self.pick('<', '!=')} {self.whole(depth + 1)}",
            lambda: self.pick("c", "o is None", "o is not None", "n", "x"),
            lambda: f"({self.pick('i', 'j')} := {a}) {sign} {b}",
            lambda: f"{a} in ({b}, 1, 5)",
            lambda: f"{a}",
            lambda: f"(i, {a}) {sign} (j, {b})",
        ]
        return self.random.choice(options if depth < DEEPEST else options[5:6])()

    def call(self, depth: int) -> str:
        if not self.functions:
            return self.small_whole()
        name = self.random.choice(self.functions)
        arguments = self.pick(
            self.whole(depth), f"q={self.whole(depth)}, p=i", f"{self.whole(depth)}, j", "n, q=2"
        )
        return f"{name}({arguments}) % 1009"

    # --- statements -----------------------------------------------------------------------------

    def statements(self, depth: int, count: int, in_loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(depth, in_loop)
        return lines

    def block(self, depth: int, in_loop: bool) -> list[str]:
        return self.indented(self.statements(depth + 1, self.random.randint(1, 2), in_loop))

    @staticmethod
    def indented(lines: list[str]) -> list[str]:
        return [f"    {line}" for line in lines]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        if depth < DEEPEST and self.chance(0.35):
            return self.compound(depth, in_loop)
        options = [
            lambda: f"{self.pick(*INTS)} = {self.whole()}",
            lambda: f"{self.pick(*INTS)} = {self.whole()}",
            lambda: f"{self.pick(*FLOATS)} = {self.real()}",
            lambda: (
                f"{self.pick(*INTS)} {self.pick('+', '-', '*', '//', '%', '&', '|')}= "
                f"{self.whole()} % 11"
            ),
            lambda: f"{self.pick(*FLOATS)} {self.pick('+', '-', '*')}= {self.real()} % 7.0",
            lambda: f"a[{self.index_expression(1)}] = {self.real()}",
            lambda: (
                f"a[{self.index_expression(1)}] {self.pick('+', '-', '*')}= {self.real()} % 5.0"
            ),
            lambda: f"b[{self.index_expression(1)}] = {self.narrow()}",
            lambda: (
                f"p[{self.pick('0', '1', 'n % 2')}, {self.pick('0', '2', 'm % 3')}] = {self.real()}"
            ),
            lambda: f"i, j = {self.whole()}, {self.whole()}",
            lambda: f"x, (i, *_), y = {self.real()}, ({self.whole()}, 1, 2), {self.real()}",
            lambda: f"{self.pick(*LOOSE)} = {self.whole()}",
            lambda: f"t = ({self.whole()}, {self.real()})",
            lambda: f"w = (w[1], {self.whole()})",
            lambda: f"o = {self.pick('None', self.whole())}" if self.chance(0.5) else "m = len(w)",
            lambda: f"a[{self.pick('1:', ':2', '::2', '::-1', ':')}] = {self.real()}",
            lambda: self.odd(in_loop),
        ]
        return [self.random.choice(options)()]

    def narrow(self) -> str:
        """What goes into an array of narrow integers: it fits, for the ledger says what else
        happens."""
        return f"{self.whole()} & 127"

    def odd(self, in_loop: bool) -> str:
        if in_loop and self.chance(0.4):
            return f"if {self.condition(1)}: {self.pick('break', 'continue')}"
        if not self.bold:
            return "pass"
        return self.pick(
            f"assert {self.condition(1)}, 'unlucky'",
            f"if {self.condition(1)}: raise ValueError('bad', {self.pick('i', 'x', 'n % 7')})",
            f"{self.pick(*LOOSE)} += {self.whole()}",
            f"del {self.pick(*LOOSE)}",
            f"{self.pick(*LOOSE)}",
            f"if {self.condition(1)}: return i, j, k, n, m, x, y, z",
            "i, j, k = w",
            f"if {self.condition(1)}: raise KeyError(f'{{i}} {{x:.2f}} {{w}} {{c!r}}')",
            f"a[1:{self.whole(2)} % 4] = a[{self.whole(2)} % 3:]",
            f"p[{self.whole(2)} % 2] = a[:{self.pick('3', '2', 'i % 4')}]",
            "x = float(p[0, 1, 2])",
            f"i = {self.pick(*LOOSE)} and {self.pick(*LOOSE)}",
            f"*_, k, i = ({self.whole(1)}, {self.whole(1)}, j)",
            "i, *_, j = t[:1]",
            "y = p[1].sum() + p[:, 1].min()",
            f"i, j = j, {self.pick('i', 'v', 'i + (j := 2)')}",
            f"i = j = {self.whole(1)}",
            "i, j = p.shape[0], p.shape[3]",
            "i, j, k = a.shape",
            f"a[{self.pick('5', '-7', 'n', 'i')}] = x",
        )

    def compound(self, depth: int, in_loop: bool) -> list[str]:
        self.loops += 1
        k = self.loops
        kind = self.random.randint(0, 9)
        if kind <= 2:
            lines = [f"if {self.condition()}:", *self.block(depth, in_loop)]
            if self.chance(0.2):
                lines += [f"elif {self.condition()}:", *self.block(depth, in_loop)]
            if self.chance(0.5):
                lines += ["else:", *self.block(depth, in_loop)]
            return lines
        if kind <= 4:
            return self.loop(k, depth)
        if kind == 5:
            test = f"left{k} > 0 {self.pick('and', 'and not')} {self.condition(1)}"
            lines = [f"left{k} = {self.random.randint(0, 5)}", f"while {test}:"]
            lines += [f"    left{k} -= 1", *self.block(depth, True)]
            return lines + self.otherwise(depth, in_loop)
        if kind == 6:
            lines = [f"match {self.whole()} % 4:", "    case 0:"]
            lines += self.indented(self.block(depth, in_loop))
            lines += ["    case 1 | 2:", *self.indented(self.block(depth, in_loop))]
            if self.chance(0.6):
                lines += ["    case _:", *self.indented(self.block(depth, in_loop))]
            return lines
        if kind == 7 and depth == 0:
            return self.function(k)
        if kind == 8:
            return [
                f"if ({self.pick(*INTS, *LOOSE)} := {self.whole()}) > 4:",
                *self.block(depth, in_loop),
            ]
        return self.loop(k, depth)

    def loop(self, k: int, depth: int) -> list[str]:
        name = self.pick(f"e{k}", f"e{k}", "i", *LOOSE)
        over = self.pick(
            f"range({self.whole(1)} % 7)",
            f"range({self.pick('len(a)', 'a.shape[0]', 'p.shape[1]')})",
            f"range({self.whole(2)} % 5, {self.whole(2)} % 9, {self.pick('1', '2', '-1')})",
            f"({self.whole(1)}, {self.whole(1)}, 5)",
            f"range(a.shape[{self.index(1)}])",
            "w",
        )
        if self.chance(0.25):
            head = [f"for e{k}, {name} in enumerate({over}):"]
        elif self.chance(0.15):
            head = [f"for {name}, f{k} in zip({over}, a):", f"    z = (z + float(f{k})) % 9.0"]
        elif self.chance(0.15):
            head = [f"for f{k} in a:", f"    y = (y * float(f{k})) % 9.0"]
        else:
            head = [f"for {name} in {over}:"]
        lines = [*head, *self.block(depth, True)]
        return lines + self.otherwise(depth, False)

    def otherwise(self, depth: int, in_loop: bool) -> list[str]:
        return ["else:", *self.block(depth, in_loop)] if self.chance(0.15) else []

    def function(self, k: int) -> list[str]:
        name = f"h{k}"
        lines = [f"def {name}(p, q={self.whole(2)}):"]
        if self.chance(0.3):
            lines += ["    nonlocal m", "    m = (m + p) % 23"]
        lines.append(f"    return {self.pick('p * 2 - q', 'p and q', '(p, q)[0]', 'max(p, q)')}")
        self.functions.append(name)
        return lines
