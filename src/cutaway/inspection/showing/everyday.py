"""The everyday inspection of compiled functions: `f.inspect_types()` and similar.

Names, arguments and shapes are those of the reference compiler.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TextIO

from cutaway.drawing.model import Graph
from cutaway.errors import CutawayError, OptionError, did_you_mean
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.inspection.graphs.assembly import assembly_functions
from cutaway.inspection.graphs.llvm import llvm_functions
from cutaway.inspection.graphs.ptx import ptx_functions
from cutaway.inspection.llvm import text as llvm_text
from cutaway.inspection.showing.annotation import (
    Annotation,
    annotated,
    annotation_info,
    annotation_text,
)
from cutaway.inspection.showing.displayed import Displayed, render
from cutaway.lowering.module import entry_name
from cutaway.stages.unit import CompileUnit
from cutaway.typing.types import Type

Units = Sequence[tuple[tuple[Type, ...], CompileUnit]]

_OPTIONS = (
    "filename",
    "view",
    "render_format",
    "strip_ir",
    "fontsize",
    "highlight",
    "interleave",
    "show_key",
)


@dataclass(frozen=True, eq=False)
class CodeGraph(Displayed):
    """The control flow of a function's code; `text` is the code itself."""

    graph: Graph
    text: str
    language: str

    @property
    def dot(self) -> str:
        """The graph as Graphviz source."""
        source: str = self.display().source
        return source

    def display(self, filename: str | None = None, format: str = "pdf", view: bool = False) -> Any:
        """Return the graph like `graphviz`'s; on demand write it to a file in a format, and open
        it.

        Raises CutawayError for a format other than svg if Graphviz is not installed.
        """
        drawing = render.drawing(self.graph)
        if filename is not None:
            _write(drawing, filename, format, view)
        elif view:
            drawing.show()
        return drawing

    def _repr_svg_(self) -> str:
        result: str = self.display().svg()
        return result

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": self.display().text, "image/svg+xml": self._repr_svg_()}

    def __str__(self) -> str:
        return self.dot

    def __repr__(self) -> str:
        return f"<{self.graph.title}>"


def _write(drawing: Any, filename: str, format: str, view: bool) -> None:
    if format == "svg" and not view:
        drawing.save_svg(f"{filename}.svg")
        return
    if shutil.which("dot") is None:
        raise CutawayError(
            f"drawing {format} needs Graphviz, which is not installed",
            hint='format="svg" does not need it; .dot is the graph as text',
        )
    drawing.render(filename, format=format, view=view, cleanup=True)


def drawing(wrapper: Any, options: dict[str, Any]) -> Callable[[CompileUnit], CodeGraph]:
    """Make the function that draws a unit's optimized code.

    Raises OptionError for an unknown option.
    """
    for name in options:
        if name not in _OPTIONS:
            hint = did_you_mean(name, _OPTIONS, f"options: {', '.join(_OPTIONS)}")
            raise OptionError(f"inspect_cfg has no option {name!r}", hint=hint)

    def draw(unit: CompileUnit) -> CodeGraph:
        graph = _of_llvm(unit, bool(wrapper), options)
        if options.get("filename") or options.get("view"):
            graph.display(
                options.get("filename"),
                options.get("render_format") or "pdf",
                bool(options.get("view")),
            )
        return graph

    return draw


def _of_llvm(unit: CompileUnit, wrapper: bool, options: dict[str, Any]) -> CodeGraph:
    text = unit.llvm_opt
    graph = _own_or_entry(unit, llvm_functions(text), wrapper)
    if options.get("strip_ir"):
        bare = tuple(replace(node, lines=(), locs=()) for node in graph.nodes)
        graph = replace(graph, nodes=bare)
    return CodeGraph(graph, llvm_text.definitions(text), "llvm")


def of_assembly(unit: CompileUnit) -> CodeGraph:
    """Return the control flow of a unit's machine code, or of its PTX."""
    if unit.has("ptx"):
        rows = [(row, 0) for row in unit.ptx.splitlines()]
        return CodeGraph(_own_or_entry(unit, ptx_functions(rows), wrapper=False), unit.ptx, "ptx")
    graph = _own_or_entry(unit, assembly_functions(unit.asm), wrapper=False)
    return CodeGraph(graph, unit.asm, "gas")


def _own_or_entry(unit: CompileUnit, graphs: Iterable[Graph], wrapper: bool) -> Graph:
    """Return the graph of a function, or of the entry point if it was inlined there."""
    assert unit.callee is not None
    by_name = {graph.name: graph for graph in graphs}
    entry = by_name[entry_name(unit.callee)]
    return entry if wrapper else by_name.get(unit.callee.symbol, entry)


def inspect_types(units: Units, file: TextIO | None, pretty: bool) -> Annotation | None:
    """Print annotations, or return an object that shows them in a notebook."""
    if pretty:
        if file is not None:
            raise OptionError(
                "`file` must be None if `pretty=True`", hint="print(..., file=file) prints it"
            )
        parts = [(_title(unit, types), annotation_text(unit), unit) for types, unit in units]
        return Annotation(tuple((title, text, annotated(unit)) for title, text, unit in parts))
    for types, unit in units:
        print(f"{_title(unit, types)}\n{'-' * 80}\n{annotation_text(unit)}\n{'=' * 80}", file=file)
    return None


def _title(unit: CompileUnit, argtypes: tuple[Type, ...]) -> str:
    return f"{unit.name} {_listed(argtypes)}"


def _listed(argtypes: tuple[Type, ...]) -> str:
    """Format types like a tuple."""
    return f"({', '.join(map(str, argtypes))}{',' * (len(argtypes) == 1)})"


def all_annotations(units: Units) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the annotations as plain data, by the location of the function and its signature."""
    result = {}
    for argtypes, unit in units:
        place = f"{unit.fn.filename}:{unit.fn.first_line}"
        result[place, f"{_listed(argtypes)} -> {unit.return_type}"] = annotation_info(unit)
    return result
