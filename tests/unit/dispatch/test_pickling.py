"""Compiled functions are pickled as Python's are, by name or, with cloudpickle, by value."""

from __future__ import annotations

import copyreg
import gc
import os
import pickle
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest

import cutaway
import warm
from cutaway.dispatch import pickling

pytestmark = pytest.mark.sampled(others=2, fast=8)

try:
    import cloudpickle
except ImportError:
    cloudpickle = None

needs_cloudpickle = pytest.mark.skipif(cloudpickle is None, reason="there is no cloudpickle")
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
HERE = Path(__file__).parent
ROUNDS = 50


@cutaway.jit
def named(x, by=2, *, shift=1):
    return x * by + shift


def slow(x):
    return x + 0.5


fast = cutaway.jit(slow)


class Length(float):
    @cutaway.jit
    def doubled(self):
        return self * 2

    @staticmethod
    @cutaway.jit
    def half(x):
        return x / 2


def local(k: int = 10) -> Any:  # Any: a compiled function
    @cutaway.jit
    def add(x, y=1, *, z=100):
        return x + y + z + k

    return add


def family() -> list[Any]:  # Any: compiled functions
    """Functions that refer to each other, and to another one twice."""

    @cutaway.jit
    def leaf(n):
        return n % 7

    @cutaway.jit
    def even(n):
        return True if n == 0 else odd(n - 1)

    @cutaway.jit
    def odd(n):
        return False if n == 0 else even(n - 1)

    @cutaway.jit
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @cutaway.jit
    def top(n):
        return factorial(leaf(n)) + leaf(n + 1) + (1000 if even(n) else 0)

    return [leaf, even, odd, factorial, top]


def in_another_process(script: str, given: bytes = b"", *args: str) -> str:
    """What a script prints that reads `given`."""
    source = Path(cutaway.__file__).parent.parent
    places = source, HERE, Path(warm.__file__).parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
    command = [sys.executable, *args] if args else [sys.executable, "-c", script]
    done = warm.run(command, input=given, capture_output=True, env=environment, timeout=100)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


READ = "import pickle, sys; given = sys.stdin.buffer.read(); f = pickle.loads(given)\n"


@pytest.fixture
def no_cloudpickle(monkeypatch):
    """As where it is not installed."""
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    pickling._best_pickle.cache_clear()
    yield
    pickling._best_pickle.cache_clear()


# --- by name -----------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_function_of_a_module_goes_by_its_name(protocol):
    text = pickle.dumps(named, protocol)
    assert pickle.loads(text) is named and len(text) < 100 and b"named" in text
    if protocol >= 4:
        for f in (Length.doubled, Length.half):
            assert pickle.loads(pickle.dumps(f, protocol)) is f
        assert b"Length.doubled" in pickle.dumps(Length.doubled, protocol)


def test_the_python_pickler_does_it_too():
    import io

    buffer = io.BytesIO()
    pickle._Pickler(buffer).dump([named, named])
    assert pickle._loads(buffer.getvalue()) == [named, named]


def test_a_bound_method_goes_with_its_object():
    bound = pickle.loads(pickle.dumps(Length(2.5).doubled))
    assert bound.__func__ is Length.doubled and bound() == 5.0


def test_a_copyreg_entry_comes_first():
    copyreg.pickle(type(named), lambda f: (str, (f.__name__,)))
    try:
        assert pickle.loads(pickle.dumps(named)) == "named"
    finally:
        del copyreg.dispatch_table[type(named)]


@needs_cloudpickle
def test_cloudpickle_takes_the_name_too():
    assert cloudpickle.dumps(named) == pickle.dumps(named, cloudpickle.DEFAULT_PROTOCOL)


def test_a_function_in_the_place_of_another_goes_by_that_ones_name(no_cloudpickle):
    text = pickle.dumps(fast)
    assert pickle.loads(text) is fast
    assert in_another_process(READ + "print(f(1.0), f.__name__)", text) == "1.5 slow"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_local_function_is_refused_in_pythons_words(no_cloudpickle, protocol):
    f = local()
    errors = []
    for function in (f.py_func, f):
        with pytest.raises((AttributeError, pickle.PicklingError)) as caught:
            pickle.dumps(function, protocol)
        errors.append((type(caught.value), str(caught.value)))
    assert errors[0] == errors[1] and "local.<locals>.add" in errors[0][1]


# --- by value ----------------------------------------------------------------------------------


@needs_cloudpickle
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_local_function_goes_by_value(protocol):
    f = local()
    for module in (pickle, cloudpickle):
        assert pickle.loads(module.dumps(f, protocol)) is f  # it is here already


