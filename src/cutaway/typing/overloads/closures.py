"""Lays out calls of inner functions that are values.

The compiled form of an inner function takes its captured variables as further parameters, after
those of its definition.  A call of the value passes them by keyword, and so does it with a default
whose argument the call omits.
"""

from __future__ import annotations

from cutaway.typing.overloads.parameters import Parameters, parameters_of_code
from cutaway.typing.overloads.resolution import MISSING, REQUIRED, Arguments, Call
from cutaway.typing.types import Closure

CARRIED = object()  # the default of a parameter: the closure value contains it


def parameters_of_closure(target: Closure) -> Parameters:
    """Return the parameters of the function's definition."""
    code = target.code.value
    named = {name: CARRIED for name, _ in target.defaults}
    positional = [named[n] for n in code.co_varnames[: code.co_argcount] if n in named]
    return parameters_of_code(code, tuple(positional), named)


def extended_parameters(target: Closure) -> Parameters:
    """Return the parameters of the compiled form."""
    own = parameters_of_closure(target)
    captured = tuple(name for name, _ in target.captured)
    single = len(own.defaults)
    return Parameters(
        own.function,
        own.names[:single] + captured + own.names[single:],
        (REQUIRED,) * (single + len(captured)),
        own.positional_only,
        own.keyword_only + len(captured),
        own.star,
    )


def carried_by_call(target: Closure, call: Call) -> tuple[int, ...] | None:
    """Return the indices of the closure's values that a call passes; None if it does not fit."""
    own = parameters_of_closure(target)
    layout = own.lay_out(call)
    if layout is None:
        return None
    left_out = {
        name
        for name, position, default in zip(own.names, layout, own.defaults, strict=False)
        if position is None and default is CARRIED
    }
    count = len(target.captured)
    defaults = (k for k, (n, _) in enumerate(target.defaults, count) if n in left_out)
    return (*range(count), *defaults)


def call_of_closure(target: Closure, call: Call) -> Call | None:
    """Return the call of the compiled form; None if the call does not fit."""
    carried = carried_by_call(target, call)
    if carried is None:
        return None
    named = target.captured + target.defaults
    types = tuple(named[k][1] for k in carried)
    arguments = Arguments(
        call.arguments.types + types, call.arguments.constants + (MISSING,) * len(types)
    )
    facts = call.facts + (MISSING,) * len(types) if call.facts else ()
    keywords = call.keywords + tuple(named[k][0] for k in carried)
    return Call(arguments, keywords, facts=facts)
