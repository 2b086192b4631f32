"""Each key of the viewer, without a terminal: a state and a key give a state."""

from __future__ import annotations

import random

import pytest
from records import compilation_of, everything

from cutaway.foundation.dataclass import replace
from cutaway.inspection.showing.terminal import model
from cutaway.inspection.showing.terminal.frames import frame
from cutaway.inspection.showing.terminal.model import (
    KEYS,
    PROGRAM,
    SIDE,
    SOURCE,
    State,
    press,
    start,
)

pytestmark = pytest.mark.sampled(fast=6)

FOLD = 3  # the place of the pass `fold` among the stops


def state_of(*keys: str, width: int = 100, height: int = 30, record=None) -> State:
    """The state behind some keys."""
    state = start(record or everything(), width, height)
    for key in keys:
        state = press(state, key)
    return state


def typed(text: str) -> list[str]:
    """The keys of a text, with enter."""
    return ["space" if c == " " else c for c in text] + ["enter"]


def at_fold(*keys: str) -> State:
    """The state behind some keys, from `fold` on."""
    return state_of("right", "right", *keys)


def test_a_walk_begins_at_the_source() -> None:
    state = state_of()
    assert state.stop.title == "source"
    assert [row.text for row in state.rows][0] == "def f(a):"


def test_right_and_left_go_from_pass_to_pass_and_leave_out_quiet_ones() -> None:
    assert state_of("right").stop.title == "build_ir"
    assert state_of("right", "right").stop.title == "fold"
    assert state_of("right", "right", "left").stop.title == "build_ir"
    assert state_of("l", "l", "h").stop.title == "build_ir"


def test_quiet_passes_are_stopped_at_when_that_is_wanted() -> None:
    assert state_of("a", "right", "right").stop.title == "quiet"
    assert state_of("a", "a", "right", "right").stop.title == "fold"


def test_the_ends_say_so() -> None:
    assert state_of("left").message == "this is the first step"
    assert state_of(*["right"] * 9).message == "this is the last step"
    assert state_of(*["right"] * 9).stop.title == "emit_object"


def test_a_quiet_pass_at_the_end_is_no_stop() -> None:
    state = state_of(*["right"] * 40, record=compilation_of("add").record)
    assert not state.stop.is_quiet


def test_down_goes_into_rewrites_and_up_comes_out() -> None:
    state = at_fold("down")
    assert state.stop.title == "swap"
    assert [stop.title for stop in state.book.stops(state.frame)] == ["swap", "fold", "unseen", "g"]
    assert press(state, "right").rows == state.book.program(0, 3)
    assert press(press(state, "right"), "up").stop.title == "fold"
    assert "nothing was recorded inside swap" in press(state, "down").message


def test_a_rewrite_puts_the_cursor_on_what_it_changed() -> None:
    state = at_fold("down", "right")
    assert state.line is not None and state.line.op == "3"
    assert state.source_line == 2


def test_down_goes_into_the_passes_of_llvm() -> None:
    state = state_of(*["right"] * 4, "down")
    assert state.stop.title == "SROA"
    assert "splits memory" in state.book.words(state.frame)
    assert press(state, "right").stop.title == "InstCombine"


def test_down_goes_into_a_function_that_was_compiled_on_the_way() -> None:
    state = at_fold("down", "right", "right", "right", "down")
    assert (state.frame.function, state.stop.title) == (1, "source")
    assert state.source.lines[0] == "def g(x):"
    failed = press(state, "right")
    assert "It failed: no" in failed.book.words(failed.frame)
    assert press(state, "backspace").stop.title == "g"
    assert "outermost" in state_of("up").message


def test_the_cursor_moves_by_lines_pages_and_to_the_ends() -> None:
    state = at_fold("home")
    assert (state.cursor, state.top) == (0, 0)
    assert press(state, "j").cursor == 1
    assert press(press(state, "j"), "k").cursor == 0
    assert press(state, "k").cursor == 0
    assert press(state, "end").cursor == len(state.rows) - 1
    small = model.resized(state, 100, 7)
    assert press(small, "pagedown").cursor == small.pane_height - 1
    assert press(press(small, "end"), "pageup").cursor == len(state.rows) - small.pane_height
    for key in ("end", "home", "pagedown", "pageup"):
        small = press(small, key)
        assert small.top <= small.cursor < small.top + small.pane_height


def test_the_cursor_stays_with_the_operation_from_pass_to_pass() -> None:
    state = state_of("right", "home", *"jjjj")
    assert state.line is not None and state.line.op == "3"
    moved = press(state, "right")
    assert moved.line is not None and moved.line.op == "3"


def test_the_line_of_source_follows_the_cursor_and_the_other_way_round() -> None:
    state = at_fold("home", "end")
    assert state.source_line == 3
    source = press(state, "tab")
    assert source.focus == SOURCE
    assert source.source_line == 3
    above = press(source, "k")
    assert above.source_line == 2
    assert above.line is not None and above.line.span[0] == 2


