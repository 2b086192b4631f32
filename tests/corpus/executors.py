"""The modes that a program of the collection runs in: each executor compares one with Python.

An executor raises AssertionError where the outcomes differ, and returns the reason where a program
has no place in its mode.  A program is compiled once for all its calls.

Any in this file: arguments and results of any program.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import cutaway
from corpus import every_pass, simulated
from corpus import failing as failures
from corpus.collection import Program
from corpus.comparing import CASES, case_of, outcome, told
from corpus.control.levels import at_ir, at_ssa, runner
from corpus.library.alike import alike as alike_numpy
from corpus.library.written import in_python
from corpus.objects.held import growth
from corpus.parallel_results import alike as alike_parallel
from corpus.programs import compare
from corpus.programs.compare import quiet
from cutaway import api
from cutaway.compiling.compiler import lower
from cutaway.errors import CutawayError, InternalError
from cutaway.inspection.witness.execution import plain_python
from cutaway.ir.interpreter import interpret
from cutaway.runtime import stats
from cutaway.targets.ptx.toolkit import find_libdevice
from cutaway.typing.values.coercion import coerce
from cutaway.typing.values.typeof import typeof

THREADS = 4
ROUNDS = 10  # of calls that must leave no memory behind
FEW = 200  # blocks that caches of Python's take now and then


class Executor(NamedTuple):
    """A mode: what it compares, how, and of how many programs `make test` runs one."""

    what: str
    check: Callable[[Program], str]
    every: int


# --- without a compiler ---------------------------------------------------------------------------


def python(program: Program) -> str:
    """A program that does not do the same each time compares nothing."""
    for make in program.calls:
        assert outcome(program.function, program, make) == outcome(program.function, program, make)
    return ""


def _interpreted(program: Program, build: Callable[..., Any]) -> str:
    run = runner(build(program.function))
    for make in program.calls:
        assert outcome(run, program, make) == outcome(program.function, program, make)
    return ""


def ir(program: Program) -> str:
    return _interpreted(program, at_ir)


def ssa(program: Program) -> str:
    return _interpreted(program, at_ssa)


def _as_numpy(program: Program, run: Callable[..., Any]) -> str:
    """A function of the library, by a way of its own to run it."""
    for k, make in enumerate(program.calls):
        expected = compare.outcome(program.function, make())
        found = compare.outcome(run, make())
        assert alike_numpy(found, expected, k in program.close), (found[:3], expected[:3])
    return ""


def written(program: Program) -> str:
    return _as_numpy(program, lambda *args: in_python(program.function, *args))


def interpreted(program: Program) -> str:
    half = cutaway.jit(program.function).half

    def run(*args: Any) -> Any:
        unit = lower(half, tuple(map(typeof, args)))
        return interpret(unit.fn, *args, types=unit.types, coerce=coerce)

    return _as_numpy(program, run)


# --- compiled -------------------------------------------------------------------------------------


def machine(program: Program) -> str:
    """What users call.  The first call of some types compiles, the second finds that."""
    compiled = program.compiled(cutaway.jit)
    match program.table:
        case "numbers":
            expected = plain_python(program.function, {})
            for make in program.calls:
                once = compare.outcome(expected, make())
                for _ in range(2):
                    found = compare.outcome(compiled, make())
                    assert compare.same(found, once), (found, once)
        case "library" | "usual":
            return _as_numpy(program, compiled)
        case _:
            for make in program.calls:
                once = told(program.function, program, make)
                assert told(compiled, program, make) == once
    return ""


def passes(program: Program) -> str:
    """Each pass, by the verifier, the text and the interpreter, for each kind of call."""
    for make in program.calls:
        every_pass.check(program.function, make)
    return ""


def levels(program: Program) -> str:
    """The levels of LLVM that no pass of ours changes."""
    make = program.calls[0]
    trace = api.trace(program.function, *make())
    expected = compare.outcome(plain_python(program.function, {}), make())
    for level in ("llvm", "llvm_opt", "asm"):
        found = compare.outcome(trace.at(level).run, make())
        assert compare.same(found, expected), level
    return ""


def witness(program: Program) -> str:
    compiled = program.compiled(cutaway.jit)
    make = program.calls[-1 if program.table != "yielding" else 0]
    found = compiled.trace(*make()).witness(*make())
    assert found.ok, found
    return ""


def memory(program: Program) -> str:
    """Compiled code releases all that it allocates."""
    compiled = program.compiled(cutaway.jit)

    def held() -> tuple[int, int]:
        gc.collect()
        made, released = stats()
        return made - released, sys.getallocatedblocks()

    def rounds() -> None:
        for _ in range(ROUNDS):
            for make in program.calls:
                outcome(compiled, program, make)

    rounds()
    gc.freeze()  # what other programs left need not be gone through each time
    before = held()
    rounds()
    after = held()
    assert after[0] == before[0]
    assert after[1] - before[1] < FEW
    return ""


def parallel(program: Program) -> str:
    """On one, two and four threads, divided into pieces of one iteration as far as they can be."""
    plain = program.compiled(cutaway.jit)
    compiled = program.compiled(cutaway.jit(parallel=True))
    before, most = cutaway.get_num_threads(), cutaway.config.NUM_THREADS
    cutaway.config.NUM_THREADS = THREADS
    try:
        for make in program.calls:
            expected = compare.outcome(plain, make())
            for threads in (1, 2, THREADS):
                cutaway.set_num_threads(threads)
                with cutaway.parallel_chunksize(1):
                    found = compare.outcome(compiled, make())
                assert alike_parallel(expected, found), (threads, expected, found)
    finally:
        cutaway.config.NUM_THREADS = most
        cutaway.set_num_threads(before)
    return ""


# --- object mode ----------------------------------------------------------------------------------


def _with_objects(program: Program, twice: bool = True, **options: Any) -> str:
    compiled = cutaway.jit(forceobj=True, **options)(program.function)
    for make in program.calls:
        expected = outcome(program.function, program, make)
        for _ in range(1 + twice):
            assert outcome(compiled, program, make) == expected
    return ""


def objects(program: Program) -> str:
    return _with_objects(program, twice=program.table in CASES, looplift=False)


def lifted(program: Program) -> str:
    return _with_objects(program)


def objects_memory(program: Program) -> str:
    """Functions that are called again and again leave nothing behind; what Python leaves behind is
    the program's own."""
    compiled = cutaway.jit(forceobj=True, looplift=False)(program.function)
    gc.freeze()  # what other tests left need not be gone through again and again

    def grown(function: Callable[..., Any]) -> str:
        def run() -> None:
            for make in program.calls:
                outcome(function, program, make)

        return growth(run, [])

    left = grown(compiled)
    assert not left or grown(program.function), left
    return ""


