"""Line tables for assembly that is displayed; the text hides them.

    .loc 1 42 1                             the following code is of line 42 of the LLVM text
    vaddsd %xmm1, %xmm0, %xmm0

An object needs no table, for nobody would read it.  For displayed assembly, each instruction of the
optimized LLVM text gets a location of its own, its line: so that assembly maps to LLVM's values,
and through their `!dbg` to the user's source with all inlined code.  The code generator ignores
locations: the instructions are the same.
"""

from __future__ import annotations

from cutaway.foundation.patterns import Pattern

# For PTX only lines are possible: `ptxas` generates slow code if debugging is requested.
NO_TABLE, TABLE, LINES = "NoDebug", "LineTablesOnly", "DebugDirectivesOnly"

_UNIT = Pattern(rf"^(!\d+ = distinct !DICompileUnit\(.*emissionKind: ){NO_TABLE}\b")
_DEFINE = Pattern(r"^define .*\{$")
_SCOPE = Pattern(r" !dbg !(\d+)")
_SUBPROGRAM = Pattern(r"^!\d+ = (distinct !DISubprogram\(.*)")
_INSTRUCTION = Pattern(r"^  (?![ ;#]).*[^\[]$")  # not in the middle of a `switch`
_PLACE = Pattern(r"!dbg !\d+")
_NODE = Pattern(r"^!(\d+) = ")

_HIDDEN = Pattern(
    r"\t\.(cfi_|file\t|loc\t|ident\t|addrsig|size\t.*\.Lfunc_end)|\.L(func_begin|func_end|tmp)\d+:"
)
_HIDDEN_SECTION = Pattern(r'\t\.section\t"?\.(debug_|note\.)')
_SECTION = Pattern(r"\t\.(section|text|data|bss)\b")


def numbered(text: str, table: str = TABLE) -> str:
    """Return a module whose assembly has a table of the lines of this text, counted from 1."""
    lines = text.splitlines()
    subprogram = next((match[1] for line in lines if (match := _SUBPROGRAM.match(line))), None)
    if subprogram is None:
        return text
    known = [int(node[1]) for line in lines if (node := _NODE.match(line))]
    free = max(known, default=-1) + 1
    scope = 0
    nodes: list[str] = []
    for k, line in enumerate(lines):
        if _DEFINE.match(line):
            scope = free + len(nodes)
            nodes.append(subprogram)
            lines[k] = _SCOPE.sub("", line)[:-1] + f"!dbg !{scope} {{"
        elif line.startswith("}"):
            scope = 0
        elif scope and _INSTRUCTION.match(line):
            lines[k] = _placed(line, f"!dbg !{free + len(nodes)}")
            nodes.append(f"!DILocation(line: {k + 1}, column: 1, scope: !{scope})")
        else:
            lines[k] = _UNIT.sub(rf"\g<1>{table}", line)
    lines += [f"!{free + k} = {node}" for k, node in enumerate(nodes)]
    return "\n".join(lines) + "\n"


def _placed(line: str, place: str) -> str:
    if "!dbg !" in line:
        return _PLACE.sub(place, line, count=1)
    return f"{line}, {place}"


def readable(assembly: str) -> str:
    """Remove the line table and directives for debuggers and linkers from assembly."""
    return "\n".join(line for line in shown(assembly) if line is not None).rstrip("\n") + "\n"


def shown(assembly: str) -> list[str | None]:
    """Return each line of assembly, or None for a hidden one."""
    lines: list[str | None] = []
    skipped = False
    for line in assembly.splitlines():
        if _SECTION.match(line):
            skipped = _HIDDEN_SECTION.match(line) is not None
        lines.append(None if skipped or _HIDDEN.match(line) else line)
    return lines


# --- the user's lines ---------------------------------------------------------------------------

_LOCATION = Pattern(r"^!(\d+) = (?:distinct )?!DILocation\(.*scope: !(\d+)(, inlinedAt: )?")
_FILE = Pattern(r"^!\d+ = !DIFile\(")
_BLOCK = Pattern(r"^!(\d+) = .*!DILexicalBlock(?:File)?\(.*scope: !(\d+)")
_PLACED = Pattern(r" !dbg !(\d+)(?=,|$)")


def with_users_lines(text: str) -> str:
    """Return a module whose assembly has a table of the user's lines.

    An entry point has no lines of its own: it gets those of the function that LLVM has inlined into
    it.
    """
    lines = text.splitlines()
    scopes = _own_scopes(lines)
    taken = {match[1] for line in lines if _DEFINE.match(line) and (match := _SCOPE.search(line))}
    for k, line in enumerate(lines):
        if _DEFINE.match(line) and not _SCOPE.search(line):
            inside = {scopes.get(place, "") for place in _places_in(lines, k)} - {""}
            if len(inside) == 1 and not inside & taken:
                taken |= inside
                lines[k] = f"{line[:-1]}!dbg !{inside.pop()} {{"
        elif _FILE.match(line):
            lines[k] = line.replace("\\22", "'")  # a quotation mark, which `ptxas` cannot read
        else:
            lines[k] = _UNIT.sub(rf"\g<1>{LINES}", line)
    return "\n".join(lines) + "\n"


def _own_scopes(lines: list[str]) -> dict[str, str]:
    """Map each location outside inlined code to its function, by their numbers."""
    blocks = {match[1]: match[2] for line in lines if (match := _BLOCK.match(line))}
    scopes = {}
    for line in lines:
        if (match := _LOCATION.match(line)) and not match[3]:
            scope = match[2]
            while scope in blocks:
                scope = blocks[scope]
            scopes[match[1]] = scope
    return scopes


def _places_in(lines: list[str], first: int) -> set[str]:
    """Return the locations that the lines of a function refer to."""
    places = set()
    for line in lines[first + 1 :]:
        if line.startswith("}"):
            break
        if match := _PLACED.search(line):
            places.add(match[1])
    return places
