"""What is wrong with an extension is said with its own file and line, and the process goes on."""

from __future__ import annotations

import inspect
import platform

import numpy as np
import pytest
from llvmlite import ir

import cutaway
from cutaway import config, types
from cutaway.errors import ExtensionError, InternalError, TypingError
from cutaway.extending import (
    AbstractTemplate,
    AttributeTemplate,
    ConcreteTemplate,
    NativeValue,
    box,
    infer,
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_cast,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_jitable,
    register_model,
    signature,
    type_callable,
    typeof_impl,
    unbox,
)

pytestmark = pytest.mark.sampled(fast=5)


def line_with(text):
    """The number of the line of this file that ends in a mark."""
    lines = inspect.getsource(inspect.getmodule(line_with)).splitlines()
    found = [k for k, line in enumerate(lines, 1) if line.endswith(f"# {text}")]
    assert len(found) == 1, text
    return found[0]


def fails(function, *args, at, match):
    """Call it; the error names this file and the marked line."""
    with pytest.raises(ExtensionError, match=match) as caught:
        function(*args)
    error = caught.value
    assert error.loc.filename == __file__
    assert error.loc.line == line_with(at)
    assert error.hint or "raised" in error.message or "has no" in error.message
    assert str(error).count("\n") > 1  # the source line is shown
    return error


def new_function():
    def stub(x):
        raise NotImplementedError

    return stub


# --- overloads --------------------------------------------------------------------------------


def test_an_implementation_with_another_arity():
    stub = new_function()

    @overload(stub)
    def typer(x):
        def implementation(x, y):  # wrong arity
            return x

        return implementation

    @cutaway.jit
    def f(x):
        return stub(x)

    fails(f, 1, at="wrong arity", match="does not have the parameters of the typer")


def test_an_implementation_with_another_default():
    def stub(x, n=1):
        raise NotImplementedError

    @overload(stub)
    def typer(x, n=1):
        def implementation(x, n=2):  # wrong default
            return x

        return implementation

    @cutaway.jit
    def f(x):
        return stub(x)

    fails(f, 1, at="wrong default", match="does not have the parameters")


def test_an_implementation_with_another_signature_where_that_is_not_strict():
    stub = new_function()

    @overload(stub, strict=False)
    def typer(x):
        def implementation(value):
            return value + 1

        return implementation

    @cutaway.jit
    def f(x):
        return stub(x)

    assert f(1) == 2


def test_an_exception_inside_a_typer():
    stub = new_function()

    @overload(stub)
    def typer(x):
        return {}["implementation"]  # raises in a typer

    @cutaway.jit
    def f(x):
        return stub(x)

    error = fails(f, 1, at="raises in a typer", match="raised KeyError: 'implementation'")
    assert isinstance(error.__cause__, KeyError) or error.__cause__ is None
    assert f.signatures == []


def test_a_typer_that_refuses_says_why():
    stub = new_function()

    @overload(stub)
    def typer(x):
        raise TypingError("only on Sundays", hint="wait")

    @cutaway.jit
    def f(x):
        return stub(x)

    with pytest.raises(TypingError, match="only on Sundays") as caught:
        f(1)
    assert "stub(x)" in str(caught.value)


def test_a_typer_that_refuses_leaves_the_call_to_another_one():
    stub = new_function()

    @overload(stub)
    def first(x):
        return lambda x: x + 1

    @overload(stub)
    def second(x):
        raise TypingError("not me")

    @cutaway.jit
    def f(x):
        return stub(x)

    assert f(1) == 2


def test_a_typer_that_gives_no_function():
    stub = new_function()

    @overload(stub)
    def typer(x):  # gives a number
        return 3

    @cutaway.jit
    def f(x):
        return stub(x)

    fails(f, 1, at="gives a number", match="returned 3")


def test_a_typer_whose_parameters_do_not_fit_the_call_is_not_asked():
    stub = new_function()

    @overload(stub)
    def typer(x):
        return lambda x: x

    @cutaway.jit
    def f(x):
        return stub(x, x)

    with pytest.raises(TypingError, match="does not accept"):
        f(1)


