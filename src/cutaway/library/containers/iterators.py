"""`map`, `filter`, `itertools` and `heapq.merge`, as generators.

A loop over one of them is fused with it (`stages/untyped/fusion.py`); elsewhere it is a generator
as those of programs.  Where items are tuples, the number of arguments or a constant determines
their length.
"""

from __future__ import annotations

import heapq
import itertools
from functools import cache
from types import FunctionType
from typing import Any

from cutaway.extending.bodies import Takes, generator, makes_generators, static
from cutaway.extending.overloads import overload
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.typers import said
from cutaway.library.containers.list_order import OPTIONS, private
from cutaway.library.containers.lists import list_over
from cutaway.typing import types

Iterable = Takes("an iterable", lambda ty: ty.iterator() is not None)


@private
def _called(function, items):
    return function(*items)


@generator(map)
def mapped(function, iterable: Iterable, /):
    for item in iterable:
        yield function(item)


@generator(map)
def mapped_over_several(function, first: Iterable, second: Iterable, /, *others: Iterable):
    for items in zip(first, second, *others):
        yield _called(function, items)


@generator(filter)
def filtered(function, iterable: Iterable, /):
    for item in iterable:
        if item if function is None else function(item):
            yield item


@generator(iter)
def called_until(function, sentinel, /):
    while True:
        item = function()
        if item == sentinel:
            return
        yield item


# --- itertools ----------------------------------------------------------------------------------


@generator(itertools.chain)
def chained(*iterables: Iterable):
    for iterable in literal_unroll(iterables):
        yield from iterable


@generator(itertools.chain.from_iterable)
def chained_from(iterable: Iterable, /):
    for inner in iterable:
        yield from inner


@generator(itertools.count)
def counted(start=0, step=1):
    while True:
        yield start
        start += step


@generator(itertools.cycle)
def cycled(iterable: Iterable, /):
    saved = list_over(iterable, 0)
    for item in iterable:
        saved.append(item)
        yield item
    while len(saved) > 0:
        for item in saved:
            yield item


@generator(itertools.repeat)
def repeated(object):
    while True:
        yield object


@generator(itertools.repeat)
def repeated_times(object, times):
    for _ in range(times):
        yield object


@generator(itertools.accumulate)
def accumulated(iterable: Iterable, func=None):
    is_first = True
    for item in iterable:
        if is_first:
            total, is_first = item, False
        elif func is None:
            total = total + item
        else:
            total = func(total, item)
        yield total


@generator(itertools.accumulate)
def accumulated_from(iterable: Iterable, func=None, *, initial):
    total = initial
    yield total
    for item in iterable:
        if func is None:
            total = total + item
        else:
            total = func(total, item)
        yield total


@generator(itertools.compress)
def compressed(data: Iterable, selectors: Iterable):
    for item, is_selected in zip(data, selectors):
        if is_selected:
            yield item


@generator(itertools.dropwhile)
def dropped_while(predicate, iterable: Iterable, /):
    drops = True
    for item in iterable:
        if drops:
            drops = bool(predicate(item))
        if not drops:
            yield item


@generator(itertools.takewhile)
def taken_while(predicate, iterable: Iterable, /):
    for item in iterable:
        if not predicate(item):
            return
        yield item


@generator(itertools.filterfalse)
def filtered_false(function, iterable: Iterable, /):
    for item in iterable:
        if not (item if function is None else function(item)):
            yield item


@generator(itertools.starmap)
def star_mapped(function, iterable: Iterable, /):
    for items in iterable:
        yield _called(function, items)


@generator(itertools.pairwise)
def paired(iterable: Iterable, /):
    is_first = True
    for item in iterable:
        if is_first:
            before, is_first = item, False
        else:
            yield before, item
            before = item


@generator(itertools.islice)
def sliced_to(iterable: Iterable, stop, /):
    if stop is None:
        stop = -1
    elif stop < 0:
        raise ValueError(_NO_STOP)
    count = 0
    if count != stop:
        for item in iterable:
            yield item
            count += 1
            if count == stop:
                break


@generator(itertools.islice)
def sliced(iterable: Iterable, start, stop, step=None, /):
    following = 0 if start is None else start
    by = 1 if step is None else step
    end = _LARGEST if stop is None else stop
    if end < 0:
        raise ValueError(_NO_STOP)
    if following < 0:
        raise ValueError(_NO_START)
    if by < 1:
        raise ValueError(_NO_STEP)
    count = 0
    items = iter(iterable)
    if count < following or count < end:
        for item in items:
            if count == following and count < end:
                yield item
                following = end if by > end - count else count + by
            count += 1
            if count >= end and count >= following:
                break