def test_tab_goes_round_the_panes_that_are_there() -> None:
    state = at_fold()
    assert [press(state, "tab").focus, press(press(state, "tab"), "tab").focus] == [SOURCE, PROGRAM]
    state = press(state, "?")
    assert press(state, "tab").focus == SIDE
    scrolled = press(press(state, "tab"), "j")
    assert scrolled.side_top <= 1
    assert press(scrolled, "?").focus == PROGRAM


def test_search_finds_text_here_and_in_later_passes_and_back() -> None:
    state = at_fold("home", "/", *typed("return"))
    assert state.rows[state.cursor].text.strip() == "return s"
    again = press(state, "n")
    assert again.stop.title != "fold" or again.cursor != state.cursor
    back = press(again, "N")
    assert (back.stop.title, back.cursor) == (state.stop.title, state.cursor)
    assert "was not found" in press_all(state, "/", *typed("zebra")).message
    assert press(state_of(), "n").message == "nothing to search: press / and enter a text"


def press_all(state: State, *keys: str) -> State:
    for key in keys:
        state = press(state, key)
    return state


def test_capitals_make_a_search_exact() -> None:
    assert state_of("/", *typed("DEF")).message.endswith("was not found")
    assert state_of("/", *typed("def f")).cursor == 0


def test_text_that_is_typed_can_be_corrected_and_given_up() -> None:
    state = state_of("/", "a", "b", "backspace", "space")
    assert (state.prompt, state.typed) == ("/", "a ")
    assert press(state, "up") == state
    assert press(state, "escape").prompt == ""
    assert state_of("/", "backspace").prompt == ""
    assert state_of("/", "enter").search == ""


def test_a_variable_is_followed_through_all_passes() -> None:
    state = at_fold("f", *typed("s"))
    assert (state.follow, state.message) == ("s", "following s")
    assert state.book.about(*state.here, "s") == frozenset({3, 4})
    assert state.cursor in (3, 4)
    llvm = press(state, "right")
    assert llvm.book.about(*llvm.here, "s")
    assert "variables: a, s" in at_fold("f", *typed("x")).message
    assert press_all(state, "f", "enter").follow == ""


def test_a_diff_is_against_the_step_before_or_the_mark() -> None:
    state = at_fold("d")
    assert state.mode == "diff"
    assert {row.sign for row in state.rows} >= {"-", "+", " "}
    assert state.rows[state.cursor].sign in "-+"
    assert press(state, "d").mode == "program"
    marked = state_of("right", "m", "right", "right", "d")
    assert marked.compared == (0, 1)
    assert "against the mark" in frame(marked).plain
    assert state_of("m", "m").mark == ()


def test_types_why_and_values_are_told_of_the_line_under_the_cursor() -> None:
    state = at_fold("home", *"jjj", "t")
    assert "s :: int64" in state.side_rows
    assert press(state, "v").side_rows == ("s  2x  3, 4 (from 3 to 4)", "returns 3")
    assert press(press(state, "v"), "v").side == ""
    real = state_of("f", *typed("s"), "t", record=compilation_of("total").record)
    assert any("`+` of int64 and float64" in row for row in real.side_rows)


def test_the_graph_is_shown_as_text_where_there_is_one() -> None:
    state = state_of("right", "g")
    text = "\n".join(row.text for row in state.rows)
    assert "[label 0]" in text and "--> true label 1" in text and "^-- label 0" in text
    assert press(state, "g").mode == "program"
    assert "no graph" in at_fold("g").message
    assert press(state, "right").mode == "program"


def test_escape_closes_what_is_open_then_goes_out() -> None:
    state = at_fold("down", "d", "t")
    assert press(state, "escape").side == ""
    assert press_all(state, "escape", "escape").mode == "program"
    assert press_all(state, "escape", "escape", "escape").stop.title == "fold"


def test_q_ends_and_unknown_keys_do_nothing() -> None:
    assert state_of("q").is_done
    state = at_fold()
    assert press(state, "F13") == replace(state, message="")


@pytest.mark.parametrize("name", ["add", "total", "wrong"])
def test_any_keys_in_any_order_give_a_picture_of_the_size_of_the_screen(name) -> None:
    chance = random.Random(name)
    state = start(compilation_of(name).record, 60, 15)
    for count in range(250):
        if not count % 25:
            state = model.resized(
                state, chance.choice([20, 40, 90, 200]), chance.choice([6, 15, 50])
            )
        key = chance.choice([*KEYS, "right", "right", "down", "s", "enter"])
        state = replace(press(state, key), is_done=False)
        lines = frame(state).plain.split("\n")
        assert len(lines) <= state.height
        assert {len(line) for line in lines} == {state.width}, key
