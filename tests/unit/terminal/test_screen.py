"""The viewer on a real terminal: keys are pressed, the screen is read."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import warm

pytestmark = pytest.mark.sampled(others=2, fast=0)

pytest.importorskip("pty")

from records import everything  # noqa: E402
from screens import Screen  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RIGHT, LEFT, DOWN, UP = "\x1b[C", "\x1b[D", "\x1b[B", "\x1b[A"
TO_SCREEN, FROM_SCREEN = "\x1b[?1049h", "\x1b[?1049l"


@pytest.fixture
def file(tmp_path) -> str:
    """A record."""
    path = tmp_path / "f.cutaway"
    everything().save(path)
    return str(path)


@pytest.fixture
def opened() -> Iterator[Callable[..., Screen]]:
    """Opens screens, which are closed in the end."""
    screens: list[Screen] = []

    def open_screen(*arguments: str, **options) -> Screen:
        screens.append(Screen(*arguments, **options))
        return screens[-1]

    yield open_screen
    for screen in screens:
        screen.end()


def test_a_record_is_walked_through(file, opened) -> None:
    screen = opened("view", file)
    screen.wait_for("?: all keys")
    assert TO_SCREEN in screen.seen
    for keys, words in [
        (RIGHT, "build_ir: Make IR."),
        (RIGHT, "fold: Fold. 1 const removed, 1 op changed."),
        (DOWN, "swap: two ops change places (stages/fold.py:12)"),
        (RIGHT, "fold: `2` is known"),
        (UP, "4/7, down: 4 inside"),
        ("d", "fold against the previous step: 1 const removed"),
        ("d", "fold: Fold."),
        ("fs\r", "following s"),
        (RIGHT, "%s.3 = add i64 %arg.a, 2"),
        ("/ret\r", "ret i64"),
        (LEFT, "fold: Fold."),
        ("?", "the changes from the previous step"),
        ("t", "types, and why"),
        ("v", "returns 3"),
        (LEFT + "g", "[label 0]"),
    ]:
        screen.press(keys)
        screen.wait_for(words)
    screen.press("q")
    status, _ = screen.finish()
    assert status == 0
    assert FROM_SCREEN in screen.seen


def test_another_size_is_followed_and_a_narrow_screen_works(file, opened) -> None:
    screen = opened("view", file, columns=40, lines=12)
    screen.wait_for("right: next pass")
    screen.press(RIGHT)
    screen.wait_for("build_ir: Make IR.")
    screen.resize(120, 30)
    screen.seen = ""
    screen.wait_for("def f(a):")
    screen.press("q")
    assert screen.finish()[0] == 0


@pytest.mark.parametrize("end", ["\x03", "\x04"])
def test_ctrl_c_and_ctrl_d_end_it_and_leave_the_terminal_as_it_was(file, end, opened) -> None:
    screen = opened("view", file)
    screen.wait_for("?: all keys")
    screen.press(end)
    assert screen.finish()[0] == 0
    assert FROM_SCREEN in screen.seen


def test_a_terminal_that_goes_away_ends_it(file, opened) -> None:
    screen = opened("view", file)
    screen.wait_for("?: all keys")
    screen.process.send_signal(signal.SIGHUP)
    screen.process.wait(30)


def test_no_color_means_no_color(file, opened) -> None:
    screen = opened("view", file, NO_COLOR="1")
    screen.wait_for("?: all keys")
    assert "\x1b[3" not in screen.seen.replace("\x1b[3m", "")
    screen.press("q")
    screen.finish()


def test_without_a_terminal_all_of_it_is_printed(file) -> None:
    done = warm.run(
        [sys.executable, "-m", "cutaway", "view", file],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The viewer needs a terminal")
    assert "quiet: changed nothing" in done.stdout
    assert "+     s = a + 2  ['a', 's']" in done.stdout
