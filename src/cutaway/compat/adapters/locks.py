"""Numba's compiler lock. Here compilations of several threads take turns by themselves."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


class _NoLock:
    """A lock for `with` and as a decorator, which guards nothing."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        cls: type[BaseException] | None,
        error: BaseException | None,
        chain: TracebackType | None,
    ) -> None:
        pass

    def __call__(self, function: F) -> F:
        return function

    def is_locked(self) -> bool:
        """True if a thread holds it: always, as there is nothing to wait for."""
        return True

    acquire = __enter__

    def release(self) -> None:
        """Release the lock."""


global_compiler_lock = _NoLock()


def require_global_compiler_lock() -> None:
    """Check that the lock is held."""
