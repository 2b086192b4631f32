"""The options of `@jit`: one table, checked when a function is decorated.

`Flags` is what the compiler sees of them.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from cutaway.errors import OptionError

FASTMATH = frozenset({"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"})


@dataclass(frozen=True, slots=True)
class Flags:
    """How a function is to be compiled.

    `boundscheck`: an index out of range raises IndexError.  `error_model`: "python" raises
    ZeroDivisionError and math's errors, "numpy" gives inf and nan.  `fastmath`: the names of
    the LLVM fast-math flags that are allowed, empty for strict IEEE arithmetic.
    """

    boundscheck: bool = True
    error_model: str = "python"
    fastmath: frozenset[str] = frozenset()


def flags_from_options(options: dict[str, Any]) -> Flags:  # Any: each option has its type
    """The flags that these keyword arguments of `@jit` ask for.

    Raises OptionError for an unknown option or a value that it does not take.
    """
    values = {}
    for name, value in options.items():
        if name not in _READERS:
            near = difflib.get_close_matches(name, _READERS, 1)
            hint = f"did you mean {near[0]}?" if near else f"options: {', '.join(_READERS)}"
            raise OptionError(f"@jit has no option {name!r}", hint=hint)
        values[name] = _READERS[name](name, value)
    values.pop("nopython", None)
    return Flags(**values)


def _flag(name: str, value: Any) -> bool:  # Any: what the user wrote
    if not isinstance(value, bool):
        raise OptionError(f"option {name} is True or False, not {value!r}")
    return value


def _boundscheck(name: str, value: Any) -> bool:  # Any: what the user wrote
    return True if value is None else _flag(name, value)


def _error_model(name: str, value: Any) -> str:  # Any: what the user wrote
    if value not in ("python", "numpy"):
        raise OptionError(f"option {name} is 'python' or 'numpy', not {value!r}")
    return str(value)


def _fastmath(name: str, value: Any) -> frozenset[str]:  # Any: what the user wrote
    if isinstance(value, bool):
        return FASTMATH if value else frozenset()
    names = {key for key in value if value[key]} if isinstance(value, dict) else set(value)
    if "fast" in names:
        names = (names - {"fast"}) | FASTMATH
    if not names <= FASTMATH:
        unknown = ", ".join(sorted(names - FASTMATH))
        hint = f"flags: {', '.join(sorted(FASTMATH))}"
        raise OptionError(f"option {name} has no flag {unknown}", hint=hint)
    return frozenset(names)


def _nopython(name: str, value: Any) -> bool:  # Any: what the user wrote
    if value is not True:
        raise OptionError("object mode is not available", hint="leave nopython out")
    return True


_READERS = {
    "nopython": _nopython,
    "boundscheck": _boundscheck,
    "error_model": _error_model,
    "fastmath": _fastmath,
}
