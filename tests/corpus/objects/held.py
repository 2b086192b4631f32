"""What a function leaves behind: memory, references of objects, changed globals."""

from __future__ import annotations

import gc
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import repeat
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

# Any in this file: objects of any program.

MANY = 10
TRIES = 7  # the first few rounds of anything fill caches, and make dictionaries larger
# Objects of the program, and not of a call. The frames in the traceback of an exception lead to all
# that the test's own callers hold.
_AT = (ModuleType, type, FunctionType, CodeType, FrameType)


def reachable(objects: Iterable[Any]) -> list[Any]:
    """Objects and all that they hold, each once."""
    found: dict[int, Any] = {}
    waiting = list(objects)
    while waiting:
        one = waiting.pop()
        if id(one) not in found:
            found[id(one)] = one
            if not isinstance(one, _AT):
                waiting += gc.get_referents(one)
    return list(found.values())


def dropped_too_often(objects: list[Any]) -> list[Any]:
    """Those with fewer references than others hold that are known to hold one."""
    graph = reachable(objects)
    known = Counter(id(held) for one in graph for held in gc.get_referents(one))
    known.update(map(id, graph))
    known.update(map(id, objects))
    own = 2  # the name in the loop, and the argument
    return [one for one in objects if sys.getrefcount(one) < known[id(one)] + own]


# Attributes that are looked up keep their names.
_CLEAR_CACHES = getattr(sys, "_clear_internal_caches", sys._clear_type_cache)


def growth(run: Callable[[], Any], watched: list[Any]) -> str:
    """What grows each time that something is run, in words; empty where something stays."""
    said, before = "", _held(watched)
    for _ in repeat(None, TRIES):  # numbers would be held by the loop
        run()
        now = _held(watched)
        said = _difference(watched, before, now)
        if not said:
            return ""
        before = now
    for _ in repeat(None, MANY):
        run()
    now = _held(watched)
    # What a round adds, however often it runs, is added by who looks.
    few = now[0] - before[0] < MANY and now[1] == before[1]
    return "" if few else said


def _held(watched: list[Any]) -> tuple[int, array[int]]:
    gc.collect()
    _CLEAR_CACHES()
    blocks = sys.getallocatedblocks()
    return blocks, array("q", map(sys.getrefcount, watched))


def _difference(
    watched: list[Any], before: tuple[int, array[int]], now: tuple[int, array[int]]
) -> str:
    said = [
        f"{y - x:+} references of {one!r:.60}"
        for one, x, y in zip(watched, before[1], now[1], strict=True)
        if x != y
    ]
    if now[0] > before[0]:
        said.append(f"{now[0] - before[0]:+} blocks of memory")
    return ", ".join(said)


class Namespace:
    """The globals of a function, with the lists, dictionaries and sets there, as they were."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.values = dict(names)
        kinds = (list, dict, set)
        inside = [one for cls in self._classes() for one in vars(cls).values()]
        one_of_each = {id(one): one for one in (*names.values(), *inside) if type(one) in kinds}
        one_of_each.pop(id(names.get("__builtins__")), None)
        self.contents = [(one, one.copy()) for one in one_of_each.values()]
        self.attributes = [(cls, dict(vars(cls))) for cls in self._classes()]

    def _classes(self) -> list[type]:
        own = self.names.get("__name__")
        return [
            one
            for one in self.names.values()
            if getattr(one, "__module__", "") == own and isinstance(one, type)
        ]

    def restore(self) -> None:
        """Put back what was changed."""
        if list(self.names.items()) != list(self.values.items()):
            for name in self.names.keys() - self.values.keys():
                del self.names[name]
            self.names.update(self.values)
        for one, copy in self.contents:
            if one != copy:
                one.clear()
                one.extend(copy) if isinstance(one, list) else one.update(copy)
        for cls, attributes in self.attributes:
            for name in vars(cls).keys() - attributes.keys():
                delattr(cls, name)
            for name, value in attributes.items():
                if vars(cls).get(name) is not value:
                    setattr(cls, name, value)
