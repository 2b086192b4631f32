"""The picture of a state: where one is, what is marked, on narrow and on wide screens."""

from __future__ import annotations

import io
import re

import pytest
from records import compilation_of, everything
from rich.console import Console

from cutaway.inspection.showing.terminal.frames import frame
from cutaway.inspection.showing.terminal.model import press, start

pytestmark = pytest.mark.sampled(fast=0)


def picture(*keys: str, width: int = 100, height: int = 24) -> list[str]:
    """The lines of the screen behind some keys."""
    state = start(everything(), width, height)
    for key in keys:
        state = press(state, key)
    return frame(state).plain.split("\n")


@pytest.mark.parametrize(("width", "height"), [(40, 12), (89, 24), (90, 24), (200, 60)])
def test_the_screen_is_filled_and_not_more(width, height) -> None:
    for keys in ((), ("right",), ("right", "?"), ("right", "t"), ("right", "d"), ("/", "a")):
        lines = picture(*keys, width=width, height=height)
        assert len(lines) == height
        assert {len(line) for line in lines} == {width}


def test_it_tells_the_level_the_function_the_passes_and_what_the_step_did() -> None:
    lines = picture("right", "right")
    assert lines[0].startswith(" [ir] f(int64)")
    assert " fold+ " in lines[1] and "quiet" not in lines[1]
    assert lines[-2].startswith("fold: Fold. 1 const removed, 1 op changed.")
    assert lines[-1].startswith(" 4/7, down: 4 inside  line")
    assert "quiet" in picture("a")[1]


def test_the_source_stands_beside_the_program_with_its_place_marked() -> None:
    lines = picture("right", "right", "end")
    marked = [line for line in lines if line.startswith(">")]
    assert len(marked) == 1
    assert marked[0].startswith(">   3     return s")
    assert any(line.partition(" | ")[2].startswith(">   3       return s") for line in lines)


def test_a_narrow_screen_shows_one_pane_at_a_time() -> None:
    program = picture("right", width=40)
    assert any("a = arg(0, name=a)" in line for line in program)
    assert not any("def f(a):" in line for line in program[2:])
    assert any("def f(a):" in line for line in picture("right", "tab", width=40))


def test_what_was_marked_followed_and_searched_is_seen() -> None:
    assert " *build_ir" in picture("right", "m", "right")[1]
    assert "following s" in picture("right", "f", "s", "enter")[-1]
    assert picture("/", "x")[-1].startswith("/x_")
    assert picture("f", "s")[-1].startswith("follow: s_")


def test_long_lines_are_reached_sideways() -> None:
    record = compilation_of("total").record
    state = start(record, 60, 20)
    for key in ["right"] * 9:
        state = press(state, key)
    before = frame(state).plain
    assert frame(press(state, ">")).plain != before
    assert frame(press(press(state, ">"), "<")).plain == before


def test_without_colors_the_picture_tells_as_much(monkeypatch) -> None:
    out = io.StringIO()
    console = Console(file=out, width=100, height=24, no_color=True, force_terminal=True)
    state = press(press(start(everything(), 100, 24), "right"), "d")
    console.print(frame(state))
    assert "\x1b[3" not in out.getvalue().replace("\x1b[3m", "")
    assert "> " in out.getvalue() and "+ " in out.getvalue()


def test_a_guessed_line_is_shown_as_one() -> None:
    record = compilation_of("total").record
    state = start(record, 120, 300)
    for _ in range(30):
        state = press(state, "right")
    guesses = [line for line in record.at("asm").lines if line.near]
    marked = [line for line in frame(state).plain.split("\n") if re.search(r"~\d+ ", line)]
    assert guesses and len(marked) == len(guesses)
