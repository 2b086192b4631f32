"""What the notebooks use to ask and to check: predictions, and exercises that check themselves.

    guess = predict("How many blocks has `f`?", 3)
    guess.reveal(len(blocks), {4: "a `while` tests its condition before the loop as well"})

    check_pass(mine, after="ssa", fires=[(f, (1,))], keeps=[(g, (2.0,))])

A pass is checked in four layers, each with the smallest example that fails: what it leaves is
well formed, and does what Python does; it fires where it should and nowhere else; and the program
gets smaller.
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

Example = tuple[Callable[..., Any], tuple[Any, ...]]  # Any: a user's function, and its arguments


# --- predictions --------------------------------------------------------------------------------


class Shown:
    """What shows itself as text and in a notebook, line by line: a mark, and what is said."""

    def lines(self) -> Iterator[tuple[str, str]]:
        """Mark and sentence of each line."""
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
    """A sentence as HTML; what stands in backticks is code."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", html.escape(sentence))


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(Shown):
    """An answer that was given before the truth was seen; `...` is no answer yet."""

    question: str
    answer: Any  # Any: what the reader thinks

    def lines(self) -> Iterator[tuple[str, str]]:
        yield "?", self.question
        given = "not answered yet: put your answer in the place of `...`"
        yield "", given if self.answer is ... else f"you say: {self.answer}"

    def reveal(self, truth: Any, because: Mapping[Any, str] | None = None) -> Revealed:
        """Compare with the truth; `because` tells of some wrong answers what is wrong with them.

        (Any: whatever can be compared.)  Shows nothing while there is no answer.
        """
        return Revealed(self, truth, dict(because or {}))


@dataclass(frozen=True, eq=False, repr=False)
class Revealed(Shown):
    """A prediction beside the truth."""

    prediction: Prediction
    truth: Any  # Any: see Prediction.reveal
    because: dict[Any, str]

    @property
    def right(self) -> bool:
        """Whether the prediction was right."""
        return bool(self.prediction.answer == self.truth)

    def lines(self) -> Iterator[tuple[str, str]]:
        answer = self.prediction.answer
        yield "?", self.prediction.question
        if answer is ...:
            yield "", "predict first: put your answer in the place of `...`"
        elif self.right:
            yield "✓", f"{self.truth}: as you said"
        else:
            yield "✗", f"{self.truth}, and you said {answer}"
            if answer in self.because:
                yield "", self.because[answer]


def predict(question: str, answer: Any = ...) -> Prediction:  # Any: what the reader thinks
    """Note an answer before the truth is seen."""
    return Prediction(question, answer)


# --- exercises ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layer:
    """One layer of a check: what was asked, whether it holds, and the example where it does not."""

    name: str
    holds: bool
    detail: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Checked(Shown):
    """The outcome of an exercise's check; `hint(1)` to `hint(3)` help more and more."""

    layers: tuple[Layer, ...]
    hints: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every layer holds."""
        return all(layer.holds for layer in self.layers)

    def hint(self, number: int = 1) -> str:
        """A hint, from the gentlest to the one that gives it away."""
        if not self.hints:
            return "there is no hint to this exercise"
        return self.hints[min(max(number, 1), len(self.hints)) - 1]

    def lines(self) -> Iterator[tuple[str, str]]:
        for layer in self.layers:
            yield "✓" if layer.holds else "✗", layer.name
            if layer.detail:
                yield "", layer.detail
        if not self.passed and self.hints:
            yield "", f"stuck? `_.hint(1)` to `_.hint({len(self.hints)})` help"


@dataclass(frozen=True)
class _Tried:
    """One example, compiled with the pass that is checked; `fires` is what the pass should do."""

    step: Pass
    compilation: Compilation
    args: tuple[Any, ...]  # Any: of the example
    fires: bool

    @property
    def name(self) -> str:
        return self.compilation.signature

    @property
    def record(self) -> PassRecord:
        """What the pass did."""
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
    """Check a pass that is put behind pass `after`.

    On the examples of `fires` it must change the program, and leave fewer operations of the kind
    `fewer`; on those of `keeps` it must change nothing.  What the program does is compared on the
    arguments of each example and on others.  Layers behind the first one that does not hold are
    not looked at.
    """
    pipeline = pipelines.nopython.insert_after(after, step)
    layers: list[Layer] = []
    tried: list[_Tried] = []
    examples = [(*one, True) for one in fires] + [(*one, False) for one in keeps]
    for function, args, wanted in sorted(examples, key=lambda one: len(one[0].__code__.co_code)):
        tried.append(_tried(step, pipeline, function, args, wanted))
    for name, question in (
        ("it runs, and what it leaves is well formed", _malformed),
        ("what it leaves does what Python does, interpreted and as machine code", _differs),
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
    """An example, compiled to its end only if what the pass leaves is well formed: LLVM may end
    the process over what is not."""
    tried = _Tried(
        step, compiled(function, pipeline=pipeline.until(step.name)).trace(*args), args, fires
    )
    if _malformed(tried):
        return tried
    return _Tried(step, compiled(function, pipeline=pipeline).trace(*args), args, fires)


def _malformed(tried: _Tried) -> str:
    compilation = tried.compilation
    if compilation.error is not None:
        return f"{tried.name} does not compile any more: {compilation.error}"
    for record in compilation.passes:
        unit = record.unit_after
        verify = VIEWS[unit.level].verify if unit is not None else None
        broken = verify(unit) if verify is not None and unit is not None else ()
        if broken:
            return f"behind {record.name}, {tried.name} is broken: {broken[0]}"
    return ""


def _differs(tried: _Tried) -> str:
    if not tried.record.changed:
        return ""
    ends = copy(tried.compilation)  # behind the pass, interpreted, and as machine code
    ends.records = [tried.record, tried.compilation.records[-1]]
    for args in (tried.args, *sample_calls(ends.unit.pyfunc, ends.unit.argtypes or ())[-1:]):
        witness = ends.witness(*args)
        if not witness.ok:
            return f"{witness.head}: {witness.summary}"
    return ""


def _misfires(tried: _Tried) -> str:
    if tried.record.changed and not tried.fires:
        return f"it changes {tried.name}, where it must not"
    if tried.fires and not tried.record.changed:
        return f"it leaves {tried.name} as it is, where it should fire"
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
    return f"{tried.name} has {after} {what} behind it, {before} before"


def check_function(
    mine: Callable[..., Any],
    reference: Callable[..., Any],
    on: Sequence[tuple[Any, ...]],
    *,
    name: str = "it gives what the compiler gives",
    show: Callable[..., str] | None = None,
    hints: Sequence[str] = (),
) -> Checked:
    """Check a function against a reference on some inputs, the smallest that fails is shown.

    (Any: inputs and results of any type.)
    """
    for args in on:
        expected = reference(*args)
        shown = show(*args) if show is not None else ", ".join(map(str, args))
        try:
            found = mine(*args)
        except Exception as error:  # the reader's own code raised it
            found = f"{type(error).__name__}: {error}"
        if found is None:
            detail = f"it gives nothing yet (for {shown})"
        elif found == expected:
            continue
        else:
            detail = f"for {shown} it gives {found}, not {expected}"
        return Checked((Layer(name, False, detail),), tuple(hints))
    return Checked((Layer(f"{name}, on {len(on)} inputs", True),), tuple(hints))
