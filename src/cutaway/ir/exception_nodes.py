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

What an op of a block raises goes to the block's `handler`, which only exceptions lead to.  They are
ops as those of `nodes`, from where they are imported.
"""

from cutaway.ir.effects import ANYTHING, COMPUTES, RAISES, READS_AND_WRITES
from cutaway.ir.op import Constant, Def, Int, Names, Op, OptionalUse, Use, Uses, op


@op
class Caught(Op):
    """The exception that led to this block, which is handled from here on.

    `depth` is how many others are being handled around it: an exception that comes from a handler
    inside of those ends their handlers.
    """

    result: Def
    depth: Int
    TEXT = "{result} = caught(depth={depth})"
    EFFECT = READS_AND_WRITES


@op
class Matches(Op):
    """Whether an exception is one of a class, or of one of a tuple of classes."""

    result: Def
    exception: Use
    classes: Use
    TEXT = "{result} = matches({exception}, {classes})"
    EFFECT = COMPUTES


@op
class EndHandler(Op):
    """An exception has been handled: the one that was handled before it is the current one."""

    exception: Use
    TEXT = "end_handler({exception})"
    EFFECT = READS_AND_WRITES


@op
class Reraise(Op):
    """Raise an exception once more, with the context and the cause that it has."""

    exception: Use
    TEXT = "reraise {exception}"
    EFFECT = RAISES
    TERMINATOR = True


@op
class RaiseCurrent(Op):
    """`raise` outside of a handler: what a caller is handling, or RuntimeError."""

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
    """Raise an exception of a known class with arguments as of a call, and with its cause."""

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
    """`with manager as value`: what is called at the end, and what the manager gives."""

    exit: Def
    value: Def
    manager: Use
    TEXT = "{exit}, {value} = enter({manager})"
    EFFECT = ANYTHING


@op
class ExitWith(Op):
    """The end of a `with` that an exception leaves: what its manager says, true to go on."""

    result: Def
    exit: Use
    exception: Use
    TEXT = "{result} = exit_with({exit}, {exception})"
    EFFECT = ANYTHING


# --- generators -----------------------------------------------------------------------------------


@op
class Suspend(Op):
    """`yield value`: the function waits, and goes on with what it is sent."""

    result: Def
    value: Use
    TEXT = "{result} = suspend({value})"
    EFFECT = ANYTHING


@op
class Delegate(Op):
    """`yield from iterator`: the function waits until that has ended, and goes on with what that
    has returned."""

    result: Def
    iterator: Use
    TEXT = "{result} = delegate({iterator})"
    EFFECT = ANYTHING
