"""Planted faults: each a pass that does its work and then breaks something, and a small program on
which that shows.

A fault of a rewrite reports it as the pass would; the others spoil the program behind their back.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import cutaway
from cutaway import literal_unroll, prange
from cutaway.foundation.dataclass import dataclass, field, replace
from cutaway.ir import nodes
from cutaway.ir.editing import Rule
from cutaway.ir.graph import Graph
from cutaway.ir.nodes import Op
from cutaway.ir.operators import BINARY
from cutaway.ir.rewriting import apply_rules
from cutaway.ir.traversal import retarget, uses
from cutaway.lowering.module import entry_name
from cutaway.runtime import symbols
from cutaway.stages.catalog import PASSES
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import NOTHING, Library, Module
from cutaway.typing import types

REAL = {step.name: step for step in PASSES}


@dataclass(frozen=True)
class Fault:
    """A wrong pass, and what shows it; `rule` names the rewrite that is wrong, where one is."""

    name: str
    pass_name: str
    run: Callable[[CompileUnit], None]
    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    rule: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    def compiled(self) -> Any:
        """The function, compiled with the wrong pass."""
        wrong = replace(REAL[self.pass_name], run=self.run)
        named = "object_mode" if "forceobj" in self.options else "nopython"
        named = "parallel" if "parallel" in self.options else named
        pipeline = getattr(cutaway.pipelines, named).replace(self.pass_name, wrong)
        return cutaway.jit(pipeline=pipeline, **self.options)(self.function)


FAULTS: list[Fault] = []


def fault(
    pass_name: str,
    function: Callable[..., Any],
    *arguments: Any,
    rule: str = "",
    instead: bool = False,
    **options: Any,
) -> Callable[[Callable[[CompileUnit], None]], Callable[[CompileUnit], None]]:
    """Register what is done behind the real pass, or `instead` of it."""

    def register(sabotage: Callable[[CompileUnit], None]) -> Callable[[CompileUnit], None]:
        def run(unit: CompileUnit) -> None:
            if not instead:
                REAL[pass_name].run(unit)
            sabotage(unit)

        def fresh() -> tuple[Any, ...]:
            return arguments

        FAULTS.append(Fault(sabotage.__name__, pass_name, run, function, fresh, rule, options))
        return sabotage

    return register


# --- breaking our own IR ------------------------------------------------------------------------


def places(unit: CompileUnit, cls: type[Op]) -> Iterator[tuple[list[Op], int, Any]]:
    """Where ops of a class stand: the ops of the block, the position, the op."""
    for block in unit.fn.blocks.values():
        for position, op in enumerate(block.ops):
            if isinstance(op, cls):
                yield block.ops, position, op


def first(unit: CompileUnit, cls: type[Op], **fields: Any) -> tuple[list[Op], int, Any]:
    """The first op of a class with such fields; of an operator, by its symbol."""
    for ops, position, op in places(unit, cls):
        have = {name: getattr(getattr(op, name), "symbol", getattr(op, name)) for name in fields}
        if have == fields:
            return ops, position, op
    raise AssertionError(f"no {cls.__name__} {fields}\n{unit.fn}")


def reported(unit: CompileUnit, rule: str, change: Callable[[], None]) -> None:
    """Make a change and report it as a rewrite."""
    editor = unit.editor()
    for block in unit.fn.blocks.values():
        editor.set_ops(block, block.ops)  # which of them changes is not known here
    change()
    editor.commit(Rule(rule, rule, note="a wrong rewrite"), unit.fn.entry.ops[0].loc)


def put(ops: list[Op], position: int, op: Op) -> Callable[[], None]:
    """What puts an op in the place of another."""

    def change() -> None:
        ops[position] = op

    return change


def swap_operands(unit: CompileUnit, symbol: str = "-") -> Callable[[], None]:
    ops, position, op = first(unit, nodes.Binary, op=symbol)
    return put(ops, position, nodes.replace(op, lhs=op.rhs, rhs=op.lhs))


def other_constant(unit: CompileUnit, old: Any, new: Any) -> Callable[[], None]:
    ops, position, op = first(unit, nodes.Const, value=old)
    return put(ops, position, nodes.replace(op, value=new))


def other_operator(unit: CompileUnit, old: str, new: str) -> Callable[[], None]:
    ops, position, op = first(unit, nodes.Binary, op=old)
    made = nodes.Binary(op.result, BINARY[new], op.lhs, op.rhs, loc=op.loc, id=op.id)
    return put(ops, position, made)


def swap_branch(unit: CompileUnit) -> Callable[[], None]:
    ops, position, op = first(unit, nodes.Branch)
    flipped = {op.then: op.orelse, op.orelse: op.then}
    return put(ops, position, retarget(op, lambda label: flipped[label]))


# --- programs -----------------------------------------------------------------------------------


def minus(a, b):
    return a - b


def total(n):
    s = 0
    for i in range(n):
        if i < 3:
            s += i * 2
    return s


def either(c, x):
    y = 1.5
    if c:
        y = x
    return y - 0.25


def pairs(a, n):
    for i in range(n):
        a[i] = a[i] - 2.0
    return a[0]


def closure(a, b):
    def inner(x, y):
        return x - y * 3

    return inner(a, b)


def over_generator(n, k):
    def values():
        for i in range(n):
            yield i - k
        yield 3

    s = 0
    for x in values():
        s = s * 3 + x
    return s


def over_tuple(a, b):
    s = 0.0
    for x in literal_unroll((a, 2, b)):
        s = s * 3.0 + x
    return s


def declared(x, z):
    y = x
    return y - z


def maybe_bound(c):
    if c:
        x = 5
    return x + 1


def folded(x):
    return x + (2 + 3)


def refuses(x):
    if x < 0:
        raise ValueError("negative")
    return x


def two_stores(a, x):
    a[0] = x
    a[1] = 2.0
    return a[0]


def overlapping(a, b):
    a[0] = 7.0
    x = b[1]
    return x


def same_place(a, i, j):
    a[i] = 1.0
    a[j] = 2.0


def grows(n):
    x = 1
    for _ in range(n):
        x = x * 3
    return x


def out_of_range(a, i):
    return a[i]


def shared_sum(a):
    s = 1.0
    for i in prange(len(a)):
        s += a[i]
    return s


def first_items(a, n):
    s = 0.0
    for i in range(n):
        s += a[i]
    return s


def new_arrays(n):
    b = np.zeros(n)
    b[0] = 4.0
    c = b[:2]
    return c[0] - 1.0


def handed_out(n):
    b = np.ones(n)
    return b


def maybe_third(t, c):
    return t[2] if c else t[0]


def smaller(x, y):
    return 1 if x < y else 2


def shifted(n):
    return n >> 3


def stores(a, x):
    a[0] = x * 2.0
    a[1] = x + 1.0


def sums(a, b, c):
    return a + b + c


def sine(x):
    return math.sin(x) - 1.0


def power(x, y):
    return math.pow(x, y)


def both(a, b):
    return a // b, a % b


def copied(a):
    b = a.copy()
    b[0] = 9.0
    return a[0]


def next_one(n):
    return n + 1, n + 1 > n


def rounded(x, y):
    return x * y


def ordered(x):
    print(x)
    print(x + 1)
    return x


A = np.array([3.0, 1.0, 4.0, 1.5])

# --- stage 1: bytecode --------------------------------------------------------------------------


@fault("decode_bytecode", folded, 4)
def a_constant_is_decoded_wrong(unit):
    code = unit.bytecode
    made = tuple(
        replace(one, value=6) if one.name == "LOAD_CONST" and one.value == 5 else one
        for one in code.instructions
    )
    unit.bytecode = replace(code, instructions=made)


@fault("decode_bytecode", minus, 7, 2)
def an_operator_is_decoded_wrong(unit):
    code = unit.bytecode
    made = tuple(
        replace(one, value="+") if one.name == "BINARY_OP" else one for one in code.instructions
    )
    unit.bytecode = replace(code, instructions=made)


@fault("control_flow", total, 5)
def the_ways_out_of_a_block_are_exchanged(unit):
    flow = unit.control_flow
    edges = {label: list(flow.graph.successors(label)) for label in flow.blocks}
    branching = next(label for label, targets in edges.items() if len(targets) > 1)
    edges[branching].reverse()
    unit.control_flow = replace(flow, graph=Graph(list(flow.blocks), edges, min(flow.blocks)))


@fault("control_flow", pairs, A, 3)
def a_block_loses_an_instruction(unit):
    flow = unit.control_flow
    label = max(flow.blocks, key=lambda one: len(flow.blocks[one]))
    block = flow.blocks[label]
    at = next(k for k, one in enumerate(block) if one.name.startswith("LOAD_CONST"))
    changed = replace(block[at], value=3.0)
    blocks = {**flow.blocks, label: (*block[:at], changed, *block[at + 1 :])}
    unit.control_flow = replace(flow, blocks=blocks)


# --- stage 2: IR --------------------------------------------------------------------------------


@fault("build_ir", total, 6)
def a_comparison_becomes_another(unit):
    other_operator(unit, "<", "<=")()


@fault("build_ir", minus, 7, 2)
def parameters_are_exchanged(unit):
    (ops, one, a), (_, two, b) = list(places(unit, nodes.Arg))
    ops[one] = nodes.replace(a, index=b.index, name=b.name)
    ops[two] = nodes.replace(b, index=a.index, name=a.name)


@fault("build_ir", either, True, 4.0)
def the_ways_out_of_a_branch_are_exchanged(unit):
    swap_branch(unit)()


def weighed_by_python(a, n):
    with cutaway.objmode(s="float64", m="float64"):
        s = sum(a) * n
        m = min(a) + n
    return s - m


@fault("lift_objmode", weighed_by_python, np.array([1.5, 4.0]), 3)
def the_outputs_of_a_block_are_exchanged(unit):
    one, other = list(places(unit, nodes.StaticGetItem))[:2]
    for (ops, position, op), (_, _, source) in ((one, other), (other, one)):
        ops[position] = replace(op, index=source.index)


@fault("check_unbound", maybe_bound, True)
def the_guard_is_the_wrong_way_round(unit):
    ops, position, op = [
        place for place in places(unit, nodes.Branch) if place[2].cond.startswith("$bound")
    ][0]
    flipped = {op.then: op.orelse, op.orelse: op.then}
    ops[position] = retarget(op, lambda label: flipped[label])


@fault("check_unbound", maybe_bound, False)
def the_guard_raises_something_else(unit):
    ops, position, op = first(unit, nodes.StaticRaise)
    ops[position] = nodes.replace(op, exception=ValueError)


@fault("insert_dels", pairs, A, 3)
def a_variable_dies_too_early(unit):
    for ops, position, op in list(places(unit, nodes.Del)):
        if position and op.value in uses(ops[position - 1]):
            ops[position - 1], ops[position] = op, ops[position - 1]
            return


@fault("ssa", either, True, 4.0, rule="wrong_phi")
def a_phi_takes_the_wrong_values(unit):
    ops, position, op = first(unit, nodes.Phi)
    made = nodes.replace(op, values=tuple(reversed(op.values)))
    reported(unit, "wrong_phi", put(ops, position, made))


@fault("ssa", total, 5)
def a_phi_loses_what_the_loop_gives(unit):
    ops, position, op = first(unit, nodes.Phi)
    ops[position] = nodes.replace(op, values=(op.values[0],) * len(op.values))


# --- stage 3: rewrites without types ------------------------------------------------------------


@fault("inline_closures", closure, 9, 2, rule="wrong_body")
def an_inlined_body_has_another_constant(unit):
    reported(unit, "wrong_body", other_constant(unit, 3, 4))


@fault("inline_closures", closure, 9, 2, rule="wrong_operands")
def an_inlined_body_takes_its_operands_the_wrong_way_round(unit):
    reported(unit, "wrong_operands", swap_operands(unit))


@fault("fuse_generators", over_generator, 3, 5, rule="wrong_value")
def a_fused_generator_gives_another_value(unit):
    reported(unit, "wrong_value", other_constant(unit, 3, 4))


@fault("fuse_generators", over_generator, 3, 5, rule="wrong_operands")
def a_fused_generator_takes_its_operands_the_wrong_way_round(unit):
    reported(unit, "wrong_operands", swap_operands(unit))


@fault("fuse_generators", over_generator, 3, 5)
def a_fused_loop_goes_on_at_the_end(unit):
    """The body's second copy, of the last `yield`, goes where the first one does."""
    ends = [p for p in places(unit, nodes.Inplace) or () if p]
    copies = [p for p in places(unit, nodes.Copy) if p[2].result == "s"]
    ops, _, _ = copies[-1]
    target = copies[1][0][-1].target
    assert not ends and ops[-1].target != target
    ops[-1] = nodes.replace(ops[-1], target=target)


