"""Operations on Python's own objects: sets, dictionaries, patterns, imports, shared variables.

These ops are exported by `nodes`.
"""

from cutaway.ir.effects import ANYTHING, CHANGES, COMPUTES, MAKES, NOTHING
from cutaway.ir.op import Constant, Def, Int, Name, Names, Op, OptionalUse, String, Use, Uses, op

# --- containers -----------------------------------------------------------------------------------


@op
class BuildSet(Op):
    """`{a, b}`."""

    result: Def
    items: Uses
    TEXT, EFFECT = "{result} = build_set(items=({items}))", COMPUTES


@op
class BuildDict(Op):
    """`{a: b, c: d}`, keys and values in turn."""

    result: Def
    items: Uses
    TEXT, EFFECT = "{result} = build_dict(items=({items}))", COMPUTES


@op
class Extend(Op):
    """A container with more items, the same object; `how` is the operation: `list_extend`,
    `set_add`, `set_update`, `dict_set`, `dict_update`, or `dict_merge`, which refuses duplicate
    keywords in a call of `function`."""

    result: Def
    how: Name
    container: Use
    items: Uses
    function: OptionalUse = None
    TEXT = "{result} = {how}({container}, items=({items}), function={function})"
    EFFECT = CHANGES


@op
class DelItem(Op):
    """`del target[index]`."""

    target: Use
    index: Use
    TEXT, EFFECT = "delitem(target={target}, index={index})", CHANGES


@op
class CallSpread(Op):
    """`function(*items, **named)`."""

    result: Def
    func: Use
    items: Use
    named: Use
    TEXT = "{result} = call_spread {func}(*{items}, **{named})"
    EFFECT = ANYTHING


# --- texts, slices, items -------------------------------------------------------------------------


@op
class FormatValue(Op):
    """`{value!conversion:spec}` in an f-string; the conversion is empty or one of `s r a`."""

    result: Def
    value: Use
    conversion: String
    spec: OptionalUse = None
    TEXT = "{result} = format(value={value}, conversion={conversion}, spec={spec})"
    EFFECT = COMPUTES


@op
class BuildString(Op):
    """The pieces of an f-string, joined."""

    result: Def
    pieces: Uses
    TEXT = "{result} = build_string({pieces})"
    EFFECT = MAKES


@op
class BuildSlice(Op):
    """`start:stop:step`, each part a value (None if it is omitted)."""

    result: Def
    start: Use
    stop: Use
    step: OptionalUse = None
    TEXT = "{result} = build_slice({start}, {stop}, {step})"
    EFFECT = NOTHING


@op
class Unpack(Op):
    """The value as a tuple of exactly `count` items, ValueError otherwise."""

    result: Def
    value: Use
    count: Int
    TEXT = "{result} = exhaust_iter(value={value}, count={count})"
    EFFECT = COMPUTES


@op
class UnpackStar(Op):
    """`before` items, a tuple of those between, and `after` items; ValueError for fewer."""

    result: Def
    value: Use
    before: Int
    after: Int
    TEXT = "{result} = exhaust_iter(value={value}, before={before}, after={after})"
    EFFECT = COMPUTES


@op
class BuildList(Op):
    """`[a, b, c]`."""

    result: Def
    items: Uses
    TEXT, EFFECT = "{result} = build_list(items=({items}))", NOTHING


@op
class MakeList(Op):
    """`[a, b, c]`, a list that is changed, or that others see."""

    result: Def
    items: Uses
    TEXT, EFFECT = "{result} = make_list(items=({items}))", MAKES


@op
class ListAppend(Op):
    """A list with an appended item, for a comprehension."""

    result: Def
    items: Use
    item: Use
    TEXT, EFFECT = "{result} = list_append({items}, {item})", CHANGES


# --- patterns -------------------------------------------------------------------------------------


@op
class IsPattern(Op):
    """Whether a value can match a pattern of a `kind`: a `sequence`, or a `mapping`."""

    result: Def
    kind: Name
    value: Use
    TEXT, EFFECT = "{result} = is_pattern({kind}, {value})", COMPUTES


@op
class MatchKeys(Op):
    """The values of a mapping for a tuple of keys, as a tuple; None if one is missing."""

    result: Def
    value: Use
    keys: Use
    TEXT, EFFECT = "{result} = match_keys({value}, {keys})", ANYTHING


@op
class MatchClass(Op):
    """The attributes of an instance of a class, as a tuple: `count` by position, then those of
    these names; None if it is not an instance, or lacks one of them."""

    result: Def
    value: Use
    cls: Use
    count: Int
    names: Names
    TEXT, EFFECT = "{result} = match_class({value}, {cls}, {count}, names=({names}))", ANYTHING


# --- shared variables -----------------------------------------------------------------------------


@op
class Import(Op):
    """`import name`, or the module of a `from name import names`."""

    result: Def
    name: String
    names: Constant
    level: Use
    TEXT, EFFECT = "{result} = import({name}, {names}, {level})", ANYTHING


@op
class ImportFrom(Op):
    """`from module import name`."""

    result: Def
    module: Use
    name: Name
    TEXT, EFFECT = "{result} = import_from({module}, {name})", ANYTHING


@op
class ReadOuter(Op):
    """The current value of a variable that the function itself assigns: a global (`scope` is
    `global`), or one of the enclosing function (`cell` is its cell, `scope` is `nonlocal`)."""

    result: Def
    scope: Name
    name: Name
    cell: Constant
    TEXT, EFFECT = "{result} = read_outer({scope}, {name}, {cell})", ANYTHING


@op
class WriteOuter(Op):
    """Assign a global or nonlocal variable."""

    scope: Name
    name: Name
    cell: Constant
    value: Use
    TEXT, EFFECT = "write_outer({scope}, {name}, {cell}) = {value}", ANYTHING


@op
class DeleteOuter(Op):
    """Delete a global or nonlocal variable."""

    scope: Name
    name: Name
    cell: Constant
    TEXT, EFFECT = "delete_outer({scope}, {name}, {cell})", ANYTHING


# --- parts of a function that run in the other mode -----------------------------------------------


@op
class RunLoop(Op):
    """Run a lifted loop as typed code: its outputs are a tuple, laid out by `ir/outlining.py`.
    None if it cannot be typed: then nothing has run.  Some of `args` may be unbound."""

    result: Def
    loop: Constant
    args: Uses
    TEXT, EFFECT = "{result} = run_loop({loop}, args=({args}))", ANYTHING


@op
class RunObjects(Op):
    """Run a block as Python: the result is a tuple of the types that the block declares."""

    result: Def
    block: Constant
    args: Uses
    TEXT, EFFECT = "{result} = run_objects({block}, args=({args}))", ANYTHING
