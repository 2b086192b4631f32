"""A target of one's own: another library, another machine, another last level."""

from __future__ import annotations

import operator

import pytest

import cutaway
from cutaway.compiling import compilable, compiler
from cutaway.errors import TypingError
from cutaway.inspection import views
from cutaway.inspection.recording.recorder import record
from cutaway.ir.levels import Level
from cutaway.stages import pipelines
from cutaway.stages.passes import Pass
from cutaway.stages.pipeline import Pipeline
from cutaway.targets.cpu.optimization import Cpu
from cutaway.targets.target import Exceptions, Target
from cutaway.typing import types
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.resolution import Overload
from cutaway.typing.types import Signature


class Traps(Exceptions):
    """Exceptions of a machine that has none: it stops."""

    def raise_site(self, build, site, payload):
        build.call("void", "llvm.trap", [])
        build.leave("1")

    def raise_values(self, build, exception, args, keywords):
        self.raise_site(build, None, ())

    def propagate(self, build, status):
        build.leave(status)


INT = types.int64
REGISTRY = TypingContext()


def registered(*args, returns=INT):
    """Register a lowering for `operator.<its name>` of these types, in this library alone."""

    def register(lower):
        function = getattr(operator, lower.__name__.rstrip("_"))
        REGISTRY.add(function, Overload(None, (Signature(returns, args),), lower))
        return lower

    return register


@registered(INT, INT)
def add(build, sig, args):
    text = build.binary("add", "i64", args[0].parts[0], args[1].parts[0])
    return type(args[0])(INT, (text,))


@registered(INT, INT)
def floordiv(build, sig, args):
    zero = build.compare("eq", "i64", args[1].parts[0], "0")
    build.raise_if(zero, ZeroDivisionError, "division by zero")
    return type(args[0])(INT, (build.binary("sdiv", "i64", args[0].parts[0], args[1].parts[0]),))


TOY = Target(
    "toy", REGISTRY, Cpu("generic", "", "aarch64-unknown-linux-gnu"), {}, Traps(), lambda _: ""
)


@pytest.fixture(scope="module")
def toy_level():
    level = Level("toy", Level.llvm_opt, "gas")
    view = views.View(level, lambda unit: unit.toy, lambda unit: unit.toy)
    views.VIEWS[level] = view
    yield level
    del Level.known["toy"], views.VIEWS[level]


@pytest.fixture
def pipeline(toy_level):
    def run(unit):
        """Write the assembly of another machine."""
        unit.toy = unit.module.assembly

    passes = pipelines.nopython.until("optimize_llvm").passes
    return Pipeline((*passes, Pass("emit_toy", run, Level.llvm_opt, toy_level, "7 toy")))


def compiled(function, pipeline, *argtypes):
    half = cutaway.jit(function).half
    unit = compiler.new_unit(compilable.for_target(half, TOY), argtypes)
    return record(unit, pipeline, compiler.compile_unit)


def plus(a, b):
    return a + b


def divided(a, b):
    return a // b + plus_compiled(a, b)


def product(a, b):
    return a * b


plus_compiled = cutaway.jit(plus)


def test_add_is_compiled_for_another_machine(pipeline):
    c = compiled(plus, pipeline, INT, INT)
    assert c.error is None, c.error
    assert c.levels[-2:] == ("llvm_opt", "toy")
    assert 'target triple = "aarch64-unknown-linux-gnu"' in c.at("llvm_opt").text
    assert "add\tx" in c.at("toy").text and "add i64" in c.at("llvm").text
    assert [c.at(level).run(2, 3) for level in ("ir", "ssa", "typed")] == [5] * 3
    assert "entry" not in c.at("llvm").text.replace("entry:", "")


def test_its_own_way_out_is_taken_and_functions_that_are_called_are_for_it_too(pipeline):
    text = compiled(divided, pipeline, INT, INT).at("llvm").text
    assert "llvm.trap" in text and "cutaway_" not in text
    assert text.count("define") == 2 and "i64 %a" in text
    assert plus_compiled.signatures == []  # the dispatcher, which is of this machine, has nothing


def test_what_its_library_lacks_is_no_operation_of_it(pipeline):
    assert isinstance(compiled(product, pipeline, INT, INT).error, TypingError)
    assert isinstance(compiled(plus, pipeline, types.none, INT).error, TypingError)
    assert cutaway.jit(product)(2.5, 4) == 10.0


def test_its_record_is_kept_read_and_drawn(pipeline, tmp_path):
    c = compiled(plus, pipeline, INT, INT)
    c.save(tmp_path / "plus.cutaway")
    loaded = cutaway.load(tmp_path / "plus.cutaway")
    assert loaded.levels == c.levels and "add\tx" in loaded.at("toy").text
    assert "emit_toy" in c.report(tmp_path / "page.html").read_text()
    assert loaded.data.made_with["target"] == "toy"
