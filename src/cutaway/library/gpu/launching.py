"""Launches, which a GPU program requests from the host."""

from __future__ import annotations

import operator

from cutaway.errors import UnsupportedError
from cutaway.library.gpu.registry import GPU
from cutaway.typing.overloads.resolution import Arguments, Overload, Signature
from cutaway.typing.types import Type
from cutaway.typing.types.functions import Dispatcher


def _launch_rule(arguments: Arguments) -> Signature | None:
    if _is_kernel(arguments.types[0]):
        raise UnsupportedError(
            "a kernel cannot launch a kernel",
            hint="call it as a function, for this thread alone, or launch it after this one",
        )
    return None


def _is_kernel(ty: Type) -> bool:
    return isinstance(ty, Dispatcher)


GPU.add(operator.getitem, Overload(_launch_rule, (), None, any_elements=True))
