"""Loops over arrays as a graph: the computation of each result's elements.

Each array expression is a frame: its operands, with the element that an iteration reads, flow into
the operations on elements, and these into the result. Fusion leaves the same boxes in fewer frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cutaway.drawing.model import Edge, Graph, Node, cut, note
from cutaway.ir import nodes
from cutaway.ir.elements import ArrayOp, texts_of_steps
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.reductions import REDUCTIONS
from cutaway.ir.traversal import makers_of, walk
from cutaway.stages.arrays.operands import texts_of
from cutaway.typing.types import Array, Type

_LETTERS = "ijklmn"


def loop_flow(fn: Function, types: Mapping[str, Type]) -> Graph:
    """Return the loops over arrays of a function."""
    loops = [op for op in walk(fn) if isinstance(op, ArrayOp)]
    makers = makers_of(fn)
    boxes: list[Node] = []
    lines: list[Edge] = []
    for number, op in enumerate(loops, 1):
        target = (op.target,) if isinstance(op, nodes.ArrayStore) else ()
        frame = _LoopFrame(number, op, texts_of(makers, (*op.args, *target)), types, makers)
        boxes += frame.boxes()
        lines += frame.lines
    graph = Graph(fn.name, tuple(boxes), tuple(lines), "loops")
    return graph if boxes else note(graph, "it has no loops over arrays")


class _LoopFrame:
    """One loop nest."""

    def __init__(
        self,
        number: int,
        op: ArrayOp,
        texts: Sequence[str],
        types: Mapping[str, Type],
        makers: Mapping[str, Op],
    ) -> None:
        self.op = op
        self.texts = texts
        self.types = types
        self.makers = makers
        self.lines: list[Edge] = []
        self.axes = max((_ndim(types.get(name)) for name in op.args), default=0)
        if isinstance(op, nodes.ArrayStore):
            self.axes = max(self.axes, _ndim(types.get(op.target)))
        letters = _LETTERS if self.axes <= len(_LETTERS) else [f"i{k}" for k in range(self.axes)]
        self.letters = list(letters[: self.axes])
        around = ", ".join(f"{name} along axis {k}" for k, name in enumerate(self.letters))
        self.title = f"loop {number}, line {op.loc.line}: {around or 'one element'}"
        self.box_of: dict[str, str] = {}  # from the variable of an element to its box
        self.shown: dict[str, str] = {}  # likewise to its text in the boxes that use it

    def boxes(self) -> Iterator[Node]:
        """Yield the boxes, operands first; `lines` is complete after the last."""
        for k, name in enumerate(self.op.args):
            yield self._operand(k, name)
        inner = self.op.body.blocks[0].ops
        for one in inner:
            if isinstance(one, nodes.Element):
                if one.function.startswith("python.") and one.args[0] in self.box_of:
                    self.box_of[one.result] = self.box_of[one.args[0]]  # a number unchanged
                    self.shown[one.result] = self.shown[one.args[0]]
                    continue
                yield self._step(one)
            elif isinstance(one, nodes.Give):
                yield self._result(one)

    def _operand(self, k: int, name: str) -> Node:
        index, ty = self.op.body.indices[k], self.types.get(name)
        text, count = self.texts[k], _ndim(ty)
        is_array = isinstance(ty, Array)
        element = self._element(text, count) if is_array else text
        self.box_of[index], self.shown[index] = f"{self.op.id}:{index}", element
        repeated = [one for one in self.letters[: self.axes - count] if is_array]
        rows = [f"a round reads {element}"] if is_array else ["the same in each round"]
        if repeated:
            rows.append(f"the same for each {', '.join(repeated)}")
        maker = self.makers.get(name)
        if isinstance(maker, nodes.ArrayExpr):
            rows.append(f"made by the loop of line {maker.loc.line}")
        loc = maker.loc.line if maker is not None else self.op.loc.line
        title, kind = f"{text} :: {ty}", "entry" if is_array else "constant"
        here = self.box_of[index]
        return Node(here, cut(title), tuple(rows), kind, loc, name, cluster=self.title)

    def _element(self, text: str, count: int) -> str:
        own = ", ".join(self.letters[self.axes - count :])
        return f"{text}[{own}]" if own else text

    def _step(self, one: nodes.Element) -> Node:
        here = f"{self.op.id}:{one.result}"
        for arg in dict.fromkeys(one.args):
            self.lines.append(Edge(self.box_of[arg], here, "", "data"))
        text = texts_of_steps((one,), self.shown)[one.result]
        self.box_of[one.result], self.shown[one.result] = here, one.result.lstrip("$")
        title = f"{one.result.lstrip('$')} :: {self.types.get(one.result)}"
        line = one.loc.line
        return Node(
            here, title, (text,), "temporary", line, one.result, (line,), cluster=self.title
        )

    def _result(self, give: nodes.Give) -> Node:
        op, here = self.op, f"{self.op.id}:result"
        self.lines.append(Edge(self.box_of[give.value], here, "", "data"))
        value = self.shown[give.value]
        match op:
            case nodes.ArrayStore(target=target):
                name = self.texts[-1]
                title = f"{name} :: {self.types.get(target)}"
                rows = [f"{self._element(name, self.axes)} = {value}", "in the array that is there"]
            case nodes.ArrayReduce(result, function=function, axis=axis):
                title = f"{_name(result)} :: {self.types.get(result)}"
                along = "" if axis is None else f" along axis {axis} ({self.letters[axis]})"
                rows = [f"{value}: {REDUCTIONS[function].words}{along}"]
                rows.append("no array is made of what is reduced")
            case _:
                ty = self.types.get(op.result)
                title = f"{_name(op.result)} :: {ty}"
                rows = [f"{self._element(_name(op.result), self.axes)} = {value}", "a new array"]
        defined = op.target if isinstance(op, nodes.ArrayStore) else op.result
        kind = "effect" if isinstance(op, nodes.ArrayStore) else "exit"
        return Node(here, cut(title), tuple(rows), kind, op.loc.line, defined, cluster=self.title)


def _name(name: str) -> str:
    return "result" if is_temporary(name) else user_name(name)


def _ndim(ty: Type | None) -> int:
    return ty.ndim if isinstance(ty, Array) else 0