@fault("unroll_tuples", over_tuple, 1.0, 4.0, rule="wrong_item")
def an_unrolled_loop_takes_an_item_twice(unit):
    items = [p for p in places(unit, nodes.Copy) if p[2].result.split(".")[0] == "x"]
    items = items or [p for p in places(unit, nodes.StaticGetItem)]
    ops, position, op = items[-1]
    _, _, other = items[0]
    made = (
        nodes.replace(op, value=other.value)
        if isinstance(op, nodes.Copy)
        else nodes.replace(op, index=other.index)
    )
    reported(unit, "wrong_item", put(ops, position, made))


@fault("declare_locals", declared, 2.75, 1.0, locals={"y": "float64"}, rule="wrong_cast")
def a_declared_variable_takes_another_value(unit):
    ops, position, op = first(unit, nodes.Cast)
    reported(unit, "wrong_cast", put(ops, position, nodes.replace(op, value="z")))


def _fold_wrong(op, context):
    if isinstance(op, nodes.Const) and op.value == 5:
        return nodes.Const(op.result, 55)
    return None


@fault("rewrite_untyped", folded, 4, rule="fold_wrong")
def a_rule_folds_wrong(unit):
    rule = Rule("fold_wrong", "2 + 3  =>  55", _fold_wrong)
    apply_rules(unit.editor(), (rule,))


