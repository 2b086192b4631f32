"""What is false of a compilation's sentences, found without what made them: by the text of the
source, its tree, the values of a run, and the text of LLVM IR and assembly.

    list(problems(c))      sentences about lines, variables, loops and counts that are not so
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from cutaway.errors import CutawayError

READS = re.compile(
    r"(?:it is used (?:\d+ times|in several rounds), on lines? ([\d, and]+)"
    r"|on lines? ([\d, and]+?) that array is read"
    r"|parts of it are taken on lines? ([\d, and]+)"
    r"|a part of it is taken on line (\d+)"
    r"|^line (\d+) (?:uses|passes|needs|gives|counts|updates) it\b)"
)
TIMES = re.compile(r"it is used (\d+) times, on lines? ([\d, and]+)")
NAMED = re.compile(r"^([A-Za-z_]\w*) = ")
SAME = re.compile(r"(.+) is at most \1$")
NUMBERS = re.compile(r"(?:whether|and) (-?\d+) is at most (-?\d+)(?:$| and)")
PLACED = re.compile(r"^ *`(.+?)` (?:is|has) .*: argument \d+ of .* \[[^\[\]]*:(\d+)\]$", re.M)
QUOTED = re.compile(r"`([^`]+)`")


class Source:
    """The lines of a function and of what is defined in it, and where its names are read."""

    def __init__(self, function: FunctionType) -> None:
        lines, self.first = inspect.getsourcelines(function)
        self.lines = dict(enumerate(lines, self.first))
        self.tree = ast.parse(textwrap.dedent("".join(lines)))
        self.shift = self.first - 1

    def mentions(self, line: int, name: str) -> bool:
        """True if a line has a name in its text."""
        text = self.lines.get(line, "").partition("#")[0]
        return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None

    def reads(self, name: str) -> set[int]:
        """The lines of expressions that read a name."""
        nodes = (n for n in ast.walk(self.tree) if isinstance(n, ast.Name) and n.id == name)
        updated = {id(n.target) for n in ast.walk(self.tree) if isinstance(n, ast.AugAssign)}
        return {
            n.lineno + self.shift for n in nodes if isinstance(n.ctx, ast.Load) or id(n) in updated
        }

    def assigned(self, name: str) -> bool:
        """True if a statement assigns something to a name, or to a part of it."""
        return any(name == base(target) for node in ast.walk(self.tree) for target in targets(node))


def targets(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Assign(targets=found):
            rows = found
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            rows = [target]
        case ast.NamedExpr(target=target) | ast.For(target=target):
            rows = [target]
        case _:
            return []
    return [
        t for row in rows for t in (row.elts if isinstance(row, ast.Tuple | ast.List) else [row])
    ]


def base(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def problems(c: Any) -> Iterator[str]:
    """The false sentences of a compilation."""
    function = c.unit.pyfunc
    try:
        source = Source(function)
    except (OSError, SyntaxError, IndentationError):
        return
    if len([line for line in source.lines.values() if "lambda" in line]) and not source.tree.body:
        return
    for entry in c.record.function.passes:
        for decision in entry.decisions:
            yield from of_decision(decision.subject, decision.reason, source)
    yield from of_fusion(c.fusion, source)
    yield from of_reasons(c, source)
    if "asm" in c.levels:
        yield from of_lives(c)
        yield from of_counts(c)


def of_decision(subject: str, reason: str, source: Source) -> Iterator[str]:
    what = f"{subject}: {reason}"
    if SAME.search(reason) or any(int(a) > int(b) for a, b in NUMBERS.findall(reason)):
        yield f"known by itself: {what}"
    found = NAMED.match(subject)
    if found is None:
        return
    name = found[1]
    for groups in READS.findall(reason):
        for line in numbers(" ".join(groups)):
            if line in source.lines and not source.mentions(line, name):
                yield f"line {line} has no `{name}`: {what}"
            elif line in source.lines and line not in source.reads(name):
                yield f"line {line} reads no `{name}`: {what}"
    for count, lines in TIMES.findall(reason):
        if int(count) < len(numbers(lines)):
            yield f"more lines than uses: {what}"


def of_fusion(facts: Any, source: Source) -> Iterator[str]:
    if facts is None:
        return
    for part in facts["parts"]:
        name = part["name"]
        if name and not source.assigned(name) and f"({name}" not in part["text"]:
            yield f"nothing is assigned to `{name}`: {part['text']}"
        if "$" in part["text"]:
            yield f"no text of the user's: {part['text']}"
        if name:
            yield from of_decision(f"{name} = x", part["reason"], source)
        text = "".join(part["text"].partition(" = ")[2].split() or part["text"].split())
        first, _, last, _ = part["span"]
        whole = "".join("".join(source.lines.get(k, "") for k in range(first, last + 1)).split())
        if first in source.lines and "(" not in text and text not in whole:
            yield f"lines {first} to {last} do not read `{text}`"
    for loop in facts["loops"]:
        if "$" in loop["text"]:
            yield f"no text of the user's: {loop['text']}"


def of_reasons(c: Any, source: Source) -> Iterator[str]:
    """Where arguments are said to be: on a line that names them."""
    for name in c.record.function.explanations:
        if not name:
            continue
        try:
            text = str(c.why(name))
        except CutawayError:
            continue
        for argument, line in PLACED.findall(text):
            if int(line) in source.lines and not source.mentions(int(line), argument):
                yield f"line {line} has no `{argument}`: {text}"


# --- lives --------------------------------------------------------------------------------------

DEFINE = re.compile(r'^define .*@"?([^"(]+?)"?\(')
RESULT = re.compile(r'^\s+%"?([^"\s=]+)"? = ')
ARGUMENT = re.compile(r'%"?arg\.([^".\s,()]+)')


def names_in(text: str) -> set[str]:
    """The variables that values of a module are named after, in functions that usually run."""
    found: set[str] = set()
    rare = {m[1] for m in re.finditer(r"^attributes (#\d+) = \{[^}]*\boptnone\b", text, re.M)}
    usual = False
    for line in text.split("\n"):
        if head := DEFINE.match(line):
            usual = (
                ".entry" in head[1] or not (rare & set(line.split())) and " optnone " not in line
            )
            if usual and ".entry" not in head[1]:
                found.update(ARGUMENT.findall(line))
        elif usual and (result := RESULT.match(line)):
            found.add(result[1].partition(".")[0])
    return found


def of_lives(c: Any) -> Iterator[str]:
    record = c.record
    function = record.function
    own = [state for state in function.states if state.level == "llvm_opt"]
    text = "\n".join(line.text for line in own[-1].lines) if own else ""
    others = {
        line.text.partition(" = ")[0].strip().strip('%"').partition(".")[0]
        for line in (own[-1].lines if own else ())
        if line.inner
    }
    named = names_in(text) - others
    for name, life in function.lives.items():
        if name.startswith("$") or not life:
            continue
        last = life[-1]
        state = function.states[function.passes[last.position].after]
        gone = [event for event in life if event.kind == "gone"]
        for event in gone:
            level = function.states[function.passes[event.position].after].level
            if level in ("llvm_opt", "asm") and name in named:
                yield f"{name}: {event.text}, and it is in the optimized program"
        if state.language == "llvm" and not gone and "needs no value" not in last.text:
            yield f"{name}: nothing is told of machine code, last: {last.text}"
        seen = record.biography(name).last_seen
        if not gone and state.language == "gas" and not seen.endswith("(asm)"):
            yield f"{name}: last seen {seen}"
        yield from of_constants(function, name, life)


def of_constants(function: Any, name: str, life: Any) -> Iterator[str]:
    """Values that a run gave a variable that is said to be constants, and constants that it never
    was, where the run is known to have seen all."""
    for event in life:
        if event.kind != "folded" or "constant everywhere" not in event.text:
            continue
        said = {one for one in QUOTED.findall(event.text) if re.fullmatch(r"-?\d+", one)}
        if " more" in event.text or not said:
            continue
        rows = [row for row in function.values.seen if row.name.partition(".")[0] == name]
        whole = "return" in function.values.outcome and all(
            row.count == len(row.values) for row in rows
        )
        values = {one for row in rows for one in row.values}
        if rows and whole and values and all(re.fullmatch(r"-?\d+", one) for one in values):
            if said - values and "arg(" not in str(rows):
                yield f"{name} is never {sorted(said - values)}: {event.text}, of {sorted(values)}"


def of_counts(c: Any) -> Iterator[str]:
    text = c.at("asm").text.split("\n")
    count = sum(line.startswith("\t") and line[1:2] != "." for line in text)
    if sum(row.machine + row.rare for row in c.cost) != count:
        yield f"the costs are not those of {count} instructions"
    lines = [row for row in c.cost if row.line]
    if count and not any(row.machine for row in lines):
        yield "no line has a machine instruction"
