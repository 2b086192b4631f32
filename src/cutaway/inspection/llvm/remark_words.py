"""LLVM's remarks in the user's terms: a table of LLVM's messages and our sentences.

A row is a pattern, the pass that prints it, the sentence, and perhaps a remedy, which
`inspection/hints` turns into edits to try. The first row that matches is used. A remark without a
row uses LLVM's own names, which users cannot look up, and is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from cutaway.foundation.dataclass import dataclass


class Words(NamedTuple):
    """A translated remark: the pass, the sentence, and a word for a possible remedy."""

    pass_name: str
    sentence: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Culprit:
    """An obstacle to vectorization: it `does` "raises", "leaves", "calls", "carries" or "writes".

    `text` is its source, or the name of a variable, `name` that of a called function.
    """

    does: str
    text: str
    line: int = 0
    column: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class _RemarkRow:
    pattern: re.Pattern[str]
    pass_name: str
    sentence: str
    remedy: str = ""


def _row(pattern: str, pass_name: str, sentence: str, remedy: str = "") -> _RemarkRow:
    return _RemarkRow(re.compile(pattern), pass_name, sentence, remedy)


# Remedies. `EXITS` and `CALLS` are about a loop, and name the obstacles.
ORDER, EXITS, CALLS, CARRIED = "order", "exits", "calls", "carried"
MEMORY, HOIST, INLINE = "memory", "hoist", "inline"


# Remarks unrelated to the user's program: sizes between passes, counts of single blocks.
NOISE = re.compile(
    r"instruction count changed|Instruction count changed|^BasicBlock:|^\s*$"
    r"|virtual registers copies|^Cannot SLP vectorize list|marked as tail call candidate"
    r"|^List vectorization was possible|'angle\.far'"
    r"|^(loop not vectorized|the loop was not vectorized)$"
    r"|vectorization is explicitly disabled"  # by us; `lowering/loop_notes.py` says why
)

_NO = r"loop not vectorized: "
VECTOR = "LoopVectorize"

_ROWS = (
    _row(
        r"vectorized (?:outer )?loop \(vectorization width: (\d+), interleaved count: 1\)",
        VECTOR,
        "the loop is vectorized: {0} items at once",
    ),
    _row(
        r"vectorized (?:outer )?loop \(vectorization width: 1, interleaved count: (\d+)\)",
        VECTOR,
        "the loop is interleaved: {0} iterations at once, one item each",
    ),
    _row(
        r"vectorized (?:outer )?loop \(vectorization width: (\d+), interleaved count: (\d+)\)",
        VECTOR,
        "the loop is vectorized: {0} items at once, interleaved {1} times",
    ),
    _row(
        _NO + r"cannot prove it is safe to reorder floating-point",
        VECTOR,
        "the loop is not vectorized: sums of floats in another order may differ in the last bits",
        ORDER,
    ),
    _row(
        _NO + r"could not determine number of loop iterations",
        VECTOR,
        "the loop is not vectorized: its number of iterations is not known when it starts",
        EXITS,
    ),
    _row(
        _NO + r"(?:loop control flow is not understood|cannot .*control flow)",
        VECTOR,
        "the loop is not vectorized: it has several exits",
        EXITS,
    ),
    _row(
        _NO + r".*(?i:early exit)",
        VECTOR,
        "the loop is not vectorized: it may be left early",
        EXITS,
    ),
    _row(
        _NO + r"value that could not be identified as reduction",
        VECTOR,
        "the loop is not vectorized: each iteration needs the one before it, in a way that LLVM has"
        " no vectors for",
        CARRIED,
    ),
    _row(
        _NO + r"unsafe dependent memory operations",
        VECTOR,
        "the loop is not vectorized: an iteration may read what another one writes",
        MEMORY,
    ),
    _row(
        _NO + r"cannot identify array bounds",
        VECTOR,
        "the loop is not vectorized: its indices are not a simple function of its counter, so"
        " arrays may overlap",
    ),
    _row(
        _NO + r"call instruction cannot be vectorized",
        VECTOR,
        "the loop is not vectorized: it calls a function for one item at a time",
        CALLS,
    ),
    _row(
        _NO + r"(?:instruction return type|.*store type) cannot be vectorized",
        VECTOR,
        "the loop is not vectorized: it uses a type that does not fit into vectors",
    ),
    _row(
        r"the cost-model indicates that vectorization is not beneficial",
        VECTOR,
        "the loop is not vectorized: vectors would not be faster",
    ),
    _row(
        r"the cost-model indicates that interleaving is not beneficial",
        VECTOR,
        "the loop is not interleaved: that would not be faster",
    ),
    _row(
        r"unrolled loop by a factor of (\d+)",
        "LoopUnroll",
        "the loop is unrolled: {0} iterations per round",
    ),
    _row(
        r"completely unrolled loop with (\d+) iterations",
        "LoopFullUnroll",
        "the loop is fully unrolled: {0} iterations",
    ),
    _row(
        r"advising against unrolling the loop because it contains a call",
        "LoopUnroll",
        "the loop is not unrolled: it contains a call",
    ),
    _row(
        r"'?([\w$.]+)'? has uninlinable pattern \(recursive\)",
        "Inliner",
        "`{0}` is not inlined: it is recursive",
    ),
    _row(
        r"peeled loop by (\d+) iteration",
        "LoopUnroll",
        "{0} iterations are peeled off before the loop",
    ),
    _row(
        r"'([^']*)' inlined into '([^']*)'",
        "Inliner",
        "`{0}` is inlined into `{1}`",
    ),
    _row(
        r"'([^']*)' not inlined into '([^']*)' because too costly",
        "Inliner",
        "`{0}` is not inlined into `{1}`: it is too large",
        INLINE,
    ),
    _row(
        r"'([^']*)' not inlined into '([^']*)' because it should never be inlined",
        "Inliner",
        "`{0}` is not inlined into `{1}`: it is marked so",
    ),
    _row(r"(?:hoisting|hoisted) load", "LICM", "an item is loaded once before the loop"),
    _row(
        r"(?:hoisting|hoisted) (?:f?add|f?sub|f?mul|[fsu]?div|[fsu]rem|shl|[al]shr|and|or|xor"
        r"|fneg)$",
        "LICM",
        "a part of it is computed once before the loop",
    ),
    _row(r"(?:hoisting|hoisted) [if]cmp", "LICM", "a comparison is made once before the loop"),
    _row(
        r"sinking (?:f?add|f?sub|f?mul|[fsu]?div|[fsu]rem|shl|[al]shr|and|or|xor|fneg)$",
        "LICM",
        "a part of it is computed once after the loop",
    ),
    _row(
        r"[Mm]oved? accesses? to memory location out of the loop|Moving accesses to memory",
        "LICM",
        "a value is kept in a register while the loop runs",
    ),
    _row(
        r"failed to (?:move|hoist) load.*loop may invalidate",
        "LICM",
        "an item is loaded in every iteration, because the loop may change it",
        HOIST,
    ),
    _row(
        r"failed to (?:move|hoist) load.*conditionally executed",
        "LICM",
        "an item is loaded inside the loop, because it is needed only on some paths",
    ),
    _row(
        r"load of type (\S+) eliminated",
        "GVN",
        "an item is loaded once instead of twice",
    ),
    _row(
        r"load of type (\S+) not eliminated.*clobbered by (\w+)",
        "GVN",
        "an item is loaded again, because a {1} in between may have changed it",
    ),
    _row(
        r"load of type (\S+) not eliminated",
        "GVN",
        "an item is loaded again, because it may have changed",
    ),
    _row(
        r"Vectorized horizontal reduction",
        "SLPVectorizer",
        "similar operations are summed in a vector",
    ),
    _row(
        r"(?:Stores )?SLP vectorized|Vectorized (?:stores|structured)",
        "SLPVectorizer",
        "similar statements are combined into vector operations",
    ),
    _row(
        r"into a call to llvm\.(memset|memcpy|memmove)",
        "LoopIdiomRecognize",
        "the loop becomes one call of `{0}`",
    ),
    _row(r"^Loop deleted because", "LoopDeletion", "the loop is removed: nothing needs it"),
    _row(
        r"transforming tail recursion into loop",
        "TailCallElim",
        "the tail recursion becomes a loop",
    ),
    _row(
        r"^(?=.*\d+ (?:folded )?(?:spills|reloads))(.*?) (?:total .*)?generated in (loop|function)",
        "code",
        "the {1} needs more registers than available, so values are spilled to the stack",
    ),
    _row(r"^(\d+) instructions in function", "code", "the function has {0} machine instructions"),
    _row(r"^(\d+) stack bytes in function", "code", "the function uses {0} bytes of stack"),
)


def in_words(message: str) -> Words | None:
    """Translate a remark to the user's terms; None if it matches no row."""
    for row in _ROWS:
        if match := row.pattern.search(message):
            words = [plain(group or "") for group in match.groups()]
            return Words(row.pass_name, row.sentence.format(*words), row.remedy)
    return None


