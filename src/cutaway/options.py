"""The options of `@jit`: one table, checked when a function is decorated.

`Flags` is what the compiler sees of them.
"""

from __future__ import annotations

import reprlib
from types import CodeType, FunctionType
from typing import Any

from cutaway.dataclass import dataclass, field, replace
from cutaway.errors import OptionError, did_you_mean

FASTMATH = frozenset({"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"})


@dataclass(frozen=True, slots=True)
class Flags:
    """How a function is to be compiled.

    `boundscheck`: an index out of range raises IndexError.  `overflow`: "wrap" lets integers
    wrap around, "raise" raises OverflowError instead.  `error_model`: "python" raises
    ZeroDivisionError and math's errors, "numpy" gives inf and nan.  `fastmath`: the names of
    the LLVM fast-math flags that are allowed, empty for strict IEEE arithmetic.  `nogil`: other
    threads run meanwhile; it changes the call and not the code, so flags compare without it, and
    without `cache`: the code is kept on disk for later processes.
    `inline`: "never", "always", or a function of the call and of the IR of caller and callee that
    says whether the body is put in the place of the call; it is about other functions' code.
    `locals`: the types of variables, by name, as types or as text.
    """

    boundscheck: bool = True
    overflow: str = "wrap"
    error_model: str = "python"
    fastmath: frozenset[str] = frozenset()
    nogil: bool = field(default=False, compare=False)
    cache: bool = field(default=False, compare=False)
    inline: Any = field(default="never", compare=False)  # Any: a word, or the user's function
    locals: tuple[tuple[str, Any], ...] = ()  # Any: types, whose module is loaded when needed


def flags_from_options(options: dict[str, Any]) -> Flags:  # Any: each option has its type
    """The flags that these keyword arguments of `@jit` ask for.

    Raises OptionError for an unknown option or a value that it does not take.
    """
    return Flags(**_values(options))


OWN_OPTIONS = "__cutaway_options__"  # an attribute of functions that others compile


def with_options(flags: Flags, function: FunctionType) -> Flags:
    """The flags of a caller, with the options that a function has of its own."""
    own = function.__dict__.get(OWN_OPTIONS)
    return replace(flags, **_values(own)) if own else flags


def _values(options: dict[str, Any]) -> dict[str, Any]:  # Any: see flags_from_options
    values = {}
    for name, value in options.items():
        if name not in _READERS:
            raise _unknown(name)
        values[name] = _READERS[name](name, value)
    values.pop("nopython", None)
    return values


_SHORT = reprlib.Repr()
_SHORT.maxother = 200  # an address is not cut in two


def check_pipeline(value: Any) -> None:  # Any: what the user wrote
    """Raise OptionError for what is neither None nor a Pipeline.

    It is known by what it has: to name its class would load the compiler.
    """
    if value is None:
        return
    if isinstance(value, type) or not (hasattr(value, "passes") and hasattr(value, "until")):
        raise OptionError(
            f"option pipeline is a Pipeline, not {shown(value)}",
            hint="cutaway.pipelines.nopython is one, cutaway.Pipeline.parse(...) makes one of text",
        )


def shown(value: Any) -> str:  # Any: what the user wrote
    """A value in a message: as it is written, or by its kind where that is long or an address."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    text = _SHORT.repr(value)
    return text if "0x" not in text else with_article(type(value).__name__)


def with_article(noun: str) -> str:
    """`a noun`, or `an unusual noun`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _unknown(name: str) -> OptionError:
    if name in _NOT_YET:
        return OptionError(f"option {name} is not available yet", hint=f"leave {name} out")
    known = (*_READERS, "pipeline")
    hint = did_you_mean(name, known, f"options: {', '.join(known)}")
    return OptionError(f"@jit has no option {name!r}", hint=hint)


