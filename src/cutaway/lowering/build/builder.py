"""The text builder: LLVM IR a line at a time, as strings.

Text costs a tenth of objects of llvmlite.ir (a measured 0.15 ms against 1-2 ms per function), and
it is the form that readers see anyway.  A method emits one instruction and returns the name of its
result; names start with the variable being computed, so that the LLVM text reads like the IR it
came from.  Each line carries the index of its source location.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.source import UNKNOWN, Loc

_DIGITS = "0123456789"
_PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-$._" + _DIGITS  # not quoted

FIRST_COLD, SECOND_COLD = "!prof !0", "!prof !1"  # which target is almost never taken

ATTRIBUTES = {  # of declared functions, by the prefix of the name; the first match wins
    "llvm.": "nounwind",
    "cutaway_math_": "nounwind willreturn memory(none)",
    "cutaway_describe": "nounwind cold",
    "cutaway_table_find": "nounwind willreturn memory(read)",
    "cutaway_table_next": "nounwind willreturn memory(read)",
    "cutaway_": "nounwind",
    "Py": "nounwind",
    "_Py": "nounwind",
    "vprintf": "nounwind",
    "": "nounwind willreturn memory(none)",
}


def local(name: str) -> str:
    """Return a local LLVM name, quoted if necessary."""
    return f"%{name}" if _is_plain(name) else f'%"{_escaped(name)}"'


def symbol(name: str) -> str:
    """Return a global LLVM name, quoted if necessary."""
    return f"@{name}" if _is_plain(name) else f'@"{_escaped(name)}"'


def _is_plain(name: str) -> bool:
    return not name.strip(_PLAIN) and name != "" and name[0] not in _DIGITS


def _escaped(text: str) -> str:
    data = text.encode()
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data)
    return "".join(plain)


@dataclass(frozen=True, slots=True)
class Scopes:
    """The alias scopes, by number, of a line's access, and those that it never aliases."""

    within: tuple[int, ...] = ()
    outside: tuple[int, ...] = ()


@dataclass(slots=True)
class CodeLine:
    """A line of a function's body and the index of its location (-1: none).

    `loop` are hints for the loop whose back edge the line is: LLVM should not transform it
    ("plain"), not vectorize across its iterations ("sums", "gaps"), vectorize it and not unroll the
    remainder ("vector"), align it to a cache line of code ("inner").  `declares` is the scope that
    a line declares, `scopes` are those of a load or a store.
    """

    text: str
    loc: int
    loop: tuple[str, ...] = ()
    declares: int | None = None
    scopes: Scopes | None = None


@dataclass(slots=True)
class FunctionCode:
    """A finished function: its text in lines, and its requirements for the module around it.

    It `repeats` if one of its blocks has a back edge.  Its `parts` are loops of it that were
    outlined. `versions` are vector versions of functions, among its globals, that have no caller
    before LLVM vectorizes a loop.  `frozen` holds the memory that it refers to by address.
    """

    name: str
    filename: str = ""
    first_line: int = 0
    header: str = ""
    lines: list[CodeLine] = field(default_factory=list)
    locs: list[Loc] = field(default_factory=list)
    declarations: dict[str, str] = field(default_factory=dict)
    globals: dict[str, str] = field(default_factory=dict)
    versions: dict[str, None] = field(default_factory=dict)
    repeats: bool = False
    parts: list[FunctionCode] = field(default_factory=list)
    frozen: dict[str, object] = field(default_factory=dict)


