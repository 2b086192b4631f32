"""A kernel with its callees, as one piece of Python: the source, and the values of its names."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

import numpy as np

from cutaway.compiling import compiler, sessions
from cutaway.compiling.compilable import as_called
from cutaway.compiling.sessions import Compilable
from cutaway.cuda.simulator import atomics, helpers
from cutaway.cuda.simulator.calling import Calling
from cutaway.cuda.simulator.places import Allocation, Site, Wait
from cutaway.cuda.simulator.values import plain
from cutaway.cuda.simulator.waiting import Waiting
from cutaway.cuda.simulator.writing import FunctionWriter
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import Loc, short_file, span_text
from cutaway.gpu import words
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.stages.unit import CompileUnit
from cutaway.typing.overloads.parameters import Parameters, Place
from cutaway.typing.types import Array, Type

UNTIL = "bounds_checks"


@dataclass(slots=True, eq=False)
class Translated:
    """A function of the program."""

    name: str
    argtypes: tuple[Type, ...]
    returns: Type
    parameters: Parameters
    writer: FunctionWriter

    @property
    def is_generator(self) -> bool:
        """True if it may wait."""
        return self.writer.is_generator

    def layout(self, call: Any) -> tuple[Place, ...]:
        """Return the positions of the parameters in a call."""
        positions = self.parameters.lay_out(call)
        assert positions is not None
        return positions


class Program:
    """The program of a kernel for argument types.

    Raises CompileError if the kernel cannot be compiled.
    """

    def __init__(self, kernel: Compilable, argtypes: tuple[Type, ...]) -> None:
        self.calling, self.waiting = Calling(self), Waiting(self)
        self.sites: list[Site] = []
        self.allocations: list[Allocation] = []
        self.namespace: dict[str, Any] = dict(helpers.NAMESPACE)
        self.functions: dict[Any, Translated] = {}
        self.order: list[Translated] = []
        self.constants: dict[int, tuple[Any, str]] = {}
        self.arrays: dict[str, tuple[Any, Any]] = {}
        self.uses_fences = self.uses_atomics = False
        self._places: dict[Loc, str] = {}
        self._waits: dict[tuple[str, Loc], str] = {}
        self._site_of: dict[tuple[Any, ...], int] = {}
        with sessions.opened() as session:
            unit = _typed(session, kernel, argtypes)
            self.kernel = self._translate(kernel, unit, True)
        self.code = self._compiled()

    # --- functions ------------------------------------------------------------------------------

    def function(self, w: FunctionWriter, function: Any, call: Any, loc: Loc) -> Translated:
        """Return the translation of a callee; made once for its argument types."""
        services = w.unit.services
        assert services is not None
        session = sessions.required()
        session.nested.append(w.unit)
        try:
            callee = services.callee(function, call, loc, True)
            compilable = as_called(function, w.unit)
            key = compilable, callee.argtypes
            known = self.functions.get(key)
            if known is None:
                unit = _typed(session, compilable, callee.argtypes)
                known = self.functions[key] = self._translate(compilable, unit)
        finally:
            session.nested.pop()
        return known

    def _translate(
        self, function: Compilable, unit: CompileUnit, is_kernel: bool = False
    ) -> Translated:
        stem = unit.pyfunc.__name__
        stem = stem if stem.isidentifier() else "function"
        name, count = stem, 1
        taken = {one.name for one in self.order}
        while name in taken or name in self.namespace:
            count += 1
            name = f"{stem}_{count}"
        self.namespace[name] = None
        writer = FunctionWriter(unit, self, name, is_kernel)
        made = Translated(name, unit.argtypes or (), unit.return_type, function.parameters, writer)
        writer.write()
        self.order.append(made)
        return made

    # --- names ----------------------------------------------------------------------------------

    def is_taken(self, name: str) -> bool:
        """True if a name is bound for all functions."""
        return name in self.namespace

    def helper(self, name: str, value: Any) -> None:
        """Bind a name to one of the simulator's functions."""
        self.namespace[name] = value

    def constant(self, value: Any, stem: str) -> str:
        """Return the name of an object."""
        known = self.constants.get(id(value))
        if known is None:
            plain = "".join(c if c.isalnum() or c == "_" else "_" for c in stem) or "constant"
            plain = plain if plain.isidentifier() else f"c_{plain}"
            name, count = plain, 0
            while name in self.namespace and self.namespace[name] is not value:
                count += 1
                name = f"{plain}_{count}"
            self.namespace[name] = value
            known = self.constants[id(value)] = value, name
        return known[1]

    def value(self, value: Any, ty: Type | None) -> str:
        """Return the name of a constant in generated code."""
        if isinstance(value, np.ndarray) and isinstance(ty, Array):
            known = next((n for n, (one, _) in self.arrays.items() if one is value), None)
            if known is None:
                known = f"array_{len(self.arrays)}"
                self.arrays[known] = value, ty
                self.namespace[known] = None
            return known
        if ty is not None:
            value = plain(ty, value)
        if type(value) is tuple and all(type(one) in (int, bool, str) for one in value):
            return repr(value)
        if type(value) in (int, bool):
            return f"({value!r})"
        return self.constant(value, "constant")

    def special(self, value: Any) -> str | None:
        """Return the expression of a constant that differs between threads; None for others."""
        return "t.lane" if isinstance(value, words.LaneId) else None

    def literal(self, value: Any) -> str:
        """Return the literal of a Python constant."""
        return repr(value)

    # --- places ---------------------------------------------------------------------------------

    def place(self, loc: Loc) -> str:
        """Return the name of a source location."""
        if loc not in self._places:
            name = self._places[loc] = f"place_{len(self._places)}"
            self.namespace[name] = loc
        return self._places[loc]

    def wait(self, kind: str, loc: Loc, ty: Type | None = None) -> str:
        """Return the name of a location where a thread waits."""
        if (kind, loc) not in self._waits:
            name = self._waits[kind, loc] = f"{kind}_{len(self._waits)}"
            self.namespace[name] = Wait(kind, loc, ty)
        return self._waits[kind, loc]

    def site(self, op: Op, w: FunctionWriter, kind: str, array: str) -> int:
        """Return the number of a location of memory accesses."""
        key = w.name, op.id, op.loc, kind, array
        if key not in self._site_of:
            number = self._site_of[key] = len(self.sites)
            self.sites.append(Site(number, kind, op.loc, self._shown(w, array)))
            self.namespace[f"{kind}{number}"] = None
        return self._site_of[key]

    def _shown(self, w: FunctionWriter, array: str) -> str:
        if array and not is_temporary(array):
            return user_name(array)
        maker = w.makers.get(array)
        return span_text(maker.loc) if maker is not None and maker.loc.line else ""

    def shared(self, w: FunctionWriter, op: nodes.Call, ty: Array, shape: tuple[int, ...]) -> str:
        """Return the name of a location that makes a shared or a local array."""
        key = w.name, op.id, op.loc, "m", op.result
        if key not in self._site_of:
            number = self._site_of[key] = len(self.allocations)
            name = user_name(op.result) if not is_temporary(op.result) else "a shared array"
            self.allocations.append(Allocation(number, name, ty.dtype, shape, op.loc))
            self.namespace[f"memory_{number}"] = self.allocations[-1]
        return f"memory_{self._site_of[key]}"

    def atomic(self, word: str, ty: Type) -> str:
        """Return the name of the function for an atomic operation."""
        name = f"{word}_{ty}"
        self.namespace[name] = atomics.function_of(word, ty)
        return name

    # --- the source -----------------------------------------------------------------------------

    @property
    def source(self) -> str:
        """The program as Python, each statement with its line in the user's source."""
        return "\n\n\n".join("\n".join(_commented(one.writer)) for one in self.order) + "\n"

    def _compiled(self) -> tuple[CodeType, ...]:
        return tuple(_code(one.writer) for one in self.order)


