"""LLVM's remarks in the user's terms: a table of LLVM's messages and our sentences.

A row is a pattern, the pass that prints it, the sentence, and a hint if there is a remedy.  The
first row that matches is used; a remark without a matching row is shown in LLVM's words.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cutaway.foundation.dataclass import dataclass


class Words(NamedTuple):
    """A remark translated: the pass, the sentence, and what the user can do."""

    pass_name: str
    sentence: str
    hint: str


@dataclass(frozen=True, slots=True)
class _Row:
    pattern: re.Pattern[str]
    pass_name: str
    sentence: str
    hint: str = ""


def _row(pattern: str, pass_name: str, sentence: str, hint: str = "") -> _Row:
    return _Row(re.compile(pattern), pass_name, sentence, hint)


# What says nothing about the user's program: sizes between passes, counts of single blocks.
NOISE = re.compile(
    r"instruction count changed|Instruction count changed|^BasicBlock:|^\s*$"
    r"|virtual registers copies|^Cannot SLP vectorize list|marked as tail call candidate"
    r"|^List vectorization was possible|'angle\.far'"
    r"|^(loop not vectorized|the loop was not vectorized)$"
)

_NO = r"loop not vectorized: "
_VECTOR = "LoopVectorize"

_ROWS = (
    _row(
        r"vectorized (?:outer )?loop \(vectorization width: (\d+), interleaved count: 1\)",
        _VECTOR,
        "the loop is vectorized: {0} items at once",
    ),
    _row(
        r"vectorized (?:outer )?loop \(vectorization width: 1, interleaved count: (\d+)\)",
        _VECTOR,
        "the loop is interleaved: {0} iterations at once, one item each",
    ),
    _row(
        r"vectorized (?:outer )?loop \(vectorization width: (\d+), interleaved count: (\d+)\)",
        _VECTOR,
        "the loop is vectorized: {0} items at once, interleaved {1} times",
    ),
    _row(
        _NO + r"cannot prove it is safe to reorder floating-point",
        _VECTOR,
        "the loop is not vectorized: sums of floats in another order may differ in the last bits",
        "allow it with @jit(fastmath=True)",
    ),
    _row(
        _NO + r"vectorization is explicitly disabled",
        _VECTOR,
        "the loop, or one copy of it, is not vectorized: it is for rare cases (an index out of"
        " range, elements that do not lie side by side), or it does little but add floats, and"
        " their order decides about the last bits",
        "sums in any order are allowed with @jit(fastmath=True)",
    ),
    _row(
        _NO + r"could not determine number of loop iterations",
        _VECTOR,
        "the loop is not vectorized: its number of iterations is not known when it starts",
        "use `for i in range(n)` without break, return or an exception in the loop",
    ),
    _row(
        _NO + r"(?:loop control flow is not understood|cannot .*control flow)",
        _VECTOR,
        "the loop is not vectorized: it has several exits, or branches that depend on data",
        "a check that may raise is an exit: hoist it, or use a conditional expression",
    ),
    _row(
        _NO + r".*early exit",
        _VECTOR,
        "the loop is not vectorized: it has an early exit",
        "move break, return or a check that may raise out of the loop",
    ),
    _row(
        _NO + r"value that could not be identified as reduction",
        _VECTOR,
        "the loop is not vectorized: a variable is carried between iterations in a way"
        " that is not a simple sum, product, minimum or maximum",
    ),
    _row(
        _NO + r"unsafe dependent memory operations",
        _VECTOR,
        "the loop is not vectorized: an iteration may read what another one writes",
        "write to a different array than the one that is read",
    ),
    _row(
        _NO + r"cannot identify array bounds",
        _VECTOR,
        "the loop is not vectorized: its indices are not a simple function of its counter, so"
        " arrays may overlap",
    ),
    _row(
        _NO + r"call instruction cannot be vectorized",
        _VECTOR,
        "the loop is not vectorized: it calls a function for one item at a time",
    ),
    _row(
        _NO + r"(?:instruction return type|.*store type) cannot be vectorized",
        _VECTOR,
        "the loop is not vectorized: it uses a type that does not fit into vectors",
    ),
    _row(
        r"the cost-model indicates that vectorization is not beneficial",
        _VECTOR,
        "the loop is not vectorized: vectors would not be faster",
    ),
    _row(
        r"the cost-model indicates that interleaving is not beneficial",
        _VECTOR,
        "the loop is not interleaved: that would not be faster",
    ),
    _row(_NO + r"(.*)", _VECTOR, "the loop is not vectorized: {0}"),
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
        "use @jit(inline='always') on the called function",
    ),
    _row(
        r"'([^']*)' not inlined into '([^']*)' because (.*)",
        "Inliner",
        "`{0}` is not inlined into `{1}`: {2}",
    ),
    _row(
        r"'?([^' ]*)'? will not be inlined into '?([^' ]*)'? because (.*)",
        "Inliner",
        "`{0}` is not inlined into `{1}`: {2}",
    ),
    _row(r"(?:hoisting|hoisted) (\w+)", "LICM", "a {0} is moved to before the loop"),
    _row(r"[Mm]oving (\w+) .*out of (?:the )?loop", "LICM", "a {0} is moved out of the loop"),
    _row(r"sinking (\w+)", "LICM", "a {0} is moved to after the loop"),
    _row(
        r"[Mm]oved? accesses? to memory location out of the loop|Moving accesses to memory",
        "LICM",
        "a value is kept in a register while the loop runs",
    ),
    _row(
        r"failed to (?:move|hoist) load.*loop may invalidate",
        "LICM",
        "an item is loaded in every iteration, because the loop may change it",
        "read it into a variable before the loop",
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
        "read it into a variable",
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
        r"transforming tail recursion into loop",
        "TailCallElim",
        "the tail recursion becomes a loop",
    ),
    _row(
        r"^(?=.*\d+ (?:folded )?(?:spills|reloads))(.*?) (?:total .*)?generated in (loop|function)",
        "code",
        "the {1} needs more registers than available, so values are spilled to the stack: {0}",
    ),
    _row(r"^(\d+) instructions in function", "code", "the function has {0} machine instructions"),
    _row(r"^(\d+) stack bytes in function", "code", "the function uses {0} bytes of stack"),
)


def in_words(message: str) -> Words:
    """A remark in the user's words; as LLVM says it where no row fits."""
    for row in _ROWS:
        if match := row.pattern.search(message):
            words = [plain(group or "") for group in match.groups()]
            return Words(row.pass_name, row.sentence.format(*words), row.hint)
    return Words("", plain(message), "")


def plain(text: str) -> str:
    """Functions of LLVM's as the user calls them: `dist` for `dist$1`."""
    return _NUMBERED.sub("", text)


_NUMBERED = re.compile(r"(?<=[\w>])\$x?[0-9a-f]+(\.entry)?\b")