_LARGEST = 2**63 - 1
_RANGE = "must be None or an integer: 0 <= x <= sys.maxsize."
_NO_STOP, _NO_START = f"Stop argument for islice() {_RANGE}", f"Indices for islice() {_RANGE}"
_NO_STEP = "Step for islice() must be a positive integer or None."


# --- iterators that share an iterator -------------------------------------------------------------


@private
def _shared(items, taken):
    """Yield the items that others have taken, then those that the iterator still has."""
    k = 0
    while True:
        if k == len(taken):
            for item in items:
                taken.append(item)
                break
            else:
                return
        yield taken[k]
        k += 1


@overload(itertools.tee, jit_options=OPTIONS, prefer_literal=True)
def _teed(iterable, n=2):
    count = said(n)
    if type(count) is not int or count < 0 or iterable.iterator() is None:
        return None
    lines = (
        "items, taken = iter(iterable), list_over(iterable, 0)",
        (f"return {_tuple_of(['_shared(items, taken)'] * count)}"),
    )
    return _executed("iterable, n=2", lines)


@private
def _group(items, ahead, keys, serial, number, key, wanted):
    """Yield the items of a group: `ahead` has the item that was read, `keys` its key, and `serial`
    the number of the group that the iterator is at."""
    while serial[0] == number and len(ahead) > 0 and keys[0] == wanted:
        yield ahead.pop()
        if serial[0] == number:
            _read_ahead(items, ahead, keys, key)


@private
def _read_ahead(items, ahead, keys, key):
    for item in items:
        ahead.append(item)
        keys[0] = item if key is None else key(item)
        break


@generator(itertools.groupby)
def grouped(iterable: Iterable, key=None):
    items, ahead, keys, serial = iter(iterable), list_over(iterable, 1), [], [0]
    for item in items:
        ahead.append(item)
        keys.append(item if key is None else key(item))
        break
    while len(ahead) > 0:
        wanted = keys[0]
        yield wanted, _group(items, ahead, keys, serial, serial[0], key, wanted)
        serial[0] += 1
        if len(ahead) == 0:
            _read_ahead(items, ahead, keys, key)
        while len(ahead) > 0 and keys[0] == wanted:
            ahead.pop()
            _read_ahead(items, ahead, keys, key)


# --- items that are tuples ------------------------------------------------------------------------


@static
def is_fixed(iterable):
    """True for an iterable with items that never change."""
    return isinstance(iterable, (types.Range, types.Tuple))


@private
def _pool(iterable):
    if is_fixed(iterable):
        return iterable
    return list(iterable)


def _nested(parameters: str, pools: dict[str, str], loops: list[str], result: str) -> FunctionType:
    """Return a generator of nested loops over pools, each by its expression.  A generator that is
    not fused reads them when it is made."""
    lines = ["    " * k + line for k, line in enumerate(loops)]
    lines.append("    " * len(loops) + f"yield {result}")
    read = [f"{name} = {pool}" for name, pool in pools.items()]
    made: Any = _executed(parameters, (*read, *lines))
    over_pools = private(_executed(", ".join(pools), tuple(lines)))
    call = f"return over_pools({', '.join(pools.values())})"
    made.at_call = _executed(parameters, (call,), (("over_pools", over_pools),))
    function: FunctionType = made
    return function


@cache
def _executed(
    parameters: str, lines: tuple[str, ...], more: tuple[tuple[str, Any], ...] = ()
) -> FunctionType:
    space = {**globals(), **dict(more)}
    exec(f"def generated({parameters}):\n    " + "\n    ".join(lines), space)  # noqa: S102  our own
    function: FunctionType = space["generated"]
    return function


def _tuple_of(names: list[str]) -> str:
    return f"({''.join(f'{name}, ' for name in names)})"


@makes_generators(itertools.product, needs="repeat")
def product_of(positional: int, named: dict[str, Any], constants: tuple[Any, ...]) -> Any:
    """Return nested loops over the pools."""
    times = named.get("repeat", 1)
    if not isinstance(times, int) or times < 0 or named.keys() - {"repeat"}:
        return None
    own = range(positional)
    names = [f"item{k}" for k in range(positional * times)]
    return _nested(
        ", ".join([*(f"a{k}: Iterable" for k in own), "*", "repeat=1"]),
        {f"a{k}": f"_pool(a{k})" for k in own},
        [f"for {name} in a{k % positional}:" for k, name in enumerate(names)],
        _tuple_of(names),
    )