def _typed(
    session: sessions.Session, function: Compilable, argtypes: tuple[Type, ...]
) -> CompileUnit:
    """Make a unit of its own, with types."""
    unit = compiler.new_unit(function, argtypes)
    unit.flags = replace(unit.flags, boundscheck=False)  # the simulator checks all indices
    compiler.compile_unit(unit, function.pipeline.until(UNTIL))
    return unit


def _commented(w: FunctionWriter) -> list[str]:
    width = max(map(len, w.text.lines)) + 2
    lines, before = [], 0
    for line, loc in zip(w.text.lines, w.text.places, strict=True):
        is_new = loc.line and loc.line != before
        before = loc.line or before
        comment = f"# {short_file(loc.filename)}:{loc.line}" if is_new else ""
        lines.append(f"{line:<{min(width, 70)}}{comment}".rstrip())
    return lines


def _code(w: FunctionWriter) -> CodeType:
    """Compile a function, with the line numbers of the user's source."""
    tree = ast.parse("\n".join(w.text.lines))
    places = w.text.places
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt | ast.expr | ast.arg | ast.keyword):
            continue
        loc = places[node.lineno - 1]
        if loc.line:
            node.lineno, node.end_lineno = loc.line, max(loc.end_line, loc.line)
            node.col_offset = loc.col
            node.end_col_offset = max(loc.end_col, loc.col) if loc.end_line else loc.col
    return compile(tree, w.fn.filename or "<simulated>", "exec")
