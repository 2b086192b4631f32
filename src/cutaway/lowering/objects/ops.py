"""The ops in object mode, each as calls of functions of the table in `api.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cutaway.ir import nodes
from cutaway.ir.function import user_name
from cutaway.ir.nodes import Op, OpTable
from cutaway.lowering.objects.api import API, BINARY, COMPARISONS, EXTENDING, INPLACE, UNARY
from cutaway.lowering.regions import block_name

if TYPE_CHECKING:
    from cutaway.lowering.objects.function import ObjectLowering
    from cutaway.lowering.objects.generators import GeneratorLowering

Lower = Callable[[Any, Any], None]
LOWERED: OpTable[Lower] = OpTable("lowering to objects", {})


def _lowers(*classes: type[Op]) -> Callable[[Lower], Lower]:
    def register(function: Lower) -> Lower:
        for cls in classes:
            LOWERED[cls] = function
        return function

    return register


# --- definitions -------------------------------------------------------------------------------


@_lowers(nodes.Arg)
def _arg(into: ObjectLowering, op: nodes.Arg) -> None:
    where = into.build.offset("%args", str(op.index), "ptr")
    _name(into, op.result, into.build.load("ptr", where, 8))


@_lowers(nodes.Const)
def _const(into: ObjectLowering, op: nodes.Const) -> None:
    into.put(op.result, into.constant(op.value))


def _name(into: ObjectLowering, name: str, value: str) -> None:
    """Bind a variable to an object that it need not own; a cell takes a reference of its own."""
    if name in into.known.cells:
        into.call("cutaway_py_set_cell", _cell(into, name), value)
    else:
        into.put(name, value)


def _cell(into: ObjectLowering, name: str) -> str:
    return into.build.load("ptr", into.slots[name], 8)


@_lowers(nodes.Global)
def _global(into: ObjectLowering, op: nodes.Global) -> None:
    """Load an object that bytecode refers to directly, whatever the program binds to its name."""
    value = into.constant(op.value)
    into.take(value)
    into.put(op.result, value)


def _looked_up(into: ObjectLowering, name: str) -> str:
    """Look up the current value of a global name."""
    place = str(into.environment.known_place(name))
    return into.call("cutaway_py_global", "%env", into.name(name), place)


@_lowers(nodes.FreeVar)
def _freevar(into: ObjectLowering, op: nodes.FreeVar) -> None:
    cell = into.item(into.environment.cell(op.name))
    into.put(op.result, into.call("cutaway_py_read_cell", cell, into.name(op.name)))


@_lowers(nodes.Copy, nodes.Cast)
def _copy(into: ObjectLowering, op: nodes.Copy | nodes.Cast) -> None:
    if op.result == op.value:
        into.require(op.value)
        return
    if op.value not in into.known.cells:
        _name(into, op.result, into.load(op.value))
        return
    value = into.call("PyCell_Get", _cell(into, op.value))
    empty = into.build.compare("eq", "ptr", value, "null")
    into.raise_where(empty, "cutaway_py_unbound", into.unbound_text(user_name(op.value)))
    into.put(op.result, value)


@_lowers(nodes.Move)
def _move(into: ObjectLowering, op: nodes.Move) -> None:
    value = into.load(op.value)
    into.put(op.result, value)
    into.build.store("ptr", "null", into.slots[op.value], 8)


@_lowers(nodes.Deref)
def _deref(into: ObjectLowering, op: nodes.Deref) -> None:
    value = into.call("PyCell_Get", _cell(into, op.value))
    empty = into.build.compare("eq", "ptr", value, "null")
    into.raise_where(empty, "cutaway_py_unbound_free", into.name(user_name(op.value)))
    into.put(op.result, value)


@_lowers(nodes.Undef)
def _undef(into: ObjectLowering, op: nodes.Undef) -> None:
    if op.result not in into.known.cells:
        into.put(op.result, "null")
    elif op.cell:  # functions that captured the variable keep its old cell
        into.put(op.result, into.call("PyCell_New", "null"))
    else:
        into.call("cutaway_py_set_cell", _cell(into, op.result), "null")


@_lowers(nodes.Incref)
def _incref(into: ObjectLowering, op: nodes.Incref) -> None:
    into.take(into.load(op.value))


@_lowers(nodes.Decref)
def _decref(into: ObjectLowering, op: nodes.Decref) -> None:
    slot, sure = into.slots[op.value], not _may_be_null(into, op.value)
    value = into.build.load("ptr", slot, 8)
    if into.counts.get(op.value, 0) == 1:  # the last: finalizers must not see it here
        into.build.store("ptr", "null", slot, 8)
    into.drop(value, sure)
    if op.value in into.methods:
        into.drop(into.build.load("ptr", into.slots[into.self_of(op.value)], 8), sure=False)


def _may_be_null(into: ObjectLowering, name: str) -> bool:
    return not name.startswith("$") and name not in into.bound and name not in into.known.cells


# --- operators --------------------------------------------------------------------------------


@_lowers(nodes.Unary)
def _unary(into: ObjectLowering, op: nodes.Unary) -> None:
    value = into.load(op.value)
    if op.op.symbol in UNARY:
        into.put(op.result, into.call(UNARY[op.op.symbol], value))
        return
    truth = into.call("PyObject_IsTrue", value)
    _answer(into, op.result, truth, inverted=op.op.symbol == "not")


def _answer(into: ObjectLowering, name: str, answer: str, inverted: bool = False) -> None:
    """Bind a variable to an i32 that is 0 or not: a flag, or True or False."""
    flag = into.build.compare("eq" if inverted else "ne", "i32", answer, "0")
    _truth(into, name, flag)


def _truth(into: ObjectLowering, name: str, flag: str) -> None:
    """Bind a variable to an i1."""
    if name in into.known.flags:
        into.build.store("i1", flag, into.slots[name], 1)
        return
    value = into.build.select(flag, "ptr", into.constant(True), into.constant(False))
    into.take(value)
    into.put(name, value)


@_lowers(nodes.Binary)
def _binary(into: ObjectLowering, op: nodes.Binary) -> None:
    symbol = op.op.symbol
    if symbol == "+" and into.grows(op):
        _grow(into, op, "0")
        return
    lhs, rhs = into.load(op.lhs), into.load(op.rhs)
    if symbol in BINARY:
        _operate(into, op, BINARY[symbol], lhs, rhs)
    elif symbol in ("is", "is not"):
        predicate = "eq" if symbol == "is" else "ne"
        _truth(into, op.result, into.build.compare(predicate, "ptr", lhs, rhs))
    elif symbol in ("in", "not in"):
        there = into.call("PySequence_Contains", rhs, lhs)
        _answer(into, op.result, there, inverted=symbol == "not in")
    elif op.result in into.known.flags:
        how = str(COMPARISONS[symbol])
        _answer(into, op.result, into.call("cutaway_py_compares", lhs, rhs, how))
    else:
        how = str(COMPARISONS[symbol])
        into.put(op.result, into.call("cutaway_py_compare", lhs, rhs, how))


@_lowers(nodes.Inplace)
def _inplace(into: ObjectLowering, op: nodes.Inplace) -> None:
    if op.op.symbol == "+=" and into.grows(op):
        _grow(into, op, "1")
        return
    lhs, rhs = into.load(op.lhs), into.load(op.rhs)
    _operate(into, op, INPLACE[op.op.symbol], lhs, rhs)


def _operate(
    into: ObjectLowering, op: nodes.Binary | nodes.Inplace, name: str, lhs: str, rhs: str
) -> None:
    more = () if len(API[name].takes) == 2 else (into.last_uses(op),)
    into.put(op.result, into.call(name, lhs, rhs, *more))


def _grow(into: ObjectLowering, op: nodes.Binary | nodes.Inplace, inplace: str) -> None:
    """`x = x + y`, which may extend the text of x in place: x is unbound until then."""
    build = into.build
    lhs, rhs = into.load(op.lhs), into.load(op.rhs)
    last = into.last_uses(op)
    build.store("ptr", lhs, into.arguments, 8)
    result = into.call_unchecked("cutaway_py_append", into.arguments, rhs, inplace, last)
    build.store("ptr", build.load("ptr", into.arguments, 8), into.slots[op.lhs], 8)
    into.fail_where(build.compare("eq", "ptr", result, "null"))
    into.put(op.result, result)
    into.taken = op.lhs


# --- calls ------------------------------------------------------------------------------------


@_lowers(nodes.Call)
def _call(into: ObjectLowering, op: nodes.Call) -> None:
    function = into.load(op.func)
    if op.result in into.own_globals:
        into.put(op.result, into.call("cutaway_py_globals", "%env", function))
        return
    values = [into.load(name) for name in op.args]
    names = "null"
    if op.keywords:
        names = into.item(into.environment.place(tuple(op.keywords)))
    base = into.operands(values, room=2)
    count = str(len(values))
    if op.func in into.methods:
        own = into.build.load("ptr", into.slots[into.self_of(op.func)], 8)
        result = into.call("cutaway_py_call_method", function, own, base, count, names)
    elif op.star is None:
        result = into.call("cutaway_py_call", function, base, count, names)
    else:
        star = into.load(op.star)
        result = into.call("cutaway_py_call_star", function, base, count, names, star)
    into.put(op.result, result)


@_lowers(nodes.RunLoop)
def _run_loop(into: ObjectLowering, op: nodes.RunLoop) -> None:
    # An unbound variable is NULL, and the traceback of an exception includes this op.
    values = [into.build.load("ptr", into.slots[name], 8) for name in op.args]
    base, loop = into.operands(values), into.constant(op.loop)
    operands = ("%env", loop, base, str(len(values)), *map(str, into.place()))
    result = into.call_unchecked("cutaway_py_run_loop", *operands)
    into.fail_where(into.build.compare("eq", "ptr", result, "null"), traced=False)
    into.put(op.result, result)


@_lowers(nodes.CallSpread)
def _call_spread(into: ObjectLowering, op: nodes.CallSpread) -> None:
    operands = [into.load(name) for name in (op.func, op.items, op.named)]
    into.put(op.result, into.call("cutaway_py_call_spread", *operands))


@_lowers(nodes.MakeFunction)
def _make_function(into: ObjectLowering, op: nodes.MakeFunction) -> None:
    shared = iter(op.captured)
    cells = ["null" if n in op.itself else _shared(into, next(shared)) for n in op.code.co_freevars]
    values = [into.load(name) for name in op.defaults]
    base = into.operands([*values, *cells])
    names = into.item(into.environment.place(tuple(op.keywords))) if op.keywords else "null"
    own = into.build.offset(base, str(len(values)), "ptr")
    counts = (str(len(values)), str(len(cells)))
    code = into.constant(op.code)
    made = into.call("cutaway_py_function", "%env", code, base, counts[0], names, own, counts[1])
    into.put(op.result, made)


def _shared(into: ObjectLowering, name: str) -> str:
    """Load the cell of a variable that an inner function shares."""
    if name in into.known.cells:
        return _cell(into, name)
    return into.item(into.environment.cell(name))


# --- data -------------------------------------------------------------------------------------


def _displays(name: str, items: str) -> Lower:
    """Return the lowering of a display, made of adjacent items."""

    def lower(into: ObjectLowering, op: Any) -> None:
        values = [into.load(one) for one in getattr(op, items)]
        into.put(op.result, into.call(name, into.operands(values), str(len(values))))

    return lower


LOWERED[nodes.BuildTuple] = _displays("cutaway_py_tuple", "items")
LOWERED[nodes.BuildList] = _displays("cutaway_py_list", "items")
LOWERED[nodes.MakeList] = LOWERED[nodes.BuildList]
LOWERED[nodes.BuildSet] = _displays("cutaway_py_set", "items")
LOWERED[nodes.BuildDict] = _displays("cutaway_py_dict", "items")
LOWERED[nodes.BuildString] = _displays("cutaway_py_string", "pieces")


@_lowers(nodes.BuildSlice)
def _slice(into: ObjectLowering, op: nodes.BuildSlice) -> None:
    step = "null" if op.step is None else into.load(op.step)
    made = into.call("PySlice_New", into.load(op.start), into.load(op.stop), step)
    into.put(op.result, made)


@_lowers(nodes.FormatValue)
def _format(into: ObjectLowering, op: nodes.FormatValue) -> None:
    spec = "null" if op.spec is None else into.load(op.spec)
    conversion = str(ord(op.conversion)) if op.conversion else "0"
    into.put(op.result, into.call("cutaway_py_format", into.load(op.value), spec, conversion))


@_lowers(nodes.ListAppend)
def _append(into: ObjectLowering, op: nodes.ListAppend) -> None:
    items = into.load(op.items)
    into.call("PyList_Append", items, into.load(op.item))
    into.put(op.result, items)


@_lowers(nodes.Extend)
def _extend(into: ObjectLowering, op: nodes.Extend) -> None:
    container = into.load(op.container)
    operands = [container, *(into.load(name) for name in op.items)]
    if op.how == "dict_merge":
        assert op.function is not None
        operands.append(into.load(op.function))
    into.call(EXTENDING[op.how], *operands)
    into.put(op.result, container)


@_lowers(nodes.Unpack)
def _unpack(into: ObjectLowering, op: nodes.Unpack) -> None:
    made = into.call("cutaway_py_unpack", into.load(op.value), str(op.count))
    into.put(op.result, made)


@_lowers(nodes.UnpackStar)
def _unpack_star(into: ObjectLowering, op: nodes.UnpackStar) -> None:
    counts = (str(op.before), str(op.after))
    into.put(op.result, into.call("cutaway_py_unpack_star", into.load(op.value), *counts))


@_lowers(nodes.GetItem)
def _getitem(into: ObjectLowering, op: nodes.GetItem) -> None:
    value, index = into.load(op.value), into.load(op.index)
    into.put(op.result, into.call("cutaway_py_getitem", value, index))


@_lowers(nodes.StaticGetItem)
def _static_getitem(into: ObjectLowering, op: nodes.StaticGetItem) -> None:
    into.put(op.result, into.call("cutaway_py_item", into.load(op.value), str(op.index)))


@_lowers(nodes.SetItem)
def _setitem(into: ObjectLowering, op: nodes.SetItem) -> None:
    operands = [into.load(name) for name in (op.target, op.index, op.value)]
    into.call("cutaway_py_setitem", *operands)


@_lowers(nodes.DelItem)
def _delitem(into: ObjectLowering, op: nodes.DelItem) -> None:
    into.call("PyObject_DelItem", into.load(op.target), into.load(op.index))


@_lowers(nodes.GetAttr)
def _getattr(into: ObjectLowering, op: nodes.GetAttr) -> None:
    value, name, place = into.load(op.value), into.name(op.attr), into.attribute()
    if op.result in into.methods:
        own = into.slots[into.self_of(op.result)]
        into.put(op.result, into.call("cutaway_py_method", "%env", value, name, own, place))
    else:
        into.put(op.result, into.call("cutaway_py_getattr", "%env", value, name, place))


@_lowers(nodes.SetAttr)
def _setattr(into: ObjectLowering, op: nodes.SetAttr) -> None:
    target, value = into.load(op.target), into.load(op.value)
    name, place = into.name(op.attr), into.attribute()
    into.call("cutaway_py_setattr", "%env", target, name, value, place)


@_lowers(nodes.DelAttr)
def _delattr(into: ObjectLowering, op: nodes.DelAttr) -> None:
    into.call("cutaway_py_delattr", into.load(op.target), into.name(op.attr))


# --- iteration and patterns -------------------------------------------------------------------


@_lowers(nodes.GetIter)
def _getiter(into: ObjectLowering, op: nodes.GetIter) -> None:
    name = "cutaway_py_loop" if op.result in into.looping else "PyObject_GetIter"
    into.put(op.result, into.call(name, into.load(op.value)))


@_lowers(nodes.IterNext)
def _iternext(into: ObjectLowering, op: nodes.IterNext) -> None:
    build = into.build
    item = into.call("cutaway_py_next", into.load(op.iterator))
    into.put(op.result, item)
    there = build.compare("ne", "ptr", item, "null")
    build.store("i1", there, into.slots[op.valid], 1)
    ended, after = build.new_label("ended"), build.new_label("item")
    build.branch(there, after, ended)
    build.start(ended)
    into.call("cutaway_py_ended")
    build.jump(after)
    build.start(after)


@_lowers(nodes.IsPattern)
def _is_pattern(into: ObjectLowering, op: nodes.IsPattern) -> None:
    name = f"cutaway_py_is_{op.kind}"
    _answer(into, op.result, into.call(name, into.load(op.value)))


@_lowers(nodes.MatchKeys)
def _match_keys(into: ObjectLowering, op: nodes.MatchKeys) -> None:
    value, keys = into.load(op.value), into.load(op.keys)
    into.put(op.result, into.call("cutaway_py_match_keys", value, keys))


@_lowers(nodes.MatchClass)
def _match_class(into: ObjectLowering, op: nodes.MatchClass) -> None:
    names = into.item(into.environment.place(tuple(op.names)))
    operands = (into.load(op.value), into.load(op.cls), str(op.count), names)
    into.put(op.result, into.call("cutaway_py_match_class", *operands))


# --- shared variables --------------------------------------------------------------------------


@_lowers(nodes.Import)
def _import(into: ObjectLowering, op: nodes.Import) -> None:
    operands = (into.name(op.name), into.constant(op.names), into.load(op.level))
    into.put(op.result, into.call("cutaway_py_import", "%env", *operands))


@_lowers(nodes.ImportFrom)
def _import_from(into: ObjectLowering, op: nodes.ImportFrom) -> None:
    module = into.load(op.module)
    into.put(op.result, into.call("cutaway_py_import_from", module, into.name(op.name)))


@_lowers(nodes.ReadOuter)
def _read_outer(into: ObjectLowering, op: nodes.ReadOuter) -> None:
    if op.scope == "nonlocal":
        cell = into.constant(op.cell)
        into.put(op.result, into.call("cutaway_py_read_cell", cell, into.name(op.name)))
    else:
        into.put(op.result, _looked_up(into, op.name))


@_lowers(nodes.WriteOuter)
def _write_outer(into: ObjectLowering, op: nodes.WriteOuter) -> None:
    value = into.load(op.value)
    if op.scope == "nonlocal":
        into.call("cutaway_py_set_cell", into.constant(op.cell), value)
    else:
        into.call("cutaway_py_write_global", "%env", into.name(op.name), value)


@_lowers(nodes.DeleteOuter)
def _delete_outer(into: ObjectLowering, op: nodes.DeleteOuter) -> None:
    name = into.name(op.name)
    if op.scope == "nonlocal":
        into.call("cutaway_py_delete_cell", into.constant(op.cell), name)
    else:
        into.call("cutaway_py_delete_global", "%env", name)


# --- exceptions -------------------------------------------------------------------------------


@_lowers(nodes.Caught)
def _caught(into: ObjectLowering, op: nodes.Caught) -> None:
    into.put(op.result, into.call("cutaway_py_caught", into.handled[op.depth]))


@_lowers(nodes.EndHandler)
def _end_handler(into: ObjectLowering, op: nodes.EndHandler) -> None:
    into.call("cutaway_py_end_handler", into.handled[into.depths[op.id]])


@_lowers(nodes.Matches)
def _matches(into: ObjectLowering, op: nodes.Matches) -> None:
    exception, classes = into.load(op.exception), into.load(op.classes)
    _answer(into, op.result, into.call("cutaway_py_matches", exception, classes))


@_lowers(nodes.Raise)
def _raise(into: ObjectLowering, op: nodes.Raise) -> None:
    into.call("cutaway_py_raise", into.load(op.exception), "null")


@_lowers(nodes.RaiseFrom)
def _raise_from(into: ObjectLowering, op: nodes.RaiseFrom) -> None:
    into.call("cutaway_py_raise", into.load(op.exception), into.load(op.cause))


@_lowers(nodes.Reraise)
def _reraise(into: ObjectLowering, op: nodes.Reraise) -> None:
    into.call_untraced("cutaway_py_reraise", into.load(op.exception))


@_lowers(nodes.RaiseCurrent)
def _raise_current(into: ObjectLowering, op: nodes.RaiseCurrent) -> None:
    into.call_untraced("cutaway_py_raise_current", "%env", *map(str, into.place()))


@_lowers(nodes.Enter)
def _enter(into: ObjectLowering, op: nodes.Enter) -> None:
    slot, own = into.slots[op.exit], "null"
    if op.exit in into.methods:
        own = into.slots[into.self_of(op.exit)]
    into.put(op.value, into.call("cutaway_py_enter", into.load(op.manager), slot, own))


@_lowers(nodes.ExitWith)
def _exit_with(into: ObjectLowering, op: nodes.ExitWith) -> None:
    leave, exception, own = into.load(op.exit), into.load(op.exception), "null"
    if op.exit in into.methods:
        own = into.build.load("ptr", into.slots[into.self_of(op.exit)], 8)
    into.put(op.result, into.call("cutaway_py_exit_with", leave, own, exception))


# --- control ----------------------------------------------------------------------------------


@_lowers(nodes.Jump)
def _jump(into: ObjectLowering, op: nodes.Jump) -> None:
    into.build.jump(block_name(op.target))


@_lowers(nodes.Branch)
def _branch(into: ObjectLowering, op: nodes.Branch) -> None:
    flag = into.build.load("i1", into.slots[op.cond], 1)
    into.build.branch(flag, block_name(op.then), block_name(op.orelse))


@_lowers(nodes.Return)
def _return(into: ObjectLowering, op: nodes.Return) -> None:
    into.leave(into.load(op.value))


@_lowers(nodes.Suspend)
def _suspend(into: GeneratorLowering, op: nodes.Suspend) -> None:
    into.suspend(op)


@_lowers(nodes.Delegate)
def _delegate(into: GeneratorLowering, op: nodes.Delegate) -> None:
    into.delegate(op)