def _chosen(count: Any, starts: Any, test: Any) -> FunctionType | None:
    """Return nested loops over the indices of a pool, each after those before it."""
    if type(count) is not int or count < 0:
        return None
    loops = []
    for k in range(count):
        loops.append(f"for k{k} in range({starts(k)}, len(pool)):")
        loops += [f"if {test(k)}:"] if k and test is not None else []
    return _nested(
        "iterable: Iterable, r=None",
        {"pool": "_pool(iterable)"},
        loops,
        _tuple_of([f"pool[k{k}]" for k in range(count)]),
    )


def _count_in(positional: int, named: dict[str, Any], constants: tuple[Any, ...]) -> Any:
    fits = len(constants) == 2 and (positional == 2 or named.keys() == {"r"})
    return constants[1] if fits else None


@makes_generators(itertools.combinations, needs="r")
def combinations_of(positional: int, named: dict[str, Any], constants: tuple[Any, ...]) -> Any:
    """Return nested loops over indices that rise."""
    count = _count_in(positional, named, constants)
    return _chosen(count, lambda k: f"k{k - 1} + 1" if k else "0", None)


@makes_generators(itertools.combinations_with_replacement, needs="r")
def combinations_again_of(
    positional: int, named: dict[str, Any], constants: tuple[Any, ...]
) -> Any:
    """Return nested loops over indices that do not fall."""
    count = _count_in(positional, named, constants)
    return _chosen(count, lambda k: f"k{k - 1}" if k else "0", None)


@makes_generators(itertools.permutations, needs="r")
def permutations_of(positional: int, named: dict[str, Any], constants: tuple[Any, ...]) -> Any:
    """Return nested loops over indices that differ."""
    count = _count_in(positional, named, constants)
    return _chosen(count, lambda k: "0", lambda k: " and ".join(f"k{k} != k{n}" for n in range(k)))


@makes_generators(itertools.zip_longest)
def zipped_to_longest(positional: int, named: dict[str, Any], constants: tuple[Any, ...]) -> Any:
    """Return a loop that asks each iterator that has not ended."""
    if named.keys() - {"fillvalue"}:
        return None
    own = range(positional)
    lines = [f"i{k}, there{k} = iter(a{k}), True" for k in own]
    lines.append("while True:")
    for k in own:
        lines += [f"    x{k} = fillvalue", f"    if there{k}:", f"        there{k} = False"]
        lines += [f"        for x{k} in i{k}:", f"            there{k} = True", "            break"]
    lines += [f"    if not ({' or '.join(f'there{k}' for k in own) or 'False'}):", "        return"]
    lines.append(f"    yield {_tuple_of([f'x{k}' for k in own])}")
    parameters = ", ".join([*(f"a{k}: Iterable" for k in own), "*", "fillvalue=None"])
    return _executed(parameters, tuple(lines))


# --- heapq.merge ----------------------------------------------------------------------------------


@private
def merged(first, second, key, reverse):
    """Yield the items of two iterables in order; of equal ones those of the first."""
    lefts, rights = iter(first), iter(second)
    has_left = has_right = False
    for left in lefts:
        has_left = True
        lower = left if key is None else key(left)
        break
    for right in rights:
        has_right = True
        upper = right if key is None else key(right)
        break
    while has_left or has_right:
        is_right = has_right
        if has_left and has_right:
            is_right = lower < upper if reverse else upper < lower
        if is_right:
            yield right
            has_right = False
            for right in rights:
                has_right = True
                upper = right if key is None else key(right)
                break
        else:
            yield left
            has_left = False
            for left in lefts:
                has_left = True
                lower = left if key is None else key(left)
                break


@makes_generators(heapq.merge)
def merged_of(positional: int, named: dict[str, Any], constants: tuple[Any, ...]) -> Any:
    """Return a generator that merges two iterables, one of which is another such generator."""
    if named.keys() - {"key", "reverse"}:
        return None
    own = [f"a{k}" for k in range(positional)]
    whole = own[-1] if own else "()"
    for name in reversed(own[:-1]):
        whole = f"merged({name}, {whole}, key, reverse)"
    parameters = ", ".join([*(f"{name}: Iterable" for name in own), "*", "key=None, reverse=False"])
    return _executed(parameters, (f"for item in {whole}:", "    yield item"))