def test_an_implementation_that_cannot_be_compiled_is_shown():
    stub = new_function()

    @overload(stub)
    def typer(x):
        def implementation(x):
            return x.nothing

        return implementation

    @cutaway.jit
    def f(x):
        return stub(x)

    with pytest.raises(TypingError, match="has no attribute 'nothing'") as caught:
        f(1)
    assert "x.nothing" in str(caught.value)
    assert "compiled for the call implementation(int64)" in str(caught.value)


def test_options_of_an_implementation_are_checked_at_once():
    with pytest.raises(cutaway.errors.OptionError, match="no option 'nothing'"):
        overload(new_function(), jit_options={"nothing": 1})
    with pytest.raises(cutaway.errors.OptionError, match="expects a Python function"):
        register_jitable(3)


def test_accessors_are_at_most_three():
    @overload_attribute(types.Boolean, "four")
    def typer(x):  # four functions
        return (lambda x: 1,) * 4

    @cutaway.jit
    def f(x):
        return x.four

    fails(f, True, at="four functions", match="returned 4 functions")


def test_a_method_that_is_no_function():
    @overload_method(types.Boolean, "odd")
    def typer(x):  # an odd method
        return "odd"

    @cutaway.jit
    def f(x):
        return x.odd()

    fails(f, True, at="an odd method", match="returned 'odd'")


# --- intrinsics and code ----------------------------------------------------------------------


def test_an_intrinsic_that_gives_another_llvm_type():
    @intrinsic
    def wrong(typingctx, x):
        def code(context, builder, sig, args):  # wrong LLVM type
            return context.get_constant(types.int32, 1)

        return types.int64(x), code

    @cutaway.jit
    def f(x):
        return wrong(x)

    fails(f, 1, at="wrong LLVM type", match="it returned an LLVM i32 for int64")


def test_an_intrinsic_that_gives_no_llvm_value():
    @intrinsic
    def wrong(typingctx, x):
        def code(context, builder, sig, args):  # no LLVM value
            return 3

        return types.int64(x), code

    @cutaway.jit
    def f(x):
        return wrong(x)

    fails(f, 1, at="no LLVM value", match="it returned 3 instead of")


def test_an_intrinsic_whose_code_llvm_does_not_take():
    @intrinsic
    def wrong(typingctx, x):
        def code(context, builder, sig, args):  # broken code
            after = builder.append_basic_block("after")
            value = builder.add(args[0], args[0])
            builder.branch(after)
            builder.position_at_start(builder.function.entry_basic_block)
            early = builder.add(value, value)
            builder.position_at_end(after)
            return early

        return types.int64(x), code

    @cutaway.jit
    def f(x):
        return wrong(x)

    fails(f, 1, at="broken code", match="LLVM rejects the emitted code")


def test_an_intrinsic_that_leaves_a_block_without_an_end():
    @intrinsic
    def wrong(typingctx, x):
        def code(context, builder, sig, args):  # no end
            builder.append_basic_block("lost")
            return args[0]

        return types.int64(x), code

    @cutaway.jit
    def f(x):
        return wrong(x)

    fails(f, 1, at="no end", match="no terminator|LLVM rejects")


INT = ir.IntType(64)


def a_phi_without_values(builder, x):
    return builder.phi(INT)


def assembly_of_no_instruction(builder, x):
    return builder.asm(ir.FunctionType(INT, [INT]), "nonsense $0, $1", "=r,r", [x], False)


def assembly_in_no_register(builder, x):
    return builder.asm(ir.FunctionType(INT, [INT]), "mov $1, $0", "=r,{nosuch}", [x], False)


def another_processor(builder, x):
    kind = ir.FunctionType(ir.IntType(32), [])
    name = "llvm.nvvm.read.ptx.sreg.tid.x"
    return builder.zext(builder.call(builder.module.declare_intrinsic(name, (), kind), []), INT)


def no_intrinsic(builder, x):
    function = ir.Function(builder.module, ir.FunctionType(INT, [INT]), "llvm.no.such")
    return builder.call(function, [x])


FATAL = {  # what LLVM itself would end the process over, and what is said instead
    a_phi_without_values: "a phi without values",
    assembly_of_no_instruction: "invalid instruction mnemonic 'nonsense'",
    assembly_in_no_register: "couldn't allocate",
    another_processor: "Cannot select",
    no_intrinsic: "LLVM has no intrinsic llvm.no.such",
}