@needs_cloudpickle
def test_a_closure_arrives_with_all_it_has():
    f = local(1000)
    f.color, f.__name__, f.__doc__ = "red", "plus", "Add."
    script = READ + (
        "print(f(1), f(1, 2, z=3), f.color, f.__name__, f.__doc__, sorted(vars(f)))\n"
        "print(f.__qualname__, f.__module__, f.__defaults__, f.__kwdefaults__)"
    )
    printed = in_another_process(script, cloudpickle.dumps(f))
    assert printed.splitlines() == [
        "1102 1006 red plus Add. ['color']",
        f"local.<locals>.add {__name__} (1,) {{'z': 100}}",
    ]


@needs_cloudpickle
def test_functions_that_refer_to_each_other_arrive_once_each():
    functions = family()
    wanted = [f(12) for f in functions]
    script = READ + (
        "leaf, even, odd, factorial, top = f\n"
        "cells = dict(zip(top.__code__.co_freevars, top.__closure__))\n"
        "assert cells['leaf'].cell_contents is leaf and cells['even'].cell_contents is even\n"
        "assert even.__closure__[0].cell_contents is odd and pickle.loads(given) == f\n"
        "assert factorial.__closure__[0].cell_contents is factorial\n"
        "print([g(12) for g in f])"
    )
    assert in_another_process(script, pickle.dumps(functions)) == str(wanted)


@needs_cloudpickle
def test_many_layers_of_functions_are_no_bigger_than_their_sum():
    a = b = cutaway.jit(lambda x: x + 1)
    sizes = []
    for _ in range(12):

        def layer(first, second):
            return cutaway.jit(lambda x: first(x) + second(x))

        a, b = layer(a, b), layer(a, b)
        sizes.append(len(pickle.dumps(a)))
    assert sizes[-1] - sizes[-2] < 2 * (sizes[3] - sizes[2])


@needs_cloudpickle
def test_a_worker_that_is_given_a_function_again_compiles_once():
    script = READ + (
        "assert f(2) == 113; first = id(f), f.stats.compilations; del f\n"
        "for k in range(20):\n"
        "    g = pickle.loads(given); assert g(2) == 113\n"
        "    assert (id(g), g.stats.compilations) == first; del g\n"
        "print(first[1])"
    )
    assert in_another_process(script, cloudpickle.dumps(local())) == "1"


@needs_cloudpickle
def test_a_function_that_is_gone_is_made_anew_and_kept_for_a_while():
    text = pickle.dumps(local(7))
    gc.collect()
    reference = weakref.ref(pickle.loads(text))
    gc.collect()
    assert reference() is not None and reference() is pickle.loads(text)
    assert reference()(1) == 109
    for k in range(pickling.RECENT):
        pickle.loads(pickle.dumps(local(k)))
    gc.collect()
    assert reference() is None or reference() not in pickling._COPIES.recent
    assert pickle.loads(text)(1) == 109


@needs_cloudpickle
def test_options_signatures_and_pipeline_arrive():
    def quotient(x, y):
        return x / y

    quotient.__qualname__ = "no_such"
    plain = cutaway.jit(error_model="numpy", pipeline=cutaway.pipelines.plain)(quotient)
    written = cutaway.jit(["float64(float64, float64)", "float32(float32, float32)"])(quotient)
    typed = cutaway.jit((cutaway.types.int64, cutaway.types.float64))(quotient)
    closed = cutaway.jit(quotient)
    closed(1, 2)
    closed.disable_compile()
    text = pickle.dumps([plain, written, typed, closed])
    script = READ + (
        "import cutaway; plain, written, typed, closed = f\n"
        "print(plain.flags.error_model, plain(1.0, 0.0), len(plain.pipeline.passes))\n"
        "print(written.signatures, written(1, 2), typed.signatures, closed.signatures)\n"
        "print(closed(3, 2), closed._mode)\n"
        "try: closed(1j, 2)\n"
        "except cutaway.errors.TypingError: print('closed')"
    )
    assert in_another_process(script, text).splitlines() == [
        f"numpy inf {len(cutaway.pipelines.plain.passes)}",
        f"{written.signatures} 0.5 {typed.signatures} {closed.signatures}",
        "1.5 closed",
        "closed",
    ]


@needs_cloudpickle
def test_explicit_signatures_of_functions_that_call_each_other_are_compiled_at_the_end():
    @cutaway.jit
    def even(n):
        return True if n == 0 else odd(n - 1)

    @cutaway.jit("boolean(int64)")
    def odd_before(n):
        return n == 1

    odd = odd_before

    @cutaway.jit("boolean(int64)")
    def both(n):
        return even(n) or odd(n)

    text = pickle.dumps((both, even))
    printed = in_another_process(READ + "print(f[0](1), f[0].signatures)", text)
    assert printed == "True [(int64,)]"


