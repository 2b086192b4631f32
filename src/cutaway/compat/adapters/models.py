"""Models of types, registered with Numba's decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from cutaway.extending.models import DataModelManager, register_model
from cutaway.typing.types import Type

M = TypeVar("M", bound=type)

register_default = register_model


def register(manager: DataModelManager, owner: type[Type]) -> Callable[[M], M]:
    """Return a decorator that registers a model for a class of types; there is one manager here."""
    return register_model(owner)  # type: ignore[return-value]
