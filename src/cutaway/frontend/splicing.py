"""Comprehensions of Python 3.11, which are functions there, as later versions compile them.

    LOAD_CONST <code>               LOAD_FAST a
    MAKE_FUNCTION                   GET_ITER
    LOAD_FAST a                     LOAD_FAST_AND_CLEAR x
    GET_ITER                  =>    SWAP 2
    CALL                            BUILD_LIST 0
                                    SWAP 2
                                    FOR_ITER ... LIST_APPEND ...
                                    SWAP 2
                                    STORE_FAST x

Variables that only comprehensions share are plain ones then.  Where a comprehension reads one from
outside, the argument of the instruction is FROM_OUTSIDE: 3.11 says so if it has no value.
Expressions that are generators stay functions in all versions.
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
    """The instructions with comprehensions in the place of their calls, and what handlers guard."""
    made = [k for k, one in enumerate(instructions) if _is_comprehension(one)]
    if not made:
        return instructions, reaches
    calls = {_call_of(instructions, k): k for k in made}
    dropped = {place for k in made for place in _making(instructions, k)}
    rows: list[tuple[Any, Instruction]] = []
    for place, one in enumerate(instructions):
        if place in calls:
            inner = decode(instructions[calls[place]].value)
            rows += _body(inner, one, place)
        elif place not in dropped:
            rows.append((one.offset, one))
    plain = _own_alone(code, instructions, set(made))
    return _numbered([(key, _plain(one, plain)) for key, one in rows], reaches)


def _is_comprehension(one: Instruction) -> bool:
    is_code = one.name == "LOAD_CONST" and isinstance(one.value, CodeType)
    return is_code and one.value.co_name in COMPREHENSIONS


def _is_called_at_once(one: Instruction) -> bool:
    """True for the code of a comprehension, or of an expression that is a generator."""
    is_code = one.name == "LOAD_CONST" and isinstance(one.value, CodeType)
    return is_code and one.value.co_name in (*COMPREHENSIONS, "<genexpr>")


def _call_of(instructions: Sequence[Instruction], made: int) -> int:
    """The place of the call of the function whose code is loaded at a place."""
    depth, place = 0, made + 2  # behind MAKE_FUNCTION
    # Comprehensions in what is iterated over are called in between.
    while depth or instructions[place].name != "CALL" or instructions[place - 1].name != "GET_ITER":
        if _is_called_at_once(instructions[place]):
            depth += 1
        elif instructions[place].name == "CALL" and instructions[place - 1].name == "GET_ITER":
            depth -= 1
        place += 1
    return place


def _making(instructions: Sequence[Instruction], made: int) -> Iterator[int]:
    """The places of what makes the function: its code, and the cells that it closes over."""
    yield made
    yield made + 1
    if instructions[made + 1].arg:  # a closure is all that it may have
        count = instructions[made - 1].arg
        yield from range(made - 1 - count, made)


def _body(inner: Bytecode, call: Instruction, place: int) -> Iterator[tuple[Any, Instruction]]:
    """The instructions of a comprehension, under keys of their own, without its own variables'
    names being changed."""
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
            yield (place, one.offset), replace(one, name="SWAP", arg=2, value=None)
            continue
        if one.name in _JUMPS:
            one = replace(one, value=(place, one.value))
        elif one.name == "LOAD_DEREF" and one.value in inner.code.co_freevars:
            one = replace(one, arg=FROM_OUTSIDE)
        yield (place, one.offset), one
    end = inner.instructions[-1].offset
    if not count:
        yield (place, end), replace(start, name="NOP", arg=0, value=None, loc=call.loc)
        return
    yield (place, end), replace(start, name="SWAP", arg=count + 1, value=None, loc=call.loc)
    for name in reversed(own):
        yield made("STORE_FAST", 0, name)


def _own_alone(code: CodeType, instructions: Sequence[Instruction], made: set[int]) -> set[str]:
    """The variables of the function that only its comprehensions share."""
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
    """The variables from outside that functions in a comprehension share."""
    found: set[str] = set()
    for one in code.co_consts:
        if isinstance(one, CodeType):
            if one.co_name in COMPREHENSIONS:
                found |= _shared_inside(one)
            else:
                found |= set(one.co_freevars)
    return found


def _plain(one: Instruction, plain: set[str]) -> Instruction:
    if one.name in _DEREFS and one.value in plain:
        return replace(one, name=_DEREFS[one.name])
    return one


def _numbered(
    rows: list[tuple[Any, Instruction]], reaches: tuple[Reach, ...]
) -> tuple[Listed, tuple[Reach, ...]]:
    """The instructions with offsets in their order, where jumps and handlers know them."""
    places = {key: 2 * k for k, (key, _) in enumerate(rows) if key is not None}
    plain = sorted(key for key in places if isinstance(key, int))

    def moved(offset: Any) -> int:
        if offset in places:
            return places[offset]
        if isinstance(offset, tuple):
            later = [k for k in places if isinstance(k, tuple) and k[0] == offset[0]]
            return places[min(k for k in later if k[1] >= offset[1])]
        later = [key for key in plain if key >= offset]
        return places[later[0]] if later else 2 * len(rows)

    listed = [
        replace(one, offset=2 * k, value=moved(one.value) if one.name in _JUMPS else one.value)
        for k, (_, one) in enumerate(rows)
    ]
    return listed, tuple(
        replace(one, start=moved(one.start), end=moved(one.end), target=moved(one.target))
        for one in reaches
    )
