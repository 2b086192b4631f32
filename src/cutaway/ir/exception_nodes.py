"""Exceptions, context managers and generators as ops.

    label 4, except 20:
        y = b / x
        jump 30
    label 20:
        $20.1 = caught(depth=0)
        $20.2 = global(ZeroDivisionError: <class 'ZeroDivisionError'>)
        $20.3 = matches($20.1, $20.2)
        branch $20.3, 24, 28
    label 24:
        y = const(0)
        end_handler($20.1)
        jump 30
    label 28:
        reraise $20.1

An exception of an op goes to the block's `handler`, which only exceptions enter.  These ops are
exported by `nodes`.
"""

from cutaway.ir.effects import ANYTHING, COMPUTES, RAISES, READS_AND_WRITES
from cutaway.ir.op import Constant, Def, Int, Names, Op, OptionalUse, Use, Uses, op


@op
class Caught(Op):
    """The exception that entered this block, which is being handled from here on.

    `depth` is the number of exceptions being handled around it: an exception that comes from a
    nested handler ends the handlers inside these.
    """

    result: Def
    depth: Int
    TEXT = "{result} = caught(depth={depth})"
    EFFECT = READS_AND_WRITES


@op
class Matches(Op):
    """Whether an exception is an instance of a class, or of one of a tuple of classes."""

    result: Def
    exception: Use
    classes: Use
    TEXT = "{result} = matches({exception}, {classes})"
    EFFECT = COMPUTES


@op
class EndHandler(Op):
    """The end of a handler: the exception that was handled before becomes the current one."""

    exception: Use
    TEXT = "end_handler({exception})"
    EFFECT = READS_AND_WRITES


@op
class Reraise(Op):
    """Raise an exception again, with its context and cause unchanged."""

    exception: Use
    TEXT = "reraise {exception}"
    EFFECT = RAISES
    TERMINATOR = True


@op
class RaiseCurrent(Op):
    """`raise` outside of a handler: the exception that a caller is handling, or RuntimeError."""

    TEXT = "raise_current"
    EFFECT = RAISES
    TERMINATOR = True


@op
class RaiseFrom(Op):
    """`raise exception from cause`."""

    exception: Use
    cause: Use
    TEXT = "raise_from {exception}, {cause}"
    EFFECT = RAISES
    TERMINATOR = True


@op
class RaiseComputedFrom(Op):
    """Raise an exception of a known class with a call's arguments, and with its cause."""

    exception: Constant
    args: Uses
    cause: Use
    keywords: Names = ()
    star: OptionalUse = None
    TEXT = "raise {exception} with ({args}, kws=({keywords}), vararg={star}) from {cause}"
    EFFECT = RAISES
    TERMINATOR = True


# --- context managers -----------------------------------------------------------------------------


@op
class Enter(Op):
    """`with manager as value`: the bound exit method, and the result of the enter method."""

    exit: Def
    value: Def
    manager: Use
    TEXT = "{exit}, {value} = enter({manager})"
    EFFECT = ANYTHING


@op
class ExitWith(Op):
    """The exit of a `with` by an exception: the exit method's result, true to suppress it."""

    result: Def
    exit: Use
    exception: Use
    TEXT = "{result} = exit_with({exit}, {exception})"
    EFFECT = ANYTHING


# --- generators -----------------------------------------------------------------------------------


@op
class Suspend(Op):
    """`yield value`: the function suspends; the result is the value that is sent."""

    result: Def
    value: Use
    TEXT = "{result} = suspend({value})"
    EFFECT = ANYTHING


@op
class Delegate(Op):
    """`yield from iterator`: the function suspends until that has ended; the result is its return
    value."""

    result: Def
    iterator: Use
    TEXT = "{result} = delegate({iterator})"
    EFFECT = ANYTHING
