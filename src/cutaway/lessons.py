"""Predictions and self-checking exercises for the notebooks.

    guess = predict("How many blocks does `f` have?", 3)
    guess.reveal(len(blocks), {4: "a `while` tests its condition twice"}, truth=5)

    check_pass(mine, after="ssa", fires=[(f, (1,))], keeps=[(g, (2.0,))])

A pass is checked in four layers, each with the smallest example that fails: its output is valid,
and does what Python does; it fires where it should and nowhere else; and the program gets
smaller.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any

from cutaway.api import compiled
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.recording.recording import PassRecord
from cutaway.inspection.trace import Compilation
from cutaway.inspection.views import VIEWS
from cutaway.inspection.witness.execution import sample_calls
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import walk
from cutaway.stages import pipelines
from cutaway.stages.passes import Pass
from cutaway.stages.pipeline import Pipeline

Example = tuple[Callable[..., Any], tuple[Any, ...]]


# --- predictions --------------------------------------------------------------------------------


class Shown:
    """A text of lines, each a mark and a sentence, with a display for notebooks."""

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the mark and the sentence of each line."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join(f"{mark} {sentence}".strip() for mark, sentence in self.lines())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<div><b style="display:inline-block;width:1.6em">{html.escape(mark)}</b>'
            f'<span style="white-space:pre-wrap">{_with_code(sentence)}</span></div>'
            for mark, sentence in self.lines()
        )
        return f'<div style="border-left:3px solid #888;padding:.3em .8em">{rows}</div>'


def _with_code(sentence: str) -> str:
    """Convert a sentence to HTML; text in backticks is code."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", html.escape(sentence))


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(Shown):
    """An answer given before the truth is shown; `...` means no answer yet."""

    question: str
    answer: Any

    def lines(self) -> Iterator[tuple[str, str]]:
        yield "?", self.question
        missing = "not answered yet: replace `...` by your answer"
        yield "", missing if self.answer is ... else f"your answer: {self.answer}"

    def reveal(
        self,
        measured: Any,
        because: Mapping[Any, str] | None = None,
        *,
        truth: Any = ...,
    ) -> Revealed:
        """Compare the answer with this run's measurement; show nothing before there is an answer.

        `because` explains some wrong answers.  `truth` is the value that the text of the lesson
        relies on, or a function that accepts such values; AssertionError if this run measured
        another one.
        """
        holds = truth is ... or (truth(measured) if callable(truth) else truth == measured)
        if not holds:
            expected = "another one" if callable(truth) else repr(truth)
            raise AssertionError(
                f"{self.question} This run's answer is {measured!r}, but the lesson relies on"
                f" {expected}: its text is out of date, or something is broken"
            )
        return Revealed(self, measured, dict(because or {}))


@dataclass(frozen=True, eq=False, repr=False)
class Revealed(Shown):
    """A prediction and the truth."""

    prediction: Prediction
    truth: Any
    because: dict[Any, str]

    @property
    def right(self) -> bool:
        """True if the prediction was right."""
        return bool(self.prediction.answer == self.truth)

    def lines(self) -> Iterator[tuple[str, str]]:
        answer = self.prediction.answer
        yield "?", self.prediction.question
        if answer is ...:
            yield "", "predict first: replace `...` by your answer"
        elif self.right:
            yield "✓", f"{self.truth}, as you predicted"
        else:
            yield "✗", f"{self.truth}, but you predicted {answer}"
            if answer in self.because:
                yield "", self.because[answer]


def predict(question: str, answer: Any = ...) -> Prediction:
    """Record an answer before the truth is shown."""
    return Prediction(question, answer)


