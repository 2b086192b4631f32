"""Every exception that Cutaway raises of its own, in one tree.

A user's error says what is wrong in the user's words, where (file, line, the source line with
a caret), and one hint.  An unsupported feature and a type error are different classes.  An
internal error names the pass and the function and asks for a report; it is never the user's
fault.  Exceptions that the user's own program raises (`ZeroDivisionError`, `IndexError`, ...)
are Python's, not of this tree.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from cutaway.source import UNKNOWN, Loc, caret_lines, shown_file


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A hint for a name that is unknown: the known one most like it, or `otherwise`."""
    difflib = importlib.import_module("difflib")  # slow to load, and seldom needed
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]}?" if near else otherwise


class CutawayError(Exception):
    """Base of the tree.

    `code` is the stable id of the kind of error, `message` one sentence in the user's words,
    `loc` the span it is about, `hint` what to do about it (may be empty), `notes` further
    lines, for instance the candidates that were tried.
    """

    code = "CA000"

    def __init__(
        self, message: str, loc: Loc = UNKNOWN, hint: str = "", notes: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.loc = loc
        self.hint = hint
        self.notes = notes

    def __str__(self) -> str:
        lines = [f"{self.message} [{self.code}]"]
        if self.loc.line:
            lines.append(f'  File "{shown_file(self.loc.filename)}", line {self.loc.line}')
            lines += ["    " + text for text in caret_lines(self.loc)]
        lines += ["  " + note for note in self.notes]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class CompileError(CutawayError):
    """The function cannot be compiled: base of what a compilation of the user's code raises.

    `explained` says that the notes tell where the types came from, as far as is known.
    """

    code = "CA100"
    explained = False


class UnsupportedError(CompileError):
    """Valid Python that Cutaway does not compile (yet)."""

    code = "CA101"


class TypingError(CompileError):
    """The types do not fit: Python would fail as well, or no common type exists."""

    code = "CA102"


class AmbiguousCallError(TypingError):
    """Several specialisations or overloads match a call equally well."""

    code = "CA103"


class ConstantError(CompileError):
    """A constant that its type cannot hold, or a constant expression that raises."""

    code = "CA104"


class ExtensionError(CompileError):
    """An extension is wrong: it fails, or gives what does not fit.  `loc` is a line of its own."""

    code = "CA105"


class OptionError(CutawayError, TypeError):
    """An unknown option, or a value that an option does not take, at decoration."""

    code = "CA201"


class SignatureError(CutawayError, TypeError):
    """A signature that cannot be read."""

    code = "CA202"


class NotCompiledError(SignatureError, KeyError):
    """A signature that a function was not compiled for, where one that it was is asked for."""

    code = "CA203"


class PipelineError(CutawayError):
    """A pipeline whose passes are unknown, out of order or incomplete."""

    code = "CA301"


class ParseError(CutawayError):
    """Text that is not IR; `loc` points into that text."""

    code = "CA302"


class VerifyError(CutawayError):
    """IR that breaks an invariant; `notes` lists every violation."""

    code = "CA303"


class InterpreterError(CutawayError):
    """The interpreter was asked for something that IR cannot mean."""

    code = "CA304"


class RecordError(CutawayError):
    """A file that is not the record of a compilation, or one that this version cannot read."""

    code = "CA305"


class EditError(CutawayError):
    """An edit of a program at some level that is refused; `loc` points into the edited text."""

    code = "CA307"


class InstallError(CutawayError, TypeError):
    """What cannot be installed in the place of a specialisation, or is not installed."""

    code = "CA306"


class CacheWarning(UserWarning):
    """A file or folder of cached machine code that cannot be used."""


class ReportWarning(UserWarning):
    """A page of a compilation that cannot be written."""


class ExtensionWarning(UserWarning):
    """An installed package that extends compiled code, and fails to."""


class InternalError(CutawayError):
    """A bug in Cutaway."""

    code = "CA900"
