"""Programs in color: source, IR, LLVM and assembly, for rich."""

from __future__ import annotations

from rich.console import RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.text import Text

# The highlighted parts of our own IR, in the order of painting.
_PAINT = (
    (r"^(func|generator) .*$", "bold"),
    (r"^label \d+(, except \d+)?:", "bold cyan"),
    (r"(?<![\w.$])\$[\w.]+", "dim"),
    (r"'[^']*'", "green"),
    (
        r"\b(jump|branch|return|raise|reraise|caught|suspend|phi|call|del|incref|decref)\b",
        "magenta",
    ),
    (r":: .*$", "yellow"),
    (r"\[[^\]]*\]$", "dim"),
)


def code(text: str, language: str) -> RenderableType:
    """Color source, IR, LLVM or assembly."""
    if language not in ("bytecode", "cutaway"):
        return Syntax(text, language, background_color="default", word_wrap=True)
    return own_ir(text)


def own_ir(text: str) -> Text:
    """Color our own IR."""
    painted = Text(text, overflow="fold")
    for pattern, style in _PAINT:
        painted.highlight_regex(f"(?m){pattern}", style)
    return painted


def panel(title: str, text: str, language: str) -> RenderableType:
    """Draw a program in a frame."""
    return Panel(code(text, language), title=Text(title), title_align="left")
