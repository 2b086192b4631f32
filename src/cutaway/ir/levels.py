"""The levels of the compiler, in order: one vocabulary for API, command line, dumps and docs."""

from __future__ import annotations

from enum import Enum


class Level(Enum):
    """A form that a program takes on its way from source to machine code."""

    source = "source"
    bytecode = "bytecode"
    cfg = "cfg"
    ir = "ir"
    ssa = "ssa"
    typed = "typed"
    arrayexpr = "arrayexpr"
    parfor = "parfor"
    llvm = "llvm"
    llvm_opt = "llvm_opt"
    asm = "asm"
    ptx = "ptx"

    def __lt__(self, other: Level) -> bool:
        return _RANK[self] < _RANK[other]

    def __le__(self, other: Level) -> bool:
        return _RANK[self] <= _RANK[other]

    def __gt__(self, other: Level) -> bool:
        return _RANK[self] > _RANK[other]

    def __ge__(self, other: Level) -> bool:
        return _RANK[self] >= _RANK[other]

    def __str__(self) -> str:
        return self.value


_RANK = {level: rank for rank, level in enumerate(Level)}
