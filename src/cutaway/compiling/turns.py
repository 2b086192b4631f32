"""Turns: one thread runs a pass at a time.

Passes share tables (types, overloads, cached analyses), so they never run concurrently.  Between
two of them the turn goes to another waiting thread: a small compilation need not wait for the
whole of a large one.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Turn:
    """A reentrant lock that its owner can hand on.

    A thread that waits for the lock holds `_next` meanwhile, and so is the first to get it: the
    owner that hands the lock on has to acquire `_next` as well.  Nothing here may be half done when
    the garbage collector, which can run anywhere, calls a finalizer that compiles: both locks keep
    their state in C, and are reentrant.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._next = threading.RLock()
        self._waiting: deque[None] = deque()  # one item while a thread that has `_next` waits

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Hold the turn."""
        self.take()
        try:
            yield
        finally:
            self.leave()

    def take(self) -> None:
        """Wait for the turn, or take it once more."""
        if self._is_mine():
            self._lock.acquire()
        else:
            self._wait(self._lock.acquire)

    def leave(self) -> None:
        """Undo one `take`."""
        self._lock.release()

    @contextmanager
    def put_aside(self) -> Iterator[None]:
        """Release the turn entirely, however often this thread has taken it.

        Only in here may the turn's owner wait for another thread, which may want the turn itself.
        """
        if not self._is_mine():
            yield
            return
        taken = self._lock._release_save()  # as Condition does
        try:
            yield
        finally:
            self._wait(lambda: self._lock._acquire_restore(taken))

    def give_way(self) -> None:
        """Hand the turn on if another thread waits for it, and wait for the next one."""
        if self._waiting:
            with self.put_aside():
                pass

    def forget_others(self) -> None:
        """Take the turn for the only thread of a forked process."""
        self._next = threading.RLock()
        self._waiting.clear()

    def _is_mine(self) -> bool:
        return bool(self._lock._is_owned())

    def _wait(self, acquire: Callable[[], object]) -> None:
        with self._next:
            self._waiting.append(None)
            try:
                acquire()
            finally:
                self._waiting.pop()
