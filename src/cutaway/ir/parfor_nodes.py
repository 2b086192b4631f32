"""Loops whose iterations run at once, and the ops that whole-array operations become in them.

    ($n) = sizes of (a, b) in None, named ('a', 'b')
    c = new_array(float64, C, sizes=($n))
    parfor static, from ($0) to ($n) by ($1), () = reduce()
        body(i):
        label 1:
            x = load a at (i)
            y = load b at (i)
            z = element multiply(x, y)
            store z in c at (i)
            yield

They are ops as those of `nodes`, from where they are imported.
"""

from cutaway.ir.effects import CHANGES, COMPUTES, MAKES, NOTHING, RAISES, READS
from cutaway.ir.op import (
    Body,
    Constant,
    Def,
    Defs,
    Int,
    Name,
    Names,
    Op,
    OptionalUse,
    Use,
    Uses,
    op,
)


@op
class Parfor(Op):
    """A loop nest whose iterations may run in any order, and at once: for each dimension the body
    gets an index, from a start up to a stop by a step.

    The body carries the variables that iterations have in common: each iteration changes them by
    the operator of its place in `operators` alone (`add multiply min max and or xor`, and NumPy's
    `minimum maximum`, where NaN is the least and the greatest), so that
    parts of the nest may have variables of their own, which are combined at last; or they are what
    the `last` iteration leaves, or are chosen as `combining` says (`first_least with.0 given.1`).
    `results` are what they are after the nest.  `schedule` says which thread gets which part:
    `static`, as many equal parts as there are threads, or `dynamic`.

    Of the arrays that are `private` a part may have one of its own, which it changes by the
    operator of its place in `joining` alone; these are combined with the array at last.
    """

    results: Defs
    starts: Uses
    stops: Uses
    steps: Uses
    operators: Names
    schedule: Name
    body: Body
    private: Uses = ()
    joining: Names = ()
    TEXT = (
        "parfor {schedule}, from ({starts}) to ({stops}) by ({steps}),"
        " ({results}) = reduce({operators}), ({private}) = private({joining})"
    )
    EFFECT = NOTHING


@op
class SizesOf(Op):
    """The sizes of what arrays and numbers are broadcast to, one for each axis: raises ValueError
    where they do not fit.  With a target they are its own, to which the others are broadcast.
    `texts` are the formulas of what is read, and of the target, for errors."""

    results: Defs
    args: Uses
    target: OptionalUse
    texts: Constant
    TEXT = "({results}) = sizes of ({args}) in {target}, named {texts}"
    EFFECT = RAISES


@op
class NewArray(Op):
    """A new array of numbers, in C or in F order, whose elements are not set yet."""

    result: Def
    dtype: Name
    layout: Name
    sizes: Uses
    TEXT = "{result} = new_array({dtype}, {layout}, sizes=({sizes}))"
    EFFECT = MAKES | RAISES


@op
class Apart(Op):
    """An array for reading while the target is written: itself, or a copy where the two may share
    memory and are not one and the same array."""

    result: Def
    value: Use
    target: Use
    TEXT = "{result} = apart({value}, target={target})"
    EFFECT = COMPUTES


@op
class RequireElements(Op):
    """Raises ValueError where the product of sizes is 0, for a reduction that needs an element."""

    sizes: Uses
    function: Name
    TEXT = "require_elements({sizes}), for {function}"
    EFFECT = RAISES


@op
class Load(Op):
    """The element of an array for an iteration: it has an index for each of its axes, the first of
    them are left out where the nest has more.  Along an axis of one element that is taken."""

    result: Def
    array: Use
    indices: Uses
    TEXT = "{result} = load {array} at ({indices})"
    EFFECT = READS


@op
class Store(Op):
    """An element is given another value, which is converted to its type."""

    target: Use
    indices: Uses
    value: Use
    TEXT = "store {value} in {target} at ({indices})"
    EFFECT = CHANGES


@op
class Line(Op):
    """The elements of an array along one of its axes, a part of it: it has an index for each other
    axis, as a load has."""

    result: Def
    array: Use
    indices: Uses
    axis: Int
    TEXT = "{result} = line of {array} along {axis} at ({indices})"
    EFFECT = NOTHING


@op
class OwnStreams(Op):
    """From here on an iteration draws random numbers from streams of its own (`ir/own_streams.py`):
    its number among the iterations are the loop's variables."""

    indices: Uses
    TEXT = "own streams for ({indices})"
    EFFECT = CHANGES