def failing(program: Program) -> str:
    """Each C function that object mode calls fails once."""
    failures.check(case_of(program, _calls(program)))
    return ""


def failing_lifted(program: Program) -> str:
    failures.check(case_of(program, _calls(program)), looplift=True)
    return ""


def _calls(program: Program) -> tuple[tuple[Any, ...], ...]:
    return tuple(make() for make in program.calls)


# --- for a GPU ------------------------------------------------------------------------------------


def on_simulator(program: Program) -> str:
    return simulated.check(program.function, program.calls)


def on_the_cpu(program: Program) -> str:
    """The code for a GPU, with the triple of this machine."""
    from corpus import on_the_cpu as gpu  # it needs libdevice

    reason = ""
    for make in program.calls:
        expected = compare.outcome(plain_python(program.function, {}), make())
        try:
            found = gpu.run(program.function, make())
        except InternalError:
            raise
        except CutawayError as error:
            reason = error.message[:60]
            continue
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            reason = f"{type(error).__name__}: {error}"[:60]
            continue
        if found[:2] == ("raised", MemoryError) != expected[:2]:
            return "a thread has no room for its arrays"
        if expected[0] == "raised":
            assert found[:2] == expected[:2], (found, expected)
        else:
            assert gpu.alike(found, expected), (found, expected)
    return reason


EXECUTORS = {
    "python": Executor("Python, twice", python, 8),
    "ir": Executor("the interpreter, at level ir", ir, 6),
    "ssa": Executor("the interpreter, in SSA form", ssa, 4),
    "written": Executor("the library's functions as plain Python", written, 6),
    "interpreted": Executor("the interpreter, with types", interpreted, 48),
    "machine": Executor("compiled by `jit`", machine, 24),
    "passes": Executor("every pass: verifier, text, interpreter", passes, 20),
    "levels": Executor("LLVM's levels, before and after its passes", levels, 10),
    "witness": Executor("what the witness says of every pass", witness, 14),
    "memory": Executor("memory that compiled code leaves behind", memory, 8),
    "parallel": Executor("`parallel=True`, on one, two and four threads", parallel, 24),
    "objects": Executor("object mode", objects, 20),
    "lifted": Executor("object mode with lifted loops", lifted, 20),
    "objects-memory": Executor("memory that object mode leaves behind", objects_memory, 32),
    "failing": Executor("object mode, each C function failing once", failing, 160),
    "failing-lifted": Executor("the same with lifted loops", failing_lifted, 320),
    "simulated": Executor("as a device function, in the simulator", on_simulator, 8),
    "on-the-cpu": Executor("code for a GPU, run on this machine", on_the_cpu, 96),
}


def run(program: Program, mode: str) -> str:
    """Compare a program in one mode with Python; the reason where it has no place there.

    Raises AssertionError where they differ.
    """
    if mode == "on-the-cpu" and find_libdevice() is None:
        return "libdevice is not installed"
    with quiet():
        return EXECUTORS[mode].check(program)
