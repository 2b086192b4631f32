"""How compiled code learns types and functions: the public extension API (SPEC section D).

`registry` is what all of it comes down to: a function's typing and lowering, registered
together.  The names here are loaded when they are first asked for.
"""

from __future__ import annotations

from typing import Any

from cutaway.loading import load

# Public names and the modules that have them.
_LATER = {
    "overload": "overloads",
    "overload_attribute": "overloads",
    "overload_method": "overloads",
    "register_jitable": "overloads",
    "register_type": "registry",
}

__all__ = list(_LATER)


def __getattr__(name: str) -> Any:  # Any: functions and classes
    if name not in _LATER:
        raise AttributeError(f"module 'cutaway.extending' has no attribute {name!r}")
    value = globals()[name] = getattr(load(f"cutaway.extending.{_LATER[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATER])
