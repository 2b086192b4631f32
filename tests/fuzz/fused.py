"""Made-up programs whose loops take the values of generators, compiled: machine code does what
Python does.

    python -m fuzz fused 2000                       # from the folder tests

Generators yield in loops, in conditions and from other generators; loops over them are left, go on
and raise, within `try` as well.
"""

from __future__ import annotations

from random import Random

from fuzz.batches import Verdict
from fuzz.handlers import HandlersWriter, compare


class FusedWriter(HandlersWriter):
    """The text of one program."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.yields = False
        self.names: tuple[str, ...] = ()
        self.left = 4  # loops over generators: each multiplies the bodies of those inside of it

    def text(self) -> str:
        """All of it."""
        for name in ("g0", "g1"):
            self.add(1, f"def {name}(x, y=2):")
            self.add(2, "z = 1")
            self.yields = True
            self.block(2, self.random.randint(1, 2))
            self.suspend(2)
            self.yields = False
            self.names = (*self.names, name)
        self.taken(1)
        return super().text()

    def statement(self, depth: int) -> None:
        """One statement, which has others in it while there is room."""
        if self.yields and self.random.random() < 0.3:
            self.suspend(depth)
        elif self.names and depth < 3 and self.random.random() < 0.3 and self.left > 0:
            self.left -= 1
            self.random.choice((self.taken, self.reduced))(depth)
        else:
            super().statement(depth)

    def array(self, depth: int) -> None:
        """What works on arrays, of which generators have none of their own."""
        (self.note if self.yields else super().array)(depth)

    def attempt(self, depth: int) -> None:
        """A `try`; generators that yield within one are not compiled."""
        if not self.yields or self.random.random() < 0.1:
            super().attempt(depth)
        else:
            self.suspend(depth)

    def leave(self, depth: int) -> None:
        """What leaves a block."""
        if not self.yields:
            super().leave(depth)
            return
        if self.random.random() < 0.7:
            self.add(depth, f"if {self.condition()}:")
            depth += 1
        raised = f"raise {self.random.choice(self.caught[:5])}(x)"
        self.add(depth, self.random.choice(("return", raised)))

    def suspend(self, depth: int) -> None:
        """A place where a generator gives a value."""
        if self.names and self.random.random() < 0.2:
            self.add(depth, f"yield from {self.source()}")
        elif self.random.random() < 0.15:
            self.add(depth, f"yield from range({self.random.choice('xy3')} % 9)")
        else:
            self.add(depth, f"yield {self.random.choice(('x', 'y', 'z', 'x + y', 'log[0]'))}")

    def source(self) -> str:
        """What gives values."""
        kind = self.random.random()
        arguments = self.random.choice(("x", "x, z", "2", "y, y=x", "z, 1"))
        called = f"{self.random.choice(self.names)}({arguments})"
        if kind < 0.6:
            return called
        if kind < 0.8:
            return f"(({self.item()}) for v in {called})"
        rest = self.random.choice(("", " if v", " if v > x", " if log[0] % 2"))
        source = self.random.choice(("range(x % 9)", "range(y)", "log[:4]", "(3, x, 5)"))
        return f"({self.item()} for v in {source}{rest})"

    def item(self) -> str:
        """The item of a generator expression."""
        return self.random.choice(("v", "v + x", "v - y", "x - v", "1 // v", "log[v]", "v * 3"))

    def taken(self, depth: int) -> None:
        """A loop over a generator."""
        if self.random.random() < 0.25:
            self.kept(depth)
            return
        if self.random.random() < 0.2:
            self.add(depth, f"for y, x in enumerate({self.source()}):")
        elif self.random.random() < 0.2:
            self.add(depth, f"values = {self.source()}")
            self.add(depth, f"{self.random.choice('xz')} = {self.random.choice('zy1')}")
            self.add(depth, "for x in values:")
        else:
            self.add(depth, f"for {self.random.choice('xz')} in {self.source()}:")
        self.loops += 1
        self.block(depth + 1, self.random.randint(1, 3))
        self.loops -= 1
        if self.random.random() < 0.3:
            self.add(depth, "else:")
            self.block(depth + 1, 1)

    def kept(self, depth: int) -> None:
        """A generator that is taken from in several places, so that it is not fused."""
        self.count += 1
        name = f"kept{self.count}"
        self.add(depth, f"{name} = {self.source()}")
        self.add(depth, f"z = next({name}, {self.random.choice('xy7')})")
        self.add(depth, f"for {self.random.choice('xz')} in {name}:")
        self.loops += 1
        self.block(depth + 1, self.random.randint(1, 2))
        self.loops -= 1
        ends = (f"z += sum({name})", f"z = max({name}, default=y)", f"for x in {name}: z += x")
        self.add(depth, self.random.choice(ends))

    def reduced(self, depth: int) -> None:
        """A value of all that a generator gives."""
        name = self.random.choice(("sum", "min", "max", "any", "all", "sum"))
        rest = ", default=x" if name in ("min", "max") and self.random.random() < 0.5 else ""
        source = self.source() if not rest else f"({self.source()})"
        self.add(depth, f"z = {'int' if name in ('any', 'all') else ''}({name}({source}{rest}))")


def check(seed: int) -> Verdict:
    """Compare one program with Python."""
    return compare(FusedWriter(Random(seed)).text(), f"<fused {seed}>")
