"""The ops on whole arrays, and loops whose iterations run at once: each has a region.

They are ops as those of `nodes`, from where they are imported.
"""

from cutaway.ir.effects import CHANGES, COMPUTES, NOTHING, RAISES
from cutaway.ir.op import Body, Constant, Def, Defs, Name, Names, Op, Use, Uses, Words, op


@op
class Element(Op):
    """A number computed of others as NumPy computes an element: `function` is the name of a ufunc,
    with a number behind a dot for one of several results (`modf.1`), or `where`; `as.float32`
    converts an element to another dtype, `python.float32` a number of Python's, which must fit."""

    result: Def
    function: Name
    args: Uses
    TEXT = "{result} = element {function}({args})"
    EFFECT = RAISES


@op
class ArrayExpr(Op):
    """Arrays and numbers, broadcast against each other, element by element: a run of the body
    computes one element of the result.  `ty` is its type and `expr` the formula in the body."""

    result: Def
    ty: Words
    expr: Words
    args: Uses
    body: Body
    TEXT = "{result} = arrayexpr(ty={ty}, expr={expr}, args=({args}))"
    EFFECT = COMPUTES


@op
class ArrayStore(Op):
    """The same, stored in the elements of an array that is there.  `tested` are the arrays whose
    memory may be that of the target, too, which is looked at when the program runs."""

    target: Use
    expr: Words
    args: Uses
    body: Body
    tested: Uses = ()
    TEXT = "{target}[...] = arrayexpr(expr={expr}, args=({args}), tested=({tested}))"
    EFFECT = CHANGES


@op
class ArrayReduce(Op):
    """The elements of an array expression, combined as NumPy's `function` does: all of them where
    the axis is None, else those along it."""

    result: Def
    ty: Words
    expr: Words
    function: Name
    axis: Constant
    keepdims: Constant
    args: Uses
    body: Body
    TEXT = (
        "{result} = arrayreduce(ty={ty}, expr={function}({expr}), axis={axis}, keepdims={keepdims},"
        " args=({args}))"
    )
    EFFECT = COMPUTES


# --- parallel loops ---------------------------------------------------------------------------


@op
class Parfor(Op):
    """A loop nest whose iterations may run in any order, and at once: for each dimension the body
    gets an index, from a start up to a stop by a step.

    The body carries the variables that iterations have in common: each iteration changes them by
    the operator of its place in `operators` alone (`add multiply min max and or xor`), so that
    parts of the nest may have variables of their own, which are combined at last; or they are what
    the `last` iteration leaves.  `results` are what they are after the nest.  `schedule` says which
    thread gets which part: `static`, as many equal parts as there are threads, or `dynamic`.
    """

    results: Defs
    starts: Uses
    stops: Uses
    steps: Uses
    operators: Names
    schedule: Name
    body: Body
    TEXT = (
        "parfor {schedule}, from ({starts}) to ({stops}) by ({steps}),"
        " ({results}) = reduce({operators})"
    )
    EFFECT = NOTHING
