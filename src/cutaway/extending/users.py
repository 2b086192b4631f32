"""Code of extensions, as we call it: what goes wrong in it is said with its own file and line."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from cutaway.errors import CutawayError, ExtensionError
from cutaway.source import Loc, line_of, place_of


def is_ours(function: Any) -> bool:  # Any: a function or class of an extension
    """Whether a function is one of our own library, which is asked after all others."""
    return str(getattr(function, "__module__", "")).partition(".")[0] == "cutaway"


def fault(
    function: Any,  # Any: a function or class of an extension
    message: str,
    hint: str = "",
    notes: tuple[str, ...] = (),
) -> ExtensionError:
    """The error for an extension's function that does, or gives, what does not fit."""
    return ExtensionError(message, place_of(function), hint, notes)


def called(
    function: Callable[..., Any],  # Any: what an extension takes and gives
    role: str,
    *args: Any,
    at: Any = None,
    **keywords: Any,
) -> Any:
    """What an extension's function gives; `role` says what it is, as `the typer of where`, and
    `at` is the function whose place errors name, where that is another one.

    Raises ExtensionError, at the line of the extension, for any exception that is not one of
    ours: those say by themselves why a call does not fit.
    """
    try:
        return function(*args, **keywords)
    except CutawayError:
        raise
    except Exception as error:  # the one place where code of extensions is called
        place = _raised_at(error.__traceback__, place_of(at or function))
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise ExtensionError(f"{role} raised {said}", place) from error


def _raised_at(chain: TracebackType | None, otherwise: Loc) -> Loc:
    """The innermost line of an exception's traceback in the file of the extension."""
    found = otherwise
    while chain is not None:
        code = chain.tb_frame.f_code
        if code.co_filename == otherwise.filename:
            found = line_of(code.co_filename, chain.tb_lineno)
        chain = chain.tb_next
    return found
