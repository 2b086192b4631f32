"""The exceptions that Cutaway raises, in one tree.

A user's error has a message in the user's terms, the location (file, line, the source line with
a caret), and one hint.  An unsupported feature and a type error are different classes.  An
internal error names the pass and the function and asks for a report; it is never the user's
fault.  Exceptions of the user's own program (`ZeroDivisionError`, `IndexError`, ...) are
Python's and not in this tree.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from cutaway.foundation.source import UNKNOWN, Loc, caret_lines, is_our_file, shown_file


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the hint for an unknown name: the most similar known one, or `otherwise`."""
    difflib = importlib.import_module("difflib")  # slow to load, and seldom needed
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]}?" if near else otherwise


class CutawayError(Exception):
    """The base class of Cutaway's errors.

    `code` is the stable id of the kind of error, `message` one sentence in the user's terms,
    `loc` the source span, `hint` a suggested remedy (may be empty), `notes` further lines, such
    as the candidates that were tried.
    """

    code = "CA000"

    def __init__(
        self,
        message: str = "",
        loc: Loc | None = UNKNOWN,
        hint: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = str(message)
        self.loc = loc if isinstance(loc, Loc) else UNKNOWN  # extensions may pass anything
        self.hint = hint
        self.notes = notes

    @property
    def msg(self) -> str:
        """The same as `message`."""
        return self.message

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
    """The function cannot be compiled: the base class of errors in the user's code.

    `explained` is true if the notes contain the origins of the types, as far as they are known.
    """

    code = "CA100"
    explained = False

    def seen_at(self, loc: Loc) -> None:
        """Set the location to that of an op, if the error has none yet, or one inside of Cutaway's
        library: users need the call that led there, and its types."""
        if not self.loc.line:
            self.loc = loc
        elif is_our_file(self.loc.filename) and not is_our_file(loc.filename):
            self.loc, self.notes, self.explained = loc, (), False


class UnsupportedError(CompileError):
    """Valid Python that Cutaway does not compile (yet)."""

    code = "CA101"


class TypingError(CompileError):
    """A type error: Python would fail as well, or the types cannot be unified."""

    code = "CA102"


class UnsupportedTypeError(UnsupportedError, TypingError):
    """Valid Python that Cutaway does not compile for values of these types, or for this callee.

    `except TypingError` catches it, as programs expect that look whether a function compiles for
    their arguments.
    """


class AmbiguousCallError(TypingError, TypeError):
    """Several specializations or overloads match a call equally well."""

    code = "CA103"


class NoMatchError(TypingError, TypeError):
    """No signature accepts the arguments of a call, and the function compiles no other."""

    code = "CA106"


class UntypedValueError(TypingError, ValueError):
    """A value that has no type in compiled code, so that no argument can be one like it."""


class ForceLiteralArg(TypingError):
    """Raised by a typer of an extension: the values of these arguments must be known.

    `places` are positions of the typer's parameters.  The compiler calls the typer again with
    literal types, and compiles the function once per value, as for `literally`.
    """

    def __init__(
        self, arg_indices: Iterable[int], fold_arguments: object = None, loc: Loc | None = None
    ) -> None:
        self.places = tuple(sorted(arg_indices))
        shown = ", ".join(f"{place + 1}" for place in self.places)
        super().__init__(f"the value of argument {shown} must be known at compile time", loc)


class ExtensionError(CompileError):
    """An extension raised, or returned something invalid; `loc` is a line of the extension."""

    code = "CA105"


# An extension's exception of a builtin class reaches its users as both classes, to be caught.
EXTENSION_ERRORS: MappingProxyType[type[Exception], type[ExtensionError]] = MappingProxyType(
    {
        raised: type(
            f"Extension{raised.__name__}", (ExtensionError, raised), {"__module__": __name__}
        )
        for raised in (
            AssertionError,
            AttributeError,
            IndexError,
            KeyError,
            NotImplementedError,
            RuntimeError,
            TypeError,
            ValueError,
        )
    }
)
globals().update({cls.__name__: cls for cls in EXTENSION_ERRORS.values()})


class OptionError(CutawayError, TypeError):
    """An unknown option, or an invalid value of an option, at decoration."""

    code = "CA201"


class SignatureError(CutawayError, TypeError):
    """A signature that cannot be parsed."""

    code = "CA202"


class SettingError(CutawayError):
    """A setting whose value is invalid on this machine."""

    code = "CA204"


class NotCompiledError(SignatureError, KeyError):
    """A query about a signature for which the function was not compiled."""

    code = "CA203"


class PipelineError(CutawayError):
    """A pipeline whose passes are unknown, out of order or incomplete."""

    code = "CA301"


class ParseError(CutawayError):
    """Text that is not IR; `loc` points into that text."""

    code = "CA302"


class VerifyError(CutawayError):
    """IR that violates an invariant; `notes` lists every violation."""

    code = "CA303"


class InterpreterError(CutawayError):
    """The interpreter cannot execute an operation."""

    code = "CA304"


class RecordError(CutawayError):
    """A file that is not the record of a compilation, or one that this version cannot read."""

    code = "CA305"


class EditError(CutawayError):
    """A refused edit of a program; `loc` points into the edited text."""

    code = "CA307"


class RaceError(CutawayError):
    """Iterations of a parallel loop that touch the same elements, found by `parallel="check"`;
    `report` is that of `cutaway.check_races`."""

    code = "CA308"

    def __init__(self, message: str, report: Any, loc: Loc, hint: str) -> None:
        super().__init__(message, loc, hint, report.lines)
        self.report = report

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.report, self.loc, self.hint)


