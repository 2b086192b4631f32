"""`operator.itemgetter`, `attrgetter` and `methodcaller` of constants: functions that are written
out when they are first called."""

from __future__ import annotations

import operator
from types import FunctionType
from typing import Any

from cutaway.extending.bodies import constant_call
from cutaway.extending.registry import CONTEXT
from cutaway.typing.overloads.resolution import MISSING, Call, Overload, Typed

_MADE: dict[Any, Any] = {}  # one for each call with the same constants


def _maker(cls: Any) -> None:
    def template(call: Call) -> Typed | None:
        constants = call.arguments.constants
        if not constants or MISSING in constants:
            return None
        named = dict(zip(call.keywords, constants[call.positional :], strict=True))
        key = (cls, repr(constants), call.keywords)
        if key not in _MADE:
            _MADE[key] = cls(*constants[: call.positional], **named)
        return constant_call(_MADE[key], call)

    CONTEXT.add(cls, Overload(None, (), None, any_elements=True, template=template))


for _cls in (operator.itemgetter, operator.attrgetter, operator.methodcaller):
    _maker(_cls)


def register(getter: Any) -> bool:
    """Register the function that an object stands for; False if it has one."""
    if CONTEXT.knows(getter):
        return False
    space: dict[str, Any] = {}
    exec(f"def got(obj, /):\n    return {_result(getter)}", space)  # noqa: S102  our own text
    function: FunctionType = space["got"]

    def template(call: Call) -> FunctionType | None:
        return function if call.positional == 1 and not call.keywords else None

    CONTEXT.add(getter, Overload(None, (), None, any_elements=True, template=template))
    return True


def _result(getter: Any) -> str:
    cls, args = getter.__reduce__()
    if isinstance(getter, operator.methodcaller):
        named = getattr(cls, "keywords", {})
        name, *rest = (*getattr(cls, "args", ()), *args)
        given = [*map(repr, rest), *(f"{word}={value!r}" for word, value in named.items())]
        return f"obj.{name}({', '.join(given)})"
    is_item = isinstance(getter, operator.itemgetter)
    each = [f"obj[{one!r}]" if is_item else f"obj.{one}" for one in args]
    return each[0] if len(each) == 1 else f"({', '.join(each)})"
