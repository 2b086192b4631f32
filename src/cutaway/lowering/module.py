"""One LLVM module for one function: its code, that of its callees, and its entry point.

Everything is `internal` but the entry point, so that one pipeline sees, inlines and prunes the
whole program, and the object needs nothing but the runtime's functions.  Line tables are made here:
each line of a function's body carries the number of a source location, which becomes a metadata
node.  LLVM keeps these locations through its passes, but writes no line table into the object,
which nobody would read; `line_table.py` emits one for assembly that is displayed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping

from cutaway.errors import InternalError
from cutaway.foundation.source import Loc
from cutaway.lowering.build.builder import Builder, CodeLine, FunctionCode, symbol
from cutaway.lowering.build.raising import block_name, table_name
from cutaway.lowering.callee import Callee
from cutaway.lowering.layout import part_types, slot_types
from cutaway.lowering.objects import module
from cutaway.lowering.slots import load_slots
from cutaway.runtime import symbols
from cutaway.targets.cpu import line_table, optimization
from cutaway.targets.cpu.engine import Plan, address_in_process
from cutaway.targets.target import Definition, entry_beside

# Branch weights for a first and for a second target that is almost never taken; loop hints.
_FIXED = (
    '!0 = !{!"branch_weights", i32 1, i32 1048575}',
    '!1 = !{!"branch_weights", i32 1048575, i32 1}',
    '!2 = !{!"llvm.loop.unroll.disable"}',
    '!3 = !{!"llvm.loop.vectorize.enable", i1 false}',
    '!4 = !{!"llvm.loop.unroll.runtime.disable"}',
    '!5 = !{!"llvm.loop.align", i32 64}',
)
# The hints of a loop, by its marks.  An innermost one is aligned to an instruction cache line: a
# loop of a few instructions that crossed two such lines took 1.2 to 1.6 times as long.  For a GPU
# nothing is marked: PTX has no alignment of loops, and a loop that LLVM unrolls there has more
# loads in flight at a time.
_LOOPS = {"plain": ", !2, !3", "sums": ", !3", "gaps": ", !3", "vector": ", !4", "inner": ", !5"}


def entry_name(callee: Callee) -> str:
    """Return the symbol of the entry point, which the dispatcher calls, or launches."""
    return (entry_beside if callee.target is None else callee.target.entry_name)(callee)


def module_codes(callee: Callee) -> list[FunctionCode]:
    """Return the code of a finished function and of its callees, except linked ones."""
    members = _members(callee)
    codes = _codes(members)
    assert all(m.code is not None for m in members), (
        f"{callee.symbol} calls a function that is not lowered yet"
    )
    return codes


def _codes(members: Iterable[Callee]) -> list[FunctionCode]:
    codes = [member.code for member in members if member.code is not None]
    return [one for code in codes for one in (code, *code.parts)]


def is_lowered(callee: Callee) -> bool:
    """True if a function and all of its callees were lowered."""
    return all(member.code is not None for member in _members(callee))


def _members(callee: Callee) -> list[Callee]:
    """Return the functions whose code is in the module."""
    return [m for m in callee.closure() if m is callee or m.linked is None]


def _outside(codes: Iterable[FunctionCode]) -> list[str]:
    """Return the runtime functions that code declares."""
    names = {name for code in codes for name in code.declarations}
    return sorted(name for name in names if not name.startswith("llvm."))


def runtime_symbols(callee: Callee) -> dict[str, int]:
    """Return the addresses of the runtime's functions that the module needs, of linked library
    functions, and of its tables' names.

    Another thread, or another program, may have linked one since the text of the module was
    written, which contains its code then: the callees of linked functions are included, too, which
    may have one in their own module that this one calls as a linked one.  Other
    symbols that extensions declare are looked up in the process, as in C.  Raises InternalError for
    one that does not exist.
    """
    runtime = symbols if callee.target is None else callee.target.runtime
    members = [*callee.closure(), *callee.closure(through_linked=True)]
    addresses = {name: _address(name, runtime) for name in _outside(_codes(members))}
    # A linked function may contain the code of one that the module calls by its address.
    for member in (*members, *callee.closure()):
        if member is not callee and member.linked is not None:
            addresses[member.symbol] = member.linked.address
        if member.table is not None:
            addresses[table_name(member.symbol)] = member.table.address
            for number, block in enumerate(member.table.blocks):
                addresses[block_name(member.symbol, number)] = id(block)
        if member.environment is not None:
            place = module.environment_address(member.environment)
            addresses[module.environment_name(member)] = place
    return addresses


def _address(name: str, runtime: Mapping[str, int]) -> int:
    known = runtime.get(name) or address_in_process(name)
    if known is None:
        raise InternalError(f"neither the runtime nor the process has a function {name}")
    return known


def plan_for(callee: Callee) -> Plan:
    """Return the optimization plan for a function and its callees."""
    members = _members(callee)
    loops = any(_repeats(member) for member in members)
    if callee.target is not None and callee.target.repeats:
        return optimization.plan_of_repeated(loops=loops).on(callee.cpu)
    over_arrays = any(member.loops_over_arrays for member in members)
    calls = len(members) > 1 or any(member.recursive for member in members)
    plan = optimization.plan_for(loops=loops, loops_over_arrays=over_arrays, calls=calls)
    return plan.on(callee.cpu)


def _repeats(callee: Callee) -> bool:
    assert callee.code is not None
    return callee.code.repeats or callee.recursive


def module_text(callee: Callee) -> str:
    """Return the module of a finished function with its entry point, or with itself exported."""
    assert callee.target is not None
    entry = callee.target.entry(callee)
    return bare_text(callee, entry) if entry else exported_text(callee)


def exported_text(callee: Callee) -> str:
    """Return the module of a finished function that other modules call, under its own name."""
    text = bare_text(callee)
    name = symbol(callee.symbol)
    return text.replace(f"define internal i32 {name}(", f"define i32 {name}(", 1)


def bare_text(callee: Callee, *more: str) -> str:
    """Return the module of a finished function and its callees, and of more functions."""
    codes = module_codes(callee)
    metadata = _Metadata(_LOOPS if not callee.cpu.triple else dict.fromkeys(_LOOPS, ""))
    inline = " alwaysinline" if plan_for(callee).inlines_marked_only else ""
    # Threads of a GPU may wait for each other at a barrier: a call that may lead there must be
    # neither duplicated into branches nor merged out of them.
    together = "" if not callee.cpu.triple else " convergent"
    bodies = [_function_text(code, metadata, inline, together) for code in codes]
    bodies += more
    here = {code.name for code in codes}  # which another thread may be linking
    linked = [member for member in callee.closure() if member.linked is not None]
    outside = [member for member in linked if member.symbol not in here]
    defined = _definitions(callee, codes)
    parts = [
        f'source_filename = "{_quoted(codes[0].filename)}"',
        *_merged(code.globals for code in codes),
        *_used(dict.fromkeys(name for code in codes for name in code.versions)),
        "",
        *bodies,
        *(row.text for row in defined.values()),
        *_merged((row.declarations for row in (*codes, *defined.values())), defined),
        *map(_declaration, outside),
        "",
        *metadata.text(),
    ]
    return "\n".join(parts) + "\n"


def _used(names: Collection[str]) -> Iterator[str]:
    """Yield the list that keeps LLVM from removing functions without callers."""
    if names:
        kept = ", ".join(f"ptr {symbol(name)}" for name in names)
        kind = f"appending global [{len(names)} x ptr]"
        yield f'@llvm.compiler.used = {kind} [{kept}], section "llvm.metadata"'


def _declaration(callee: Callee) -> str:
    kinds = ["ptr", "ptr", *(kind for ty in callee.argtypes for kind in part_types(ty))]
    return f"declare i32 {symbol(callee.symbol)}({', '.join(kinds)}) nounwind"


def _definitions(callee: Callee, codes: Iterable[FunctionCode]) -> dict[str, Definition]:
    """Return the functions that the target defines in the module: those that the code declares, and
    those that these declare."""
    if callee.target is None:  # code that crosses into an extension type belongs to no target
        return {}
    waiting = sorted({name for code in codes for name in code.declarations})
    rows: dict[str, Definition] = {}
    for name in waiting:  # a list that grows
        row = None if name in rows else callee.target.definitions(name)
        if row is not None:
            rows[name] = row
            waiting += row.declarations
    return rows


def _merged(tables: Iterable[dict[str, str]], without: Collection[str] = ()) -> list[str]:
    merged: dict[str, str] = {}
    for table in tables:
        merged.update(table)
    return [text for name, text in merged.items() if name not in without]


def _function_text(code: FunctionCode, metadata: _Metadata, inline: str, together: str) -> str:
    scope = metadata.subprogram(code)
    numbers = [
        metadata.location(loc, metadata.scope_in(scope, code.filename, loc)) for loc in code.locs
    ]
    first = Loc(code.first_line, 0, code.first_line, 0, code.filename)
    default = metadata.location(first, scope)
    # Exceptions leave by status, so that nothing ever unwinds: no tables, no landing pads.
    inline = "" if "noinline" in code.header else inline
    lines = [f"{code.header} nounwind{inline}{together} !dbg !{scope} {{"]
    scopes = _Scopes(metadata)
    for line in code.lines:
        text = _line_text(line, numbers, default)
        if line.loop:
            text += f", !llvm.loop !{metadata.loop(line.loop)}"
        lines.append(
            scopes.marked(text, line) if line.scopes or line.declares is not None else text
        )
    return "\n".join([*lines, "}", ""])


def _line_text(line: CodeLine, numbers: list[int], default: int) -> str:
    if line.text.endswith(":"):
        return line.text
    if line.loc >= 0:
        return f"  {line.text}, !dbg !{numbers[line.loc]}"
    # A call in a function with line tables must have a location of its own.
    return f"  {line.text}, !dbg !{default}" if "call " in line.text else f"  {line.text}"


def entry_text(callee: Callee) -> str:
    """Return the entry point that the dispatcher calls, with the arguments in slots."""
    build = Builder(entry_name(callee))
    build.start("entry")
    build.hint = "arg"
    operands = ["ptr %ret", "ptr %exc"]
    slot = 0
    for ty in callee.argtypes:
        value = load_slots(build, ty, "%args", slot)
        slot += len(slot_types(ty))
        operands += [f"{kind} {p}" for kind, p in zip(part_types(ty), value.parts, strict=True)]
    status = build.result(f"call i32 {symbol(callee.symbol)}({', '.join(operands)})")
    build.ret(status)
    return entry_function(callee, build)


def entry_function(callee: Callee, build: Builder) -> str:
    """Return the text of an entry point, which has no source lines."""
    code = build.finish(
        f"define i32 {symbol(entry_name(callee))}"
        "(ptr noalias %ret, ptr noalias readonly %args, ptr noalias %exc) nounwind {"
    )
    lines = [_line_text(line, [], 0).partition(", !dbg")[0] for line in code.lines]
    return "\n".join([code.header, *lines, "}", ""])


class _Metadata:
    """Debug metadata of a module: line tables only."""

    def __init__(self, loops: Mapping[str, str]) -> None:
        self._loops = loops
        self._nodes: list[str] = list(_FIXED)
        self._files: dict[str, int] = {}
        self._elsewhere: dict[tuple[int, str], int] = {}
        self._unit = -1

    def add(self, text: str) -> int:
        """Add a node; returns its number."""
        self._nodes.append(f"!{len(self._nodes)} = {text}")
        return len(self._nodes) - 1

    def add_distinct(self, more: str) -> int:
        """Add a node that refers to itself first, and so is distinct from any other."""
        return self.add(f"distinct !{{!{len(self._nodes)}{more}}}")

    def loop(self, marks: tuple[str, ...]) -> int:
        """Add the hints of a loop; each loop needs a node of its own."""
        return self.add_distinct("".join(self._loops[mark] for mark in marks))

    def text(self) -> list[str]:
        """Return all nodes, after the named metadata that refers to them."""
        version = self.add('!{i32 2, !"Debug Info Version", i32 3}')
        dwarf = self.add('!{i32 2, !"Dwarf Version", i32 4}')
        named = [f"!llvm.module.flags = !{{!{version}, !{dwarf}}}"]
        if self._unit >= 0:
            named.insert(0, f"!llvm.dbg.cu = !{{!{self._unit}}}")
        return named + self._nodes

    def subprogram(self, code: FunctionCode) -> int:
        """Add the scope of a function."""
        file, line = self._file(code.filename), code.first_line
        if self._unit < 0:
            self._unit = self.add(
                f"distinct !DICompileUnit(language: DW_LANG_Python, file: !{file}, "
                'producer: "cutaway", isOptimized: true, runtimeVersion: 0, '
                f"emissionKind: {line_table.NO_TABLE})"
            )
        kind = self.add("!DISubroutineType(types: null)")
        return self.add(
            f'distinct !DISubprogram(name: "{_quoted(code.name)}", scope: !{file}, file: !{file}, '
            f"line: {line}, type: !{kind}, scopeLine: {line}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{self._unit})"
        )

    def scope_in(self, scope: int, filename: str, loc: Loc) -> int:
        """Return the scope for a location: its own one if it is in another file than the function,
        from an inlined body."""
        if loc.filename == filename:
            return scope
        key = (scope, loc.filename)
        if key not in self._elsewhere:
            file = self._file(loc.filename)
            self._elsewhere[key] = self.add(
                f"!DILexicalBlockFile(scope: !{scope}, file: !{file}, discriminator: 0)"
            )
        return self._elsewhere[key]

    def location(self, loc: Loc, scope: int) -> int:
        """Add a source location in a scope."""
        return self.add(f"!DILocation(line: {loc.line}, column: {loc.col + 1}, scope: !{scope})")

    def _file(self, filename: str) -> int:
        if filename not in self._files:
            folder, name = os.path.split(filename)
            self._files[filename] = self.add(
                f'!DIFile(filename: "{_quoted(name)}", directory: "{_quoted(folder or ".")}")'
            )
        return self._files[filename]


class _Scopes:
    """The alias scopes of a function, as metadata."""

    def __init__(self, metadata: _Metadata) -> None:
        self._metadata = metadata
        self._numbers: dict[int, int] = {}
        self._domain = -1

    def marked(self, text: str, line: CodeLine) -> str:
        """Return the text of a line that declares or has alias scopes, with their metadata."""
        if line.declares is not None:
            return text.replace("metadata !", f"metadata !{self._list((line.declares,))}", 1)
        assert line.scopes is not None
        if line.scopes.within:
            text += f", !alias.scope !{self._list(line.scopes.within)}"
        if line.scopes.outside:
            text += f", !noalias !{self._list(line.scopes.outside)}"
        return text

    def _list(self, scopes: Iterable[int]) -> int:
        return self._metadata.add(f"!{{{', '.join(f'!{self._node(one)}' for one in scopes)}}}")

    def _node(self, scope: int) -> int:
        if self._domain < 0:
            self._domain = self._metadata.add_distinct("")
        if scope not in self._numbers:
            self._numbers[scope] = self._metadata.add_distinct(f", !{self._domain}")
        return self._numbers[scope]


def _quoted(text: str) -> str:
    data = (text or "<unknown>").encode(errors="backslashreplace")  # LLVM refuses an empty name
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data)