@pytest.mark.parametrize("write", FATAL)
def test_an_intrinsic_over_which_llvm_would_end_the_process(write):
    @intrinsic
    def wrong(typingctx, x):
        def code(context, builder, sig, args):  # fatal code
            return write(builder, args[0])

        return types.int64(x), code

    @cutaway.jit
    def f(x):
        return wrong(x)

    fails(f, 1, at="fatal code", match=f"LLVM rejects .*{FATAL[write]}")


@pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="an instruction of x86-64"
)
def test_an_instruction_that_the_chosen_processor_lacks():
    @intrinsic
    def deposit(typingctx, x):
        def code(context, builder, sig, args):  # of BMI2
            kind = ir.FunctionType(INT, [INT, INT])
            function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
            return builder.call(function, [args[0], args[0]])

        return types.int64(x), code

    @cutaway.jit
    def f(x):
        return deposit(x)

    with config.using(CPU="x86-64-v2"):
        fails(f, 5, at="of BMI2", match="LLVM rejects .*Cannot select")
    with config.using(CPU="x86-64-v3"):
        assert "pdep" in f.trace(5).at("asm").text


def test_an_intrinsic_that_never_ends_well_has_no_code():
    @intrinsic
    def wrong(typingctx, x):
        def code(context, builder, sig, args):
            builder.unreachable()
            return args[0]

        return types.int64(x), code

    @cutaway.jit
    def f(x):
        return wrong(x)

    with pytest.raises(InternalError, match="every path is unreachable"):
        f(1)


def test_inline_assembly_of_an_extension_runs():
    @intrinsic
    def twice(typingctx, x):
        def code(context, builder, sig, args):
            kind = ir.FunctionType(INT, [INT])
            return builder.asm(kind, "leaq ($1,$1), $0", "=r,r", [args[0]], False)

        return types.int64(x), code

    @cutaway.jit
    def f(x):
        return twice(x)

    assert f(21) == 42


def test_an_exception_inside_code():
    @intrinsic
    def wrong(typingctx, x):
        def code(context, builder, sig, args):
            return builder.nothing(args)  # raises in code

        return types.int64(x), code

    @cutaway.jit
    def f(x):
        return wrong(x)

    fails(f, 1, at="raises in code", match="raised AttributeError")


@pytest.mark.parametrize("given", [3, (types.int64,), (types.int64, lambda: 0), ("f", 3)])
def test_an_intrinsic_that_gives_no_signature(given):
    @intrinsic
    def wrong(typingctx, x):  # no signature
        return given

    @cutaway.jit
    def f(x):
        return wrong(x)

    fails(f, 1, at="no signature", match="intrinsic wrong")


def test_an_intrinsic_whose_signature_has_another_arity():
    @intrinsic
    def wrong(typingctx, x):  # another arity
        return types.int64(x, x), lambda context, builder, sig, args: args[0]

    @cutaway.jit
    def f(x):
        return wrong(x)

    fails(f, 1, at="another arity", match="is called with 1 arguments, its signature")


def test_an_intrinsic_is_no_function_of_python():
    @intrinsic
    def native(typingctx, x):
        return None

    with pytest.raises(NotImplementedError, match="native is an intrinsic"):
        native(1)

    @cutaway.jit
    def f(x):
        return native(x)

    with pytest.raises(TypingError, match="native does not accept"):
        f(1)


def test_typing_without_code():
    stub = new_function()

    @type_callable(stub)
    def typing(context):  # no code
        return lambda x: types.int64

    @cutaway.jit
    def f(x):
        return stub(x)

    error = fails(f, 1, at="no code", match="no code is registered for it")
    assert "lower_builtin" in error.hint


def test_code_for_what_is_no_type():
    with pytest.raises(ExtensionError, match="which is not a type"):
        lower_builtin(new_function(), 3)


def test_a_cast_that_fails():
    class OddType(types.Type):
        def __init__(self):
            super().__init__(name="Odd")

    @lower_cast(OddType, types.Float)
    def cast(context, builder, fromty, toty, val):
        raise RuntimeError("no way")

    assert OddType() is OddType()


# --- templates --------------------------------------------------------------------------------