@fault("rewrite_untyped", refuses, -1)
def an_exception_becomes_another(unit):
    ops, position, op = first(unit, nodes.StaticRaise)
    ops[position] = nodes.replace(op, exception=KeyError)


@fault("prune_branches", either, True, 4.0, rule="wrong_branch")
def a_branch_is_pruned_that_is_taken(unit):
    reported(unit, "wrong_branch", swap_branch(unit))


@fault("prune_branches", smaller, 2.0, 1.0)
def a_condition_is_turned_round(unit):
    ops, position, op = first(unit, nodes.Binary, op="<")
    ops[position] = nodes.replace(op, lhs=op.rhs, rhs=op.lhs)


@fault("simplify", pairs, A, 3, rule="dead_store")
def a_store_is_taken_for_dead(unit):
    ops, position, _ = first(unit, nodes.SetItem)
    reported(unit, "dead_store", lambda: ops.pop(position))


@fault("simplify", minus, 7, 2, rule="swap")
def operands_are_exchanged(unit):
    reported(unit, "swap", swap_operands(unit))


@fault("simplify", same_place, A, 1, 1, rule="reorder")
def stores_to_one_place_are_exchanged(unit):
    ops, one, _ = first(unit, nodes.SetItem)
    two = next(k for k in range(one + 1, len(ops)) if isinstance(ops[k], nodes.SetItem))

    def change():
        ops.insert(two, ops.pop(one))

    reported(unit, "reorder", change)