class CudaError(CutawayError):
    """A GPU that is missing or cannot do something."""

    code = "CA401"


class LaunchError(CudaError):
    """A launch that the driver refuses, or a kernel that failed; `kernel` is its name, `result` the
    driver's number, if there is one."""

    code = "CA402"

    def __init__(
        self,
        message: str,
        kernel: str = "",
        loc: Loc | None = None,
        hint: str = "",
        result: int = 0,
    ) -> None:
        super().__init__(message, loc, hint)
        self.kernel = kernel
        self.result = result

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.kernel, self.loc, self.hint, self.result)


class CudaDriverError(CudaError):
    """A failed driver call: the `function`, the `result` code, and its `name` in CUresult."""

    code = "CA403"

    def __init__(
        self, message: str, function: str = "", result: int = 0, name: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.function = function
        self.result = result
        self.name = name

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.function, self.result, self.name, self.hint)


class SimulationError(CudaError):
    """An error that the kernel simulator finds: a barrier that not all threads reach, memory that
    is read before it is written."""

    code = "CA403"


class InstallError(CutawayError, TypeError):
    """A program cannot replace a specialization, or nothing is installed."""

    code = "CA306"


class CutawayWarning(UserWarning):
    """The base class of Cutaway's warnings; `loc` is accepted, as for errors, but not shown."""

    def __init__(self, message: object = "", loc: object = None) -> None:
        super().__init__(message)
        self.loc = loc


class CacheWarning(CutawayWarning):
    """A file or folder of cached machine code that cannot be used."""


class RaceWarning(CutawayWarning):
    """A parallel loop whose iterations may touch the same elements, or draw random numbers from one
    stream; or one that a check could not analyze."""


class OptionWarning(CutawayWarning):
    """An option that has no effect."""


class ReportWarning(CutawayWarning):
    """A page of a compilation that cannot be written."""


class ExtensionWarning(CutawayWarning):
    """An installed package whose extension fails to load."""


class InternalError(CutawayError):
    """A bug in Cutaway."""

    code = "CA900"


# Numba's names of these classes: programs and extensions written for Numba can catch and raise
# them.
ALIASES: MappingProxyType[str, type[CutawayError]] = MappingProxyType(
    {
        "NumbaError": CutawayError,
        # Code that cannot be compiled, by phase.
        "CompilerError": CompileError,
        "LoweringError": CompileError,
        "NumbaRuntimeError": CompileError,
        "ByteCodeSupportError": UnsupportedError,
        "ForbiddenConstruct": UnsupportedError,
        "UnsupportedBytecodeError": UnsupportedError,
        "UnsupportedParforsError": UnsupportedError,
        "UnsupportedRewriteError": UnsupportedError,
        # Type mismatches.
        "ConstantInferenceError": TypingError,
        "LiteralTypingError": TypingError,
        "RequireLiteralValue": TypingError,
        "UntypedAttributeError": TypingError,
        "NumbaAssertionError": TypingError,
        "NumbaAttributeError": TypingError,
        "NumbaIndexError": TypingError,
        "NumbaKeyError": TypingError,
        "NumbaNotImplementedError": TypingError,
        "NumbaTypeError": TypingError,
        "NumbaValueError": TypingError,
        # Invalid IR.
        "IRError": VerifyError,
        "NotDefinedError": VerifyError,
        "RedefinedError": VerifyError,
        "VerificationError": VerifyError,
        # Options, and bugs.
        "DeprecationError": OptionError,
        "InternalTargetMismatchError": InternalError,
        "NonexistentTargetError": InternalError,
    }
)

# Warnings of Numba that never occur here, with their other base class besides CutawayWarning:
# warning filters name them, and each must silence itself alone.
_QUIET: dict[str, tuple[type[Warning], ...]] = {
    "NumbaDebugInfoWarning": (),
    "NumbaDeprecationWarning": (DeprecationWarning,),
    "NumbaExperimentalFeatureWarning": (),
    "NumbaIRAssumptionWarning": (),
    "NumbaInvalidConfigWarning": (),
    "NumbaParallelSafetyWarning": (),
    "NumbaPedanticWarning": (),
    "NumbaPendingDeprecationWarning": (PendingDeprecationWarning,),
    "NumbaPerformanceWarning": (),
    "NumbaSystemWarning": (),
    "NumbaTypeSafetyWarning": (),
}
WARNING_ALIASES: MappingProxyType[str, type[Warning]] = MappingProxyType(
    {"NumbaWarning": CutawayWarning}
    | {name: type(name, (CutawayWarning, *more), {}) for name, more in _QUIET.items()}
)
globals().update(ALIASES, **WARNING_ALIASES)
