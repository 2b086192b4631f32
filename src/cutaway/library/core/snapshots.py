"""Copies of values that a text is made of later: nothing changes them meanwhile.

s = f"{items}"
items.append(1)
print(s)            # as the items were
"""

from __future__ import annotations

from cutaway.extending.bodies import Takes, body, static
from cutaway.library.arrays.kit.typers import OPTIONS, private
from cutaway.library.containers.lists import sealed
from cutaway.typing.inference.questions import snapshot
from cutaway.typing.types import Array, Container, Dict, ListLike, OpenTuple, Tuple, Type
from cutaway.typing.types.texts import may_change

Arrays = Takes("an array", lambda ty: isinstance(ty, Array))
Containers = Takes("a container", lambda ty: isinstance(ty, Container))
Rows = Takes("a tuple", lambda ty: isinstance(ty, Tuple))


@static
def changes(value):
    """True for a value that may change."""
    return may_change(value)


@static
def has_rows(value):
    """True for a list, deque or tuple whose items may change, and for a dict with such values."""
    of_kind = isinstance(value, ListLike | Dict)
    return of_kind and may_change(value.contents[-1])


@static
def is_of(value, name):
    """True for a value of one of our classes of types."""
    return isinstance(value, _KINDS[name.value])


_KINDS: dict[str, type[Type]] = {"dict": Dict, "tuple": OpenTuple}


@private
def _kept(value):
    return snapshot(value) if changes(value) else value


@body(snapshot, **OPTIONS)
def of_array(value: Arrays):
    return value.copy()


@body(snapshot, **OPTIONS)
def of_container(value: Containers):
    if is_of(value, "tuple"):
        return sealed([_kept(one) for one in value])
    made = value.copy()
    if has_rows(value):
        if is_of(value, "dict"):
            for key, one in value.items():
                made[key] = _kept(one)
        else:
            for k in range(len(value)):
                made[k] = _kept(value[k])
    return made


@body(snapshot, **OPTIONS)
def of_tuple(value: Rows):
    if len(value) == 0:
        return ()
    return (_kept(value[0]), *snapshot(value[1:]))
