"""What users of compiled functions look at every day: `f.inspect_types()` and its like.

Names, arguments and shapes are those that users of the reference compiler know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TextIO

from cutaway.dataclass import dataclass
from cutaway.errors import CutawayError, OptionError, UnsupportedError, did_you_mean
from cutaway.inspection import llvm_text
from cutaway.inspection.annotation import Annotation, annotated, annotation_info, annotation_text
from cutaway.inspection.displayed import Displayed, render
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
    """The control flow of a function's code; `dot` is its text, `text` the code itself."""

    name: str
    dot: str
    text: str

    def display(
        self, filename: str | None = None, format: str = "pdf", view: bool = False
    ) -> Any:  # Any: a graphviz.Source
        """The graph, as `graphviz` has it; written to a file of a format, and opened, on demand.

        Raises CutawayError where Graphviz is not installed, and is needed for that.
        """
        source = render().graph(self.dot)
        if filename is not None:
            _drawn(lambda: source.render(filename, format=format, view=view, cleanup=True))
        elif view:
            _drawn(lambda: source.view(cleanup=True))
        return source

    def _repr_svg_(self) -> str:
        found: str = _drawn(lambda: render().graph(self.dot).pipe("svg", encoding="utf-8"))
        return found

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        bundle = {"text/plain": str(self), "text/html": render().as_html(self)}
        try:
            return {**bundle, "image/svg+xml": self._repr_svg_()}
        except CutawayError:  # the text stands for the picture
            return bundle

    def __str__(self) -> str:
        return self.dot

    __repr__ = __str__


def _drawn(draw: Callable[[], Any]) -> Any:  # Any: what graphviz gives
    try:
        return draw()
    except render().graphviz.ExecutableNotFound:
        raise CutawayError(
            "Graphviz is not installed, which draws graphs",
            hint="install it (`dot` must be found), or use .dot, the text of the graph",
        ) from None


def drawing(wrapper: Any, options: dict[str, Any]) -> Callable[[CompileUnit], CodeGraph]:
    """What draws the optimized code of a unit.  (Any: options of `inspect_cfg`.)

    Raises OptionError for an option that there is not.
    """
    for name in options:
        if name not in _OPTIONS:
            hint = did_you_mean(name, _OPTIONS, f"there are: {', '.join(_OPTIONS)}")
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
    """The graph of a function, or of the entry point, which is all where that was inlined."""
    assert unit.callee is not None
    text = unit.llvm_opt
    defined = dict(llvm_text.functions_of(text))
    entry = entry_name(unit.callee)
    name = entry if wrapper or unit.callee.symbol not in defined else unit.callee.symbol
    dot = llvm_text.to_dot(text, name, with_code=not options.get("strip_ir"))
    if options.get("fontsize"):
        dot = dot.replace("[shape=box", f"[shape=box, fontsize={float(options['fontsize']):g}", 1)
    return CodeGraph(name, dot, llvm_text.definitions(text))


def inspect_types(units: Units, file: TextIO | None, pretty: bool) -> Annotation | None:
    """Print annotations, or give what shows them in a notebook."""
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
    """Types as a tuple is written."""
    return f"({', '.join(map(str, argtypes))}{',' * (len(argtypes) == 1)})"


def all_annotations(units: Units) -> dict[tuple[str, str], dict[str, Any]]:  # Any: plain data
    """The annotations as plain data, by the place of the function and its signature."""
    found = {}
    for argtypes, unit in units:
        place = f"{unit.fn.filename}:{unit.fn.first_line}"
        found[place, f"{_listed(argtypes)} -> {unit.return_type}"] = annotation_info(unit)
    return found


def nothing_parallel(name: str) -> UnsupportedError:
    """The error of who asks what was made parallel."""
    return UnsupportedError(
        f"nothing of {name} was made parallel: loops are not compiled for several threads yet",
        hint="f.trace(...) shows what was done with each loop",
    )
