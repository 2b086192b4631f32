"""The compile unit: one function being compiled for one signature.

It is what passes hand to each other.  The inputs are fixed when the unit is constructed; everything
else is a *product*, set by exactly one pass, and a product that is read before its pass has
run is an error that names the pass:

    unit.types    ->    InternalError: unit.types is not known yet: pass infer_types sets it
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from cutaway.errors import InternalError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.options import Flags
from cutaway.foundation.source import Loc
from cutaway.ir import rewriting
from cutaway.ir.editing import Editor
from cutaway.ir.function import Function
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Op
from cutaway.lowering import llvm_values
from cutaway.lowering.callee import Callee
from cutaway.lowering.module import module_text, plan_for, runtime_symbols
from cutaway.stages import reporting
from cutaway.targets.cpu import line_table
from cutaway.targets.cpu.engine import Library, Module, PassTime, Plan
from cutaway.targets.cpu.target import CPU
from cutaway.targets.target import Target
from cutaway.typing.analysis.ownership import owned_variables
from cutaway.typing.inference import resolving
from cutaway.typing.inference.questions import constants_of, known_arguments
from cutaway.typing.inference.resolutions import Resolutions
from cutaway.typing.types import Type

if TYPE_CHECKING:  # names for annotations; the unit itself needs none of these modules
    from cutaway.frontend.bytecode import Bytecode
    from cutaway.frontend.control_flow import ControlFlow
    from cutaway.ir.lifted import LiftedLoop, TriedLoop
    from cutaway.ir.object_blocks import ObjectBlock
    from cutaway.stages.observers import Observer
    from cutaway.stages.pipeline import Pipeline
    from cutaway.typing.inference.solver import Inference
    from cutaway.typing.overloads.resolution import Call

T = TypeVar("T")


class Product(Generic[T]):
    """A field of the unit that pass `set_by` sets.

    It defines no `__set__`, so a product that is set is found in the unit's own dictionary and
    costs what any attribute costs; only one that is missing gets here.  `make`, where there is one,
    derives the value from other products at the first reading: from the `source` product where one
    is named, else from the pass's results.  In object mode pass `objects` sets it.
    """

    def __init__(
        self,
        set_by: str,
        make: Callable[[CompileUnit], T] | None = None,
        source: str | None = None,
        objects: str = "",
    ) -> None:
        self.set_by = set_by
        self.objects = objects
        self.make = make
        self.source = source
        self.name = ""

    def can_be_made(self, unit: CompileUnit) -> bool:
        """True if the value can be derived from an existing source."""
        if self.source is not None:
            return self.source in unit.__dict__
        return self.make is not None and not unit.done.isdisjoint((self.set_by, self.objects))

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, unit: CompileUnit | None, owner: type | None = None) -> T:
        if unit is None:
            return self  # read from the class: the row itself
        if self.make is None or not self.can_be_made(unit):
            raise InternalError(
                f"unit.{self.name} is not known yet: pass {self.set_by} sets it",
                hint=f"run the passes up to {self.set_by} first",
            )
        value = unit.__dict__[self.name] = self.make(unit)
        return value

    if TYPE_CHECKING:  # for type checkers alone, see above

        def __set__(self, unit: CompileUnit, value: T) -> None: ...


@dataclass(frozen=True, slots=True)
class Services:
    """Callables of the layers above that passes need.

    `return_type` returns the result type of a call of a compiled function, compiling it where
    needed, or None while a recursive one is not known yet.  `callee` returns the finished record of
    the same function for lowering, of a call that is in a loop or is not.  `enter` notifies the top
    that the inference of a unit has begun, so that recursive calls find it, `leave` that it has
    ended.  `build_ir` returns the IR of an inner function, for inlining.  `apart` returns a
    function that compiles short loops over arrays separately, for a unit that may have some.
    `lifted` prepares a loop to be compiled at its first run, with the options of the unit around
    it. `block` compiles a block that runs as Python.
    """

    return_type: Callable[[Any, Call, Loc], Type | None]
    callee: Callable[[Any, Call, Loc, bool], Callee]
    enter: Callable[[CompileUnit, Inference], None]
    leave: Callable[[CompileUnit, Type], None]
    build_ir: Callable[[FunctionType | CodeType], Function]
    apart: Callable[[CompileUnit], Callable[[Callee], Callee] | None]
    lifted: Callable[[CompileUnit, LiftedLoop], None]
    block: Callable[[ObjectBlock], None]


class CompileUnit:
    """A function, the types of its arguments, and the products of the passes."""

    bytecode: Product[Bytecode] = Product("decode_bytecode")
    control_flow: Product[ControlFlow] = Product("control_flow")
    fn: Product[Function] = Product("build_ir")
    types: Product[dict[str, Type]] = Product("infer_types", objects="count_references")
    return_type: Product[Type] = Product("infer_types", objects="count_references")
    resolutions: Product[Resolutions] = Product(
        "infer_types",
        lambda unit: resolving.resolve_all(
            unit.fn, unit.argtypes or (), unit.types, unit.target.registry
        ),
        source="types",
    )
    owned: Product[set[str]] = Product(
        "refcounts",
        lambda unit: owned_variables(unit.fn, unit.types, unit.resolutions),
        source="types",
    )
    llvm: Product[str] = Product(
        "lower_llvm", lambda unit: module_text(unit.callee), objects="lower_objects"
    )
    plan: Product[Plan] = Product(
        "lower_llvm", lambda unit: plan_for(unit.callee), objects="lower_objects"
    )
    symbols: Product[dict[str, int]] = Product(
        "lower_llvm", lambda unit: runtime_symbols(unit.callee), objects="lower_objects"
    )
    module: Product[Module] = Product("optimize_llvm")
    llvm_opt: Product[str] = Product("optimize_llvm", lambda unit: unit.module.text)
    object_code: Product[bytes] = Product("emit_object")
    asm: Product[str] = Product(
        "emit_object", lambda unit: line_table.readable(unit.module.assembly)
    )
    listing: Product[str] = Product("emit_object", lambda unit: unit.module.listing)
    library: Product[Library] = Product("link")
    ptx: Product[str] = Product("emit_ptx")
    ptx_listing: Product[str] = Product("emit_ptx", lambda unit: unit.module.listing)

    def __init__(
        self,
        pyfunc: FunctionType,
        argtypes: tuple[Type, ...] | None,
        flags: Flags,
        services: Services | None,
        symbol: str,
        callee: Callee | None = None,
        target: Target = CPU,
    ) -> None:
        self.target = target if callee is None else callee.target or target
        self.pyfunc = pyfunc
        self.argtypes = argtypes
        self.flags = flags
        self.services = services
        self.symbol = symbol
        self.callee = callee
        self.captured: tuple[str, ...] | None = None  # parameters of an inner function's closure
        self.plain: Function | None = None
        self.inlined: list[tuple[int, int, Loc]] = []  # a body's first id, end id, and call
        self.declared_return: Type | None = None
        self.itself: Any = None
        self.loops: tuple[TriedLoop, ...] = ()  # in object mode
        self.llvm_times: tuple[PassTime, ...] = ()
        self.llvm_values: dict[str, tuple[llvm_values.LlvmPart, ...]] = {}
        self.level = Level.source
        self.done: frozenset[str] = frozenset()
        self.pipeline: Pipeline | None = None
        self.observers: tuple[Observer, ...] = ()

    @property
    def name(self) -> str:
        """Return the function's name as the user would write it: `Cls.method`, `outer.inner`."""
        return self.pyfunc.__qualname__.replace("<locals>.", "")

    @property
    def recording(self) -> bool:
        """True if anybody listens; a pass that would build records for `note` asks first."""
        return any(one.listens or one.listens_to_rewrites for one in self.observers)

    @property
    def recording_rewrites(self) -> bool:
        """True if anybody listens to each single rewrite."""
        return any(observer.listens_to_rewrites for observer in self.observers)

    @property
    def timing_llvm(self) -> bool:
        """True if anybody asks for the time of LLVM's own passes."""
        return any(observer.timing_llvm for observer in self.observers)

    def editor(self) -> Editor:
        """Return the editor for the running pass; it reports each rewrite if somebody listens."""
        return reporting.ReportingEditor(self) if self.recording_rewrites else Editor(self.fn)

    def note(self, record: object) -> None:
        """Report a fact about the running pass: a rewrite, a decision, a type that changed."""
        is_rewrite = isinstance(record, rewriting.RewriteRecord)
        for observer in self.observers:
            if observer.listens_to_rewrites if is_rewrite else observer.listens:
                observer.rewrite(self, record)

    def inlined_at(self, op_id: int) -> Loc | None:
        """Return the call that an inlined op replaces; None for the function's own."""
        for first, last, loc in reversed(self.inlined):
            if first <= op_id < last:
                return loc
        return None

    def has(self, product: str) -> bool:
        """True if a product exists, or is derived at its first read."""
        row = PRODUCTS[product]
        return product in self.__dict__ or row.can_be_made(self)

    def forget_resolutions(self) -> None:
        """Drop the resolutions, after ops or types have changed; they are recomputed on demand."""
        self.__dict__.pop("resolutions", None)
        self.__dict__.pop("owned", None)

    def resolve(self, ops: Iterable[Op], constants: Mapping[str, Any] | None = None) -> None:
        """Resolve ops that a pass has made and inserted; the function's `constants`, if they are
        known, are not searched again."""
        known = constants_of(self.fn) if constants is None else constants
        facts = known_arguments(self.fn, self.argtypes or ())
        resolving.resolve_ops(ops, self.types, known, self.target.registry, self.resolutions, facts)

    def take_over(self, variables: Mapping[str, str], ops: Mapping[int, int]) -> None:
        """Copy the types and resolutions of original variables and ops to their copies, by name and
        id: the only way for a pass that copies ops."""
        for name, original in variables.items():
            self.types[name] = self.types[original]
        for copied, original in ops.items():
            if original in self.resolutions:
                self.resolutions[copied] = self.resolutions[original]

    def copy(self) -> CompileUnit:
        """Return a copy of the unit; later passes on either do not show in the other.

        Cheap: the blocks of the IR and the table of types are copied, frozen ops and all other
        products are shared.
        """
        twin = object.__new__(CompileUnit)
        twin.__dict__.update(self.__dict__)
        if "fn" in twin.__dict__:
            twin.fn = self.fn.copy()
        if "types" in twin.__dict__:
            twin.types = dict(self.types)
        if "resolutions" in twin.__dict__:
            twin.resolutions = dict(self.resolutions)
        return twin

    def restore(self, earlier: CompileUnit) -> None:
        """Restore the state of a copy."""
        self.__dict__.clear()
        self.__dict__.update(earlier.copy().__dict__)


PRODUCTS: dict[str, Product[Any]] = {
    name: row for name, row in vars(CompileUnit).items() if isinstance(row, Product)
}
