"""Kernels: the computation of one element in a loop over arrays, and where each step runs.

Values are numbered: first the operands, then the steps.  Most steps are a few instructions inline
in the loop.  Others are NumPy's own loops (`exp`), which work on many elements at once: a line of
elements is then processed in blocks, each in phases,

    phase 0     the inputs of the calls are computed into buffers on the stack
    call        NumPy's loop, from buffer to buffer
    phase 1     the steps that use its results

and the number of phases is the depth of the calls' dependences on each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.calls import apply
from cutaway.lowering.layout import Value
from cutaway.typing.overloads.resolution import Resolution
from cutaway.typing.types import Array, Type

WHOLE = 1 << 20  # the number of the first array that is read by indices


@dataclass(frozen=True, slots=True)
class KernelStep:
    """One operation: its resolution, the numbers of its operands, and its source location, which is
    that of the exceptions it raises: a kernel may be made of several lines.  With `vector_math`
    polynomials replace some NumPy loops."""

    resolution: Resolution
    args: tuple[int, ...]
    loc: Loc = UNKNOWN
    vector_math: bool = False

    @property
    def loop(self) -> str:
        """The name of the NumPy loop that computes it; empty if it is computed inline."""
        named = self.resolution.overload.loop
        return "" if named is None else named(self.resolution.signature, self.vector_math)

    def note(self, build: FunctionBuilder) -> None:
        """Add a note that NumPy's loop computes it, if one does."""
        loop = self.loop
        if not loop:
            return
        named = self.resolution.overload.loop
        assert named is not None
        cure = "" if named(self.resolution.signature, True) else "@jit(vector_math=True)"
        own = build.loc
        build.loc = own if self.loc is UNKNOWN else self.loc
        reason = f"NumPy's own loop {loop} computes it, a block at a time: the bits are NumPy's"
        build.note(f"`{loop.split('.')[-3]}`", "numpy_loop", reason, cure)
        build.loc = own

    def computed(self, build: FunctionBuilder, values: Mapping[int, Value]) -> Value:
        """Emit the computation of its result from the values by their numbers."""
        own = build.loc
        build.loc = own if self.loc is UNKNOWN else self.loc
        result = apply(build, self.resolution, [values[arg] for arg in self.args])
        build.loc = own
        return result

    @property
    def inputs(self) -> tuple[Type, ...]:
        """The types of its operands."""
        return self.resolution.signature.args

    @property
    def output(self) -> Type:
        """The type of its result."""
        return self.resolution.signature.returns


@dataclass(frozen=True, slots=True)
class Kernel:
    """The steps that compute one element of the result, value `result`, from operands' elements.

    `wholes` are arrays that steps read by indices; they are numbered from `WHOLE` on.
    """

    operands: tuple[Type, ...]
    steps: tuple[KernelStep, ...]
    result: int
    wholes: tuple[Value, ...] = ()

    def step(self, number: int) -> KernelStep | None:
        """Return the step that computes a value; None for an operand."""
        position = number - len(self.operands)
        return None if position < 0 else self.steps[position]

    def type_of(self, number: int) -> Type:
        """Return the type of a value: of an operand's elements, or of a step's result."""
        step = self.step(number)
        if step is not None:
            return step.output
        operand = self.operands[number]
        return operand.dtype if isinstance(operand, Array) else operand

    def constant(self) -> frozenset[int]:
        """Return the values that are invariant over all elements, depending on scalars alone."""
        invariant: set[int] = {WHOLE + k for k in range(len(self.wholes))}
        for number, operand in enumerate(self.operands):
            if not isinstance(operand, Array) or operand.ndim == 0:
                invariant.add(number)
        for number, step in enumerate(self.steps, len(self.operands)):
            if invariant.issuperset(step.args):
                invariant.add(number)
        return frozenset(invariant - {WHOLE + k for k in range(len(self.wholes))})

    def operands_of(self, step: KernelStep) -> tuple[int, ...]:
        """Return the operands of a step that are elements, not whole arrays."""
        return tuple(arg for arg in step.args if arg < WHOLE)


@dataclass(frozen=True, slots=True)
class Phases:
    """The phase of each step that is not constant; a NumPy loop is called at the end of its phase,
    and its result is available from the next on.  `by_loops` are the values of such loops."""

    count: int
    of: dict[int, int]
    constant: frozenset[int]
    by_loops: frozenset[int]

    def inline(self, phase: int) -> list[int]:
        """Return the values that a phase computes inline, in order."""
        return [n for n, at in self.of.items() if at == phase and n not in self.by_loops]

    def called(self, phase: int) -> list[int]:
        """Return the values that NumPy's loops compute at the end of a phase."""
        return [n for n, at in self.of.items() if at == phase and n in self.by_loops]


def phases_of(kernel: Kernel) -> Phases:
    """Schedule each step as late as its first use, so that few values are kept in buffers."""
    constant = kernel.constant()
    first = len(kernel.operands)
    args = {n: step.args for n, step in enumerate(kernel.steps, first) if n not in constant}
    by_loops = frozenset(n for n in args if kernel.steps[n - first].loop)
    earliest = _earliest(args, by_loops)
    last = max((earliest[n] + (n in by_loops) for n in args), default=0)
    latest: dict[int, int] = {}
    for number in reversed(args):
        if number in by_loops:
            latest[number] = earliest[number]
            continue
        needed = [at for user, at in latest.items() if number in args[user]]
        latest[number] = min(needed, default=last)
    return Phases(last + 1, {n: latest[n] for n in args}, constant, by_loops)


def _earliest(args: Mapping[int, Sequence[int]], by_loops: frozenset[int]) -> dict[int, int]:
    """Return the first phase in which all operands of each value are available."""
    earliest: dict[int, int] = {}
    for number, needs in args.items():
        ready = [earliest[n] + (n in by_loops) for n in needs if n in earliest]
        earliest[number] = max(ready, default=0)
    return earliest