@fault("simplify", overlapping, A[1:], A, rule="hoist")
def a_load_is_moved_over_a_store_that_it_overlaps(unit):
    ops, store, _ = first(unit, nodes.StaticSetItem)
    ops, load, _ = first(unit, nodes.StaticGetItem)
    reported(unit, "hoist", lambda: ops.insert(store, ops.pop(load)))


@fault("simplify", ordered, 3)
def prints_come_in_another_order(unit):
    calls = [p for p in places(unit, nodes.Call)]
    (ops, one, a), (_, two, b) = calls[0], calls[-1]
    ops[one], ops[two] = nodes.replace(a, args=b.args), nodes.replace(b, args=a.args)
    added = next(k for k, op in enumerate(ops) if isinstance(op, nodes.Binary))
    moved = [ops.pop(k) for k in range(added, added - 2, -1)][::-1]
    ops[2:2] = moved


# --- stage 4: types -----------------------------------------------------------------------------


@fault("infer_types", either, True, 4.75)
def a_phi_is_typed_as_an_integer(unit):
    _, _, op = first(unit, nodes.Phi)
    unit.types[op.result] = types.int64


@fault("infer_types", rounded, 0.1, 3.0)
def a_product_is_typed_as_float32(unit):
    _, _, op = first(unit, nodes.Binary, op="*")
    unit.types[op.result] = types.float32


