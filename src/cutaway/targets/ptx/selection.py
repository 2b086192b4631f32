"""Finds constructs in a module that LLVM's NVPTX back end does not select, before LLVM sees them.

One pass of a pattern over the text finds the lines that are not plainly supported; each of these is
checked by the tables of `selectable.py`.  Unknown ones may be fine: they are tried in a process of
their own (`attempt.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.patterns import Pattern
from cutaway.targets.cpu.engine import Module
from cutaway.targets.cpu.optimization import Cpu
from cutaway.targets.ptx import attempt, selectable
from cutaway.targets.ptx.absent import absent
from cutaway.targets.ptx.instructions import CHECKS
from cutaway.targets.ptx.places import Place, outward
from cutaway.targets.ptx.refusals import NAME, QUOTED, Refusal, lacking, unknown
from cutaway.targets.ptx.variables import headers, variables


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings in a module: the first refusal, and the lines that are in no table."""

    refusal: Refusal | None = None
    unknown: tuple[str, ...] = ()


def refused(module: Module, machine: Cpu) -> tuple[Refusal, Iterator[Place]] | None:
    """Return the first construct in a module that a GPU does not support, and its source locations;
    None for a module that LLVM can compile."""
    text = module.text
    findings = look(text, machine)
    refusal = findings.refusal
    if refusal is None and findings.unknown:
        complaint = attempt.complaint(module, machine)
        if complaint:
            words = f"LLVM makes no code for a GPU: {complaint}"
            refusal = Refusal(words, line=findings.unknown[0])
    return None if refusal is None else (refusal, outward(text, refusal.line))


def look(text: str, machine: Cpu) -> Findings:
    """Check a module against the tables."""
    unknown_lines: list[str] = []
    for refusal in _refusals(text, int(machine.name.removeprefix("sm_"))):
        if refusal.words:
            return Findings(refusal)
        unknown_lines.append(refusal.line)
    return Findings(None, tuple(unknown_lines))


def _refusals(text: str, capability: int) -> Iterator[Refusal]:
    yield from _declarations(text, capability)
    yield from _lines(text, capability)
    yield from variables(text)
    yield from headers(text)
    yield from _spaces(text)
    yield from _anywhere(text)


# The lines of functions that are not plainly supported: two spaces, a result, an instruction.  A
# plain call names its function before any quote or parenthesis.
_SUSPECT = Pattern(
    rf"^  (?! )(?>%{NAME} = )?+(?!(?:{'|'.join(selectable.ALWAYS)})\b(?! atomic)"
    r'|(?:tail )?call [^"@(]*@|#dbg|[]}])(.*)$',
    re.MULTILINE,
)


def _lines(text: str, capability: int) -> Iterator[Refusal]:
    for found in _SUSPECT.finditer(text):
        opcode = found[1].partition(" ")[0]
        if opcode in selectable.REFUSED:
            yield Refusal(*selectable.REFUSED[opcode], found[0])
        elif opcode in CHECKS:
            refusal = CHECKS[opcode](found[1], capability)
            if refusal is not None:
                yield replace(refusal, line=found[0])
        else:
            yield unknown(found[0])


# Constructs in any line, by a part that is fast to search for: assembly of the module, operand
# bundles, launch bounds that are not numbers.
_ODD = (
    ("module asm", Pattern(r"\nmodule asm .*")),
    ('[ "', Pattern(r'\n  .*\) (?:#\d+ )?\[ ".*')),
    ('"nvvm.', Pattern(r'\n.*"nvvm\.\w+"="(?![\d,]*").*')),
)


def _anywhere(text: str) -> Iterator[Refusal]:
    if any(word in text for word in selectable.FOREIGN_WORDS):
        for line in text.splitlines():
            foreign = selectable.FOREIGN.search(QUOTED.sub("", line))
            if foreign is not None and line[:1] not in "!;":
                yield Refusal(
                    f"code for a GPU has no values of LLVM's type {foreign[0]}",
                    "there are integers of up to 128 bits, and floats of 16, 32 and 64",
                    line,
                )
    for part, pattern in _ODD:
        found = pattern.search(text) if part in text else None
        if found is not None:
            yield unknown(found[0].removeprefix("\n"))


_SPACED = Pattern(r"addrspace\((\d+)\)")
_WRITTEN = Pattern(r"\n(  store .*, ptr addrspace\(4\) .*)")


def _spaces(text: str) -> Iterator[Refusal]:
    for space in set(_SPACED.findall(text)):
        if int(space) not in selectable.SPACES:
            found = re.search(rf"^.*addrspace\({space}\).*$", text, re.MULTILINE)
            yield Refusal(f"a GPU has no address space {space}", "", found[0] if found else "")
    found = _WRITTEN.search(text) if "addrspace(4)" in text else None
    if found is not None:
        yield Refusal("constant memory cannot be written", "copy it into an array", found[1])


# --- callees ------------------------------------------------------------------------------------


_DECLARED = Pattern(rf"\ndeclare [^@\n]*@({NAME})\(")


def _declarations(text: str, capability: int) -> Iterator[Refusal]:
    for found in _DECLARED.finditer(text):
        name = found[1].strip('"')
        if name.startswith("llvm."):
            refusal = _intrinsic(name, capability)
        elif name in selectable.OUTSIDE:
            continue
        else:
            refusal = Refusal(*absent(name), function=name)
        if refusal is not None:
            line = _use_of(found[1], text)
            if line is not None:
                yield replace(refusal, line=line)


def _use_of(name: str, text: str) -> str | None:
    """Return the first line that calls a function, or takes its address; None if there is none."""
    use = re.search(rf"^(?!declare ).*@{re.escape(name)}(?![-\w$.]).*$", text, re.MULTILINE)
    return None if use is None else use[0]


@cache
def _intrinsic(name: str, capability: int) -> Refusal | None:
    stem = name.removeprefix("llvm.")
    if stem.startswith("nvvm."):
        return _of_nvidia(name, stem.removeprefix("nvvm."), capability)
    if selectable.EVERYWHERE.fullmatch(stem):
        return _of_vector(name, capability)
    if stem.partition(".")[0] in selectable.MATHEMATICS:
        return Refusal(
            f"LLVM's {name} has no code on a GPU", "call the function of the module math instead"
        )
    if selectable.NEVER.match(stem):
        return Refusal(f"LLVM's {name} means nothing on a GPU", "find another way to do it")
    return unknown(name)


def _of_vector(name: str, capability: int) -> Refusal | None:
    """Treat vector operations as unknown from 10.0 on: there 32-bit numbers can be in pairs, and
    not everything is selected for pairs."""
    is_vector = re.search(r"\.v\d+", name) is not None
    return unknown(name) if is_vector and capability >= selectable.PAIRS_SINCE else None


def _of_nvidia(name: str, stem: str, capability: int) -> Refusal | None:
    since = selectable.NVVM_SINCE.get(stem)
    if since is None:
        if selectable.NVVM_EVERYWHERE.fullmatch(stem):
            return None
        since = 90 if selectable.NVVM_CLUSTER.fullmatch(stem) else None
    if since is None:
        return unknown(name)
    return None if since <= capability else lacking(_known_as(stem), since, capability)


def _known_as(stem: str) -> str:
    """Return the users' name for an NVIDIA instruction."""
    word = next((word for start, word in _WORDS.items() if stem.startswith(start)), None)
    return f"cuda.{word}" if word else f"llvm.nvvm.{stem}"


_WORDS = {
    "match.any": "match_any_sync",
    "match.all": "match_all_sync",
    "nanosleep": "nanosleep",
}
