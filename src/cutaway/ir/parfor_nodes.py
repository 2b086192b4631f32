"""Loops whose iterations run concurrently, and the ops that whole-array operations become in them.

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

These ops are exported by `nodes`.
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
    """A loop nest whose iterations may run in any order, and concurrently: for each dimension the
    body has an index, from a start up to a stop by a step.

    The body carries the variables that iterations share: each iteration updates them only by their
    operator in `operators` (`add multiply min max and or xor`, and NumPy's `minimum maximum`, which
    propagate NaN), so that parts of the nest may have variables of their own, which are combined at
    the end; or their values are those of the `last` iteration, or are selected as `combining`
    defines (`first_least with.0 given.1`).  `results` are their values after the nest.  `schedule`
    assigns parts to threads: `static`, as many equal parts as there are threads, or `dynamic`.

    A part may have its own copy of each of the `private` arrays, which it updates only by their
    operator in `joining`; these are combined with the array at the end.
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
    """The broadcast sizes of arrays and numbers, one for each axis: raises ValueError if they do
    not fit. With a target they are its own, to which the others are broadcast. `texts` are the
    formulas of the operands, and of the target, for errors."""

    results: Defs
    args: Uses
    target: OptionalUse
    texts: Constant
    TEXT = "({results}) = sizes of ({args}) in {target}, named {texts}"
    EFFECT = RAISES


@op
class NewArray(Op):
    """A new uninitialized array of numbers, in C or in F order."""

    result: Def
    dtype: Name
    layout: Name
    sizes: Uses
    TEXT = "{result} = new_array({dtype}, {layout}, sizes=({sizes}))"
    EFFECT = MAKES | RAISES


@op
class Apart(Op):
    """An array for reading while the target is written: itself, or a copy if the two may share
    memory and are not one and the same array."""

    result: Def
    value: Use
    target: Use
    TEXT = "{result} = apart({value}, target={target})"
    EFFECT = COMPUTES


@op
class RequireElements(Op):
    """Raises ValueError if the product of sizes is 0, for a reduction that needs an element."""

    sizes: Uses
    function: Name
    TEXT = "require_elements({sizes}), for {function}"
    EFFECT = RAISES


@op
class Load(Op):
    """An element of an array for an iteration: with an index for each of the array's axes, the last
    ones of the nest.  An axis of size 1 is broadcast."""

    result: Def
    array: Use
    indices: Uses
    TEXT = "{result} = load {array} at ({indices})"
    EFFECT = READS


@op
class Store(Op):
    """Store a value, converted to the element type, into an element."""

    target: Use
    indices: Uses
    value: Use
    TEXT = "store {value} in {target} at ({indices})"
    EFFECT = CHANGES


@op
class Line(Op):
    """A line of an array along one of its axes, a view: it has an index for each other axis, as a
    load has."""

    result: Def
    array: Use
    indices: Uses
    axis: Int
    TEXT = "{result} = line of {array} along {axis} at ({indices})"
    EFFECT = NOTHING


@op
class OwnStreams(Op):
    """From here on an iteration draws random numbers from streams of its own (`ir/own_streams.py`):
    the loop's variables identify it."""

    indices: Uses
    TEXT = "own streams for ({indices})"
    EFFECT = CHANGES