@fault("infer_types", grows, 30)
def an_integer_is_typed_too_narrow(unit):
    for op in (op for _, _, op in places(unit, nodes.Binary)):
        unit.types[op.result] = types.int32


# --- stage 5: typed IR --------------------------------------------------------------------------


@fault("prune_unreachable", maybe_third, (1, 2), False)
def a_block_ends_that_goes_on(unit):
    ops, position, op = first(unit, nodes.Return)
    ops[position] = nodes.Unreachable(loc=op.loc, id=op.id)


def longer(words, others):
    return len(words) - len(others)


@fault("argument_effects", longer, [1, 2], [3])
def two_lists_are_exchanged(unit):
    ops, position, op = first(unit, nodes.Arg, index=0)
    ops[position] = nodes.replace(op, index=1)


@fault("bounds_checks", out_of_range, A, 9)
def an_index_is_proved_that_is_out_of_range(unit):
    ops, position, op = first(unit, nodes.GetItem)
    ops[position] = nodes.replace(op, bounds=("proved",))


@fault("bounds_checks", first_items, A, 9)
def the_test_of_a_loop_is_the_wrong_way_round(unit):
    ops, position, op = first(unit, nodes.Binary, op="<=")
    ops[position] = nodes.replace(op, lhs=op.rhs, rhs=op.lhs)


def differences(a, b):
    d = a - b
    return np.sqrt(d * d + 1.0)


def with_other_steps(unit: CompileUnit, change: Callable[[nodes.Element], nodes.Element]) -> None:
    """Change each operation in the body of the first array expression."""
    ops, position, op = first(unit, nodes.ArrayExpr)
    block = op.body.blocks[0]
    inner = tuple(change(one) if isinstance(one, nodes.Element) else one for one in block.ops)
    body = replace(op.body, blocks=(replace(block, ops=inner),))
    ops[position] = nodes.replace(op, body=body)


@fault("array_expressions", differences, A, 2.0 * A)
def another_operation_is_done(unit):
    def added(one: nodes.Element) -> nodes.Element:
        return nodes.replace(one, function="add") if one.function == "subtract" else one

    with_other_steps(unit, added)
    unit.forget_resolutions()


@fault("fuse_arrays", differences, A, 2.0 * A)
def a_step_takes_the_wrong_value(unit):
    def first_twice(one: nodes.Element) -> nodes.Element:
        return nodes.replace(one, args=(one.args[0],) * len(one.args))

    with_other_steps(unit, first_twice)


@fault("refcounts", new_arrays, 3)
def an_incref_is_missing(unit):
    ops, position, _ = first(unit, nodes.Incref)
    ops.pop(position)


