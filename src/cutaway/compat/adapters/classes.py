"""Classes that packages define for compiled code when they are imported: each is refused
where it is used, so that all else of a package works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.compat.absent import REASONS, Absent


def jitclass(cls_or_spec: Any = None, spec: Any = None) -> Any:
    """A class that refuses to be called, by the name of the one that is decorated; or a decorator
    that gives one."""
    return _refused(cls_or_spec) if isinstance(cls_or_spec, type) else _refused


def _refused(cls: type) -> Absent:
    space = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    return Absent(cls.__name__, (), space | {"why": REASONS["classes"]})


def register(struct_type: type) -> type:
    """The class of a type, as it is: nothing has values of it."""
    return struct_type


def _defined(*args: Any) -> None:
    """Take a definition for values of which there are none."""


define_proxy: Callable[..., None] = _defined
define_attributes: Callable[..., None] = _defined
define_constructor: Callable[..., None] = _defined
define_boxing: Callable[..., None] = _defined
