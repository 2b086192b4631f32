"""A program is edited at a level as text, looked at, and refused where it is none."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import cutaway
from corpus.programs.cases import CASES
from cutaway.errors import CutawayError, EditError, PipelineError
from cutaway.inspection.editing import check as edit_check

pytestmark = [
    pytest.mark.sampled(test=2, others=10, fast=0),
    pytest.mark.usefixtures("one_processor"),
]

OWN = ("ir", "ssa", "typed")


def scaled_sum(n, b):
    s = 0
    for i in range(n):
        s += i * b
    return s


@pytest.fixture(scope="module")
def traced():
    return cutaway.trace(scaled_sum, 3, 4)


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(edit_check, "_SECONDS", 1.0)


def replaced(old: str, new: str):
    """An edit; what it replaces must be there."""

    def change(text: str) -> str:
        assert old in text, text
        return text.replace(old, new, 1)

    return change


def same_symbols(text: str) -> str:
    """LLVM IR without the numbers that symbols have."""
    return re.sub(r"([\w>])\$\d+", r"\1$N", text)


# --- going on -----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES[::31], ids=lambda case: case.name)
def test_a_text_that_is_not_edited_gives_the_same_code(case):
    args = case.arguments[0]()
    compilation = cutaway.trace(case.function, *args)
    for level in (*OWN, "build_ir", "infer_types", "llvm"):
        resumed = compilation.at(level).edit(lambda text: text).resume()
        again = resumed.compilation.at("llvm").text
        assert same_symbols(again) == same_symbols(compilation.at("llvm").text), level
        assert "does what the original does" in resumed.edits[0]


@pytest.mark.parametrize("level", [*OWN, "simplify", "llvm", "llvm_opt", "optimize_llvm"])
def test_a_program_is_resumed_from_each_level_and_behind_each_pass(traced, level):
    assert traced.at(level).edit(lambda text: text).resume()(3, 4) == 12


@pytest.mark.parametrize(
    ("level", "old", "new"),
    [
        ("ir", "= i * b", "= i + b"),
        ("simplify", "= i * b", "= i + b"),
        ("ssa", "= i * b", "= i + b"),
        ("infer_types", "= i * b", "= i + b"),
        ("typed", "= i * b", "= i + b"),
        ("llvm", "mul i64 %i.3", "add i64 %i.3"),
    ],
)
def test_an_edit_changes_what_the_program_does(traced, level, old, new):
    edited = traced.at(level).edit(replaced(old, new)).resume(unsafe=True)
    assert edited(3, 4) == 0 + 4 + 1 + 4 + 2 + 4
    assert edited.compilation.at("asm").run(3, 4) == 15
    assert edited.compilation.at(edited.compilation.levels[-2]).text


def test_an_edit_with_the_same_result_is_taken(traced):
    edited = traced.at("typed").edit(replaced("i * b", "b * i")).resume()
    assert edited(3, 4) == 12
    assert edited.edits == ("edited at level typed: does what the original does with (3, 4)",)


def test_new_variables_tell_their_types(traced):
    line = "    $10.1 = i * b  :: int64"
    new = (
        "    one = const(1)  :: int64\n    more = b * one  :: int64\n    $10.1 = i * more  :: int64"
    )
    assert traced.at("typed").edit(replaced(line, new)).resume()(3, 4) == 12


def test_inference_goes_on_from_an_edited_program(traced):
    edited = traced.at("ssa").edit(replaced("const(0)", "const(0.5)")).resume(unsafe=True)
    assert str(edited.returns) == "float64"
    assert edited(3, 4) == 12.5
    assert edited.compilation.why("s")


def test_the_type_of_the_result_follows_what_is_returned(traced):
    change = replaced("cast(value=s.1)  :: int64", "cast(value=s.1)  :: float64")
    edited = traced.at("typed").edit(change).resume(unsafe=True)
    assert str(edited.returns) == "float64"
    assert type(edited(3, 4)) is float


def test_a_program_that_could_not_be_compiled_is_mended():
    def wrong(x):
        return x.missing + 1

    compilation = cutaway.trace(wrong, 41)
    assert compilation.error is not None
    mended = re.sub(r"(\$0\.\d) = getattr\([^\n]*", r"\1 = x", compilation.at("ssa").text)
    edited = compilation.at("ssa").edit(mended).resume(unsafe=True)
    assert edited(41) == 42


def test_what_is_not_edited_keeps_its_ids_and_places(traced):
    before = traced.at("typed")
    after = before.edit(replaced("i * b", "i + b"))
    ops = [op for block in before.unit.fn.blocks.values() for op in block.ops]
    found = [op for block in after.unit.fn.blocks.values() for op in block.ops]
    assert [(op.id, op.loc) for op in ops] == [(op.id, op.loc) for op in found]
    assert sum(a is not b for a, b in zip(ops, found, strict=True)) == 1


def test_lines_that_are_new_have_ids_of_their_own_and_the_place_they_stand_at(traced):
    view = traced.at("ssa").edit(replaced("    $10.1 =", "    one = const(1)\n    $10.1 ="))
    ops = [op for block in view.unit.fn.blocks.values() for op in block.ops]
    assert len({op.id for op in ops}) == len(ops)
    assert all(op.loc.line for op in ops)
    assert view.verify() == ()


def test_an_exception_of_an_edited_program_names_the_users_line():
    def divide(a, b):
        return a // b

    edited = cutaway.trace(divide, 7, 2).at("typed").edit(lambda text: text).resume()
    with pytest.raises(ZeroDivisionError) as caught:
        edited(1, 0)
    line = divide.__code__.co_firstlineno + 1
    frames = []
    trace = caught.value.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
        trace = trace.tb_next
    assert ("divide", line) in frames


def test_a_recursion_calls_the_edited_program():
    edited = (
        cutaway.trace(countdown, 5)
        .at("typed")
        .edit(lambda text: re.sub(r"= n \* ", "= n + ", text))
        .resume(unsafe=True)
    )
    assert edited(5) == 15
    assert countdown(5) == 120


@cutaway.jit
def countdown(n):
    return 1 if n < 2 else n * countdown(n - 1)


def test_a_library_function_is_called_from_an_edited_program():
    def total(a):
        return a.sum() + math.sqrt(4.0)

    edited = cutaway.trace(total, np.ones(3)).at("typed").edit(lambda text: text).resume()
    assert edited(np.ones(5)) == 7.0


def test_an_edit_is_edited_again(traced):
    first = traced.at("ssa").edit(replaced("i * b", "b * i"))
    second = first.edit(replaced("b * i", "i + b"))
    assert second.resume(unsafe=True)(3, 4) == 15
    later = first.resume().compilation.at("typed").edit(replaced("b * i", "i * b")).resume()
    assert later(3, 4) == 12
    assert len(later.edits) == 2
    assert [p.name for p in later.compilation.passes].count("edit") == 2


# --- looking ------------------------------------------------------------------------------------


def test_an_edited_level_shows_what_was_changed(traced):
    view = traced.at("typed").edit(replaced("i * b", "i + b"))
    assert view.changed
    assert "+    $10.1 = i + b" in str(view.diff())
    assert view.verify() == ()
    assert view.run(3, 4) == 15
    assert "i + b" in view.graph().source
    assert "edited" in repr(view)
    assert "i + b" in view._repr_mimebundle_()["text/html"]
    assert "i + b" in view.diff()._repr_mimebundle_()["text/html"]
    same = traced.at("typed").edit(lambda text: text)
    assert not same.changed
    assert same.diff().is_empty
    assert "no change" in str(same.diff())


def test_the_edit_is_a_pass_of_the_record(traced):
    edited = traced.at("typed").edit(replaced("i * b", "b * i")).resume()
    record = next(p for p in edited.compilation.passes if p.name == "edit")
    assert "i * b" in record.before
    assert "b * i" in record.after
    assert edited.compilation.levels == traced.levels
    assert "edited at level typed" in str(edited.compilation)
    assert "edited at level typed" in edited._repr_mimebundle_()["text/html"]
    assert "edited at level typed" in edited.compilation._repr_mimebundle_()["text/html"]


def test_arguments_of_other_types_are_refused(traced):
    edited = traced.at("typed").edit(lambda text: text).resume()
    expected = r"edited scaled_sum\(int64, int64\) was called with scaled_sum\(float64, int64\)"
    with pytest.raises(TypeError, match=expected):
        edited(1.5, 2)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        edited(1)
    assert edited(b=4, n=3) == 12
    assert str(edited.signature) == "(int64, int64)"


# --- refusals of text ---------------------------------------------------------------------------


def refused(view, change, **options) -> EditError:
    """The error of an edit, at once or when it is resumed."""
    with pytest.raises(EditError) as caught:
        view.edit(change).resume(**options)
    assert caught.value.code == "CA307"
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("i * b", "i @@ b", "line 15"),
        ("label 8:", "label x:", "line 10"),
        ("  :: int64 | bool", "  :: int64", "tells 1 types"),
        ("i * b  :: int64", "i * b  :: flot64", "'flot64' in 'flot64' is not a type"),
        ("i * b  :: int64", "i * b", "line 15: $10.1 has no type"),
        ("i * b  :: int64", "i * zz  :: int64", "line 15: zz is used and never defined"),
        ("jump 8", "jump 88", "line 9: there is no label 88"),
        ("func scaled_sum(n, b)", "func scaled_sum(n)", "keeps its name and parameters"),
        ("func scaled_sum(", "func other(", "keeps its name and parameters"),
        ("    return $15.1", "    del b", "line 20: the block does not end with a terminator"),
        ("const(0)  :: int64", "const('a')  :: int64", "line 5: s = const('a') has type str('a')"),
        ("i * b  :: int64", "i / b  :: int64", "has type float64, but the text says int64"),
    ],
)
def test_a_text_that_is_no_program_is_refused_with_its_line(traced, old, new, words):
    error = refused(traced.at("typed"), replaced(old, new))
    assert words in str(error)


def test_a_refusal_shows_the_line_of_the_edited_text(traced):
    error = refused(traced.at("ssa"), replaced("i * b", "i ** ** b"))
    assert error.loc.line
    assert "i ** ** b" in str(error)
    assert "^" in str(error)
    assert "<scaled_sum at level ssa, edited>" in str(error)


def test_what_is_no_text_is_refused(traced):
    for wrong in (5, None, lambda text: 5):
        with pytest.raises(EditError, match="an edit must be a string, not"):
            traced.at("ssa").edit(wrong)
    for empty in ("", "\n\n"):
        assert "a function begins with" in str(refused(traced.at("ssa"), empty))


def test_levels_that_only_tell_are_not_edited(traced):
    for level in ("source", "bytecode", "cfg", "asm"):
        with pytest.raises(PipelineError, match=f"level {level} cannot be edited"):
            traced.at(level).edit("")


def test_a_stepper_has_nothing_to_go_on_with():
    stepper = cutaway.step(scaled_sum, 3, 4)
    with pytest.raises(PipelineError, match="no compilation to resume"):
        stepper.run_until("ssa").edit(lambda text: text).resume()


def test_a_broken_program_does_not_run(traced):
    view = traced.at("typed").edit(replaced("i * b  :: int64", "i * zz  :: int64"))
    assert view.verify() == ("line 15: zz is used and never defined",)
    with pytest.raises(EditError, match="invalid at level typed"):
        view.run(3, 4)


def test_values_that_are_returned_have_one_type_at_level_typed():
    def either(x):
        if x > 0:
            return 1
        return 2

    change = replaced("cast(value=$4.1)  :: int64", "cast(value=$4.1)  :: float64")
    error = refused(cutaway.trace(either, 1).at("typed"), change)
    assert "line 10: $4.2 is float64, and the function returns int64" in str(error)


def test_a_graph_of_what_has_none_is_refused(traced):
    with pytest.raises(EditError, match="invalid at level ir"):
        traced.at("ir").edit(lambda text: text + "label 99:\n").graph()


def test_what_cannot_be_compiled_says_why(traced):
    error = refused(traced.at("ssa"), replaced("const(0)", "const('text')"))
    assert isinstance(error, CutawayError)
    assert "cannot be compiled" in str(error)


# --- LLVM ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("define internal", "defin internal", "line 4: expected top-level entity"),
        ("add i64 %i.3, 1", "add i64 %nowhere, 1", "use of undefined value '%nowhere'"),
        ("ret i32 0", "ret i64 0", "value doesn't match function result type"),
        (".entry(ptr", ".other(ptr", "does not define @scaled_sum"),
        ("define i32 @scaled_sum", "define fastcc i32 @scaled_sum", "must be a plain function"),
        ("ptr noalias %exc) nounwind {", "ptr noalias %exc, i1 %x) nounwind {", "must be i32"),
        ("%arg.4 = call i32 @", "%arg.4 = call i32 @nobody", "undefined value '@nobody"),
    ],
)
def test_text_that_llvm_does_not_take_is_refused_with_its_words(traced, old, new, words):
    assert words in str(refused(traced.at("llvm"), replaced(old, new)))


def test_code_that_calls_what_nobody_has_is_refused(traced):
    def change(text: str) -> str:
        head, _, tail = text.rpartition("  ret i32")
        call = "  call void @nobody_has_this()\n"
        return f"{head}{call}  ret i32{tail}\ndeclare void @nobody_has_this()\n"

    for level in ("llvm", "llvm_opt"):
        assert "nobody_has_this" in str(refused(traced.at(level), change))


def test_code_that_ends_llvm_does_not_end_the_process(traced):
    asm = '  call void asm sideeffect "no such instruction", ""()\n'
    error = refused(traced.at("llvm"), replaced("  store i64 0", f"{asm}  store i64 0"))
    assert "invalid at level llvm" in str(error)


def test_a_crash_is_refused_and_the_process_goes_on(traced):
    change = replaced(
        "store i64 %s.1.2, ptr %ret", "store volatile i64 1, ptr inttoptr (i64 64 to ptr)"
    )
    view = traced.at("llvm").edit(change)
    with pytest.raises(EditError, match="the edited one died of SIGSEGV; the original returns 12"):
        view.resume()
    with pytest.raises(EditError, match="died of SIGSEGV"):
        view.run(3, 4)


# --- the check ----------------------------------------------------------------------------------


def test_an_edit_that_differs_is_refused_in_words_and_values(traced):
    view = traced.at("typed").edit(replaced("i * b", "i + b"))
    with pytest.raises(EditError) as caught:
        view.resume()
    assert "with (3, 4) result: 12 in the original, 15 in the edited one" in str(caught.value)
    assert "unsafe=True" in caught.value.hint


def test_an_edit_is_checked_with_other_arguments(traced):
    view = traced.at("typed").edit(replaced("i * b", "i + b"))
    assert view.resume(0, 5)(0, 5) == 0
    assert view.resume(check=(0, 5)).edits[0].endswith("with (0, 5)")
    with pytest.raises(EditError, match=r"with \(5, 5\)"):
        view.resume(check=(5, 5))


def test_an_unsafe_edit_says_what_differs(traced):
    edited = traced.at("typed").edit(replaced("i * b", "i + b")).resume(unsafe=True)
    assert "unsafe: with (3, 4) result: 12" in edited.edits[0]


def test_without_arguments_there_is_nothing_to_check_with():
    int64 = cutaway.types.int64
    view = cutaway.trace(scaled_sum, int64, int64).at("typed").edit(replaced("i * b", "i + b"))
    assert "not checked" in view.resume().edits[0]
    with pytest.raises(EditError, match="does not do what the original does"):
        view.resume(3, 4)


def test_what_happens_to_the_arguments_counts_and_they_stay_as_they_are():
    def fill(a):
        a[0] = 1.0
        return a.size

    array = np.zeros(3)
    compilation = cutaway.trace(fill, array)
    change = replaced("const(1.0)", "const(2.0)")
    with pytest.raises(EditError, match=r"argument 0\[0\]: 1.0 in the original, 2.0"):
        compilation.at("typed").edit(change).resume()
    assert not array.any()


def test_a_program_that_never_ends_is_refused(hasty):
    def count(n):
        k = 0
        while k < n:
            k += 1
        return k

    view = cutaway.trace(count, 5).at("typed").edit(replaced(" += ", " -= "))
    with pytest.raises(EditError, match="had not ended after 1 seconds"):
        view.resume()