def test_a_template_without_a_key():
    with pytest.raises(ExtensionError, match="has no key"):

        @infer
        class Keyless(ConcreteTemplate):
            cases = ()

    with pytest.raises(ExtensionError, match="is not a template"):
        infer(3)
    with pytest.raises(ExtensionError, match="is not an AttributeTemplate"):

        @infer_getattr
        class Odd(AbstractTemplate):
            key = types.Boolean


def test_a_template_that_gives_no_signature():
    stub = new_function()

    @infer
    class Wrong(AbstractTemplate):
        key = stub

        def generic(self, args, kws):  # no signature from a template
            return types.int64

    @cutaway.jit
    def f(x):
        return stub(x)

    fails(f, 1, at="no signature from a template", match="returned int64 for 1 arguments")


def test_an_exception_inside_a_template():
    stub = new_function()

    @infer
    class Wrong(AbstractTemplate):
        key = stub

        def generic(self, args, kws):
            raise RuntimeError("oh")  # raises in a template

    @cutaway.jit
    def f(x):
        return stub(x)

    fails(f, 1, at="raises in a template", match="raised RuntimeError: oh")


def test_an_attribute_that_is_no_type():
    class Thing(types.Type):
        def __init__(self):  # the type of a thing
            super().__init__(name="Thing")

    @register_model(Thing)
    class ThingModel(models.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [])

    @infer_getattr
    class Attributes(AttributeTemplate):
        key = Thing

        def resolve_odd(self, ty):
            return "odd"

    class Python:
        _cutaway_type_ = Thing()

    @unbox(Thing)
    def unbox_thing(typ, obj, c):
        return NativeValue(c.context.make_helper(c.builder, typ)._getvalue())

    @cutaway.jit
    def f(x):
        return x.odd

    with pytest.raises(ExtensionError, match="for attribute odd returned 'odd'"):
        f(Python())


def test_a_signature_is_made_of_types():
    with pytest.raises(ExtensionError, match="3 is not a type"):
        signature(types.int64, 3)


# --- models and boxing ------------------------------------------------------------------------


def type_and_value(name):
    """A new class of types, and a value of it."""

    class New(types.Type):
        def __init__(self):
            super().__init__(name=name)

    class Python:
        _cutaway_type_ = New()

    return New, Python()


@cutaway.jit
def identity(x):
    return x


def test_a_type_without_a_model():
    class Bare(types.Type):
        def __init__(self):  # without a model
            super().__init__(name="Bare")

    class Python:
        _cutaway_type_ = Bare()

    fails(identity, Python(), at="without a model", match="type Bare has no data model")


def test_a_type_without_unboxing():
    class Closed(types.Type):
        def __init__(self):  # without unboxing
            super().__init__(name="Closed")

    register_model(Closed)(models.OpaqueModel)

    class Python:
        _cutaway_type_ = Closed()

    fails(identity, Python(), at="without unboxing", match="cannot be passed from Python")


def test_a_model_without_a_field():
    New, value = type_and_value("Fieldless")

    @register_model(New)
    class Model(models.StructModel):
        def __init__(self, dmm, fe_type):  # without a field
            super().__init__(dmm, fe_type, [("real", types.float64)])

    make_attribute_wrapper(New, "imaginary", "imag")

    @unbox(New)
    def unbox_new(typ, obj, c):
        return NativeValue(c.context.make_helper(c.builder, typ)._getvalue())

    @cutaway.jit
    def f(x):
        return x.imag

    error = fails(f, value, at="without a field", match="has no member 'imaginary'")
    assert "real" in error.hint


def test_a_model_that_does_not_call_its_base():
    New, value = type_and_value("Baseless")

    @register_model(New)
    class Model(models.StructModel):
        def __init__(self, dmm, fe_type):  # without a base
            self.members = []

    fails(identity, value, at="without a base", match="does not define its members")


def test_a_model_that_fails():
    New, value = type_and_value("Failing")

    @register_model(New)
    class Model(models.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [("array", fe_type.array)])  # a model that fails

    fails(identity, value, at="a model that fails", match="raised AttributeError")


def test_a_member_whose_type_is_none():
    New, value = type_and_value("Memberless")

    @register_model(New)
    class Model(models.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [("array", float)])

    with pytest.raises(ExtensionError, match="member 'array' of Memberless has <class 'float'>"):
        identity(value)


