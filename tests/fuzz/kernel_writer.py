"""Made-up kernels, as text: well typed, and without a race whatever the threads' order.

Each thread writes at its own place.  What threads share is written between two barriers that all
of them reach, read after the second, and atomic operations are those whose order does not matter.
Numbers stay small, so that Python's integers are those of compiled code.
"""

from __future__ import annotations

from fuzz.choosing import Chooser

DTYPES = ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "u2", "u4", "u8", "?")
NAMES = {
    "f8": "float64",
    "f4": "float32",
    "f2": "float16",
    "i8": "int64",
    "i4": "int32",
    "i2": "int16",
    "i1": "int8",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "?": "bool",
}
DEEPEST = 3


class KernelWriter(Chooser):
    """Writes one kernel `program(a, b, c, r, s, t, n, x)`, and the device functions that it calls.

    `a`, `b` (two dimensions) and `c` are read, `r` (float64), `s` (int64) and `t` (of any dtype)
    written at the thread's place `g`, `n` and `x` are numbers.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        random = self.random
        self.kinds = {name: random.choice(DTYPES) for name in "abct"}
        self.grid, self.block = random.choice(((1, 32), (2, 32), (1, 64), (2, 40), (3, 7)))
        self.waits = random.random() < 0.6
        self.whole_warps = self.block % 32 == 0
        self.loops = self.arrays = self.functions = 0
        self.device: list[str] = []
        self.in_device = False
        self.source = self._program()

    # --- statements -----------------------------------------------------------------------------

    def _program(self) -> str:
        lines = [
            "def program(a, b, c, r, s, t, n, x):",
            "    g = cuda.grid(1)",
            "    m = cuda.threadIdx.x",
            "    i, j, y, z = n, 3, x, 0.5",
        ]
        for _ in range(self.random.randint(3, 7)):
            lines += self._indented(self._statement(0, True))
        lines += ["    r[g] = y + z", "    s[g] = i + j", f"    t[g] = {self._element()}"]
        return "\n".join([*self.device, *lines, ""])

    def _element(self) -> str:
        kind = self.kinds["t"]
        if kind == "?":
            return self.condition()
        return f"({self.real()}) * 0.001" if kind[0] == "f" else f"({self.whole()}) % 100"

    def _indented(self, lines: list[str]) -> list[str]:
        return [f"    {line}" for line in lines]

    def _statement(self, depth: int, together: bool) -> list[str]:
        """One statement; `together` where all threads of a block get there."""
        options = [
            lambda: [f"{self.pick('i', 'j')} = {self.whole()}"],
            lambda: [f"{self.pick('y', 'z')} = {self.real()}"],
            lambda: [
                f"{self.pick('i', 'j')} = (i {self.pick('+', '-', '*')} {self.whole()}) % 997"
            ],
            lambda: [f"y, z = {self.real()}, {self.real()}"],
            lambda: [f"r[g] {self.pick('+=', '-=', '*=', '=')} {self.real()}"],
            lambda: self._atomic(),
        ]
        if depth < DEEPEST:
            options += [lambda: self._branch(depth), lambda: self._loop(depth), self._local]
        if together and self.waits:
            options += [self._shared, self._shared, self._reduced]
            options += [self._warp] if self.whole_warps else []
        return self.random.choice(options)()

    def _block_of(self, depth: int) -> list[str]:
        lines = [
            line
            for _ in range(self.random.randint(1, 2))
            for line in self._statement(depth + 1, False)
        ]
        return self._indented(lines)

    def _branch(self, depth: int) -> list[str]:
        lines = [f"if {self.condition()}:", *self._block_of(depth)]
        if self.chance(0.5):
            lines += ["else:", *self._block_of(depth)]
        return lines

    def _loop(self, depth: int) -> list[str]:
        self.loops += 1
        k = f"k{self.loops}"
        if self.chance(0.5):
            steps = self.pick("range(3)", f"range({self.whole()} % 5)", "range(7, 0, -2)")
            body = [*self._block_of(depth), f"    j = (j + {k}) % 991"]
            if self.chance(0.3):
                body = [
                    f"    if {k} == {self.pick('2', 'm % 3')}:",
                    f"        {self.pick('break', 'continue')}",
                    *body,
                ]
            return [f"for {k} in {steps}:", *body]
        return [
            f"{k} = 0",
            f"while {k} < {self.pick('3', 'i % 4')} and {self.condition()}:",
            f"    {k} += 1",
            *self._block_of(depth),
        ]

    def _local(self) -> list[str]:
        self.arrays += 1
        name, size = f"l{self.arrays}", self.random.choice((2, 4, 8))
        kind = self.pick("f8", "i8", "f4", "i4")
        value = self.real() if kind[0] == "f" else f"({self.whole()}) % 100"
        read = f"{name}[{self.whole()} % {size}]"
        into = f"y = float({read})" if kind[0] == "f" else f"i = int({read})"
        return [
            f"{name} = cuda.local.array({size}, np.{NAMES[kind]})",
            f"for q in range({size}):",
            f"    {name}[q] = {value}",
            f"{name}[{self.whole()} % {size}] = {value}",
            into,
        ]

    def _shared(self) -> list[str]:
        self.arrays += 1
        name = f"h{self.arrays}"
        kind = self.pick("f8", "i8", "f4", "i4", "u1")
        value = self.real() if kind[0] == "f" else f"({self.whole()}) % 100"
        read = f"{name}[{self.pick('(m + 1)', '(m * 3)', '(m + n)')} % cuda.blockDim.x]"
        into = f"y = float({read})" if kind[0] == "f" else f"i = int({read})"
        wait = "cuda.syncthreads()"
        return [
            f"{name} = cuda.shared.array({self.block}, np.{NAMES[kind]})",
            f"{name}[m] = {value}",
            wait,
            into,
            wait,
        ]

    def _reduced(self) -> list[str]:
        word = self.pick("syncthreads_count", "syncthreads_and", "syncthreads_or")
        return [f"i = cuda.{word}({self.condition()})"]

    def _warp(self) -> list[str]:
        mask = "0xFFFFFFFF"
        value = self.pick(self.real(), self.whole())
        word = self.random.choice(
            (
                f"y = float(cuda.shfl_sync({mask}, {value}, {self.whole()} % 32))",
                f"y = float(cuda.shfl_up_sync({mask}, {value}, {self.pick('1', '2', '16')}))",
                f"y = float(cuda.shfl_down_sync({mask}, {value}, {self.pick('1', '2', '16')}))",
                f"y = float(cuda.shfl_xor_sync({mask}, {value}, {self.pick('1', '2', '16')}))",
                f"i = int(cuda.all_sync({mask}, {self.condition()}))",
                f"i = int(cuda.any_sync({mask}, {self.condition()}))",
                f"i = int(cuda.popc(cuda.ballot_sync({mask}, {self.condition()})))",
            )
        )
        return [word]

    def _atomic(self) -> list[str]:
        word = self.pick("add", "max", "min", "sub")
        place = self.pick("0", "m % 3")
        target = {"add": "0", "sub": "0", "max": "1", "min": "2"}[word]
        return [f"cuda.atomic.{word}(c, ({target}, {place}), {self.whole()} % 100)"]

    # --- expressions ----------------------------------------------------------------------------

    def whole(self, depth: int = 0) -> str:
        """An integer of a few digits."""
        if depth >= DEEPEST or self.chance(0.3):
            return self.pick("i", "j", "n", "m", "g", "2", "5", "13", "cuda.blockIdx.x")
        a, b = self.whole(depth + 1), self.whole(depth + 1)
        options = [
            lambda: f"(({a} {self.pick('+', '-', '*')} {b}) % {self.pick('101', '17', '-13')})",
            lambda: f"({a} {self.pick('&', '|', '^')} {b})",
            lambda: f"({a} {self.pick('//', '%')} {self.pick('3', '7', '-2')})",
            lambda: f"({a} if {self.condition(depth + 1)} else {b})",
            lambda: f"{self.pick('min', 'max')}({a}, {b})",
            lambda: f"abs({a})",
            lambda: f"(({a}) % 97 << ({b} % 4))",
            lambda: f"(({a}) >> ({b} % 5))",
            lambda: f"int({self.real(depth + 1)} % 50.0)",
            lambda: f"divmod({a}, 7)[{self.pick('0', '1')}]",
            lambda: f"({a}, {b}, 4)[{self.pick('0', '1', '2')}]",
            lambda: self._read("i", depth),
            lambda: self.pick(
                "len(a)", "b.shape[1]", "b.size", "cuda.blockDim.x", "cuda.gridDim.x"
            ),
            lambda: f"cuda.{self.pick('popc', 'clz', 'ffs')}(np.int64({a}))",
            lambda: f"math.gcd({a}, {b})",
            lambda: f"cuda.selp({self.condition(depth + 1)}, {a}, {b})",
            lambda: self._call("i", depth),
        ]
        return self.random.choice(options)()

    def real(self, depth: int = 0) -> str:
        """A float of moderate size."""
        if depth >= DEEPEST or self.chance(0.3):
            return self.pick("y", "z", "x", "0.25", "1.5", f"float({self.whole(DEEPEST)})")
        a, b = self.real(depth + 1), self.real(depth + 1)
        options = [
            lambda: f"({a} {self.pick('+', '-', '*')} {b})",
            lambda: f"({a} / (1.0 + abs({b})))",
            lambda: f"(({a}) % {self.pick('3.0', '-2.5', '0.7')})",
            lambda: f"({a} if {self.condition(depth + 1)} else {b})",
            lambda: f"{self.pick('min', 'max')}({a}, {b})",
            lambda: f"math.{self.pick('sin', 'cos', 'atan', 'tanh', 'floor', 'ceil')}({a}) * 1.0",
            lambda: f"math.{self.pick('sqrt', 'log1p', 'cbrt')}(abs({a}))",
            lambda: f"math.{self.pick('hypot', 'atan2', 'copysign', 'fmod')}({a}, 1.0 + abs({b}))",
            lambda: f"math.exp(-abs({a}))",
            lambda: f"cuda.fma({a}, 0.5, {b})",
            lambda: f"abs(complex({a}, {b}))",
            lambda: self._read("f", depth),
            lambda: self._call("f", depth),
        ]
        return (
            f"(({self.random.choice(options)()}) * 0.5)"
            if self.chance(0.2)
            else (self.random.choice(options)())
        )

    def condition(self, depth: int = 0) -> str:
        """A truth."""
        a, b = self.whole(depth + 1), self.whole(depth + 1)
        options = [
            lambda: f"{a} {self.pick('<', '<=', '==', '!=', '>')} {b}",
            lambda: f"{self.real(depth + 1)} {self.pick('<', '>=')} {self.real(depth + 1)}",
            lambda: f"not {a} % 2",
            lambda: f"({a} > 3 {self.pick('and', 'or')} {b} < 9)",
            lambda: f"2 <= {a} < 11",
        ]
        return f"({self.random.choice(options)()})"

    def _read(self, kind: str, depth: int) -> str:
        if self.in_device:
            return self.pick("p", "q") if kind == "i" else "float(p)"
        place = self.random.choice(
            (
                f"a[{self.whole(depth + 1)} % a.size]",
                f"b[{self.whole(depth + 1)} % b.shape[0], {self.whole(depth + 1)} % b.shape[1]]",
                f"b[{self.whole(depth + 1)} % b.shape[0]][{self.pick('0', '-1')}]",
            )
        )
        if kind == "f":
            return f"float({place})"
        of = self.kinds[place[0]]
        return f"int({place})" if of[0] in "iu?" else f"int(float({place}))"

    def _call(self, kind: str, depth: int) -> str:
        """The call of a device function, which is written for it."""
        if self.in_device or len(self.device) > 24:
            return "3" if kind == "i" else "0.75"
        self.functions += 1
        name = f"helper{self.functions}"
        self.in_device = True
        body = self.whole() if kind == "i" else self.real()
        again = self.whole() if kind == "i" else self.real()
        for old, new in (("cuda.blockIdx.x", "4"), ("a.size", "5")):
            body, again = body.replace(old, new), again.replace(old, new)
        self.in_device = False
        test = f"p {self.pick('<', '>')} q"
        self.device += [
            "@cuda.jit(device=True)",
            f"def {name}(p, q, x):",
            "    i, j, n, m, g, y, z = p, q, 7, 2, 1, x, 1.5",
            "    a, b = (1, 2, 3, 4, 5), (1.0, 2.0)",
            f"    if {test}:",
            f"        return {body}",
            f"    return {again}",
            "",
        ]
        return f"{name}({self.whole(depth + 1)}, {self.whole(depth + 1)}, {self.real(depth + 1)})"
