"""The ops on whole arrays: each has a region.

These ops are exported by `nodes`.
"""

from cutaway.ir.effects import CHANGES, COMPUTES, RAISES
from cutaway.ir.op import Body, Constant, Def, Name, Op, Use, Uses, Words, op


@op
class Element(Op):
    """A number computed from others as NumPy computes an element: `function` is the name of a
    ufunc, with a number behind a dot for one of several results (`modf.1`), or `where`;
    `as.float32` converts an element to another dtype, `python.float32` a Python number, which must
    fit."""

    result: Def
    function: Name
    args: Uses
    TEXT = "{result} = element {function}({args})"
    EFFECT = RAISES


@op
class ArrayExpr(Op):
    """An elementwise computation on arrays and numbers, broadcast against each other: a run of the
    body computes one element of the result.  `ty` is its type and `expr` the formula in the body.
    """

    result: Def
    ty: Words
    expr: Words
    args: Uses
    body: Body
    TEXT = "{result} = arrayexpr(ty={ty}, expr={expr}, args=({args}))"
    EFFECT = COMPUTES


@op
class ArrayStore(Op):
    """An array expression stored into the elements of an existing array.  The memory of the
    `tested` arrays may overlap that of the target, which is checked at run time."""

    target: Use
    expr: Words
    args: Uses
    body: Body
    tested: Uses = ()
    TEXT = "{target}[...] = arrayexpr(expr={expr}, args=({args}), tested=({tested}))"
    EFFECT = CHANGES


@op
class ArrayReduce(Op):
    """A reduction of an array expression by NumPy's `function`: of all elements if the axis is
    None, else along it."""

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

    @property
    def formula(self) -> str:
        """The reduction as users write it: `sum(a, axis=0)`."""
        axis = "" if self.axis is None else f", axis={self.axis}"
        return f"{self.function}({self.expr}{axis}{', keepdims=True' if self.keepdims else ''})"