def test_models_are_for_types_of_ones_own():
    with pytest.raises(ExtensionError, match="is built in"):

        @register_model(types.Float)
        class Model(models.StructModel):
            pass

    with pytest.raises(ExtensionError, match="is not a data model"):
        register_model(type_and_value("X")[0])(int)
    with pytest.raises(ExtensionError, match="have no members by name"):
        make_attribute_wrapper(type_and_value("Y")[0], "a", "a")
    with pytest.raises(ExtensionError, match="cannot be of LLVM type i128"):
        models.PrimitiveModel(models.default_manager, types.int64, "i128")


def boxed_type(name):
    New, value = type_and_value(name)
    register_model(New)(models.OpaqueModel)
    return New, value


def test_unboxing_that_gives_no_native_value():
    New, value = boxed_type("Unboxed")

    @unbox(New)
    def unbox_new(typ, obj, c):  # no native value
        return obj

    fails(identity, value, at="no native value", match="the unboxing of Unboxed returned")


def test_unboxing_that_gives_another_llvm_type():
    New, value = boxed_type("Unboxed2")

    @unbox(New)
    def unbox_new(typ, obj, c):  # unboxed wrongly
        return NativeValue(c.context.get_constant(types.float64, 1.0))

    fails(identity, value, at="unboxed wrongly", match="an LLVM double for Unboxed2")


def test_unboxing_that_raises():
    New, value = boxed_type("Unboxed3")

    @unbox(New)
    def unbox_new(typ, obj, c):
        return NativeValue(c.nothing)  # raises in unboxing

    fails(identity, value, at="raises in unboxing", match="raised AttributeError")


def test_boxing_that_gives_no_object():
    New, value = boxed_type("Boxed")

    @unbox(New)
    def unbox_new(typ, obj, c):
        return NativeValue(obj)

    @box(New)
    def box_new(typ, val, c):  # no object
        return c.context.get_constant(types.int64, 1)

    fails(identity, value, at="no object", match="not an object")


def test_a_failure_while_unboxing_is_the_exception_that_was_set():
    New, value = boxed_type("Unlucky")

    @unbox(New)
    def unbox_new(typ, obj, c):
        c.pyapi.err_set_string(LookupError, "not here")
        return NativeValue(obj, is_error=c.context.get_constant(types.boolean, 1))

    @cutaway.jit
    def f(x):
        return 1

    for _ in range(3):
        with pytest.raises(LookupError, match="not here"):
            f(value)


def test_a_failure_while_unboxing_without_an_exception_is_told():
    New, value = boxed_type("Silent")

    @unbox(New)
    def unbox_new(typ, obj, c):
        return NativeValue(obj, is_error=c.context.get_constant(types.boolean, 1))

    @cutaway.jit
    def f(x):
        return 1

    with pytest.raises(TypeError, match="an extension cannot unbox a value of class"):
        f(value)


def test_a_failure_while_boxing_without_an_exception_is_told():
    New, value = boxed_type("Silent2")

    @unbox(New)
    def unbox_new(typ, obj, c):
        return NativeValue(obj)

    @box(New)
    def box_new(typ, val, c):
        return c.pyapi.get_null_object()

    with pytest.raises(SystemError, match="boxing gave no object"):
        identity(value)


# --- typeof -----------------------------------------------------------------------------------


def test_typeof_that_gives_no_type():
    class Python:
        pass

    @typeof_impl.register(Python)
    def typeof_python(value, c):  # no type
        return 3

    fails(identity, Python(), at="no type", match="typeof_impl of Python returned 3")


def test_typeof_that_raises():
    class Python:
        pass

    @typeof_impl.register(Python)
    def typeof_python(value, c):
        return value.nothing  # raises in typeof

    fails(identity, Python(), at="raises in typeof", match="raised AttributeError")


def test_typeof_is_registered_for_classes():
    with pytest.raises(ExtensionError, match="for a class, not 3"):
        typeof_impl.register(3)


def test_a_type_that_forgets_its_name():
    class Nameless(types.Type):
        def __init__(self):
            pass

    with pytest.raises(TypeError, match=r"must call super\(\).__init__\(name=...\)"):
        Nameless()


def test_after_all_that_the_library_works():
    assert identity(3) == 3
    np.testing.assert_array_equal(identity(np.arange(3)), [0, 1, 2])