class Builder:
    """Builds the body of one function."""

    def __init__(self, name: str) -> None:
        self.code = FunctionCode(name)
        self.hint = "$t"
        self.block = ""
        self.closed = True  # whether the current block has its terminator
        self.computed: dict[str, str] = {}  # available results of pure instructions, by text
        # Arrays of the program by identity, with their parts: copying each once is slow enough.
        self.large_constants: dict[int, tuple[object, tuple[str, ...]]] = {}
        self._count = 0
        self.stack: list[CodeLine] = []
        self._loc = -1
        self._loc_numbers: dict[Loc, int] = {}
        self._started: set[str] = set()

    # --- names, lines, blocks -------------------------------------------------------------------

    def at(self, loc: Loc) -> None:
        """Set the location of the lines from here on."""
        if loc is UNKNOWN or not loc.line:
            return
        number = self._loc_numbers.get(loc)
        if number is None:
            number = self._loc_numbers[loc] = len(self.code.locs)
            self.code.locs.append(loc)
        self._loc = number

    def fresh(self, stem: str = "") -> str:
        """Return a local name not used before, starting with the stem or the current hint."""
        self._count += 1
        return local(f"{stem or self.hint}.{self._count}")

    def emit(self, text: str) -> None:
        """Add a line to the current block."""
        # LLVM would take lines after a terminator for a new block, without a name.
        assert not self.closed, f"{self.code.name}: {text!r} after a terminator"
        self.code.lines.append(CodeLine(text, self._loc))

    def result(self, text: str) -> str:
        """Add an instruction that has a result; returns the result's name."""
        name = self.fresh()
        self.emit(f"{name} = {text}")
        return name

    def once(self, text: str) -> str:
        """Return the result of a pure instruction, which is emitted once.

        A repeated computation in a block, such as `i - 1` of `a[i - 1]`, `b[i - 1]`, reuses its
        first name.
        """
        name = self.computed.get(text)
        if name is None:
            name = self.computed[text] = self.result(text)
        return name

    def new_label(self, stem: str) -> str:
        """Return a label not used before."""
        self._count += 1
        return f"{self.block.partition('.')[0]}.{stem}.{self._count}"

    def start(self, label: str, computed: dict[str, str] | None = None) -> None:
        """Begin a block; the one before must have been ended.

        `computed` is that of a dominating block: its results are reused.
        """
        assert self.closed, f"block {self.block} has no terminator"
        self.block = label
        self.closed = False
        self.computed = {} if computed is None else computed
        self._started.add(label)
        self.code.lines.append(CodeLine(f"{label}:", -1))

    def reserve(self) -> CodeLine:
        """Add a line whose text is filled in later: a phi whose inputs are not known yet."""
        line = CodeLine("", -1)
        self.code.lines.append(line)
        return line

    def alloca(self, llvm_type: str, count: int = 1) -> str:
        """Reserve stack memory, allocated once at the function's entry."""
        # LLVM promotes to registers only allocas of the entry block, and one in a loop would take
        # more of the stack in each iteration.
        name = self.fresh()
        kind = llvm_type if count == 1 else f"[{count} x {llvm_type}]"
        self.stack.append(CodeLine(f"{name} = alloca {kind}, align 8", -1))
        return name

    def at_entry(self, text: str) -> None:
        """Add a line to the entry block, after the stack memory."""
        self.stack.append(CodeLine(text, -1))

    def finish(self, header: str) -> FunctionCode:
        """Return the function, with its stack memory in front of its first line."""
        assert self.closed, f"block {self.block} has no terminator"
        self.code.header = header
        self.code.lines[1:1] = self.stack
        return self.code

    # --- terminators ----------------------------------------------------------------------------

    def jump(self, label: str) -> None:
        """Jump to a block."""
        self._end(f"br label %{label}", label)

    def branch(self, cond: str, then: str, orelse: str, weights: str = "") -> None:
        """Branch to one of two blocks; `weights` may mark one as almost never taken."""
        tail = f", {weights}" if weights else ""
        self._end(f"br i1 {cond}, label %{then}, label %{orelse}{tail}", then, orelse)

    def _end(self, text: str, *targets: str) -> None:
        self.emit(text)
        self.closed = True
        self.code.repeats |= not self._started.isdisjoint(targets)

    def ret(self, status: str) -> None:
        """Return from the function with a status."""
        self.emit(f"ret i32 {status}")
        self.closed = True

    # --- instructions ---------------------------------------------------------------------------

    def binary(self, opcode: str, ty: str, a: str, b: str) -> str:
        """Emit `add`, `sub nsw`, `fmul`, `and`, ..."""
        return self.once(f"{opcode} {ty} {a}, {b}")

    def compare(self, predicate: str, ty: str, a: str, b: str) -> str:
        """Emit an integer or pointer comparison."""
        return self.once(f"icmp {predicate} {ty} {a}, {b}")

    def fcompare(self, predicate: str, ty: str, a: str, b: str) -> str:
        """Emit a float comparison."""
        return self.once(f"fcmp {predicate} {ty} {a}, {b}")

    def select(self, cond: str, ty: str, a: str, b: str) -> str:
        """`a` where the condition holds, else `b`, both computed."""
        return self.once(f"select i1 {cond}, {ty} {a}, {ty} {b}")

    def convert(self, opcode: str, source: str, value: str, wanted: str) -> str:
        """Emit `sext`, `zext`, `trunc`, `sitofp`, `bitcast`, ..."""
        return self.once(f"{opcode} {source} {value} to {wanted}")

    def load(self, ty: str, pointer: str, align: int) -> str:
        """Read memory."""
        return self.result(f"load {ty}, ptr {pointer}, align {align}")

    def store(self, ty: str, value: str, pointer: str, align: int) -> None:
        """Write memory."""
        self.emit(f"store {ty} {value}, ptr {pointer}, align {align}")

    def offset(self, pointer: str, count: str, ty: str = "i8", inbounds: bool = True) -> str:
        """Emit a pointer `count` elements of `ty` further on."""
        if count == "0":
            return pointer
        words = "getelementptr inbounds" if inbounds else "getelementptr"
        return self.once(f"{words} {ty}, ptr {pointer}, i64 {count}")

    def phi(self, ty: str, incoming: Sequence[tuple[str, str]]) -> str:
        """Emit a phi of (value, label) pairs."""
        pairs = ", ".join(f"[ {value}, %{label} ]" for value, label in incoming)
        return self.result(f"phi {ty} {pairs}")

    def call(self, returns: str, name: str, args: Sequence[tuple[str, str]]) -> str:
        """Call an external function or intrinsic with (type, value) pairs; declares it."""
        self.declare(returns, name, [ty for ty, _ in args])
        operands = ", ".join(f"{ty} {value}" for ty, value in args)
        text = f"call {returns} {symbol(name)}({operands})"
        if returns == "void":
            self.emit(text)
            return ""
        return self.result(text)

    def once_called(self, returns: str, name: str) -> str:
        """Call a function without arguments that always returns the same; emitted once."""
        self.declare(returns, name, [])
        return self.once(f"call {returns} {symbol(name)}()")

    def declare(self, returns: str, name: str, args: Sequence[str]) -> None:
        """Declare an external function, which the runtime library or LLVM must have."""
        if name in self.code.declarations:
            return
        prefix = next(p for p in ATTRIBUTES if name.startswith(p))
        # As with malloc, nothing else points to the new memory: LLVM may keep loads from other
        # memory across stores into it.
        mark = "noalias " if name.startswith("cutaway_alloc") else ""
        self.code.declarations[name] = (
            f"declare {mark}{returns} {symbol(name)}({', '.join(args)}) {ATTRIBUTES[prefix]}"
        )
