"""Type inference: type variables, a constraint network, and a worklist (SPEC C1-C6).

Every variable of the SSA function is a type variable, every op a constraint that computes the
type of its results from those of its inputs.  Arguments are seeded, then ops are visited until
nothing changes.  A block is visited once a branch may lead to it, so code that types and constants
exclude is not typed (`folding.py`).  A type variable moves up the lattice
(`conversions.unify`), or is replaced a few times at most, so inference terminates, with loops,
too.  Calls of other compiled functions wait until the worklist is otherwise empty: by then the
return type of a recursive function follows from its other paths.

Each change of a type variable can be recorded with its cause (`TypeEvent`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from cutaway.errors import CompileError, TypingError
from cutaway.foundation import marks
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.constants import is_compiled
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.regions import Region
from cutaway.ir.traversal import arguments, definitions, operands, regions, uses, yields
from cutaway.typing import types
from cutaway.typing.errors import none_errors, refusals
from cutaway.typing.inference import callees, events, literals, resolving
from cutaway.typing.inference.constraints import TYPED
from cutaway.typing.inference.containers import Containers
from cutaway.typing.inference.folding import Folding
from cutaway.typing.inference.questions import (
    Question,
    call_arguments,
    check_result,
    constants_of,
    known_arguments,
    question_of,
)
from cutaway.typing.inference.reached import Reached
from cutaway.typing.inference.resolutions import (
    Bound,
    Chosen,
    CompiledCall,
    Field,
    Held,
    MadeTuple,
    OneOf,
    Resolutions,
    Resolved,
    is_never_executed,
)
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.resolution import Call
from cutaway.typing.types import Tuple, Type, named_tuples
from cutaway.typing.types.conversions import Conversion, conversion, unify
from cutaway.typing.types.sequences import list_of
from cutaway.typing.values.typeof import typeof_constant

# Returns the result type of a call of a compiled function; None while that is being inferred.
Callee = Callable[[Any, Call, Loc], Type | None]


MOST_REPLACEMENTS = 8  # of one variable's type; without a limit inference might not terminate


@dataclass(frozen=True, slots=True)
class Inferred:
    """The result of inference.

    `types` has all variables of reachable blocks.  `unwrapped` maps ops, by identity, to variables
    that must not be None there, and the exceptions raised if they are.  `folding` has the
    constants of variables.
    """

    types: dict[str, Type]
    returns: Type
    unwrapped: dict[int, dict[str, Exception]]
    resolutions: Resolutions
    reached: Reached
    folding: Folding


class Inference:
    """The inference of one function.  `record` is called for each TypeEvent if not None."""

    def __init__(
        self,
        fn: Function,
        argtypes: tuple[Type, ...],
        context: TypingContext,
        callee: Callee,
        namespace: dict[str, Any],
        record: Callable[[events.TypeEvent], None] | None = None,
        declared: Mapping[str, Type] | None = None,
        declared_return: Type | None = None,
        lists_leave: bool = True,
    ) -> None:
        self.fn = fn
        self.declared = declared or {}
        self.declared_return = declared_return
        self.argtypes = argtypes
        self.context = context
        self.callee = callee
        self.namespace = namespace
        self.record = record
        self.types: dict[str, Type] = {}
        self.unwrapped: dict[int, dict[str, Exception]] = {}  # by the identity of ops
        self.resolutions: Resolutions = {}  # by the last visit of each op, with the final types
        self.constants = constants_of(fn)
        self.containers = Containers(self, lists_leave)
        self.known = known_arguments(fn, argtypes)
        self.folding = Folding(self.constants, self.known, self._has_attribute)
        self.reached = Reached(fn)
        self.ops = self.reached.ops
        self.users: dict[str, list[int]] = {}
        self.failures: dict[int, CompileError] = {}
        self.ready: deque[int] = deque()
        self.calls: deque[int] = deque()
        self.replaced: dict[str, int] = {}  # how often a type was replaced by an incompatible one
        self.queued: set[tuple[bool, int]] = set()  # the contents of both: (in calls, position)

    @property
    def returns(self) -> Type | None:
        """The current return type; None if it is still unknown."""
        return self.types.get(events.RETURN)

    def run(self) -> Inferred:
        """Infer all types.

        Raises TypingError if types clash or stay unknown, UnsupportedTypeError if the program uses
        an unsupported construct.
        """
        for position, op in enumerate(self.ops):
            for name in operands(op):
                self.users.setdefault(name, []).append(position)
            for region in regions(op) if op.REGIONS else ():
                for name in (name for end in yields(region) for name in end.values):
                    self.users.setdefault(name, []).append(position)
        self._reach(self.reached.enter())
        self._propagate()
        if self.containers.probe():
            self._propagate()
        before = dict(self.failures)  # later ones may follow from these
        self._settle_displays()
        while self.containers.settle():
            self._propagate()
        if not self.failures:
            self.containers.check_arguments()
        if self.failures:
            # The first one in the program, independently of the order of the visits.
            first = before or self.failures
            raise first[min(first)]
        self._check_complete()
        return Inferred(
            {name: ty for name, ty in self.types.items() if name != events.RETURN},
            self.types.get(events.RETURN, types.undefined),
            self.unwrapped,
            self.resolutions,
            self.reached,
            self.folding,
        )

    def given_types(self, op: Op, table: dict[str, Type]) -> tuple[Type | None, ...]:
        """Return the types of an op's results, from a table with the types of its operands.

        Raises CompileError if the op does not accept these types.
        """
        self.types = table
        return self._result_types(op)

    def _reach(self, positions: Iterable[int]) -> None:
        for position in positions:
            self._schedule(position)

    def _schedule(self, position: int) -> None:
        if not self.reached.has(position):
            return
        op = self.ops[position]
        compiled = isinstance(op, nodes.Call) and (
            is_compiled(self.constants.get(op.func))
            or isinstance(self.types.get(op.func), types.Functions)
        )
        if (compiled, position) not in self.queued:
            self.queued.add((compiled, position))
            (self.calls if compiled else self.ready).append(position)

    def _propagate(self) -> None:
        while self.ready or self.calls or self._reach_rest():
            compiled = not self.ready
            position = self.calls.popleft() if compiled else self.ready.popleft()
            self.queued.remove((compiled, position))
            # An op that fails now may succeed once an input has a wider type: only a failure at
            # the last visit is an error.
            self.failures.pop(position, None)
            try:
                self._visit(self.ops[position])
            except CompileError as error:
                error.seen_at(self.ops[position].loc)
                self.failures[position] = error
            else:
                self._leave(position)

    def _leave(self, position: int) -> None:
        """Schedule the possible successors of a block whose terminator was visited."""
        if self.reached.ends(position):
            op = self.ops[position]
            if not isinstance(op, nodes.Branch) or op.cond in self.types:
                self._reach(self.reached.leave(position, self.folding.known(self.types)))

    def _reach_rest(self) -> bool:
        """Schedule all successors of branches on a variable without a type, which it may get from
        there; False if there are none."""
        positions = list(self.reached.leave_all())
        self._reach(positions)
        return bool(positions)

    def _visit(self, op: Op) -> None:
        inputs = operands(op)
        if isinstance(op, nodes.Phi):
            # In a loop the sources wait for each other: a phi starts with those that have types.
            inputs = tuple(self._arriving(op))
        elif isinstance(op, nodes.ListAppend):
            inputs = tuple(name for name in inputs if name in self.types)
        elif any(name not in self.types for name in inputs):
            return
        if self.containers.active and not self.containers.visit(op):
            return
        new_types: tuple[Type | None, ...]
        if is_never_executed(op, self.types):
            self.resolutions.pop(op.id, None)
            new_types = (types.undefined,) * len(_results(op))
        else:
            new_types = self._result_types_unwrapped(op)
        if self.containers.active:
            if any(name not in self.types for name in inputs):  # a display makes a list after all
                return
            new_types = self.containers.without_pending(op, new_types)
        folded = self.folding.note(op, inputs, self.types, new_types[0] if new_types else None)
        for name, ty in zip(_results(op), new_types, strict=True):
            if ty is not None:
                self._update(name, ty, op, inputs, folded)

    def _arriving(self, op: nodes.Phi) -> Iterator[str]:
        """Yield the sources of a phi that have a type, on executable edges."""
        for label, name in zip(op.labels, op.values, strict=True):
            if name in self.types and self.reached.by_edge(label, op):
                yield name

    def _result_types_unwrapped(self, op: Op) -> tuple[Type | None, ...]:
        """Return the types of an op's results.  If it does not accept optional types, it gets their
        inner types, and a check at run time that the values are not None."""
        self.unwrapped.pop(id(op), None)
        if isinstance(op, nodes.Phi | nodes.ListAppend):
            return self._result_types(op)
        maybe = [name for name in operands(op) if isinstance(self.types[name], types.Optional)]
        if not maybe:
            return self._result_types(op)
        try:
            return self._result_types(op)
        except CompileError as error:
            held = self.types
            inside = {name: held[name].inner for name in maybe}
            self.types = {**held, **inside}
            try:
                result_types = self._result_types(op)
                raised = {
                    name: none_errors.what_python_says(op, name, self.types, self.constants)
                    for name in maybe
                }
            except CompileError:
                raise error from None
            finally:
                self.types = held
            if None in raised.values():
                raise
            self.unwrapped[id(op)] = raised
            return result_types

    def _update(
        self, name: str, ty: Type, op: Op, inputs: tuple[str, ...], folded: bool = False
    ) -> None:
        # A type moves up, or is replaced a few times at most (`_replaced`), so this terminates.
        self.containers.note_type(ty)
        old = self.types.get(name)
        if old is not None and self.containers.active:
            old, ty = self.containers.met(name, ty)
        new = ty if old is None else unify(old, ty)
        if new is None:
            new = self._replaced(name, ty, op)
        if new is old and not folded:
            return
        self.set_type(name, new, op, inputs)

    def set_type(
        self, name: str, new: Type, op: Op, inputs: tuple[str, ...], widens: bool = False
    ) -> None:
        """Set the type of a variable, and schedule its users; `inputs` may have no type again."""
        old, self.types[name] = self.types.get(name), new
        if self.record is not None and (new is not old and str(new) != str(old)):
            causes = tuple((used, self.types[used]) for used in inputs if used in self.types)
            self.record(events.TypeEvent(name, old, new, op, causes, widens))
        waiting = self.users.get(name, ())
        if name == events.RETURN:
            # Any call may be recursive and have this as its result.
            waiting = [k for k, user in enumerate(self.ops) if isinstance(user, nodes.Call)]
        for position in waiting:
            self._schedule(position)

    def static_type(self, op: nodes.StaticSetItem) -> Type | None:
        """Return the type of a constant index; None if it has none."""
        return typeof_constant(op.index)

    def resolved_as(self, function: Any, op: nodes.Call) -> Type | None:
        """Resolve a call as one of another function, and return its result type."""
        call = call_arguments(op, self.types, self.constants, self.known)
        resolution = self.context.resolve(function, call)
        assert resolution is not None, "its operands were looked at"
        return self._returned(op, Chosen(Question(function, call, op.args), resolution))

    def ask(self, op: Op) -> Type | None:
        """Resolve an op, and return its result type; raise CompileError if nothing accepts it."""
        return self._answer(op)

    def revisit(self, op: Op) -> None:
        """Schedule an op whose rule has changed."""
        self._schedule(self.ops.index(op))

    def _replaced(self, name: str, ty: Type, op: Op) -> Type:
        """Return the new type of a variable, which has no common type with its old one.

        The old one is out of date if it depends on an input that has become wider since, as
        `v.bit_length` of an int16 that a loop widens to int64.
        """
        self.replaced[name] = self.replaced.get(name, 0) + 1
        old = self.types[name]
        is_final = name == events.RETURN and not self.containers.has_display(old)
        if is_final or self.replaced[name] > MOST_REPLACEMENTS:
            raise refusals.clash(self.ops, name, (self.types[name], ty), op)
        return ty

    # --- one constraint per kind of op ----------------------------------------------------------

    def _result_types(self, op: Op) -> tuple[Type | None, ...]:
        return TYPED[type(op)](self, op)

    def _cast(self, op: nodes.Copy | nodes.Cast) -> Type:
        source = self.types[op.value]
        if isinstance(op, nodes.Copy) or is_temporary(op.result):
            return source
        name = user_name(op.result)
        return _as_declared(op, name, source, self.declared.get(name), _VARIABLE)

    def _leaving(self, op: Op, returned: Type) -> Type:
        """Return the type of a result, converted to the declared return type; an optional value is
        unwrapped, with a check when it is returned."""
        wanted = None if returned is types.undefined else self.declared_return
        if wanted is not None and is_unwrapped(returned, wanted):
            returned = returned.inner
        return _as_declared(op, self.fn.name, returned, wanted, _RESULT)

    def carried(self, op: Op, region: Region) -> tuple[Type | None, ...]:
        """Return the types of the variables that a region carries: those of the initial and the
        yielded values, merged as far as they are known."""
        rows = [region.initial, *(end.values for end in yields(region))]
        return tuple(
            self._merged([row[k] for row in rows], region.carried[k], op)
            for k in range(len(region.carried))
        )

    def _argument(self, op: Op, ty: Type) -> Type:
        if isinstance(ty, types.Literal):
            value = ty.literal_value
            return self._constant(op, value) if ty.is_written else ty.literal_type
        if self.containers.active:
            ty = self.containers.argument(op, ty)
        return self._constant(op, ty.value) if isinstance(ty, types.Omitted) else ty

    def _constant(self, op: Op, value: Any) -> Type:
        ty = typeof_constant(value)
        if ty is None:
            raise refusals.bad_constant(op, value)
        return ty

    def _phi(self, op: nodes.Phi) -> Type | None:
        return self._merged(tuple(self._arriving(op)), op.result, op)

    def _merged(self, names: Sequence[str], result: str, op: Op) -> Type | None:
        """Return the union of the types of these variables, of which some may have none yet."""
        merged: Type | None = None
        for name in names:
            if name not in self.types:
                continue
            ty = self.types[name]
            if merged is None:
                merged = ty
                continue
            if self.containers.active:
                self.containers.meet(merged, ty)
                merged, ty = self.containers.substituted(merged), self.types[name]
            union = unify(merged, ty)
            if union is None and self.containers.active and self.containers.require(*names):
                return None
            if union is None:
                raise refusals.clash(self.ops, result, (merged, ty), op)
            merged = union
        return merged

    def _answer(self, op: Op) -> Type | None:
        question = question_of(op, self.types, self.constants)
        resolution = None
        if question is not None:
            resolution = self.context.resolve(question.function, question.call)
        if question is None or resolution is None:
            if self.containers.active and self.containers.require(*uses(op)):
                return None
            raise refusals.no_match(op, question, self.types)
        return self._returned(op, Chosen(question, resolution))

    def _returned(self, op: Op, resolved: Resolved) -> Type | None:
        """Record the resolution of an op, and return its result type."""
        ty, self.resolutions[op.id] = self._type_of(op, resolved)
        return ty

    def _type_of(self, op: Op, resolved: Resolved) -> tuple[Type | None, Resolved]:
        """Return the result type and the final resolution, which differs if the callee requires
        the values of arguments."""
        match resolved:
            case Chosen():
                return self._type_of_chosen(op, resolved)
            case CompiledCall(function, call):
                assert isinstance(op, nodes.Call)
                try:
                    return self.callee(function, self.containers.final(call), op.loc), resolved
                except literals.ItemsNeeded as error:
                    self.containers.fill_arguments(op, error.needed, resolved.carried)
                    return None, resolved
                except literals.LiteralNeeded as error:
                    carried = (op.func,) * len(resolved.carried)  # they are never constants
                    raise literals.literal_needed_error(
                        error, (*op.args, *carried), op, self.ops
                    ) from None
                except CompileError:
                    if self.containers.require(*op.args, op.func):
                        return None, resolved
                    raise
            case OneOf(functions):
                return self._type_of_one(op, functions)
            case MadeTuple(cls, call):
                return named_tuples.made_by_call(cls, call, op.loc), resolved
        raise AssertionError(f"{resolved} gives no type")

    def _type_of_chosen(self, op: Op, chosen: Chosen) -> tuple[Type | None, Resolved]:
        """Return the result type of an overload; an implementation in Python is compiled first.

        If that requires the values of arguments, the call is resolved again with literal types.
        """
        question, resolution = chosen.question, chosen.resolution
        function, call = question.function, question.call
        while resolution.implementation is not None:
            try:
                own = self.containers.final(resolution.call)
                returned = self.callee(resolution.implementation, own, op.loc)
                check_result(question, returned, resolution.implementation)
                return returned, chosen
            except literals.LiteralNeeded as error:
                layout = resolution.layout
                error.places = tuple(k for p in error.places if (k := layout[p]) is not None)
                if not self.context.pass_literals(function, call, error.places):
                    raise literals.literal_needed_error(
                        error, question.variables, op, self.ops
                    ) from None
                again = self.context.resolve(function, call)
                if again is None:
                    raise TypingError("no overload accepts these constants", op.loc) from None
                resolution = replace(again, facts=resolution.facts)
                chosen = Chosen(question, resolution, chosen.owner)
            except CompileError as error:
                self.containers.serve(op, error, resolution.layout)
                return None, chosen
        return resolution.signature.returns, chosen

    def _type_of_one(self, op: Op, functions: tuple[Resolved, ...]) -> tuple[Type | None, Resolved]:
        """Return the common result type of several functions, and their resolution."""
        result: Type | None = None
        resolved: list[Resolved] = []
        for function in functions:
            ty, after_all = self._type_of(op, function)
            resolved.append(after_all)
            union = unify(result, ty) if result is not None and ty is not None else None
            if result is not None and ty is not None and union is None:
                raise self._no_common_result(op, result, ty)
            result = union or ty or result
        return result, OneOf(tuple(resolved))

    def _no_common_result(self, op: Op, one: Type, other: Type) -> TypingError:
        assert isinstance(op, nodes.Call)
        each = callees.kind_of(target := self.types[op.func]).alternatives(target)
        names = ", ".join(callees.kind_of(function).name(function) for function in each)
        message = f"this calls one of {names}, which return different types: {one} and {other}"
        return TypingError(message, op.loc, "make all of them return the same type")

    def _call(self, op: nodes.Call) -> Type | None:
        call = call_arguments(op, self.types, self.constants, self.known)
        target = self.types[op.func]
        if (made := self.containers.constructed(op)) is not None:
            return made
        if isinstance(target, types.Function) and target.value is marks.literally:
            raise literals.unknown_value_error(op, self.ops)
        return self._returned(op, callees.kind_of(target).resolve(op, target, call, self.context))

    def _settle_displays(self) -> None:
        """Assign the type of an empty list to lists without appended items."""
        for position, op in enumerate(self.ops):
            empty = isinstance(op, nodes.BuildList) and not op.items
            if empty and self.reached.has(position) and op.result not in self.types:
                self._update(op.result, types.ListDisplay(()), op, ())
                self._propagate()  # others may get items by that
                if self.containers.probe():
                    self._propagate()

    def _appended(self, op: nodes.ListAppend) -> Type | None:
        if op.item not in self.types:
            return None
        if op.items in self.types:
            return self._answer(op)
        if self.containers.makes(op.items):
            return None
        return list_of(self.types[op.item]) or refusals.no_list(op, self.types[op.item])

    def _attribute(self, op: nodes.GetAttr) -> Type | None:
        owner = self.types[op.value]
        resolved = resolving.resolve_attribute(op, owner, self.context)
        if resolved is None:
            raise refusals.no_attribute(op, owner, self.context)
        match resolved:
            case Held(value):
                self.constants[op.result] = value
                ty: Type | None = self._constant(op, value)
            case Field(position):
                assert isinstance(owner, Tuple)
                ty = owner.items[position]
            case Bound():
                ty = types.BoundMethod(owner, op.attr)
            case _:
                return self._returned(op, resolved)
        self.resolutions[op.id] = resolved
        return ty

    def _has_attribute(self, owner: Type, name: str) -> bool | None:
        return resolving.has_attribute(owner, name, self.context)

    def _check_complete(self) -> None:
        for position, op in enumerate(self.ops):
            for name in _results(op) if self.reached.has(position) else ():
                if name not in self.types and name != events.RETURN:
                    raise refusals.unknown(self.ops, op, name)


# The message for a value that does not convert to the declared type, and a hint.
_VARIABLE = (
    "{name!r} is declared as {wanted}, but {given} does not convert to it",
    "declare another type, or remove it from locals",
)
_RESULT = (
    "{name} returns {given}, but its signature says {wanted}",
    "remove the return type, or convert the result",
)


def is_unwrapped(returned: Type, wanted: Type) -> bool:
    """True if a result may be None and the declared return type cannot hold None."""
    return isinstance(returned, types.Optional) and conversion(returned, wanted) is Conversion.NONE


def _as_declared(
    op: Op, name: str, actual: Type, wanted: Type | None, wrong: tuple[str, str]
) -> Type:
    """Return the declared type, which the value must convert to; without one the value's type."""
    if wanted is None:
        return actual
    if conversion(actual, wanted) is Conversion.NONE:
        message, hint = wrong
        raise TypingError(message.format(name=name, given=actual, wanted=wanted), op.loc, hint)
    return wanted


def _results(op: Op) -> tuple[str, ...]:
    """Return the variables that an op's constraint types: its results, then the arguments of its
    regions."""
    if op.REGIONS:
        return (*definitions(op), *arguments(op))
    if isinstance(op, nodes.Suspend):
        return (op.result, events.RETURN)
    return (events.RETURN,) if isinstance(op, nodes.Return) else definitions(op)