@needs_cloudpickle
def test_a_module_that_is_registered_goes_by_value():
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    try:
        text = cloudpickle.dumps(named)
    finally:
        cloudpickle.unregister_pickle_by_value(module)
    assert pickle.loads(text) is named and len(text) > 300
    script = "import sys\nsys.modules['test_pickling'] = None\n" + READ + "print(f(3))"
    assert in_another_process(script, text) == "7"


FAILING = [True]


class Fickle:
    """What cannot be unpickled at first."""

    def __reduce__(self):
        return appear, ()


def appear() -> Fickle:
    if FAILING[0]:
        raise LookupError("not now")
    return Fickle()


@needs_cloudpickle
def test_what_could_not_be_restored_leaves_nothing_behind():
    f = local(5)
    f.fickle = Fickle()
    text = pickle.dumps([f, *family()])
    identity = f.half._identity
    del f
    gc.collect()
    assert identity not in pickling._COPIES.known
    FAILING[0] = True
    with pytest.raises(LookupError, match="not now"):
        pickle.loads(text)
    assert identity not in pickling._COPIES.known and not pickling._COPIES.openings
    FAILING[0] = False
    f = pickle.loads(text)[0]
    assert f(1) == 107 and isinstance(f.fickle, Fickle)


@needs_cloudpickle
def test_threads_that_restore_a_function_get_the_same():
    text = pickle.dumps(local(33))
    gc.collect()
    start, found = threading.Barrier(4), []

    def restoring() -> None:
        start.wait()
        found.append(pickle.loads(text))

    threads = [threading.Thread(target=restoring) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(set(found)) == 1 and found[0](1) == 135


@needs_cloudpickle
def test_what_refers_to_what_cannot_be_pickled_is_refused():
    lock = threading.Lock()

    @cutaway.jit
    def f(x):
        return x

    f.lock = lock
    with pytest.raises(TypeError, match="lock"):
        pickle.dumps(f)
    del f.lock
    assert pickle.loads(pickle.dumps(f)) is f


@needs_cloudpickle
def test_references_stay_flat():
    f = local(3)

    def use() -> None:
        text = pickle.dumps([f, named, fast])
        assert pickle.loads(text)[0] is f
        known = pickling._COPIES.known.pop(f.half._identity)
        assert pickle.loads(text)[0] is not f  # made anew
        pickling._COPIES.known[f.half._identity] = known

    for _ in range(pickling.RECENT):
        use()
    gc.collect()
    before = sys.getrefcount(f), sys.getrefcount(named), len(gc.get_objects())
    for _ in range(ROUNDS):
        use()
    gc.collect()
    after = sys.getrefcount(f), sys.getrefcount(named), len(gc.get_objects())
    assert all(abs(a - b) < ROUNDS for a, b in zip(after, before, strict=True))


# --- of a script -------------------------------------------------------------------------------

SCRIPT = """
import multiprocessing, pickle, sys
import cutaway

OFFSET = 5

@cutaway.jit
def area(width, height=2.0):
    return width * height + OFFSET

class Scaled(float):
    @cutaway.jit
    def area(self):
        return self * 3

if __name__ == "__main__":
    assert len(pickle.dumps(area)) < 60
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(area, [1.0, 2.0]), pool.apply(Scaled(2).area))
    try:
        import cloudpickle
    except ImportError:
        cloudpickle = None
    if cloudpickle:
        assert len(pickle.dumps(area)) < 60 < len(cloudpickle.dumps(area))
        sys.stdout.flush()
        sys.stdout.buffer.write(cloudpickle.dumps((area, Scaled(2).area)).hex().encode())
"""


def test_functions_of_a_script_reach_its_workers_and_other_programs(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    printed = in_another_process("", b"", str(path)).splitlines()
    assert printed[0] == "[7.0, 9.0] 6.0"
    if cloudpickle:
        text = bytes.fromhex(printed[1])
        assert in_another_process(READ + "print(f[0](1.0), f[1]())", text) == "7.0 6.0"


@needs_cloudpickle
def test_one_that_cloudpickle_brought_comes_back_as_the_same():
    f = local(8)
    script = READ + "import cloudpickle; f.note = 1; print(f(1), cloudpickle.dumps(f).hex())"
    value, text = in_another_process(script, cloudpickle.dumps(f)).split()
    assert pickle.loads(bytes.fromhex(text)) is f and f(1) == int(value)
