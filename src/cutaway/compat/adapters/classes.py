"""Classes that packages define for compiled code when they are imported: each is refused where it
is used, so that the rest of a package works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.compat.absent import REASONS, Absent


def jitclass(cls_or_spec: Any = None, spec: Any = None) -> Any:
    """Return a class that refuses to be called, named like the decorated one; or a decorator that
    returns one."""
    return _refused(cls_or_spec) if isinstance(cls_or_spec, type) else _refused


def _refused(cls: type) -> Absent:
    space = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    return Absent(cls.__name__, (), space | {"why": REASONS["classes"]})


def register(struct_type: type) -> type:
    """Return the class of a type unchanged: it has no values."""
    return struct_type


def _defined(*args: Any) -> None:
    """Ignore a definition for a type without values."""


define_proxy: Callable[..., None] = _defined
define_attributes: Callable[..., None] = _defined
define_constructor: Callable[..., None] = _defined
define_boxing: Callable[..., None] = _defined
