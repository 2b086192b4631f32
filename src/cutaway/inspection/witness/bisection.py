"""The result of `c.bisect`: the first pass, rewrite and value that differ from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import source_line
from cutaway.inspection.recording.recording import Recording
from cutaway.inspection.showing.displayed import Displayed
from cutaway.inspection.witness.outcomes import shown
from cutaway.inspection.witness.reproducer import script
from cutaway.inspection.witness.values import Departure


@dataclass(frozen=True, eq=False)
class Bisection(Displayed):
    """The first fault of a compilation; `pass_name` is empty if there is none.

    `difference` is the difference of the program's outcome after the pass.  `rule` and `note`
    describe the rewrite, located at `origin`; it is number `number` of `rewrites`.  `value` is the
    first value that differs.  `arguments` are the user's, `smaller` are shrunk ones with the same
    fault. `called_by` is the traced function, if the fault is in one that it calls.  `executions`
    counts the runs of programs after passes, without shrinking.
    """

    compilation: Recording
    arguments: tuple[Any, ...]
    smaller: tuple[Any, ...]
    pass_name: str = ""
    level: str = ""
    difference: str = ""
    rule: str = ""
    note: str = ""
    origin: str = ""
    number: int = 0
    rewrites: int = 0
    value: Departure | None = None
    executions: int = 0
    sentence: str = ""
    called_by: str = ""

    @property
    def ok(self) -> bool:
        """True if these arguments show no fault."""
        return not self.pass_name

    @property
    def line(self) -> int:
        """The line of the user's source where the first value differs; 0 if unknown."""
        return self.value.loc.line if self.value is not None else 0

    def reproducer(self, path: str | Path | None = None) -> str:
        """Return a script that reproduces the fault; write it to a file if a path is passed."""
        text = script(self.compilation, self.smaller, self.pass_name, self.difference)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the bisection as plain data."""
        value = self.value
        return {
            "function": self.compilation.name,
            "called_by": self.called_by,
            "ok": self.ok,
            "pass": self.pass_name,
            "level": self.level,
            "difference": self.difference,
            "rewrite": {
                "rule": self.rule,
                "note": self.note,
                "origin": self.origin,
                "number": self.number,
                "of": self.rewrites,
            },
            "value": value
            and {
                "what": value.what,
                "line": value.loc.line,
                "expected": value.expected,
                "found": value.found,
                "time": value.time,
            },
            "arguments": [shown(argument) for argument in self.arguments],
            "smaller": [shown(argument) for argument in self.smaller],
            "executions": self.executions,
        }

    def lines(self) -> list[str]:
        """Return the text, line by line."""
        head = f"{self.compilation.name}({', '.join(map(shown, self.arguments))})"
        if self.ok:
            return [f"{head}: {self.sentence}"]
        rows = [f"{head}: wrong from pass {self.pass_name} on ({self.level})"]
        rows += [f"  called by   {self.called_by}"] if self.called_by else []
        rows.append(f"  difference  {self.difference}")
        if self.rule:
            of = f", {self.number} of {self.rewrites}" if self.rewrites else ""
            rows.append(f"  rewrite     {self.rule}{of}" + (f": {self.note}" if self.note else ""))
        if self.origin:
            rows.append(f"  rule at     {self.origin}")
        if self.value is not None:
            rows.append(f"  first value {self.value}")
        if self.line and self.value is not None:
            text = source_line(self.value.loc.filename, self.line).strip()
            rows += [f"              {text}"] if text else []
        if self.smaller is not self.arguments:
            rows.append(f"  also with   ({', '.join(map(shown, self.smaller))})")
        rows.append(f"  {self.executions} runs of the program; .reproducer() writes a script")
        return rows

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        where = self.pass_name or "nothing is wrong"
        return f"<bisection of {self.compilation.name}: {where}>"
