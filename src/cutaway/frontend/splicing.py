"""Inlines the comprehensions of Python 3.11, which are functions there, as later versions do.

    LOAD_CONST <code>               LOAD_FAST a
    MAKE_FUNCTION                   GET_ITER
    LOAD_FAST a                     LOAD_FAST_AND_CLEAR x
    GET_ITER                  =>    SWAP 2
    CALL                            BUILD_LIST 0
                                    SWAP 2
                                    FOR_ITER ... LIST_APPEND ...
                                    SWAP 2
                                    STORE_FAST x

Cells that only comprehensions share become plain variables.  Where a comprehension reads an outer
variable, the argument of the instruction is FROM_OUTSIDE: 3.11 has another error message for it if
it is unbound.  Generator expressions stay functions in all versions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any

from cutaway.foundation.dataclass import replace

if TYPE_CHECKING:
    from cutaway.frontend.bytecode import Bytecode, Instruction
    from cutaway.frontend.reaches import Reach

FROM_OUTSIDE = -1
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>")

_JUMPS = frozenset(
    """
    FOR_ITER JUMP JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP POP_JUMP_IF_FALSE POP_JUMP_IF_NONE
    POP_JUMP_IF_NOT_NONE POP_JUMP_IF_TRUE
    """.split()
)
_DEREFS = {"LOAD_DEREF": "LOAD_FAST", "STORE_DEREF": "STORE_FAST", "DELETE_DEREF": "DELETE_FAST"}

Decode = Callable[[CodeType], "Bytecode"]
Listed = list["Instruction"]


def spliced(
    code: CodeType, instructions: Listed, reaches: tuple[Reach, ...], decode: Decode
) -> tuple[Listed, tuple[Reach, ...]]:
    """Replace the calls of comprehensions by their bodies; return instructions and reaches."""
    made = [k for k, one in enumerate(instructions) if _is_comprehension(one)]
    if not made:
        return instructions, reaches
    calls = {_call_of(instructions, k): k for k in made}
    dropped = {position for k in made for position in _making(instructions, k)}
    rows: list[tuple[Any, Instruction]] = []
    for position, one in enumerate(instructions):
        if position in calls:
            inner = decode(instructions[calls[position]].value)
            rows += _body(inner, one, position)
        elif position not in dropped:
            rows.append((one.offset, one))
    plain = _own_alone(code, instructions, set(made))
    return _numbered([(key, _plain(one, plain)) for key, one in rows], reaches)


def _is_comprehension(one: Instruction) -> bool:
    is_code = one.name == "LOAD_CONST" and isinstance(one.value, CodeType)
    return is_code and one.value.co_name in COMPREHENSIONS


def _is_called_at_once(one: Instruction) -> bool:
    """True for the code of a comprehension or of a generator expression."""
    is_code = one.name == "LOAD_CONST" and isinstance(one.value, CodeType)
    return is_code and one.value.co_name in (*COMPREHENSIONS, "<genexpr>")


def _call_of(instructions: Sequence[Instruction], made: int) -> int:
    """Return the position of the call of the function whose code is loaded at position `made`."""
    depth, k = 0, made + 2  # after MAKE_FUNCTION
    # Comprehensions in the iterable are called in between.
    while depth or instructions[k].name != "CALL" or instructions[k - 1].name != "GET_ITER":
        if _is_called_at_once(instructions[k]):
            depth += 1
        elif instructions[k].name == "CALL" and instructions[k - 1].name == "GET_ITER":
            depth -= 1
        k += 1
    return k


def _making(instructions: Sequence[Instruction], made: int) -> Iterator[int]:
    """Yield the positions of the instructions that create the function and its closure."""
    yield made
    yield made + 1
    if instructions[made + 1].arg:  # a comprehension has no defaults, only a closure
        count = instructions[made - 1].arg
        yield from range(made - 1 - count, made)


def _body(inner: Bytecode, call: Instruction, position: int) -> Iterator[tuple[Any, Instruction]]:
    """Yield the instructions of a comprehension with unique keys; its variables keep their names
    (`comprehensions.py` renames them)."""
    own = [name for name in inner.code.co_varnames if name != ".0"]
    own += [name for name in inner.code.co_cellvars if name not in own]
    start = inner.instructions[0]
    count = len(own)

    def made(name: str, arg: int, value: Any = None) -> tuple[Any, Instruction]:
        return None, replace(start, name=name, arg=arg, value=value, loc=call.loc)

    for name in own:
        yield made("LOAD_FAST_AND_CLEAR", 0, name)
    if count:
        yield made("SWAP", count + 1)
    *body, _ = inner.instructions  # the last one returns
    for one in body:
        if one.name == "LOAD_FAST" and one.value == ".0":
            yield (position, one.offset), replace(one, name="SWAP", arg=2, value=None)
            continue
        if one.name in _JUMPS:
            one = replace(one, value=(position, one.value))
        elif one.name == "LOAD_DEREF" and one.value in inner.code.co_freevars:
            one = replace(one, arg=FROM_OUTSIDE)
        yield (position, one.offset), one
    end = inner.instructions[-1].offset
    if not count:
        yield (position, end), replace(start, name="NOP", arg=0, value=None, loc=call.loc)
        return
    yield (position, end), replace(start, name="SWAP", arg=count + 1, value=None, loc=call.loc)
    for name in reversed(own):
        yield made("STORE_FAST", 0, name)


def _own_alone(code: CodeType, instructions: Sequence[Instruction], made: set[int]) -> set[str]:
    """Return the cells of the function that only its comprehensions share."""
    shared = {
        name
        for k, one in enumerate(instructions)
        if one.name == "LOAD_CONST" and isinstance(one.value, CodeType) and k not in made
        for name in one.value.co_freevars
    }
    for k in made:
        shared |= _shared_inside(instructions[k].value)
    return set(code.co_cellvars) - shared


def _shared_inside(code: CodeType) -> set[str]:
    """Return the outer variables that functions in a comprehension share."""
    shared: set[str] = set()
    for one in code.co_consts:
        if isinstance(one, CodeType):
            if one.co_name in COMPREHENSIONS:
                shared |= _shared_inside(one)
            else:
                shared |= set(one.co_freevars)
    return shared


def _plain(one: Instruction, plain: set[str]) -> Instruction:
    if one.name in _DEREFS and one.value in plain:
        return replace(one, name=_DEREFS[one.name])
    return one


def _numbered(
    rows: list[tuple[Any, Instruction]], reaches: tuple[Reach, ...]
) -> tuple[Listed, tuple[Reach, ...]]:
    """Assign ascending offsets to the instructions, and adjust jumps and reaches."""
    offsets = {key: 2 * k for k, (key, _) in enumerate(rows) if key is not None}
    plain = sorted(key for key in offsets if isinstance(key, int))

    def moved(offset: Any) -> int:
        if offset in offsets:
            return offsets[offset]
        if isinstance(offset, tuple):
            later = [k for k in offsets if isinstance(k, tuple) and k[0] == offset[0]]
            return offsets[min(k for k in later if k[1] >= offset[1])]
        later = [key for key in plain if key >= offset]
        return offsets[later[0]] if later else 2 * len(rows)

    listed = [
        replace(one, offset=2 * k, value=moved(one.value) if one.name in _JUMPS else one.value)
        for k, (_, one) in enumerate(rows)
    ]
    return listed, tuple(
        replace(one, start=moved(one.start), end=moved(one.end), target=moved(one.target))
        for one in reaches
    )
