"""The options of `vectorize` and `guvectorize`, checked when a function is decorated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.errors import OptionError, did_you_mean
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.options import Flags, flags_from_options, shown

# NumPy's codes for the identity of a reduction.
NO_IDENTITY, REORDERABLE = -1, -2
_IDENTITIES = {None: NO_IDENTITY, 0: 0, 1: 1, "reorderable": REORDERABLE}
_OWN = ("identity", "parallel", "target", "writable_args")
# Options of @jit that apply to a kernel, too.
_OF_JIT = frozenset(
    "boundscheck overflow error_model float_to_int fastmath vector_math nogil cache inline locals"
    " nopython forceobj looplift no_cpython_wrapper no_cfunc_wrapper debug forceinline".split()
)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one function: those of the compiler, NumPy's code for the identity of its
    reductions, and the inputs that the kernel writes to."""

    flags: Flags
    identity: int = NO_IDENTITY
    writable: tuple[Any, ...] = ()


def read_options(decorator: str, options: dict[str, Any]) -> Options:
    """Check the options that were written.

    Raises OptionError for an unknown option, or a value that it does not take.
    """
    known = sorted(_OF_JIT | set(_OWN))
    for name in options:
        if name not in known:
            hint = did_you_mean(name, tuple(known), f"options: {', '.join(known)}")
            raise OptionError(f"@{decorator} has no option {name!r}", hint=hint)
    if options.get("forceobj"):
        raise OptionError(
            f"@{decorator} makes loops over numbers, and option forceobj requests object mode",
            hint="remove forceobj; np.frompyfunc makes a ufunc of any Python function",
        )
    # `parallel` asks for the same as target="parallel": a kernel's loops run in the caller's
    # thread.
    flags_from_options({"parallel": options.get("parallel", False)})
    of_jit = {name: value for name, value in options.items() if name in _OF_JIT}
    # As in the reference: an element has NumPy's value, and division by zero does not raise.
    of_jit.setdefault("error_model", "numpy")
    return Options(
        flags_from_options(of_jit),
        read_identity(options.get("identity")),
        read_writable(decorator, options.get("writable_args", ())),
    )


def is_on_gpu(options: dict[str, Any]) -> bool:
    """True if option `target` asks for code for a GPU.

    Raises OptionError for an unknown target.
    """
    target = options.get("target", "cpu")
    if isinstance(target, str) and target in ("cpu", "parallel", "cuda"):
        return target == "cuda"
    raise OptionError(
        f"option target must be 'cpu', 'parallel' or 'cuda', not {shown(target)}",
        hint="remove target: the loops run on the CPU",
    )


def read_identity(value: Any) -> int:
    """Return NumPy's code for an identity.

    Raises OptionError for any other value.
    """
    known = value is None or isinstance(value, str | int) and not isinstance(value, bool)
    if not known or value not in _IDENTITIES:
        raise OptionError(
            f"option identity must be 0, 1, None or 'reorderable', not {shown(value)}",
            hint="reductions begin with it; 'reorderable' says that any order gives the same",
        )
    return _IDENTITIES[value]


def read_writable(decorator: str, value: Any) -> tuple[Any, ...]:
    """Return the inputs that a kernel writes to, as they were written.

    Raises OptionError for anything else, and for a function of elements.
    """
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


def writable_places(function: str, names: Sequence[str], written: Sequence[Any]) -> tuple[int, ...]:
    """Return the indices of the inputs that a kernel writes to.

    Raises OptionError for an unknown input.
    """
    places = []
    for one in written:
        index = names.index(one) if one in names else one
        if not isinstance(index, int) or not 0 <= index < len(names):
            raise OptionError(
                f"option writable_args: {function} has no input {one!r}",
                hint=f"inputs: {', '.join(names)}",
            )
        places.append(index)
    return tuple(places)
