"""The levels of the compiler: one vocabulary for API, command line, dumps and docs.

    source - bytecode - cfg - ir - ssa - typed - arrayexpr - parfor - llvm - llvm_opt - asm
                                 - objects ------------------------ -                 - ptx

The path branches, since a program is typed or has objects alone, and machine code for one target
does not precede that for another; objects and types meet at LLVM.  A program may skip levels, but
never goes back or over to another branch.
"""

from __future__ import annotations

from typing import ClassVar


class Level:
    """A form that a program takes on its way from source to machine code.

    `value` is its name, and `after` the preceding level; `joins` is the last level of another
    branch that leads to it.  `language` is the syntax of its text: python, bytecode, cutaway (its
    own IR), llvm, gas, ptx.  A target may add a level of its own.
    """

    __slots__ = ("after", "language", "path", "value")
    known: ClassVar[dict[str, Level]] = {}

    source: ClassVar[Level]
    bytecode: ClassVar[Level]
    cfg: ClassVar[Level]
    ir: ClassVar[Level]
    ssa: ClassVar[Level]
    typed: ClassVar[Level]
    arrayexpr: ClassVar[Level]
    parfor: ClassVar[Level]
    objects: ClassVar[Level]
    llvm: ClassVar[Level]
    llvm_opt: ClassVar[Level]
    asm: ClassVar[Level]
    ptx: ClassVar[Level]

    def __init__(
        self, value: str, after: Level | None, language: str, joins: Level | None = None
    ) -> None:
        if value in self.known:
            raise ValueError(f"there is a level {value!r} already")
        self.value = value
        self.after = after
        self.language = language
        self.path: tuple[Level, ...] = () if after is None else (*after.path, after)
        if joins is not None:
            self.path += (joins,)
        self.known[value] = self

    @classmethod
    def named(cls, value: str) -> Level:
        """Return the level with a name; raises KeyError if there is none."""
        return cls.known[value]

    def comes_before(self, other: Level) -> bool:
        """True if a program at the other level may have been at this one earlier."""
        return self in other.path

    def leads_to(self, other: Level) -> bool:
        """True if it is the other level, or comes before it."""
        return self is other or self in other.path

    @property
    def is_ir(self) -> bool:
        """True if the program is in Cutaway's IR."""
        return self.language == "cutaway"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Level.named, (self.value,)

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Level.{self.value}"


def _define_path(after: Level | None, *rows: tuple[str, str], joins: Level | None = None) -> None:
    for value, language in rows:
        after = Level(value, after, language, joins)
        setattr(Level, value, after)
        joins = None


_define_path(
    None,
    ("source", "python"),
    ("bytecode", "bytecode"),
    ("cfg", "bytecode"),
    ("ir", "cutaway"),
)
_define_path(Level.ir, ("objects", "cutaway"))
_define_path(
    Level.ir,
    ("ssa", "cutaway"),
    ("typed", "cutaway"),
    ("arrayexpr", "cutaway"),
    ("parfor", "cutaway"),
)
_define_path(
    Level.parfor, ("llvm", "llvm"), ("llvm_opt", "llvm"), ("asm", "gas"), joins=Level.objects
)
_define_path(Level.llvm_opt, ("ptx", "ptx"))
