"""Compare an edited program with the original by running both.

Each runs on copies of the arguments, in a process of its own: an edited program may crash, or never
end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.errors import EditError
from cutaway.foundation.sandbox import Answer, in_child
from cutaway.inspection.witness.outcomes import Outcome, compare, perform, shown

_SECONDS = 10.0
_TRUST = "resume(unsafe=True) accepts the edit anyway"


def checked(
    name: str,
    edited: Callable[..., Any],
    original: Callable[..., Any],
    args: tuple[Any, ...] | None,
    unsafe: bool,
) -> str:
    """Return a sentence that says how an edit was checked.

    Raises EditError if it differs from the original, unless `unsafe` allows that.
    """
    if args is None:
        return "not checked: there are no arguments to run it with"
    arguments = f"({', '.join(map(shown, args))})"
    problem = _difference(name, edited, original, args)
    if not problem:
        return f"does what the original does with {arguments}"
    if unsafe:
        return f"unsafe: with {arguments} {problem}"
    raise EditError(
        f"the edited {name} does not do what the original does: with {arguments} {problem}",
        hint=_TRUST,
    )


def _difference(
    name: str, edited: Callable[..., Any], original: Callable[..., Any], args: tuple[Any, ...]
) -> str:
    """Return the difference in words; empty if both behave alike."""
    answer = in_child(lambda: perform(edited, args), _SECONDS)
    expected = in_child(lambda: perform(original, args), _SECONDS)
    if answer.value is None or expected.value is None:
        return _unfinished(name, answer, expected)
    difference = compare(expected.value, answer.value)
    return "" if difference is None else difference.in_words("in the original", "in the edited one")


def _unfinished(name: str, answer: Answer[Outcome], expected: Answer[Outcome]) -> str:
    """Return the reason why a run has no outcome."""
    if answer.value is None and expected.value is None and answer.kind == expected.kind:
        if answer.kind == "not run":
            return f"it {answer.words}"
        return f"neither returned a result: the original {expected.words}"
    if answer.value is None:
        return f"the edited one {answer.words}; the original {_told(expected)}"
    return f"the original {expected.words}; the edited one {_told(answer)}"


def _told(answer: Answer[Outcome]) -> str:
    return answer.words if answer.value is None else str(answer.value)
