"""`__array_ufunc__`: calls the arguments that override a ufunc, as NumPy does."""

from __future__ import annotations

from typing import Any

import numpy as np

_PLAIN = np.ndarray.__array_ufunc__


def overridden(function: Any, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of the first argument that overrides; NotImplemented where none does.

    Raises TypeError, in NumPy's words, where one of them opts out, or all return NotImplemented.
    """
    asked = _asked(args, kwargs)
    if not asked:
        return NotImplemented
    named = dict(kwargs)
    if "out" in named and not isinstance(named["out"], tuple):
        named["out"] = (named["out"],)
    for one in asked:
        if type(one).__array_ufunc__ is None:
            raise TypeError(
                f"operand '{type(one).__name__}' does not support ufuncs (__array_ufunc__=None)"
            )
    for one in asked:
        answer = one.__array_ufunc__(function, method, *args, **named)
        if answer is not NotImplemented:
            return answer
    names = ", ".join(f"'{type(one).__name__}'" for one in asked)
    raise TypeError(
        f"operand type(s) all returned NotImplemented from __array_ufunc__({function!r},"
        f" '{method}', {', '.join(map(repr, args))}): {names}"
    )


def _asked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Return the arguments that override, from left to right, a subclass before its bases."""
    outputs = kwargs.get("out", ())
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    asked: list[Any] = []
    for one in (*args, *outputs):
        cls = type(one)
        if getattr(cls, "__array_ufunc__", _PLAIN) is _PLAIN or cls in map(type, asked):
            continue
        before = [k for k, known in enumerate(asked) if issubclass(cls, type(known))]
        asked.insert(before[0] if before else len(asked), one)
    return asked
