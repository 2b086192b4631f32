"""The picture of iterations and their threads, as SVG: the same bytes for the same data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from cutaway.drawing.theme import FONT

Plain = dict[str, Any]

CLASS = "cutaway-threads"
_WIDTH = 760  # of the iterations and of the times
_LEFT, _TOP, _EDGE = 116, 34, 12
_BAR, _LANE, _GAP = 38, 20, 8
_MOST_HIGH = 260  # of iterations in two dimensions
_LEAST_TEXT = 12  # least width of a piece with a number in it

# The colors of threads, by number: bright enough for dark backgrounds, dark enough for black text.
_COLORS = (
    "#4e9bd6",
    "#f0a03c",
    "#63b26b",
    "#e0696a",
    "#a98bd4",
    "#b58463",
    "#e08fc4",
    "#9aa0a6",
    "#c9bd3f",
    "#48b8c4",
    "#7f8fe0",
    "#8cc63f",
)
_STYLE = f"""\
.{CLASS}{{--t-fg:#1f2328;--t-dim:#636c76;--t-bg:#ffffff;--t-line:#d0d7de;background:var(--t-bg)}}
@media (prefers-color-scheme:dark){{.{CLASS}{{--t-fg:#e6edf3;--t-dim:#9198a1;--t-bg:#0d1117;\
--t-line:#30363d}}}}
.{CLASS} text{{font-family:{FONT};font-size:11px;fill:var(--t-fg)}}
.{CLASS} .dim{{fill:var(--t-dim)}}
.{CLASS} .loop{{font-weight:600}}
.{CLASS} .ground{{fill:var(--t-bg)}}
.{CLASS} .frame{{fill:none;stroke:var(--t-line)}}
.{CLASS} .piece rect{{stroke:var(--t-bg);stroke-width:.7}}
.{CLASS} .piece text{{fill:#111;text-anchor:middle;pointer-events:none}}"""


def svg(title: str, regions: Sequence[Plain]) -> str:
    """Draw loops, one below the other; each has a `title` and `words`."""
    parts: list[str] = []
    y = float(_TOP)
    for region in regions:
        drawn, height = _region(region, y)
        parts += drawn
        y += height
    if not regions:
        parts.append(_text(_EDGE, y, "no parallel loop was run", "dim"))
        y += 2 * _EDGE
    width, height = _LEFT + _WIDTH + 3 * _EDGE, y + _EDGE
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{CLASS}" role="img"'
            f' aria-label={quoteattr(title)} width="{_n(width)}" height="{_n(height)}"'
            f' viewBox="0 0 {_n(width)} {_n(height)}">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{_STYLE}\n</style>",
            f'<rect class="ground" width="{_n(width)}" height="{_n(height)}"/>',
            _text(_EDGE, 20, title),
            *parts,
            "</svg>",
            "",
        ]
    )


def _region(region: Plain, top: float) -> tuple[list[str], float]:
    """Draw one loop; return the drawing and its height."""
    y = top + 14
    parts = [_text(_EDGE, y, region["title"], "loop"), _text(_EDGE, y + 15, region["words"], "dim")]
    y += 26
    if region["parts"] > 1:
        drawn, height = _places(region, y)
        parts += drawn
        y += height + _GAP
        drawn, height = _times(region, y)
        parts += drawn
        y += height
    return parts, y - top + 2 * _GAP


# --- the iteration space --------------------------------------------------------------------------


def _places(region: Plain, top: float) -> tuple[list[str], float]:
    sizes = region["sizes"]
    rows, columns = (sizes[0], sizes[1]) if len(sizes) > 1 else (1, sizes[0])
    flat = len(sizes) == 1
    width = float(_WIDTH)
    height = float(_BAR) if flat else min(_MOST_HIGH, max(_BAR, width * rows / max(columns, 1)))
    if not flat and height == _MOST_HIGH:
        width = max(min(_WIDTH, height * columns / max(rows, 1)), _WIDTH / 4)
    parts = [_text(_EDGE, top + 14, "iterations", "dim")]
    for piece in region["pieces"]:
        bounds = piece["bounds"]
        if any(low > 0 for low, _ in bounds[2:]):
            continue  # axes beyond two are cut at their first index
        down = (0, 1) if flat else bounds[0]
        across = bounds[0] if flat else bounds[1]
        x, right = (_LEFT + width * place / max(columns, 1) for place in across)
        y, bottom = (top + height * place / max(rows, 1) for place in down)
        box = (x, y, right - x, bottom - y)
        parts.append(_piece(piece, box, _places_tip(piece)))
    parts.append(_frame(_LEFT, top, width, height))
    parts += _scale(region, top, width, height, flat)
    return parts, height + 14


def _scale(region: Plain, top: float, width: float, height: float, flat: bool) -> Iterator[str]:
    sizes = region["sizes"]
    below = top + height + 12
    yield _text(_LEFT, below, "0", "dim")
    last = str(sizes[0] if flat else sizes[1])
    yield _text(_LEFT + width, below, last, "dim", "end")
    if not flat:
        yield _text(_LEFT - 6, top + 10, "0", "dim", "end")
        yield _text(_LEFT - 6, top + height, str(sizes[0]), "dim", "end")
    if region["dimensions"] > 2:
        yield _text(_LEFT + width / 2, below, "the first place of the other axes", "dim", "middle")


def _places_tip(piece: Plain) -> str:
    places = ", ".join(f"{low} to {high}" for low, high in piece["bounds"])
    return f"piece {piece['part']}: places {places}, thread {piece['thread']}, {_took(piece)}"


def _took(piece: Plain) -> str:
    return f"{piece['end'] - piece['begin']:.3g} µs"


# --- time -----------------------------------------------------------------------------------------


def _times(region: Plain, top: float) -> tuple[list[str], float]:
    begin, end = region["begin"], region["end"]
    span = max(end - begin, 1e-9)
    threads = sorted({piece["thread"] for piece in region["pieces"]})
    parts: list[str] = []
    for k, thread in enumerate(threads):
        y = top + k * (_LANE + 3)
        own = [piece for piece in region["pieces"] if piece["thread"] == thread]
        work = sum(piece["end"] - piece["begin"] for piece in own)
        parts.append(_text(_EDGE, y + 14, f"thread {thread}", "dim"))
        parts.append(_text(_LEFT - 6, y + 14, f"{work / span:.0%}", "dim", "end"))
        parts.append(_frame(_LEFT, y, _WIDTH, _LANE))
        for piece in own:
            x, right = (
                _LEFT + _WIDTH * (time - begin) / span for time in (piece["begin"], piece["end"])
            )
            tip = f"thread {thread}: {_places_tip(piece)}"
            parts.append(_piece(piece, (x, y, max(right - x, 0.8), _LANE), tip, "part"))
    below = top + len(threads) * (_LANE + 3) + 9
    parts.append(_text(_LEFT, below, "0 µs", "dim"))
    parts.append(_text(_LEFT + _WIDTH, below, f"{span:.4g} µs", "dim", "end"))
    return parts, below - top


# --- pieces of SVG --------------------------------------------------------------------------------


def _piece(
    piece: Plain, box: tuple[float, float, float, float], tip: str, number: str = "thread"
) -> str:
    x, y, width, height = box
    color = _COLORS[piece["thread"] % len(_COLORS)]
    label = ""
    if width >= _LEAST_TEXT and height >= _LEAST_TEXT:
        middle = f'x="{_n(x + width / 2)}" y="{_n(y + height / 2 + 4)}"'
        label = f"<text {middle}>{piece[number]}</text>"
    return (
        f'<g class="piece" data-thread="{piece["thread"]}" data-part="{piece["part"]}">'
        f"<title>{escape(tip)}</title>"
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" fill="{color}"/>'
        f"{label}</g>"
    )


def _frame(x: float, y: float, width: float, height: float) -> str:
    place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
    return f'<rect class="frame" {place}/>'


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "") -> str:
    words = f' class="{kind}"' if kind else ""
    side = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text{words} x="{_n(x)}" y="{_n(y)}"{side}>{escape(text)}</text>'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
