"""The options of `vectorize` and `guvectorize`, checked when a function is decorated."""

from __future__ import annotations

from typing import Any

from cutaway.errors import OptionError, did_you_mean
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.options import Flags, flags_from_options, shown

# NumPy's numbers for the identity of a reduction.
NO_IDENTITY, REORDERABLE = -1, -2
_IDENTITIES = {None: NO_IDENTITY, 0: 0, 1: 1, "reorderable": REORDERABLE}
_OWN = ("identity", "target", "writable_args")
# Options of @jit that mean something for a kernel, too.
_OF_JIT = frozenset(
    "boundscheck overflow error_model fastmath vector_math nogil cache inline locals nopython"
    " forceobj looplift no_cpython_wrapper no_cfunc_wrapper debug forceinline".split()
)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one function: those of the compiler, the identity of its reductions as NumPy
    numbers it, and the arguments that the kernel writes to although they are inputs."""

    flags: Flags
    identity: int = NO_IDENTITY
    writable: tuple[Any, ...] = ()  # Any: places, or names


def read_options(decorator: str, options: dict[str, Any]) -> Options:  # Any: see each option
    """The options that were written.

    Raises OptionError for an unknown option, or a value that it does not take.
    """
    known = sorted(_OF_JIT | set(_OWN))
    for name in options:
        if name not in known:
            hint = did_you_mean(name, tuple(known), f"options: {', '.join(known)}")
            raise OptionError(f"@{decorator} has no option {name!r}", hint=hint)
    _check_target(options.get("target", "cpu"))
    of_jit = {name: value for name, value in options.items() if name in _OF_JIT}
    # As in the reference: an element is what NumPy would give, and a division by zero no error.
    of_jit.setdefault("error_model", "numpy")
    return Options(
        flags_from_options(of_jit),
        _identity(options.get("identity")),
        _writable(decorator, options.get("writable_args", ())),
    )


def _check_target(target: Any) -> None:  # Any: what the user wrote
    if target in ("cpu", "parallel"):
        return
    if target == "cuda":
        raise OptionError(
            "option target='cuda' requests code for a GPU, which is not available",
            hint="remove target: the loops run on the CPU",
        )
    raise OptionError(
        f"option target must be 'cpu' or 'parallel', not {shown(target)}", hint="remove target"
    )


def _identity(value: Any) -> int:  # Any: what the user wrote
    known = value is None or isinstance(value, str | int) and not isinstance(value, bool)
    if not known or value not in _IDENTITIES:
        raise OptionError(
            f"option identity must be 0, 1, None or 'reorderable', not {shown(value)}",
            hint="reductions begin with it; 'reorderable' says that any order gives the same",
        )
    return _IDENTITIES[value]


def _writable(decorator: str, value: Any) -> tuple[Any, ...]:  # Any: what the user wrote
    if value and decorator == "vectorize":
        raise OptionError(
            "option writable_args is for guvectorize", hint="return what is to be written"
        )
    if not isinstance(value, tuple | list) or not all(
        isinstance(one, str | int) and not isinstance(one, bool) for one in value
    ):
        raise OptionError(
            f"option writable_args must be a tuple of places or names, not {shown(value)}",
            hint="writable_args=(0,)",
        )
    return tuple(value)
