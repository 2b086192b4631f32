"""Call extension code and report its errors at the extension's own file and line."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from cutaway.errors import (
    EXTENSION_ERRORS,
    CompileError,
    CutawayError,
    ExtensionError,
    InternalError,
    TypingError,
    UnsupportedError,
    UnsupportedTypeError,
)
from cutaway.foundation.options import shown
from cutaway.foundation.source import Loc, line_of, place_of
from cutaway.ir.traversal import by_place_and_name
from cutaway.typing.inference.literals import literal_types, plain_types
from cutaway.typing.overloads.resolution import Call
from cutaway.typing.types import Type


def extension_error(
    function: Any, message: str, hint: str = "", notes: tuple[str, ...] = ()
) -> ExtensionError:
    """Return the error for an extension's function that behaves or returns wrongly."""
    return ExtensionError(message, place_of(function), hint, notes)


def check_type_class(owner: Any, role: str) -> None:
    """Raise ExtensionError if the argument of an extension's call is not a class of types."""
    if isinstance(owner, type) and issubclass(owner, Type):
        return
    if isinstance(owner, Type):
        what, hint = f"the type {owner}", f"pass its class, type({owner})"
    else:
        what, hint = shown(owner), "pass a class derived from types.Type"
    raise ExtensionError(f"{role} expects a class of types, not {what}", hint=hint)


def call_extension(function: Callable[..., Any], role: str, /, *args: Any, **keywords: Any) -> Any:
    """Call an extension's function; `role` names it in errors, as `the typer of where`.

    Raises ExtensionError, at the line of the extension, for any exception but our own, which
    explain themselves.  It is of the exception's class, too, where that is one of
    `EXTENSION_ERRORS`.
    """
    return call_code_of(function, role, function, *args, **keywords)


def call_code_of(
    extension: Any, role: str, function: Callable[..., Any], /, *args: Any, **keywords: Any
) -> Any:
    """Call a function as `call_extension` does; errors name the location of the `extension`."""
    try:
        return function(*args, **keywords)
    except CutawayError as error:
        if not _is_placed_here(error):
            raise
        loc = _raised_at(error.__traceback__, place_of(extension))
        raise ExtensionError(f"{role}: {error.message}", loc, error.hint, error.notes) from error
    except Exception as error:  # the only place that calls code of extensions
        loc = _raised_at(error.__traceback__, place_of(extension))
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raised = EXTENSION_ERRORS.get(type(error), ExtensionError)
        raise raised(f"{role} raised {said}", loc) from error


def _is_placed_here(error: CutawayError) -> bool:
    """True if an error has no location of its own, and is reported at the extension's line."""
    return isinstance(error, ExtensionError | InternalError) and not error.loc.line


def ask_overload(
    call: Call, prefer_literal: bool, ask: Callable[[tuple[Type, ...], dict[str, Type]], Any]
) -> Any:
    """Call an extension with the types of a call, plain ones and literal types of constants; None
    where it has no answer for either.

    Raises the first of the extension's errors, as a TypingError, where it has nothing for the other
    types.
    """
    plain, literal = plain_types(call), literal_types(call.arguments)
    kinds = [literal, plain] if prefer_literal else [plain, literal]
    refused: TypingError | None = None
    for argtypes in kinds if literal != plain else [plain]:
        try:
            answer = ask(*by_place_and_name(argtypes, call.keywords))
        except ExtensionError:
            raise
        except CompileError as error:
            refused = refused or _refusal(error)
            continue
        if answer is not None:
            return answer
    if refused is not None:
        raise refused
    return None


def _refusal(error: CompileError) -> TypingError:
    """Convert a typer's exception of any class to a refusal of these types."""
    if isinstance(error, TypingError):
        return error
    cls = UnsupportedTypeError if isinstance(error, UnsupportedError) else TypingError
    refusal = cls(error.message, error.loc, error.hint, error.notes)
    return refusal.with_traceback(error.__traceback__)


def _raised_at(chain: TracebackType | None, otherwise: Loc) -> Loc:
    """Return the innermost line of an exception's traceback in the file of the extension."""
    loc = otherwise
    while chain is not None:
        code = chain.tb_frame.f_code
        if code.co_filename == otherwise.filename:
            loc = line_of(code.co_filename, chain.tb_lineno)
        chain = chain.tb_next
    return loc