@fault("refcounts", new_arrays, 3)
def a_decref_is_missing(unit):
    ops, position, _ = first(unit, nodes.Decref)
    ops.pop(position)


@fault("refcounts", handed_out, 3)
def what_is_returned_is_freed(unit):
    ops, position, op = first(unit, nodes.Return)
    ops.insert(position, nodes.Decref(op.value, loc=op.loc, id=unit.fn.new_id()))


# --- object mode --------------------------------------------------------------------------------


def weighed(items):
    s = 0
    for x in items:
        s = s + x
    return s, len(items)


@fault("lift_loops", weighed, [1, 2], forceobj=True)
def a_loop_gives_its_number(unit):
    ops, position, op = first(unit, nodes.StaticGetItem, index=1)
    ops[position] = replace(op, index=0)


@fault("count_references", weighed, [1, 2], forceobj=True, looplift=False)
def an_iterator_is_dropped_twice(unit):
    ops, position, op = first(unit, nodes.Decref, value="$0.2")
    ops.insert(position, replace(op, id=unit.fn.new_id()))


@fault("pair_refcounts", weighed, [1, 2], forceobj=True, looplift=False)
def a_reference_is_dropped_twice(unit):
    ops, position, op = first(unit, nodes.Decref)
    ops.insert(position, replace(op, id=unit.fn.new_id()))


@fault("lower_objects", weighed, [1, 2], forceobj=True, looplift=False)
def an_addition_subtracts(unit):
    unit.done |= {"lower_objects"}
    text = unit.llvm.replace("@cutaway_py_add(", "@cutaway_py_subtract(")
    assert text != unit.llvm
    unit.llvm = text


# --- stage 6: LLVM ------------------------------------------------------------------------------


def in_llvm(unit: CompileUnit, old: str, new: str) -> None:
    """Change the text of the lowered module."""
    unit.done |= {"lower_llvm"}
    assert old in unit.llvm, unit.llvm
    unit.llvm = unit.llvm.replace(old, new)


@fault("lower_llvm", smaller, math.nan, 1.0)
def a_comparison_forgets_nan(unit):
    in_llvm(unit, "fcmp olt", "fcmp ult") if "fcmp olt" in text_of(unit) else in_llvm(
        unit, "fcmp ogt", "fcmp ugt"
    )


def text_of(unit: CompileUnit) -> str:
    unit.done |= {"lower_llvm"}
    return unit.llvm


@fault("lower_llvm", shifted, -9)
def a_shift_forgets_the_sign(unit):
    in_llvm(unit, "ashr", "lshr")


@fault("lower_llvm", grows, 50)
def a_product_wraps_too_early(unit):
    text = text_of(unit)
    line = next(line for line in text.splitlines() if " = mul " in line and " 3" in line)
    name, _, rest = line.strip().partition(" = ")
    location = rest[rest.index(", !dbg") :] if ", !dbg" in rest else ""
    plain = rest.partition(", !dbg")[0]
    made = (
        f"  %wide = {plain}{location}\n  %low = trunc i64 %wide to i32{location}\n"
        f"  {name} = sext i32 %low to i64{location}"
    )
    unit.llvm = text.replace(line, made)


@fault("lower_llvm", first_items, A, 3)
def code_reads_from_nowhere(unit):
    in_llvm(unit, "double, ptr %arg.a.data", "double, ptr inttoptr (i64 8 to ptr)")


@fault("lower_llvm", stores, A, 5.0)
def code_stores_to_the_wrong_item(unit):
    in_llvm(unit, "fmul double %arg.x, ", "fadd double %arg.x, ")


@fault("lower_llvm", both, -7, 2)
def a_remainder_is_rounded_toward_zero(unit):
    text = text_of(unit)
    lines = [line for line in text.splitlines() if " = select " in line or " = sub " in line]
    assert lines, text
    in_llvm(unit, "icmp slt", "icmp sgt") if "icmp slt" in text else in_llvm(
        unit, " ne i64", " eq i64"
    )