def in_the_way(sentence: str, culprits: Sequence[Culprit]) -> str:
    """Name the obstacles in a sentence about a loop."""
    raising = [f"`{one.text}` in line {one.line}" for one in culprits if one.does == "raises"]
    parts = [f"{_listed(raising)} may raise"] if raising else []
    leaving = [str(one.line) for one in culprits if one.does == "leaves"]
    if leaving:
        parts.append(f"it is left by {_listed([f'line {k}' for k in dict.fromkeys(leaving)])}")
    calls = {one.name: one for one in culprits if one.does == "calls"}
    parts += [
        f"it calls `{one.name}` for one item at a time (line {one.line})" for one in calls.values()
    ]
    written = [f"`{one.text}` in line {one.line}" for one in culprits if one.does == "writes"]
    if written:
        return f"{sentence}: {_listed(written)}"
    carried = [f"`{one.text}`" for one in culprits if one.does == "carries"]
    if not parts and carried:
        return sentence.replace("the one before it", f"{_listed(carried)} of the one before it")
    return f"the loop is not vectorized: {_listed(parts)}" if parts else sentence


def _listed(words: Sequence[str]) -> str:
    words = list(dict.fromkeys(words))
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def plain(text: str) -> str:
    """Replace LLVM's function names by the user's: `dist` for `dist$1`."""
    return _NUMBERED.sub("", text)


_NUMBERED = re.compile(r"(?<=[\w>])\$x?[0-9a-f]+(\.entry)?\b")
