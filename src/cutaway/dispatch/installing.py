"""Replace specializations by edited functions, and restore them.

Loaded with the first installation.  The specialization that was replaced is kept beside the edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cutaway.compiling import compiler
from cutaway.dispatch import resolution
from cutaway.dispatch.signatures import wanted_types
from cutaway.dispatch_c._dispatch import Specialization
from cutaway.errors import InstallError
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.editing.edited import EditedFunction
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.dispatch.dispatcher import Half


@dataclass(frozen=True, slots=True)
class Installed:
    """An edited function, and the specialization that it replaces, if there was one."""

    edited: EditedFunction
    before: Specialization | None


def install(half: Half, edited: Any) -> None:
    """Replace the specialization for an edited function's types by it.

    Raises InstallError for any other object, or an edit of another function.
    """
    name = half.py_func.__name__
    if not isinstance(edited, EditedFunction):
        raise InstallError(
            f"only an edited program can be installed, not {_kind_of(edited)}",
            hint=f"{name}.trace(...).at('typed').edit(...).resume() returns one",
        )
    if edited.py_func is not half.py_func:
        raise InstallError(
            f"this is an edit of {edited.py_func.__qualname__}, another function",
            hint=f"edit a trace of {name}: {name}.trace(...)",
        )
    argtypes = edited.signature
    declared = half.returns.get(argtypes)
    if declared is not None and declared is not edited.returns:
        raise InstallError(
            f"the signature of {name} says that it returns {declared}, but the edited program"
            f" returns {edited.returns}",
            hint="convert the returned value: cast(value=x)",
        )
    specialization = compiler.specialization(edited.unit)  # a new one, which counts its own calls
    specialization.seconds = edited.compilation.seconds
    with resolution.INSTALLING:
        before = resolution.exchange(half, argtypes, specialization)
        earlier = half.installed.get(argtypes)
        half.installed[argtypes] = Installed(edited, before if earlier is None else earlier.before)


def uninstall(half: Half, signature: Any = None) -> None:
    """Restore the specializations that were replaced, for one signature or for all.

    Raises InstallError where nothing is installed.
    """
    selected = None if signature is None else wanted_types(half, signature)
    with resolution.INSTALLING:
        if not half.installed or selected is not None and selected not in half.installed:
            raise _not_installed(half, selected)
        for argtypes in list(half.installed) if selected is None else [selected]:
            resolution.exchange(half, argtypes, half.installed.pop(argtypes).before)


def _not_installed(half: Half, wanted: tuple[Type, ...] | None) -> InstallError:
    name = half.py_func.__name__
    if not half.installed or wanted is None:
        hint = f"{name}.install(...) takes the result of .resume()"
        return InstallError(f"nothing is installed in {name}", hint=hint)
    return InstallError(
        f"nothing is installed in {name} for ({', '.join(map(str, wanted))})",
        hint="pass no signature to uninstall all",
        notes=tuple(f"installed: ({', '.join(map(str, a))})" for a in list(half.installed)),
    )


def _kind_of(value: Any) -> str:
    if hasattr(value, "half"):
        return "a compiled function"
    return "a Python function" if callable(value) else f"{type(value).__name__}"