def optimized(unit: CompileUnit, change: Callable[[str], str]) -> None:
    """Change the optimized module."""
    made = Module(change(unit.module.text))
    made.optimize(NOTHING)
    unit.module = made


def replaced(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text, text
        return text.replace(old, new)

    return change


@fault("optimize_llvm", next_one, 2**63 - 1)
def overflow_is_taken_for_impossible(unit):
    def change(text: str) -> str:
        line = next(line for line in text.splitlines() if " = icmp " in line)
        return text.replace(line, line.partition(" = ")[0] + " = icmp eq i64 0, 0")

    optimized(unit, change)


@fault("optimize_llvm", sums, 1e16, -1e16, 1.0)
def a_sum_is_reassociated(unit):
    def change(text: str) -> str:
        return text.replace("fadd double", "fadd reassoc double")

    optimized(unit, change)
    made = Module(unit.module.text)
    text = made.text
    adds = [line for line in text.splitlines() if "fadd reassoc" in line]
    name = adds[0].split(" = ")[0].strip()
    right = adds[0].rsplit(", ", 1)[1] if "!dbg" not in adds[0] else adds[0].split(", ")[1]
    last = adds[1].split(", ")[1]
    left = adds[0].split("double ")[1].split(",")[0]
    text = text.replace(adds[0], f"  {name} = fadd double {right}, {last}")
    text = text.replace(adds[1], adds[1].replace(last, left, 1).replace("reassoc ", ""))
    unit.module = Module(text)


@fault("optimize_llvm", stores, A, 5.0)
def a_store_is_dropped(unit):
    def change(text: str) -> str:
        line = next(line for line in text.splitlines() if "store double" in line)
        return text.replace(line + "\n", "", 1)

    optimized(unit, change)


# --- stage 5b: parallel loops -------------------------------------------------------------------


def other_parfor(unit: CompileUnit, **changes: Any) -> None:
    ops, position, op = first(unit, nodes.Parfor)
    ops[position] = nodes.replace(op, **changes)


@fault("prange_to_parfor", shared_sum, A, parallel=True)
def the_last_iteration_counts_alone(unit):
    other_parfor(unit, operators=("last",))


@fault("prange_to_parfor", shared_sum, A, parallel=True)
def a_parfor_begins_where_it_ends(unit):
    _, _, op = first(unit, nodes.Parfor)
    other_parfor(unit, starts=op.stops)


@fault("prange_to_parfor", shared_sum, A, parallel=True)
def a_parfor_goes_by_what_it_ends_at(unit):
    _, _, op = first(unit, nodes.Parfor)
    other_parfor(unit, steps=op.stops)


# --- stage 7: machine code ----------------------------------------------------------------------


@fault("emit_object", rounded, 2.0, 5.0)
def the_object_is_of_another_module(unit):
    unit.object_code = Module(replaced("fmul", "fadd")(unit.llvm_opt)).object_code()


@fault("emit_object", first_items, A, 3)
def the_object_ends_the_process(unit):
    nowhere = "load volatile double, ptr inttoptr (i64 16 to ptr)"
    text = re.sub(r"load double, ptr [^,]*", nowhere, unit.llvm_opt)
    unit.object_code = Module(text).object_code()


def linked_with(unit: CompileUnit, **others: str) -> None:
    """Link with other functions of the runtime."""
    known = {**symbols, **unit.symbols}
    wrong = {name: known[other] for name, other in others.items()}
    exports = (entry_name(unit.callee),)
    unit.library = Library.load(unit.object_code, exports, {**known, **wrong})


@fault("link", sine, 0.5, instead=True)
def sin_is_linked_to_cos(unit):
    linked_with(unit, sin="cos")


@fault("link", power, 2.0, 5.0, instead=True)
def pow_is_linked_to_atan2(unit):
    linked_with(unit, cutaway_math_pow="atan2")
