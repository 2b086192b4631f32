"""The result of `.graph()`: a `graphviz.Source` that needs no Graphviz.

g = c.at("ssa").graph() g drawn in a notebook, by `dot` if it is installed g.source, g.text DOT
text; a picture of characters g.svg("own") the SVG by our own layout; `g.svg("dot")` that by
Graphviz g.around("s") only the surroundings of a block or a variable g.save_svg("f.svg") the SVG as
a file; `g.render()` and the like are Graphviz's
"""

from __future__ import annotations

import shutil
import tempfile
import webbrowser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import graphviz
from rich.console import Console, ConsoleOptions
from rich.text import Text

from cutaway.drawing import svg as writer
from cutaway.drawing.dot import dressed, to_dot
from cutaway.drawing.layout import Layout, layout
from cutaway.drawing.model import (
    MANY_NODES,
    Graph,
    around,
    folded,
    is_huge,
    readable,
)
from cutaway.drawing.picture import picture
from cutaway.errors import PipelineError, did_you_mean
from cutaway.foundation.lazy import cached_property

LAYOUTS = ("auto", "own", "dot")

# The highlighted parts of a character picture.
_PAINT = (
    (r"[┌+][─-] .*$", "bold"),
    (r"loop header|unusual|unreachable", "magenta"),
    (r"(?<=[├+][─-] )T\b|(?<=[↓v] )T\b", "green"),
    (r"(?<=[├+][─-] )F\b|(?<=[↓v] )F\b", "red"),
)


class Drawing(graphviz.Source):  # graphviz has no types
    """A graph that draws itself.

    `layout` is `"own"`, `"dot"` (which raises PipelineError if Graphviz is missing), or `"auto"`:
    Graphviz if it is installed and the graph is not large, else our own, whose rows and columns are
    then easier to read.
    """

    def __init__(self, graph: Graph, layout: str = "auto") -> None:
        _check(layout)
        # Any size of graph has DOT text, which other programs may read.
        super().__init__(to_dot(folded(graph, 0) if is_huge(graph) else readable(graph)))
        self.graph = graph
        self.layout = layout

    @cached_property
    def drawn(self) -> Graph:
        """The graph as drawn: large graphs have short boxes."""
        return readable(self.graph)

    @cached_property
    def places(self) -> Layout:
        """Our own layout: the positions of boxes and lines."""
        return layout(self.drawn)

    @property
    def text(self) -> str:
        """The graph as a character picture."""
        return picture(self.drawn)

    def around(self, name: str, steps: int = 2) -> Drawing:
        """Return the part of the graph within so many edges of a block, a variable or a function.

        Raises PipelineError if there is nothing of that name.
        """
        part = around(self.graph, name, steps)
        if not part.nodes:
            known = [node.title.partition(" ")[0] for node in self.graph.nodes]
            raise PipelineError(f"the graph has no node {name!r}", hint=did_you_mean(name, known))
        return Drawing(part, self.layout)

    def svg(self, layout: str | None = None) -> str:
        """Draw the graph as SVG, by the layout of this drawing or another."""
        chosen = self._chosen(layout or self.layout)
        if chosen == "dot":
            return dressed(self.drawn, self.pipe(format="svg", encoding="utf-8", quiet=True))
        return writer.svg(self.drawn, self.places)

    def save_svg(self, path: str | Path, layout: str | None = None) -> Path:
        """Write the drawing to a file and return its path."""
        target = Path(path)
        target.write_text(self.svg(layout), encoding="utf-8")
        return target

    def show(self) -> Path:
        """Show the drawing in the browser; returns the path of its file."""
        folder = Path(tempfile.mkdtemp(prefix="cutaway-"))
        path = self.save_svg(folder / "graph.svg")
        webbrowser.open(path.as_uri())
        return path

    def _chosen(self, wanted: str) -> str:
        _check(wanted)
        if wanted == "own":
            return wanted
        installed = shutil.which("dot") is not None
        if wanted == "dot" and not installed:
            raise PipelineError(
                "Graphviz is not installed: `dot` is not on PATH",
                hint='layout="own" does not need it',
            )
        large = len(self.drawn.nodes) > MANY_NODES
        return "dot" if installed and (wanted == "dot" or not large) else "own"

    def _copy_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        # graphviz's derived sources, as of `unflatten`, have their own text.
        return {"graph": self.graph, "layout": self.layout}

    def _repr_image_svg_xml(self) -> str:
        return self.svg()

    def _repr_mimebundle_(
        self,
        include: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        **_: object,
    ) -> dict[str, Any]:
        wanted = {"image/svg+xml", "text/plain"} if include is None else set(include)
        wanted -= set(exclude or ())
        result: dict[str, Any] = super()._repr_mimebundle_(wanted - {"text/plain"})
        if "text/plain" in wanted:
            result["text/plain"] = self.text
        return result

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        # Cutting a line preserves the arrows at its left; wrapping does not.
        shown = picture(self.drawn, options.ascii_only).rstrip("\n")
        text = Text(shown, no_wrap=True, overflow="ellipsis")
        for pattern, look in _PAINT:
            text.highlight_regex(f"(?m){pattern}", look)
        yield text

    def __repr__(self) -> str:
        return f"<{writer.label_of(self.graph)}>"


def _check(layout: str) -> None:
    if layout not in LAYOUTS:
        raise PipelineError(f"there is no layout {layout!r}", hint=f"layouts: {', '.join(LAYOUTS)}")
