"""The options of `@jit`: one table, checked when a function is decorated.

The compiler gets them as `Flags`.
"""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import Any

from cutaway.errors import OptionError, OptionWarning, did_you_mean
from cutaway.foundation.dataclass import dataclass, field, replace

# The parts that may run on all cores: loops over `prange`, calls of NumPy functions, ...
PARALLEL = (*("comprehension", "prange", "numpy", "reduction", "setitem", "stencil", "fusion"),)
CHECKED, RACY = "check", "races"  # also: run the race check before the first call; allow races
FASTMATH = frozenset({"nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"})


@dataclass(frozen=True, slots=True)
class Flags:
    """The options that a function is compiled with.

    `boundscheck`: an index out of range raises IndexError.  `overflow`: "wrap" lets integers
    wrap around, "raise" raises OverflowError instead.  `error_model`: "python" raises
    ZeroDivisionError and math's errors, "numpy" returns inf and nan.  `float_to_int`: "raise"
    raises for NaN, and for a float outside the range of the integer type, "astype" converts it as
    `ndarray.astype` does.  `fastmath`: the names of the LLVM fast-math flags that are allowed,
    empty for strict IEEE arithmetic.  `vector_math`: functions such as exp are evaluated as
    polynomials within the loop, off by a few units in the last place; by default on if fastmath
    has `afn`.  `nogil`: other threads run meanwhile; it changes the call and not the code, so flags
    compare without it, and without `cache`: the code is stored on disk for later processes.
    `inline`: "never", "always", or a function of the call and of the IR of caller and callee that
    decides whether the body replaces the call; it affects other functions' code.
    `forceinline`: LLVM inlines the machine code at each call.
    `locals`: the types of variables, by name, as types or as text.  `parallel`: the parts that run
    on all cores, by the names of `PARALLEL`, with `CHECKED` and `RACY`.  `forceobj`: every value is
    a Python object (object mode).  With `looplift`, loops in object mode whose values have types
    are compiled with these types.
    """

    boundscheck: bool = True
    overflow: str = "wrap"
    error_model: str = "python"
    float_to_int: str = "raise"
    fastmath: frozenset[str] = frozenset()
    vector_math: bool = False
    nogil: bool = field(default=False, compare=False)
    cache: bool = field(default=False, compare=False)
    inline: Any = field(default="never", compare=False)
    forceinline: bool = field(default=False, compare=False)
    locals: tuple[tuple[str, Any], ...] = ()
    parallel: frozenset[str] = frozenset()
    forceobj: bool = False
    looplift: bool = True

    def contracting(self) -> Flags:
        """Return the flags with contraction allowed: a product and a sum are rounded once."""
        return replace(self, fastmath=self.fastmath | {"contract"})


def flags_from_options(options: dict[str, Any]) -> Flags:
    """Return the flags for these keyword arguments of `@jit`.

    Raises OptionError for an unknown option or an invalid value.
    """
    values = _LAYER | _values(options)
    if values.get("forceobj"):
        _check_objects(options, values)
    return Flags(**values)


_LAYER: dict[str, Any] = {}


def set_of_layer(**options: Any) -> None:
    """Choose options for all functions of the process that do not say what these are."""
    _LAYER.update(_values(options))


def options_of(flags: Flags) -> dict[str, Any]:
    """Return the options that result in these flags, without those at their defaults."""
    plain = Flags()
    changed = {name: getattr(flags, name) for name in _READERS}
    changed = {name: value for name, value in changed.items() if value != getattr(plain, name)}
    changed.pop("vector_math", None)
    if flags.vector_math != ("afn" in flags.fastmath):  # else it follows from fastmath
        changed["vector_math"] = flags.vector_math
    if "locals" in changed:
        changed["locals"] = dict(flags.locals)
    if flags.parallel:
        races = {RACY: "allowed"} if RACY in flags.parallel else {}
        races = {RACY: CHECKED} if CHECKED in flags.parallel else races
        changed["parallel"] = {part: part in flags.parallel for part in PARALLEL} | races
    return changed


def _check_objects(options: dict[str, Any], values: dict[str, Any]) -> None:
    """Raise OptionError for options that conflict with object mode."""
    if options.get("nopython"):
        raise OptionError(
            "option forceobj=True requests object mode, and nopython=True requests the other one",
            hint="remove one of them",
        )
    for name, reason in _NOT_OF_OBJECTS.items():
        if values.get(name):
            raise OptionError(
                f"option {name} does not go with forceobj=True: {reason}",
                hint=f"remove {name}, or forceobj",
            )


_NOT_OF_OBJECTS = {
    "cache": "the code refers to objects of this process",
    "parallel": "Python's objects belong to one thread at a time",
    "nogil": "Python's objects belong to the thread that holds the lock",
    "locals": "every variable is an object",
}