# --- exercises ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    """One layer of a check: its name, whether it holds, and an example where it does not."""

    name: str
    holds: bool
    detail: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Checked(Shown):
    """The result of checking an exercise; `hint(1)` to `hint(3)` reveal more and more."""

    layers: tuple[Layer, ...]
    hints: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True if every layer holds."""
        return all(layer.holds for layer in self.layers)

    def hint(self, number: int = 1) -> str:
        """Return a hint, from a gentle one to one that reveals the solution."""
        if not self.hints:
            return "this exercise has no hints"
        return self.hints[min(max(number, 1), len(self.hints)) - 1]

    def lines(self) -> Iterator[tuple[str, str]]:
        for layer in self.layers:
            yield "✓" if layer.holds else "✗", layer.name
            if layer.detail:
                yield "", layer.detail
        if not self.passed and self.hints:
            yield "", f"stuck? see `_.hint(1)` to `_.hint({len(self.hints)})`"


@dataclass(frozen=True)
class _Tried:
    """One example, compiled with the pass that is checked; `fires` says if the pass should fire."""

    step: Pass
    compilation: Compilation
    args: tuple[Any, ...]
    fires: bool

    @property
    def name(self) -> str:
        return self.compilation.signature

    @property
    def record(self) -> PassRecord:
        """The record of the pass."""
        return next(one for one in self.compilation.passes if one.name == self.step.name)


def check_pass(
    step: Pass,
    *,
    after: str,
    fires: Sequence[Example],
    keeps: Sequence[Example] = (),
    fewer: type[Op] | None = Op,
    hints: Sequence[str] = (),
) -> Checked:
    """Check a pass that is inserted after pass `after`.

    On the examples of `fires` it must change the program, and leave fewer operations of the kind
    `fewer`; on those of `keeps` it must change nothing.  The results of the program are compared
    on the arguments of each example and on others.  The check stops at the first layer that fails.
    """
    pipeline = pipelines.nopython.insert_after(after, step)
    layers: list[Layer] = []
    tried: list[_Tried] = []
    examples = [(*one, True) for one in fires] + [(*one, False) for one in keeps]
    for function, args, wanted in sorted(examples, key=lambda one: len(one[0].__code__.co_code)):
        tried.append(_tried(step, pipeline, function, args, wanted))
    for name, question in (
        ("it runs, and its output is valid", _malformed),
        ("its output does what Python does, interpreted and as machine code", _differs),
        ("it fires where it should, and nowhere else", _misfires),
        ("the program gets smaller", lambda one: _grows(one, fewer) if fewer else ""),
    ):
        detail = next((problem for problem in map(question, tried) if problem), "")
        layers.append(Layer(name, not detail, detail))
        if detail:
            break
    return Checked(tuple(layers), tuple(hints))


def _tried(
    step: Pass, pipeline: Pipeline, function: Callable[..., Any], args: tuple[Any, ...], fires: bool
) -> _Tried:
    """Compile an example, to the end only if the output of the pass is valid: LLVM may end the
    process on invalid IR."""
    tried = _Tried(
        step,
        compiled(function, pipeline=pipeline.until(step.name)).trace(*args),  # type: ignore[arg-type]
        args,
        fires,
    )
    if _malformed(tried):
        return tried
    return _Tried(step, compiled(function, pipeline=pipeline).trace(*args), args, fires)  # type: ignore[arg-type]


def _malformed(tried: _Tried) -> str:
    compilation = tried.compilation
    if compilation.error is not None:
        return f"{tried.name} no longer compiles: {compilation.error}"
    for record in compilation.passes:
        unit = record.unit_after
        verify = VIEWS[unit.level].verify if unit is not None else None
        broken = verify(unit) if verify is not None and unit is not None else ()
        if broken:
            return f"after {record.name}, {tried.name} is invalid: {broken[0]}"
    return ""


def _differs(tried: _Tried) -> str:
    if not tried.record.changed:
        return ""
    ends = copy(tried.compilation)  # after the pass, interpreted, and as machine code
    ends.records = [tried.record, tried.compilation.records[-1]]
    for args in (tried.args, *sample_calls(ends.unit.pyfunc, ends.unit.argtypes or ())[-1:]):
        witness = ends.witness(*args)
        if not witness.ok:
            return f"{witness.head}: {witness.summary}"
    return ""


def _misfires(tried: _Tried) -> str:
    if tried.record.changed and not tried.fires:
        return f"it changes {tried.name}, but must not"
    if tried.fires and not tried.record.changed:
        return f"it does not change {tried.name}, but should"
    return ""


def _grows(tried: _Tried, kind: type[Op]) -> str:
    if not tried.fires or tried.record.unit_after is None:
        return ""
    before, after = (
        sum(isinstance(op, kind) for op in walk(unit.fn))
        for unit in (tried.record.unit_before, tried.record.unit_after)
    )
    if after < before:
        return ""
    what = "operations" if kind is Op else f"operations {kind.__name__}"
    return f"{tried.name} has {after} {what} after the pass, {before} before"


def check_function(
    mine: Callable[..., Any],
    reference: Callable[..., Any],
    on: Sequence[tuple[Any, ...]],
    *,
    name: str = "it returns what the compiler returns",
    show: Callable[..., str] | None = None,
    hints: Sequence[str] = (),
) -> Checked:
    """Check a function against a reference on some inputs, and show the first that fails."""
    for args in on:
        expected = reference(*args)
        shown = show(*args) if show is not None else ", ".join(map(str, args))
        try:
            result = mine(*args)
        except Exception as error:  # the reader's own code raised it
            result = f"{type(error).__name__}: {error}"
        if result is None:
            detail = f"it returns nothing yet (for {shown})"
        elif result == expected:
            continue
        else:
            detail = f"for {shown} it returns {result}, not {expected}"
        return Checked((Layer(name, False, detail),), tuple(hints))
    return Checked((Layer(f"{name}, on {len(on)} inputs", True),), tuple(hints))
