"""Describe compilations and passes in a line: the same for a live one and for its record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cutaway.inspection.record.model import Failure


def pass_text(name: str, stage: str, changed: bool, seconds: float) -> str:
    """Describe a pass in a line."""
    mark = "changed" if changed else "no change"
    return f"{name} ({stage}): {mark}, {seconds * 1e3:.2f} ms"


def compilation_text(
    signature: str, levels: Sequence[str], passes: Iterable[str], failure: str
) -> str:
    """Describe a compilation: its levels, and a line for each pass."""
    lines = [f"{signature}: {' -> '.join(levels)}", *(f"  {line}" for line in passes)]
    if failure:
        lines.append(f"  failed: {failure}")
    return "\n".join(lines)


def failure_text(error: Failure) -> str:
    """Describe the error that ended a compilation, with its line and hint."""
    where = f", line {error.span[0]}" if error.span[0] else ""
    lines = [f"{error.message} ({error.kind}{where})"]
    lines += [f"    {note}" for note in error.notes]
    return "\n".join(lines + ([f"    hint: {error.hint}"] if error.hint else []))