OWN_OPTIONS = "__cutaway_options__"  # an attribute of functions that are compiled into callers
# Another: the name of `PARALLEL` under which its prange loops run on all cores, as the caller's.
PARALLEL_BY = "__cutaway_parallel_by__"


def with_options(flags: Flags, function: FunctionType) -> Flags:
    """Return the flags of a caller, overridden by a function's own options."""
    own = function.__dict__.get(OWN_OPTIONS)
    return replace(flags, **_values(own)) if own else flags


def _values(options: dict[str, Any]) -> dict[str, Any]:
    values = {}
    for name, value in options.items():
        if name in _WITHOUT_FLAG:
            _ignored(name, value)
        elif name in _READERS:
            values[name] = _READERS[name](name, value)
        else:
            raise _unknown(name)
    if "fastmath" in values:
        values.setdefault("vector_math", "afn" in values["fastmath"])  # approximate functions
    return values


_SHORT = reprlib.Repr()
_SHORT.maxother = 200  # an address is not cut in two


def check_pipeline(value: Any) -> None:
    """Raise OptionError for a value that is neither None nor a Pipeline.

    A Pipeline is recognized by its attributes: to name its class would load the compiler.
    """
    if value is None:
        return
    if isinstance(value, type) or not (hasattr(value, "passes") and hasattr(value, "until")):
        raise OptionError(
            f"option pipeline must be a Pipeline, not {shown(value)}",
            hint="use cutaway.pipelines.nopython, or cutaway.Pipeline.parse(text)",
        )


