"""Work in a child process."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from contextlib import suppress

import pytest

import cutaway
from cutaway.foundation import allowance, sandbox
from cutaway.foundation.sandbox import in_child

pytestmark = pytest.mark.sampled(fast=4)


def test_a_child_gives_what_the_work_gives():
    answer = in_child(lambda: {"a": (1, 2.5)}, 10)
    assert answer.is_returned
    assert answer.value == {"a": (1, 2.5)}


def test_a_large_result_comes_through_the_pipe():
    answer = in_child(lambda: bytes(5_000_000), 10)
    assert answer.value == bytes(5_000_000)


def test_a_child_that_dies_says_of_which_signal():
    answer = in_child(lambda: ctypes.string_at(1), 10)
    assert (answer.kind, answer.reason) == ("died", "SIGSEGV")
    assert answer.words == "died of SIGSEGV"
    assert in_child(os.abort, 10).reason == "SIGABRT"


def test_a_child_that_exits_is_said_to_have_died():
    assert in_child(lambda: os._exit(3), 10).words == "died of status 3"


@pytest.mark.parametrize("work", [lambda: time.sleep(60), lambda: any(iter(int, 1))])
def test_a_child_that_takes_too_long_is_ended(work):
    began = time.monotonic()
    answer = in_child(work, 0.2)
    assert answer.kind == "ran out of time"
    assert time.monotonic() - began < 5


def spent(monkeypatch, steps, seconds=2.0):
    """The wall time at which a child's time is spent; each step is wall and processor seconds."""
    clocks = [0.0, 0.0]
    monkeypatch.setattr(allowance.time, "monotonic", lambda: clocks[0])
    monkeypatch.setattr(allowance.time, "clock_gettime", lambda clock: clocks[1])
    watched = allowance.Allowance(os.getpid(), seconds)
    for wall, used in steps:
        clocks[0] += wall
        clocks[1] += used
        if watched.is_spent():
            return round(clocks[0], 1)
    return None


def test_a_child_on_a_busy_machine_has_the_processor_time_of_a_quiet_one(monkeypatch):
    assert 2 <= spent(monkeypatch, [(0.1, 0.1)] * 100) <= 2.1
    assert spent(monkeypatch, [(0.1, 0.01)] * 190) is None
    assert 20 <= spent(monkeypatch, [(0.1, 0.01)] * 300) <= 20.1


def test_a_child_that_waits_is_ended_after_as_much_time(monkeypatch):
    assert 2 <= spent(monkeypatch, [(0.1, 0.0)] * 100) <= 2.5
    assert 4 <= spent(monkeypatch, [(1.0, 0.5), (1.0, 0.0)] * 10) <= 5
    assert spent(monkeypatch, [(0.1, 0.0002)] * 1000) is not None


def test_the_clock_of_a_child_is_read():
    child = os.fork()
    if child == 0:
        while time.process_time() < 0.05:
            pass
        os._exit(0)
    watched = allowance.Allowance(child, 0.02)
    while not watched.is_spent():
        time.sleep(0.001)
    os.waitpid(child, 0)


def test_an_exception_is_told_of():
    answer = in_child(lambda: 1 // 0, 10)
    assert answer.words.startswith("raised ZeroDivisionError: ")
    assert answer.words.endswith(" by zero")


def test_a_result_that_cannot_be_pickled_is_told_of():
    assert in_child(lambda: lambda: 0, 10).kind == "raised"


def test_no_child_is_left_behind():
    for work in (lambda: 1, os.abort, lambda: time.sleep(60)):
        in_child(work, 0.1)
    with suppress(ChildProcessError):  # where other tests have left children, none of them is ours
        assert os.waitpid(-1, os.WNOHANG) == (0, 0)


def test_what_a_child_prints_and_changes_is_not_seen(capfd):
    seen = []
    in_child(lambda: (print("printed"), seen.append(1), os.write(2, b"written")), 10)
    assert not seen
    assert capfd.readouterr() == ("", "")


def test_a_child_compiles_while_another_thread_does():
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            cutaway.jit(lambda x: x + 1)(1)

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for _ in range(5):
            answer = in_child(lambda: cutaway.jit(lambda x: x * 2)(4), 30)
            assert answer.value == 8, answer
    finally:
        stop.set()
        thread.join()


def test_where_nothing_can_be_forked_that_is_said(monkeypatch):
    monkeypatch.setattr(sandbox, "IS_AVAILABLE", False)
    assert in_child(lambda: 1, 1).words == "was not run: this system cannot fork a process"
