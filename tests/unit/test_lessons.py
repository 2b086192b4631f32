"""What the notebooks ask and check with: wrong answers are told from right ones, each of them."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cutaway.ir import nodes
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Op, replace
from cutaway.lessons import Checked, check_function, check_pass, predict
from cutaway.stages.passes import Pass
from cutaway.stages.unit import CompileUnit

pytestmark = [
    pytest.mark.sampled(test=3, others=9, fast=6),
    pytest.mark.usefixtures("one_processor"),
]

ROOT = Path(__file__).parents[2]
CELL = re.compile(r"^```python(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


# --- predictions --------------------------------------------------------------------------------


def test_a_prediction_shows_no_truth_before_it_is_answered():
    assert "predict first" in str(predict("How many?").reveal(3))
    assert "3" not in str(predict("How many?").reveal(3))


def test_a_wrong_prediction_is_told_what_is_wrong_with_it():
    revealed = predict("How many?", 4).reveal(3, {4: "one too many", 2: "one too few"})
    assert not revealed.right
    assert str(revealed).splitlines()[1:] == ["✗ 3, but you predicted 4", "one too many"]


def test_a_right_prediction_is_told_so():
    revealed = predict("How many?", 3).reveal(3, {4: "one too many"})
    assert revealed.right and str(revealed).splitlines()[1:] == ["✓ 3, as you predicted"]


def test_a_lesson_whose_text_is_out_of_date_fails():
    with pytest.raises(AssertionError, match="How many.*is 4, but the lesson relies on 3"):
        predict("How many?", 4).reveal(4, truth=3)
    with pytest.raises(AssertionError, match="is 4, but the lesson relies on another one"):
        predict("How many?").reveal(4, truth=lambda count: count > 5)
    assert predict("How many?", 3).reveal(3, truth=3).right
    assert predict("How many?", 3).reveal(3, truth=lambda count: count > 2).right


def test_what_is_shown_in_a_notebook_is_escaped():
    assert "&lt;b&gt;" in predict("Is <b> less?", True)._repr_html_()


# --- functions ----------------------------------------------------------------------------------


def test_a_function_is_checked_up_to_the_first_input_where_it_is_wrong():
    checked = check_function(lambda x: x * x, lambda x: x + x, [(0,), (2,), (3,), (4,)])
    assert not checked.passed and "for 3 it returns 9, not 6" in str(checked)


def test_a_function_that_raises_or_gives_nothing_is_wrong():
    assert "ZeroDivisionError" in str(check_function(lambda x: 1 // x, lambda x: 1, [(0,)]))
    assert "nothing yet" in str(check_function(lambda x: None, lambda x: 1, [(0,)]))


def test_hints_are_offered_while_a_check_fails_and_never_run_out():
    checked = check_function(lambda x: 0, lambda x: 1, [(0,)], hints=("look", "here"))
    assert "_.hint(1)" in str(checked)
    assert [checked.hint(number) for number in (0, 1, 2, 9)] == ["look", "look", "here", "here"]
    assert "_.hint" not in str(check_function(lambda x: 1, lambda x: 1, [(0,)], hints=("look",)))


# --- passes -------------------------------------------------------------------------------------


def plus(x):
    return x + 0


def minus(x):
    return x - 1


def rewriting(change: Callable[[Op, CompileUnit], Op | None]) -> Pass:
    """A pass on the typed level that puts what `change` gives in the place of an op."""

    def run(unit: CompileUnit) -> None:
        """Change operations."""
        for block in unit.fn.blocks.values():
            block.ops[:] = [change(op, unit) or op for op in block.ops]

    return Pass("mine", run, Level.typed, Level.typed, "5a rewrite typed", required=False)


def without_addition(op: Op, unit: CompileUnit) -> Op | None:
    if isinstance(op, nodes.Binary) and op.op.symbol == "+":
        return nodes.Copy(op.result, op.lhs, loc=op.loc, id=op.id)
    return None


def checked(step: Pass, **given: Any) -> Checked:  # Any: what is checked
    asked = {"fires": [(plus, (5,))], "keeps": [(minus, (5,))], "fewer": nodes.Binary, **given}
    return check_pass(step, after="infer_types", **asked)


def failed(outcome: Checked) -> str:
    """The name of the layer that does not hold."""
    assert [layer.holds for layer in outcome.layers].count(False) == 1
    assert not outcome.layers[-1].holds and outcome.layers[-1].detail
    return outcome.layers[-1].name


def test_a_right_pass_passes_all_four_layers():
    outcome = checked(rewriting(without_addition))
    assert outcome.passed and len(outcome.layers) == 4


def test_a_pass_that_does_nothing_should_fire():
    assert "fires" in failed(checked(rewriting(lambda op, unit: None)))


def test_a_pass_that_raises_is_told_what_it_raised():
    outcome = checked(rewriting(lambda op, unit: 1 // 0))
    assert "output is valid" in failed(outcome) and "ZeroDivisionError" in str(outcome)


def test_a_pass_that_leaves_a_broken_program_is_told_what_is_broken():
    def unknown(op: Op, unit: CompileUnit) -> Op | None:
        return replace(op, lhs="nowhere") if isinstance(op, nodes.Binary) else None

    outcome = checked(rewriting(unknown))
    assert "output is valid" in failed(outcome) and "nowhere" in str(outcome)


def test_a_pass_that_changes_what_a_program_does_is_shown_the_arguments():
    outcome = checked(rewriting(without_addition), fires=[(plus, (5,)), (plus, (-0.0,))])
    assert "what Python does" in failed(outcome) and "plus(-0.0)" in str(outcome)


def test_a_pass_is_tried_on_arguments_that_its_examples_do_not_show():
    def one_less(op: Op, unit: CompileUnit) -> Op | None:
        if isinstance(op, nodes.Const) and op.value == 1:
            return replace(op, value=0)
        return None

    def power(x, n):
        return x - 1 if n > 0 else x

    outcome = checked(rewriting(one_less), fires=[(power, (5, 0))], keeps=[])
    assert "what Python does" in failed(outcome)


def test_a_pass_that_fires_where_it_must_not_is_named_the_example():
    outcome = checked(rewriting(without_addition), fires=[], keeps=[(plus, (5,))])
    assert "nowhere else" in failed(outcome) and "plus(int64)" in str(outcome)


def test_a_pass_that_makes_nothing_smaller_is_told_the_numbers():
    outcome = checked(rewriting(without_addition), fewer=nodes.Op)
    assert "smaller" in failed(outcome) and "operations after the pass" in str(outcome)


def test_an_example_may_be_one_that_fires_with_some_types_and_not_with_others():
    def of_integers(op: Op, unit: CompileUnit) -> Op | None:
        isint = isinstance(op, nodes.Binary) and str(unit.types[op.result]) == "int64"
        return without_addition(op, unit) if isint else None

    assert checked(rewriting(of_integers), keeps=[(plus, (-0.0,)), (plus, (1j,))]).passed


# --- the exercises of the notebooks -------------------------------------------------------------

# Wrong solutions: what stands in the reference solution, and what a mistake would put there.
MUTANTS: dict[str, tuple[tuple[str, str], ...]] = {
    "02": (
        ("{instructions[0].offset}", "set()"),
        (' or this.name == "JUMP"', ""),
        ('this.name in CONDITIONAL_JUMPS or this.name == "JUMP"', 'this.name == "JUMP"'),
        ("(this.name in CONDITIONAL_JUMPS or this.name in ENDS)", "this.name in ENDS"),
        ("offsets.add(following.offset)", "offsets.add(this.offset)"),
        ("sorted(offsets)", "sorted(offsets, reverse=True)"),
    ),
    "03": (
        ("waiting.append(label)", "pass"),
        ("label in needed and ", ""),
        ("set(), list(defining)", "set(defining), list(defining)"),
        ("list(defining)", "list(defining)[:1]"),
    ),
    "04": (
        ("32 if bits2 <= 16 else 64", "32 if bits2 <= 32 else 64"),
        ("32 if bits2 <= 16 else 64", "32"),
        ("32 if bits2 <= 16 else 64", "64"),
        ("max(bits, 2 * bits2)", "max(bits, bits2)"),
        ("max(bits, 2 * bits2)", "2 * bits2"),
        ("if wide <= 64 else", "if wide <= 128 else"),
        ("one if parts(one)[1] >= parts(other)[1] else other", "one"),
        ('f"{kind2}{bits2}"', '"int64"'),
    ),
    "05": (
        ("len(users) != 1", "len(users) < 1"),
        ("len(users) != 1", "len(users) > 1"),
        ("if not any(", "if any("),
        ('if not any(other.endswith("]") for other, _ in between)', "if True"),
        ("place + 1 : users[0]", "place + 1 :"),
        ("place + 1 : users[0]", "place + 1 : users[0] - 1"),
        ("place + 1 : users[0]", ": users[0]"),
        ("result.add(name)", "result.add(program[users[0]][0])"),
    ),
    "06": (
        ("if label in reached:", "if True:"),
        ("if label in reached:", "if label in follow[label]:"),
        ("set(), list(follow[label])", "{label}, list(follow[label])"),
        ("waiting.extend(follow[target])", "pass"),
        ("count += sum", "count = sum"),
        ('sum(" = load "', 'any(" = load "'),
        (" = load ", "store "),
    ),
    "07": (
        ("if NONE not in row", "if True"),
        ("row.count(UNSAFE), row.count(SAFE)", "row.count(SAFE), row.count(UNSAFE)"),
        ("row.count(UNSAFE), row.count(SAFE), row.count(PROMOTION)", "sum(row)"),
        ("row.count(UNSAFE), row.count(SAFE), row.count(PROMOTION)", "max(row)"),
        (", row.count(PROMOTION)", ""),
        (", default=None", ""),
        ("if cost == lowest]", "if cost == lowest][:1]"),
    ),
    "08": (
        ("type(value), repr(value)", "type(value), value"),
        ("type(value), repr(value)", "value"),
        ('"number", operator.symbol, lhs, rhs', '"number", lhs, rhs'),
        ('"number", operator.symbol, lhs, rhs', '"number", operator.symbol, frozenset((lhs, rhs))'),
        ('"element", value, index', '"element", value'),
        ('"element", value, index', '"other", value, index'),
        ("elif not op.DROPPABLE:", "elif isinstance(op, nodes.SetItem):"),
        ("elif not op.DROPPABLE:", "elif isinstance(op, nodes.Call):"),
        ('k[0] != "element"', 'k[:2] != ("element", getattr(op, "target", k[1]))'),
        ("known, position = {}, 0", "known, position = vars(unit).setdefault('known', {}), 0"),
        ("rename_everywhere(editor, op.result, known[key])", "pass"),
        ("in editor.fn.blocks.values()", "in list(editor.fn.blocks.values())[:1]"),
        ("editor.remove(block, op)", "position += 1"),
    ),
    "09": (
        ("if loop[:2] == first + second:", "if False:"),
        ("if loop[:2] == first + second:", "if loop[:1] == first:"),
        ("np.can_cast(first, loop[0]) and ", ""),
        (" and np.can_cast(second, loop[1])", ""),
        ("loop[0]) and np", "loop[0]) or np"),
        ("np.can_cast(first, loop[0])", 'np.can_cast(first, loop[0], "same_kind")'),
        ("np.can_cast(second, loop[1])", "second == loop[1]"),
        (
            "and np.can_cast(second, loop[1]):\n            return loop",
            "and np.can_cast(second, loop[1]):\n            found = loop",
        ),
        ('return "none"', "return types[-1]"),
    ),
    "10": (
        ("range(i + 1, n)", "range(i, n)"),
        ("range(i + 1, n)", "range(i + 1, min(n, i + 2))"),
        ("writes[0] == writes[1] or ", ""),
        ("writes[0] == reads[1] or ", ""),
        (" or writes[1] == reads[0]", ""),
        ("writes[1] == reads[0]", "reads[1] == reads[0]"),
        ("return i, k", "return k, i"),
        ('return "none"', "return None"),
    ),
    "12": (
        ("set(words)", "words"),
        ("word % 32", "word // 32"),
        ("word % 32", "word % 31"),
        ("+= 1", "= 1"),
        ("[0] * 32", "[1] * 32"),
        ("max(in_bank)", "sum(in_bank)"),
        ("max(in_bank)", "min(in_bank)"),
        ("max(in_bank)", "max(in_bank) or 1"),
        ("max(in_bank)", "32 - in_bank.count(0)"),
    ),
    "13": (
        ("tags[one] == tag and ", ""),
        (" and keys[numbers[one]] == key", ""),
        ("keys[numbers[one]]", "keys[one]"),
        ("return numbers[one]", "return one"),
        ("hash >> 7, hash & 0x7F", "hash, hash & 0x7F"),
        ("hash >> 7, hash & 0x7F", "hash >> 7, hash >> 7 & 0x7F"),
        ("(place + k) % len(tags)", "(place + k) % (len(tags) - 1)"),
        ("is_last or tags[one] == EMPTY", "True"),
        ("return -1", "return key"),
    ),
}


class Lesson:
    """A notebook, run up to its solution."""

    def __init__(self, path: Path) -> None:
        self.module = ModuleType(path.stem)
        self.solution = ""
        for number, cell in enumerate(CELL.finditer(path.read_text("utf-8"))):
            if "solution" in cell[1]:
                self.solution = cell[2]
                break
            self.run(cell[2], f"<{path.stem} {number}>")

    def run(self, source: str, name: str = "<solution>") -> Any:  # Any: what a cell shows
        """Run a cell; the value of its last expression."""
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        tree = ast.parse(source)
        shown = (
            tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else ast.Expr(ast.Constant(0))
        )
        exec(compile(tree, name, "exec"), vars(self.module))
        last = ast.Expression(shown.value)  # type: ignore[attr-defined]
        return eval(compile(ast.fix_missing_locations(last), name, "eval"), vars(self.module))


@pytest.mark.slow
@pytest.mark.parametrize("number", MUTANTS)
def test_a_solution_is_accepted_and_every_wrong_one_is_refused(number, capsys):
    (path,) = (ROOT / "notebooks").glob(f"{number}*.md")
    lesson = Lesson(path)
    outcome = lesson.run(lesson.solution)
    assert outcome.passed, outcome
    accepted = []
    for right, wrong in MUTANTS[number]:
        assert right in lesson.solution, right
        if lesson.run(lesson.solution.replace(right, wrong)).passed:
            accepted.append((right, wrong))
    assert not accepted
