"""The types of sources of random numbers: NumPy's `Generator` and `RandomState`.

A value is the object itself; the runtime locates the state in it (`runtime/numpy_random.py`).  A
global that is a method of such an object, as `np.random.normal` is a method of a RandomState in
NumPy, is a method of a constant.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from typing import Any

from cutaway.foundation.foreign import attribute, module_of
from cutaway.typing.types import primitives
from cutaway.typing.types.base import Type
from cutaway.typing.types.functions import BoundMethod
from cutaway.typing.types.interning import Identity
from cutaway.typing.types.opaque import Opaque


class RandomSource(Opaque):
    """A NumPy object that random numbers are drawn from."""

    __slots__ = ()
    is_frozen = False  # whether NumPy guarantees that its streams never change

    def __init__(self, identity: Identity) -> None:
        super().__init__(identity)
        self.name = identity.value.__name__

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return (primitives.Kept(value),)

    def put_together(self, items: Iterable[Any]) -> Any:
        """Return the object; its owner is the object's address with a tag bit."""
        (owner,) = items
        if isinstance(owner, primitives.Kept):
            return owner.value
        return ctypes.cast(owner & ~1, ctypes.py_object).value

    def sample(self) -> Any:
        return self.cls(sys.modules["numpy.random"].PCG64(0))

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.identity,))


class GeneratorSource(RandomSource):
    """A `numpy.random.Generator`."""

    __slots__ = ()


class StateSource(RandomSource):
    """A `numpy.random.RandomState`; the functions of `numpy.random` draw from one as well."""

    __slots__ = ()
    is_frozen = True


def source_of(value: Any) -> RandomSource | None:
    """Return the type of a source of random numbers; None for any other value."""
    # A process that has not loaded the module has no such object.
    module: Any = sys.modules.get("numpy.random")
    cls = type(value)
    if module is None or module_of(cls) not in _MODULES:
        return None
    if cls is module.Generator:
        return GeneratorSource(Identity(cls))
    return StateSource(Identity(cls)) if cls is module.RandomState else None


def method_of(value: Any) -> Type | None:
    """Return the type of a method of a source of random numbers; None for any other value."""
    source = source_of(attribute(value, "__self__", None))
    return None if source is None else BoundMethod(source, value.__name__)


_MODULES = ("numpy.random._generator", "numpy.random.mtrand")