def shown(value: Any) -> str:
    """Return a value's text for a message: its short repr, or its type if that has an address."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    text = _SHORT.repr(value)
    return text if "0x" not in text else with_article(type(value).__name__)


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article, `a noun` or `an unusual noun`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def _unknown(name: str) -> OptionError:
    known = (*_READERS, "pipeline")
    hint = did_you_mean(name, (*known, *_WITHOUT_FLAG), f"options: {', '.join(known)}")
    return OptionError(f"@jit has no option {name!r}", hint=hint)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"option {name} must be True or False, not {shown(value)}")
    return value


def _boundscheck(name: str, value: Any) -> bool:
    return True if value is None else _flag(name, value)


def _error_model(name: str, value: Any) -> str:
    if not isinstance(value, str) or value not in ("python", "numpy"):
        raise OptionError(f"option {name} must be 'python' or 'numpy', not {shown(value)}")
    return value


def _overflow(name: str, value: Any) -> str:
    if value not in ("wrap", "raise"):
        raise OptionError(f"option {name} must be 'wrap' or 'raise', not {value!r}")
    return str(value)


def _float_to_int(name: str, value: Any) -> str:
    if value not in ("raise", "astype"):
        raise OptionError(f"option {name} must be 'raise' or 'astype', not {shown(value)}")
    return str(value)


def _fastmath(name: str, value: Any) -> frozenset[str]:
    if isinstance(value, bool):
        return FASTMATH if value else frozenset()
    flags = (value,) if isinstance(value, str) else value
    if isinstance(flags, dict):
        flags = [key for key in flags if flags[key]]
    elif not isinstance(flags, list | tuple | set | frozenset):
        flags = [None]
    if not all(isinstance(flag, str) for flag in flags):
        raise OptionError(
            f"option {name} must be True, False or names of flags, not {shown(value)}",
            hint=f"flags: {', '.join(sorted(FASTMATH))}",
        )
    names = set(flags)
    if "fast" in names:
        names = (names - {"fast"}) | FASTMATH
    if not names <= FASTMATH:
        unknown = ", ".join(sorted(names - FASTMATH))  # pyright: ignore[reportArgumentType]
        hint = f"flags: {', '.join(sorted(FASTMATH))}"
        raise OptionError(f"option {name} has no flag {unknown}", hint=hint)
    return frozenset(names)  # pyright: ignore[reportReturnType]


def _inline(name: str, value: Any) -> Any:
    if value in ("never", "always") or (callable(value) and not isinstance(value, type)):
        return value
    raise OptionError(
        f"option {name} must be 'never', 'always' or a function, not {shown(value)}",
        hint="the function gets the call, and the IR of caller and callee; it returns a bool",
    )


def _locals(name: str, value: Any) -> tuple[tuple[str, Any], ...]:
    if not isinstance(value, Mapping) or not all(isinstance(variable, str) for variable in value):
        raise OptionError(
            f"option {name} must be a dict of variables and their types, not {shown(value)}",
            hint='locals={"x": "float32"}',
        )
    for variable, ty in value.items():
        if not isinstance(ty, str) and not (hasattr(ty, "typecode") and hasattr(ty, "is_none")):
            raise OptionError(
                f"option {name}: the type of {variable!r} is {shown(ty)}",
                hint='use cutaway.float32, or a string: "float32"',
            )
    return tuple(sorted(value.items()))


_warned: set[str] = set()


def warn_once(option: str, message: str, hint: str = "") -> None:
    """Warn of an option that has no effect, once in a process: the program may use a package that
    sets it for many functions."""
    if option not in _warned:
        _warned.add(option)
        more = f"; {hint}" if hint else ""
        warnings.warn(f"option {option}: {message}{more}", OptionWarning, stacklevel=2)


def check_locals(flags: Flags, code: CodeType) -> None:
    """Warn of a variable in `locals` that a function does not have."""
    variables = (*code.co_varnames, *code.co_cellvars)
    for name, _ in flags.locals:
        if name not in variables:
            hint = did_you_mean(name, variables, f"variables: {', '.join(variables)}")
            warn_once("locals", f"{code.co_name} has no variable {name!r}", hint)


def _parallel(name: str, value: Any) -> frozenset[str]:
    if isinstance(value, bool):
        return frozenset(PARALLEL) if value else frozenset()
    if isinstance(value, str) and value == CHECKED:
        return frozenset((*PARALLEL, CHECKED))
    known = ", ".join(PARALLEL)
    parts = dict(value) if isinstance(value, Mapping) else None
    races = None if parts is None else parts.pop(RACY, None)
    if parts is None or not all(isinstance(one, bool) for one in parts.values()):
        raise OptionError(
            f"option {name} must be True, False, 'check' or a dict of these, not {shown(value)}",
            hint=f"parts: {known}",
        )
    if races not in (None, "allowed", CHECKED):
        raise OptionError(
            f"option {name}: {RACY} must be 'allowed' or 'check', not {shown(races)}",
            hint=f'{name}={{"{RACY}": "allowed"}} allows what would be an error or a warning',
        )
    unknown = [part for part in parts if part not in PARALLEL]
    if unknown:
        hint = did_you_mean(str(unknown[0]), PARALLEL, f"parts: {known}")
        raise OptionError(f"option {name} has no part {unknown[0]!r}", hint=hint)
    more = {None: (), "allowed": (RACY,), CHECKED: (CHECKED,)}[races]
    return frozenset((*(part for part in PARALLEL if parts.get(part, True)), *more))


def _ignored(name: str, value: Any) -> None:
    """Check an option that has no flag.

    Raises OptionError for a value that requests a feature which does not exist here.
    """
    absent = _WITHOUT_FLAG[name]
    if absent.warns and value:
        return warn_once(name, absent.warns)
    if any(type(value) is type(idle) and value == idle for idle in absent.asks_nothing):
        return
    if isinstance(absent.asks_nothing[0], bool):
        _flag(name, value)
    raise OptionError(f"option {name}={shown(value)} requests {absent.what}", hint=absent.hint)


@dataclass(frozen=True, slots=True)
class _WithoutFlag:
    """An option of Numba that has no effect here.

    `asks_nothing`: the accepted values, its default among them.  For any other value the error
    message names the feature, `what`, and the `hint` what to write instead; or it only `warns`,
    if the same code is right without the option.
    """

    asks_nothing: tuple[Any, ...]
    what: str = ""
    hint: str = ""
    warns: str = ""


_EITHER = (True, False)
_WITHOUT_FLAG = {
    # Compilation never falls back to object mode by itself, so all values mean the same.
    "nopython": _WithoutFlag((True, False, None)),
    # A call needs no wrapper, and none for C is generated.
    "no_cpython_wrapper": _WithoutFlag(_EITHER),
    "no_cfunc_wrapper": _WithoutFlag(_EITHER),
    **dict.fromkeys(
        ("target", "_target"),
        _WithoutFlag(("cpu",), "a target that is not available", 'remove it: it is "cpu"'),
    ),
    # Index checks and line numbers in tracebacks exist without it.
    "debug": _WithoutFlag((*_EITHER, None)),
    **dict.fromkeys(
        ("_dbg_extend_lifetimes", "_dbg_optnone"),
        _WithoutFlag((False, None), warns="there is no code for debuggers of machine code"),
    ),
    # It changes no result.
    "no_rewrites": _WithoutFlag(_EITHER),
    # Code counts references wherever there is memory to manage, without an option.
    "_nrt": _WithoutFlag(_EITHER),
    "writable_args": _WithoutFlag(
        (False,), "writable arguments, which are not available", "remove writable_args"
    ),
    "pipeline_class": _WithoutFlag(
        (None,), "a compiler class; here the passes come from a Pipeline", "write pipeline=..."
    ),
}

_READERS = {
    "boundscheck": _boundscheck,
    "overflow": _overflow,
    "error_model": _error_model,
    "float_to_int": _float_to_int,
    "fastmath": _fastmath,
    "vector_math": _flag,
    "nogil": _flag,
    "cache": _flag,
    "inline": _inline,
    "forceinline": _flag,
    "locals": _locals,
    "parallel": _parallel,
    "forceobj": _flag,
    "looplift": _flag,
}
