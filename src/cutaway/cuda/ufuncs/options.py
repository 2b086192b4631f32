"""The options of `vectorize` and `guvectorize` for a GPU, and those of calls."""

from __future__ import annotations

from typing import Any

from cutaway.cuda.options import KernelOptions, kernel_options
from cutaway.errors import OptionError, did_you_mean
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.options import Flags
from cutaway.ufuncs.options import NO_IDENTITY, read_identity, read_writable

_OWN = ("identity", "target", "writable_args")
_OF_KERNELS = (
    *("boundscheck", "cache", "cc", "debug", "error_model", "fastmath", "fma", "inline"),
    *("lineinfo", "locals", "max_registers", "nopython", "opt", "overflow"),
)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one function: those of its kernels, NumPy's number of its reduction identity,
    and the inputs that it also writes to."""

    flags: Flags
    kernel: KernelOptions
    identity: int = NO_IDENTITY
    writable: tuple[Any, ...] = ()


def read_options(decorator: str, options: dict[str, Any]) -> Options:
    """Parse the options of a decorator.

    Raises OptionError for an unknown option, or an invalid value.
    """
    known = sorted((*_OWN, *_OF_KERNELS))
    for name in options:
        if name not in known:
            hint = did_you_mean(name, tuple(known), f"options: {', '.join(known)}")
            raise OptionError(f"@{decorator}(target='cuda') has no option {name!r}", hint=hint)
    of_kernels = {name: value for name, value in options.items() if name in _OF_KERNELS}
    kernel, flags = kernel_options(of_kernels)
    return Options(
        flags,
        kernel,
        read_identity(options.get("identity")),
        read_writable(decorator, options.get("writable_args", ())),
    )


# --- calls ------------------------------------------------------------------------------------

_OF_CALL = ("out", "where", "casting", "order", "subok", "dtype", "signature", "sig", "stream")


@dataclass(frozen=True, slots=True)
class CallOptions:
    """The options of one call, as in NumPy's ufuncs, and the stream."""

    out: Any = None
    where: Any = True
    casting: str = "same_kind"
    order: str = "K"
    dtype: Any = None
    signature: Any = None
    stream: Any = 0

    def outputs(self, name: str, given: tuple[Any, ...], count: int) -> list[Any]:
        """Return the arguments for the outputs, None for new ones.

        `given` are the arguments behind the inputs.  Raises TypeError or ValueError as NumPy does.
        """
        if self.out is None:
            return [*given, *[None] * (count - len(given))]
        if given:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        outputs = self.out if isinstance(self.out, tuple) else (self.out,)
        if len(outputs) != count:
            if isinstance(self.out, tuple):
                raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
            raise TypeError(f"{name}() has {count} outputs: out must be a tuple of as many arrays")
        return list(outputs)

    def chosen(self, nin: int, nout: int) -> dict[str, Any]:
        """Return the requested dtypes, as arguments of `np.ufunc.resolve_dtypes`."""
        if self.dtype is not None:
            return {"signature": (*[None] * nin, *[self.dtype] * nout)}
        return {} if self.signature is None else {"signature": self.signature}


def read_call(name: str, options: dict[str, Any]) -> CallOptions:
    """Parse the options of a call.

    Raises TypeError for an unknown one, or if some exclude each other.
    """
    for one in options:
        if one not in _OF_CALL:
            raise TypeError(f"{name}() got an unexpected keyword argument {one!r}")
    given = {one: value for one, value in options.items() if one not in ("sig", "subok")}
    if "sig" in options:
        if "signature" in given:
            raise TypeError("cannot specify both 'sig' and 'signature'")
        given["signature"] = options["sig"]
    if given.get("dtype") is not None and given.get("signature") is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    order = given.get("order", "K")
    if order not in ("K", "C", "F", "A"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    return CallOptions(**given)
