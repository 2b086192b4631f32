"""Faults planted in what makes loops of array expressions: each a part that is replaced by a wrong
one, and a small program on which that shows.

    python -m fuzz array-faults 40          # whether each is found, and by what
    python -m fuzz array-fault-search 40    # whether made-up programs find each, too

`found_by` says what finds a fault: a `call`, whose outcome differs from Python's; the `verifier`,
before there is code; or the `witness`, which runs every level.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

import cutaway
from cutaway.foundation.source import UNKNOWN
from cutaway.ir import elements, interpreter, nodes
from cutaway.ir.regions import FrozenBlock, Region
from cutaway.lowering.arrays import blocks, expressions, kernels, nests, overlap, reductions, shapes
from cutaway.stages.arrays import fusing, making
from cutaway.typing.analysis import memory, sizes
from fuzz import arrays
from fuzz.array_writer import ArrayWriter, Form, Written
from fuzz.batches import FINDING, SAME, Verdict

CALL, VERIFIER, WITNESS = "call", "verifier", "witness"
MOST = 300  # made-up programs that are tried

Made = Callable[[], tuple[Any, ...]]


@dataclass(frozen=True)
class Fault:
    """A wrong part in the place of `name` of `owner`, and the program that shows it."""

    said: str
    owner: Any  # a module or a class
    name: str
    wrong: Any  # of the same kind as what it replaces
    program: str
    arguments: Made
    found_by: str = CALL

    def written(self) -> Written:
        """The program as made-up ones are."""
        return Written(self.program, (Form("a", (), "", "C"), Form("b", (), "", "C")), True)

    @contextlib.contextmanager
    def planted(self) -> Iterator[None]:
        """While this is open, the fault is there."""
        with mock.patch.object(self.owner, self.name, self.wrong, create=self.name == "sorted"):
            yield


def floats(*shape: int) -> Any:
    """Floats that all differ."""
    count = int(np.prod(shape))
    return (np.arange(count) * 0.37 - 2.1).reshape(shape)


def _same() -> tuple[Any, ...]:
    a = floats(9)
    return a, a


def _near() -> tuple[Any, ...]:
    a = floats(9)
    return a[1:], a[:-1]


def _backward() -> tuple[Any, ...]:
    a = floats(9)
    return a[::-1], a[:]


# --- wrong parts --------------------------------------------------------------------------------


def never(*_: Any) -> Any:
    return None


def no(*_: Any) -> bool:
    return False


def yes(*_: Any) -> bool:
    return True


def nothing(*_: Any) -> tuple[Any, ...]:
    return ()


_merged = fusing.merged


def swapped_operands(producer: Any, consumer: Any) -> Any:
    args, body = _merged(producer, consumer)
    *rest, last, give = body.blocks[0].ops
    last = nodes.replace(last, args=last.args[::-1])
    block = FrozenBlock(body.blocks[0].label, (*rest, last, give))
    return args, Region(body.indices, (), (), (block,))


def rotated_indices(producer: Any, consumer: Any) -> Any:
    args, body = _merged(producer, consumer)
    return args[1:] + args[:1], body


def dropped_step(producer: Any, consumer: Any) -> Any:
    args, body = _merged(producer, consumer)
    block = FrozenBlock(body.blocks[0].label, tuple(body.blocks[0].ops[1:]))
    return args, Region(body.indices, (), (), (block,))


def gives_the_producer(producer: Any, consumer: Any) -> Any:
    return producer.args, producer.body


def first_row_alone(self: Any, names: Any) -> Any:
    return max(map(self.of, names), key=len, default=())


def whole_target(self: Any, op: Any) -> Any:
    return _view(self, nodes.replace(op, index=slice(None)))


_view = fusing.ArrayFusion._view


def no_conversions(name: str, operands: Any, loop: Any, forced: bool = False) -> Any:
    return ("",) * len(operands)


def stays(function: str, args: Any) -> Any:
    if function.startswith("python."):
        return args[0]
    return _apply(function, args)


_apply = elements.apply_element


def swapped_elements(function: str, args: Any) -> Any:
    return _apply(function, args[::-1])


def widest(build: Any, shapes_: Any) -> Any:
    return max(shapes_, key=len)


def reversed_strides(build: Any, parts: Any, shape: Any) -> Any:
    return _strides_over(build, parts, shape)[::-1]


_strides_over = shapes.strides_over


def own_strides(build: Any, parts: Any, shape: Any) -> Any:
    return ["0"] * (len(shape) - len(parts.strides)) + list(parts.strides)


def upward_extent(build: Any, data: str, shape: Any, strides: Any, size: int) -> Any:
    low = build.convert("ptrtoint", "ptr", data, "i64")
    high = build.binary("add", "i64", low, str(size))
    for count, stride in zip(shape, strides, strict=True):
        high = build.binary("add", "i64", high, build.binary("mul", "i64", count, stride))
    return low, high


def one_byte(build: Any, data: str, shape: Any, strides: Any, size: int) -> Any:
    low = build.convert("ptrtoint", "ptr", data, "i64")
    return low, build.binary("add", "i64", low, "1")


def unshared(*_: Any) -> str:
    return "false"


_may_share = overlap.may_share


def always_exempt(build: Any, ty: Any, parts: Any, other: Any, others: Any, _: bool) -> str:
    return _may_share(build, ty, parts, other, others, True)


def always_merged(self: Any) -> Any:
    inner = self.shape[-1]
    for size in self.shape[:-1]:
        inner = self.build.binary("mul", "i64", inner, size)
    return (*("1" for _ in self.shape[1:]), inner), self._all()


def dense(self: Any, shape: Any, tracks: Any) -> None:
    self.elements(shape, {n: nests.as_unit(t) for n, t in tracks.items()}, False)


def not_reversed(self: Any) -> Any:
    return self


_in_parts = nests.in_parts


def without_tail(build: Any, count: str, size: str, part: Any) -> None:
    _in_parts(build, build.binary("and", "i64", count, "-8"), size, part)


def in_any_order(track: Any, axes: Any) -> Any:
    return track


def side_by_side(track: Any) -> str:
    return track.unit


def unrepeated(track: Any) -> str:
    return "0" if not track.strides else track.unit


def all_at_once(kernel: Any, numbers: Any) -> Any:
    return dict.fromkeys(numbers, 0)


_assign = nests.assign


def kept_apart(build: Any, itemsize: int, source: Any, target: Any) -> None:
    _assign(build, itemsize, source, target)
    build.call("void", "cutaway_incref", [("ptr", source.owner)])


_allocate = nests.allocate


def kept_for_ever(build: Any, ty: Any, shape: Any, zeroed: bool) -> Any:
    _allocate(build, ty, shape, zeroed)
    return _allocate(build, ty, shape, zeroed)


def wrong_item(build: Any, ty: Any, shape: Any, zeroed: bool) -> Any:
    return _allocate(build, ty, shape[::-1], zeroed)


_reduction = reductions.Reduction


def without_keepdims(function: str, axis: Any, keepdims: bool) -> Any:
    return _reduction(function, axis, False)


def next_axis(function: str, axis: Any, keepdims: bool) -> Any:
    return _reduction(function, None if axis is None else axis + 1, keepdims)


_identity = reductions.identity


def zero(build: Any, function: str, ty: Any) -> Any:
    return _identity(build, "sum", ty)


def not_divided(build: Any, total: Any, count: str) -> Any:
    return total


_combined = reductions.combined


def other_extreme(build: Any, function: str, total: Any, element: Any) -> Any:
    other = {"min": "max", "max": "min"}.get(function, function)
    return _combined(build, other, total, element)


_step = kernels.KernelStep


def nowhere(resolution: Any, args: Any, loc: Any = UNKNOWN, vector_math: bool = False) -> Any:
    return _step(resolution, args, vector_math=vector_math)


def by_axis(key: Any, size: str, texts: Any) -> str:
    return str(key) if isinstance(key, int) else texts.setdefault(0, size)


def uncut(size: Any, part: Any) -> Any:
    return size


def one_less(size: Any, count: int) -> Any:
    return size if count == 0 else ("less", size, 1)


def _own_memory(self: Any, name: str) -> Any:
    return {name}, ()


def in_order_of_args(values: Any, reverse: bool = False) -> Any:
    return sorted(values)


def last_operand(body: Any) -> str:
    return str(body.indices[-1])


PLAIN = "def program(a, b):\n    t = a - b * 2\n    return t - a\n"
SHIFT = "def program(a, b):\n    a[1:] = b[:-1] * 2\n    return a\n"
TWICE = "def program(a, b):\n    a[:] = b[::-1] * 2\n    return a\n"
ROWS = "def program(a, b):\n    return a + b\n"


def _shapes(*rows: tuple[int, ...]) -> Made:
    return lambda: tuple(floats(*row) for row in rows)


FAULTS = [
    Fault(
        "an expression moves over a write to its operand",
        *(fusing.ArrayFusion, "_interference", never),
        "def program(a, b):\n    t = a - b\n    a[0] = 5.0\n    return t * 2\n",
        _shapes((4,), (4,)),
    ),
    Fault(
        "a write through a view is not seen",
        *(memory.Roots, "_made_of", _own_memory),
        "def program(a, b):\n    t = a * 2\n    v = a[1:]\n    v[0] = 5.0\n    return t + b\n",
        _shapes((4,), (4,)),
    ),
    Fault(
        "a call is taken to write nothing",
        *(memory.Roots, "_only_reads", yes),
        "def program(a, b):\n    t = a - b\n    a.fill(2.0)\n    return t * 2\n",
        _shapes((4,), (4,)),
    ),
    Fault(
        "an expression that may raise moves over what is seen",
        *(fusing.ArrayFusion, "may_raise", no),
        "def program(a, b):\n    c = np.zeros(3)\n    d = np.zeros(len(b))\n    t = c + d\n"
        "    a[0] = 9\n    return t + 1\n",
        _shapes((4,), (4,)),
    ),
    Fault(
        "an expression that is used twice is fused once",
        *(fusing.ArrayFusion, "_used_elsewhere", never),
        "def program(a, b):\n    t = a - b\n    return t * 2, t + 1\n",
        *(_shapes((4,), (4,)), VERIFIER),
    ),
    Fault(
        "the operands of a fused step are exchanged",
        *(fusing, "merged", swapped_operands, PLAIN, _shapes((4,), (4,)), VERIFIER),
    ),
    Fault(
        "elements are those of other operands",
        *(fusing, "merged", rotated_indices, PLAIN, _shapes((4,), (4,)), VERIFIER),
    ),
    Fault(
        "a step is lost when two expressions become one",
        *(fusing, "merged", dropped_step, PLAIN, _shapes((4,), (4,)), VERIFIER),
    ),
    Fault(
        "the step that uses an expression is lost",
        *(fusing, "merged", gives_the_producer, PLAIN, _shapes((4,), (4,)), VERIFIER),
    ),
    Fault("nothing is tested for overlap", *(fusing.ArrayFusion, "tested", nothing, SHIFT, _same)),
    Fault(
        "what is computed is assigned to other elements",
        *(fusing.ArrayFusion, "_view", whole_target),
        "def program(a, b):\n    a[1:] = b[0] * 2 + b[1:2]\n    return a\n",
        _shapes((4,), (4,)),
    ),
    Fault(
        "an assignment is taken for one of a part to itself",
        *(fusing.ArrayFusion, "_is_there", yes, SHIFT, _shapes((4,), (4,))),
    ),
    Fault(
        "steps raise in another order",
        *(fusing, "sorted", in_order_of_args),
        "def program(a, b):\n    return (a + b) * (a[1:] + b)\n",
        _shapes((4,), (7,)),
    ),
    Fault(
        "numbers are not converted before they are used",
        *(making, "conversions", no_conversions),
        "def program(a, b):\n    return a * 0.1\n",
        lambda: (floats(500).astype("f4"), 1),
    ),
    Fault(
        "the interpreter leaves numbers as they are",
        *(interpreter, "apply_element", stays),
        "def program(a, n):\n    return a + n\n",
        *(lambda: (np.arange(4, dtype=np.uint8), 300), WITNESS),
    ),
    Fault(
        "the interpreter exchanges operands",
        *(interpreter, "apply_element", swapped_elements, PLAIN, _shapes((4,), (4,)), WITNESS),
    ),
    Fault("sizes are not compared", *(nests, "broadcast", widest, ROWS, _shapes((4,), (3,)))),
    Fault(
        "the size of a target is not compared",
        *(nests, "require_shape", never),
        "def program(a, b):\n    a[1:] = b * 2\n    return a\n",
        _shapes((5,), (3,)),
    ),
    Fault(
        "strides of other axes",
        nests,
        "strides_over",
        reversed_strides,
        ROWS,
        _shapes((3, 4), (3, 4)),
    ),
    Fault(
        "an axis of one element is not repeated",
        *(nests, "strides_over", own_strides, ROWS, _shapes((3, 4), (3, 1))),
    ),
    Fault(
        "memory below an array of negative strides is not its own",
        *(overlap, "extent", upward_extent),
        "def program(a, b):\n    a[:] = b * 2\n    return b\n",
        _backward,
    ),
    Fault(
        "memory after the first byte is not an array's own",
        *(overlap, "extent", one_byte, SHIFT, _near),
    ),
    Fault("no arrays share memory", nests, "may_share", unshared, SHIFT, _near),
    Fault(
        "an array that operands are parts of is taken for an operand",
        *(nests, "may_share", always_exempt, TWICE, _same),
    ),
    Fault(
        "axes are merged whatever the strides are",
        *(nests.Nest, "merged", always_merged),
        "def program(a, b):\n    return a[:, 1:] + b[:, 1:]\n",
        _shapes((3, 4), (3, 4)),
    ),
    Fault(
        "elements are taken to lie side by side",
        *(nests.Nest, "_lines", dense),
        "def program(a, b):\n    return a[::2] + b[::2]\n",
        _shapes((8,), (8,)),
    ),
    Fault(
        "arrays in F order are gone through in C order",
        *(nests.Track, "reversed", not_reversed, ROWS),
        lambda: (np.asfortranarray(floats(3, 4)), np.asfortranarray(floats(3, 4) * 2)),
    ),
    Fault(
        "the end of a line is lost",
        *(blocks, "in_parts", without_tail),
        "def program(a, b):\n    return np.exp(a) + np.log(b)\n",
        lambda: (floats(1029), floats(1029) + 9),
    ),
    Fault(
        "the end of a tile is lost",
        *(nests, "in_parts", without_tail),
        "def program(a, b):\n    return a.T + b\n",
        _shapes((300, 13), (13, 300)),
    ),
    Fault(
        "the axes of a tile keep their order",
        *(nests.Track, "ordered", in_any_order),
        "def program(a, b):\n    return a.T + b\n",
        _shapes((3, 4, 5), (5, 4, 3)),
    ),
    Fault(
        "NumPy's loops read elements side by side",
        *(blocks, "_step_of", side_by_side),
        "def program(a, b):\n    return np.exp(a[::2]) + b[::2]\n",
        _shapes((8,), (8,)),
    ),
    Fault(
        "steps run before the calls whose results they need",
        *(kernels, "_earliest", all_at_once),
        "def program(a, b):\n    return np.exp(np.sin(a) * 2) + b\n",
        *(_shapes((600,), (600,)), VERIFIER),
    ),
    Fault("what was computed apart is not copied", nests, "assign", never, SHIFT, _near),
    Fault("what was computed apart is never freed", nests, "assign", kept_apart, SHIFT, _near),
    Fault("memory is never freed", nests, "allocate", kept_for_ever, PLAIN, _shapes((4,), (4,))),
    Fault(
        "an array is made with its axes exchanged",
        *(nests, "allocate", wrong_item, ROWS, _shapes((3, 4), (3, 4))),
    ),
    Fault(
        "keepdims is ignored",
        *(reductions, "Reduction", without_keepdims),
        "def program(a, b):\n    return np.sum(a * b, axis=1, keepdims=True)\n",
        *(_shapes((3, 4), (3, 4)), VERIFIER),
    ),
    Fault(
        "another axis is reduced",
        *(reductions, "Reduction", next_axis),
        "def program(a, b):\n    return np.sum(a * b, axis=0)\n",
        _shapes((3, 4), (3, 4)),
    ),
    Fault(
        "a leaf of fewer than 128 numbers",
        *(reductions, "LEAF", 120),
        "def program(a, b):\n    return float(np.sum(a * b))\n",
        lambda: (np.sin(floats(125) ** 2), np.cos(floats(125) ** 2)),
    ),
    Fault(
        "a reduction begins with zero",
        *(reductions, "identity", zero),
        "def program(a, b):\n    return float(np.max(-a * a)), float(np.prod(b * b))\n",
        _shapes((4,), (4,)),
    ),
    Fault(
        "the smallest for the largest",
        *(reductions, "combined", other_extreme),
        "def program(a, b):\n    return float(np.max(a - b * 2))\n",
        _shapes((4,), (4,)),
    ),
    Fault(
        "a mean is a sum",
        *(reductions, "_mean", not_divided),
        "def program(a, b):\n    return float(np.mean(a * b))\n",
        _shapes((4,), (4,)),
    ),
    Fault(
        "a maximum of nothing",
        *(reductions.Job, "require_elements", never),
        "def program(a, b):\n    return float(np.max(a * b))\n",
        _shapes((0,), (0,)),
    ),
    Fault(
        "an error is told of the line where an expression is used",
        *(expressions, "KernelStep", nowhere),
        "def program(a, b):\n    t = a + b\n    u = t * 2\n    return u\n",
        _shapes((4,), (3,)),
    ),
    Fault("all sizes are one", expressions, "_size", by_axis, ROWS, _shapes((4,), (3,))),
    Fault(
        "a slice is as long as the whole",
        *(sizes, "_sliced", uncut),
        "def program(a, b):\n    return a[1:] + a\n",
        _shapes((4,), (3,)),
    ),
    Fault(
        "all slices leave out one element",
        *(sizes, "_less", one_less),
        "def program(a, b):\n    return a[1:] + a[2:]\n",
        _shapes((4,), (3,)),
    ),
    Fault(
        "the result is an operand",
        *(expressions, "given", last_operand, PLAIN, _shapes((4,), (4,))),
    ),
]


# --- finding them -------------------------------------------------------------------------------


def looked_for(number: int) -> Verdict:
    """Whether a fault is found by what it should be; run it in a process of its own."""
    fault = FAULTS[number]
    found = what_finds(fault)
    if found == fault.found_by:
        return Verdict(SAME, f"{fault.said}: {found}")
    return Verdict(FINDING, f"{fault.said}: {found or 'nothing'} and not {fault.found_by}")


def _alone() -> None:
    # What is compiled of the library has the fault, too, and must not be found by other processes.
    os.environ["CUTAWAY_LIBRARY_CACHE"] = "0"
    os.environ["CUTAWAY_VERIFY"] = "structure"


def what_finds(fault: Fault) -> str:
    """What finds a fault in its program: empty where nothing does."""
    _alone()
    function = arrays.function_of(fault.program, "<program 0>")
    with fault.planted():
        kind, words = arrays.one_call(
            fault.written(), function, cutaway.jit(function), fault.arguments
        )
        if kind == FINDING:
            return VERIFIER if words.startswith(("InternalError", "VerifyError")) else CALL
        seen = cutaway.trace(function, *fault.arguments()).witness(*fault.arguments())
        return "" if seen.ok else WITNESS


def searched_for(number: int) -> Verdict:
    """Whether made-up programs find a fault: which was the first one?"""
    fault = FAULTS[number]
    _alone()
    if fault.found_by == WITNESS:
        return Verdict(SAME, f"{fault.said}: only the witness")
    with fault.planted():
        for seed in range(MOST):
            written = ArrayWriter(seed).written()
            if arrays.compared(written, seed).kind == FINDING:
                return Verdict(SAME, f"{fault.said}: seed {seed}")
    return Verdict(FINDING, f"{fault.said}: no program of {MOST} finds it")