def _flag(name: str, value: Any) -> bool:  # Any: what the user wrote
    if not isinstance(value, bool):
        raise OptionError(f"option {name} is True or False, not {shown(value)}")
    return value


def _boundscheck(name: str, value: Any) -> bool:  # Any: what the user wrote
    return True if value is None else _flag(name, value)


def _error_model(name: str, value: Any) -> str:  # Any: what the user wrote
    if not isinstance(value, str) or value not in ("python", "numpy"):
        raise OptionError(f"option {name} is 'python' or 'numpy', not {shown(value)}")
    return value


def _overflow(name: str, value: Any) -> str:  # Any: what the user wrote
    if value not in ("wrap", "raise"):
        raise OptionError(f"option {name} is 'wrap' or 'raise', not {value!r}")
    return str(value)


def _fastmath(name: str, value: Any) -> frozenset[str]:  # Any: what the user wrote
    if isinstance(value, bool):
        return FASTMATH if value else frozenset()
    given = (value,) if isinstance(value, str) else value
    if isinstance(given, dict):
        given = [key for key in given if given[key]]
    elif not isinstance(given, list | tuple | set | frozenset):
        given = [None]
    if not all(isinstance(flag, str) for flag in given):
        raise OptionError(
            f"option {name} is True, False or names of flags, not {shown(value)}",
            hint=f"flags: {', '.join(sorted(FASTMATH))}",
        )
    names = set(given)
    if "fast" in names:
        names = (names - {"fast"}) | FASTMATH
    if not names <= FASTMATH:
        unknown = ", ".join(sorted(names - FASTMATH))
        hint = f"flags: {', '.join(sorted(FASTMATH))}"
        raise OptionError(f"option {name} has no flag {unknown}", hint=hint)
    return frozenset(names)


def _inline(name: str, value: Any) -> Any:  # Any: what the user wrote
    if value in ("never", "always") or (callable(value) and not isinstance(value, type)):
        return value
    raise OptionError(
        f"option {name} is 'never', 'always' or a function, not {shown(value)}",
        hint="the function takes the call, and the IR of caller and callee; it gives True or False",
    )


def _locals(name: str, value: Any) -> tuple[tuple[str, Any], ...]:  # Any: what the user wrote
    if not isinstance(value, dict) or not all(isinstance(variable, str) for variable in value):
        raise OptionError(
            f"option {name} is a dict of variables and their types, not {shown(value)}",
            hint='locals={"x": "float32"}',
        )
    for variable, ty in value.items():
        if not isinstance(ty, str) and not (hasattr(ty, "typecode") and hasattr(ty, "is_none")):
            raise OptionError(
                f"option {name}: the type of {variable!r} is {shown(ty)}",
                hint='a type is cutaway.float32, or text: "float32"',
            )
    return tuple(sorted(value.items()))


def check_locals(flags: Flags, code: CodeType) -> None:
    """Raise OptionError for a declared variable that a function does not have."""
    known = (*code.co_varnames, *code.co_cellvars)
    for name, _ in flags.locals:
        if name not in known:
            raise OptionError(
                f"option locals: {code.co_name} has no variable {name!r}",
                hint=did_you_mean(name, known, f"variables: {', '.join(known)}"),
            )


def _nopython(name: str, value: Any) -> bool:  # Any: what the user wrote
    if value is not True:
        raise OptionError("object mode is not available", hint="leave nopython out")
    return True


_READERS = {
    "nopython": _nopython,
    "boundscheck": _boundscheck,
    "overflow": _overflow,
    "error_model": _error_model,
    "fastmath": _fastmath,
    "nogil": _flag,
    "cache": _flag,
    "inline": _inline,
    "locals": _locals,
}

# Options of the reference compiler that we know of and do not have.
_NOT_YET = frozenset(
    "debug error forceinline forceobj looplift no_cfunc_wrapper "
    "no_cpython_wrapper no_rewrites parallel pipeline_class target target_backend "
    "writable_args".split()
)
