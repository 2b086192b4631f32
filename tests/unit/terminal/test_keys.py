"""Keys are read from a terminal one by one."""

from __future__ import annotations

import os

import pytest

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

from cutaway.inspection.showing.terminal.keys import Keys, can_read, split  # noqa: E402


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("q", ["q"]),
        ("ab", ["a", "b"]),
        ("\r", ["enter"]),
        (" \t\x7f", ["space", "tab", "backspace"]),
        ("\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]),
        ("\x1bOA\x1bOH", ["up", "home"]),
        ("\x1b[5~\x1b[6~\x1b[1~\x1b[4~", ["pageup", "pagedown", "home", "end"]),
        ("\x1b", ["escape"]),
        ("\x1bx", ["escape", "x"]),
        ("\x1b[15~x", ["", "x"]),
        ("\x1b[1;5Cx", ["", "x"]),
        ("é/", ["é", "/"]),
        ("\x03", ["q"]),
    ],
)
def test_what_a_terminal_sends_is_split_into_keys(text, keys) -> None:
    found = []
    while text:
        key, text = split(text)
        found.append(key)
    assert found == keys


def test_keys_are_read_as_they_are_pressed_and_the_terminal_is_put_back() -> None:
    parent, child = pty.openpty()
    before = termios.tcgetattr(child)
    try:
        assert can_read(child)
        with Keys(child) as keys:
            assert keys.read(0.01) is None
            os.write(parent, b"\x1b[Cj")
            assert [keys.read(5), keys.read(5), keys.read(0.01)] == ["right", "j", None]
            os.write(parent, b"\x1b")
            assert keys.read(5) == "escape"
            os.write(parent, "é".encode()[:1])
            assert keys.read(5) is None
            os.write(parent, "é".encode()[1:])
            assert keys.read(5) == "é"
        assert termios.tcgetattr(child) == before
    finally:
        os.close(parent)
        os.close(child)


def test_a_pipe_is_no_keyboard() -> None:
    out, into = os.pipe()
    assert not can_read(out)
    os.close(out)
    os.close(into)
