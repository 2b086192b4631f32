"""A compiled function: the C dispatcher and its Python half.

The C object (`dispatch_c`) guards, unboxes and calls.  It takes attributes that it lacks from its
Python half.  No module of the compiler is imported until something must be compiled, so that
decorating a function costs next to nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TextIO

from cutaway.caching import calls
from cutaway.compiling import stack_room
from cutaway.dispatch import (
    installing,
    introspection,
    pickling,
    racing,
    resolution,
    signatures,
    tracing,
)
from cutaway.dispatch_c._dispatch import ABSENT, Dispatcher, Specialization
from cutaway.errors import CutawayError, InternalError
from cutaway.extending import entry_points
from cutaway.foundation import interrupts, loading
from cutaway.foundation.dataclass import replace
from cutaway.foundation.options import (
    CHECKED,
    Flags,
    check_locals,
    flags_from_options,
    options_of,
)
from cutaway.inspection.showing import everyday

if TYPE_CHECKING:  # the compiler's modules are loaded at the first compilation
    from cutaway.caching.calls import CacheInfo, FunctionCache
    from cutaway.dispatch.installing import Installed
    from cutaway.inspection.editing.edited import EditedFunction
    from cutaway.inspection.explaining.calls import DispatchExplanation, Specializations, Stats
    from cutaway.inspection.explaining.lifting import LiftedLoops, LoopRuns
    from cutaway.inspection.races.report import RaceReport
    from cutaway.inspection.recording.stepper import Stepper
    from cutaway.inspection.showing.annotation import Annotation
    from cutaway.inspection.trace import Compilation
    from cutaway.ir.function import Function
    from cutaway.stages.pipeline import Pipeline
    from cutaway.stages.unit import CompileUnit
    from cutaway.targets.target import Target
    from cutaway.typing.inference.literals import Places
    from cutaway.typing.overloads.parameters import Parameters
    from cutaway.typing.types import Signature, Type

# The C half's answer to a call: a specialization, and its positional arguments.
Answer = tuple[Specialization, tuple[Any, ...]]

# Compiles a half for argument types, with observers.
Specializer = Callable[[Any, tuple[Any, ...], Any], Specialization]


_LOADED: list[ModuleType] = []  # the module, once it is loaded


def _resolution() -> ModuleType:
    """Load the compiler and return the part of dispatch that needs it."""
    if not _LOADED:
        with interrupts.deferred():
            _LOADED.append(stack_room.with_room(_with_extensions))
    return _LOADED[0]


def _with_extensions() -> ModuleType:
    loading.run(resolution)
    entry_points.load_once()
    return resolution


def _at_the_call(error: BaseException) -> BaseException:
    """Return a user's error without our own stack, which says nothing about the user's program."""
    error.__cause__ = error.__context__ = None
    error.__suppress_context__ = False  # handled errors become its context
    return error.with_traceback(None)


class Half:
    """The Python half of one compiled function.

    `py_func` is the Python function.  With `written` signatures the function is closed: calls
    convert to one of them and nothing else is compiled.  `identities` has the identity of the code
    that each specialization was compiled from, for pickles.  `_replaced` holds the values that
    users set for attributes of the Python function (`__name__`, ...), `_identity` is the name of
    the function in all processes, chosen when it is pickled.  `is_loop`: NumPy calls it, as the
    inner loop of a ufunc.  `body` is its IR if it was cut out of another function.  `target` is its
    target if it is not the one of the settings; `specializer` makes specializations for another
    target.
    """

    is_loop = False
    body: Function | None = None
    target: Target | None = None
    specializer: Specializer | None = None

    def __init__(
        self,
        py_func: FunctionType,
        flags: Flags,
        written: tuple[Any, ...] = (),
        pipeline: Pipeline | None = None,
    ) -> None:
        self.py_func = self.__wrapped__ = py_func
        self.flags = flags
        if flags.cache:
            calls.process_digest()  # computed now, and not at the first call
        self.written = written
        self.units: dict[tuple[Type, ...], CompileUnit] = {}
        self.literals: Places = {}
        self.filled: dict[tuple[Type, ...], tuple[Type, ...]] = {}  # of empty containers
        self.returns: dict[tuple[Type, ...], Type] = {}  # of written signatures
        self.declared: tuple[tuple[Type, ...], ...] = ()  # the argument types of these
        self.generation = 0
        self.by_types: dict[tuple[Type, ...], Specialization] = {}
        self.installed: dict[tuple[Type, ...], Installed] = {}  # edits that run instead
        self.identities: dict[tuple[Type, ...], tuple[Specialization, str]] = {}
        self._replaced: dict[str, Any] = {}
        self._identity: str | None = None
        self._pipeline = pipeline
        self._parameters: Parameters | None = None
        self._options: dict[str, Any] | None = None
        self._cache: FunctionCache | None = None  # created on demand
        self.binder: Callable[..., tuple[Any, ...]] | None = None  # made by resolution
        self.dispatcher: Dispatcher  # set by make_dispatcher

    def __repr__(self) -> str:
        name = self._replaced.get("__qualname__", self.py_func.__qualname__)
        return f"<compiled function {name}>"

    @property
    def half(self) -> Half:
        """Return itself, where a dispatcher returns its Python half."""
        return self

    @property
    def itself(self) -> Dispatcher | None:
        """The dispatcher if signatures are compiled before its name refers to it, else None."""
        return self.dispatcher if self.written else None

    @property
    def pipeline(self) -> Pipeline:
        """Return the passes that compile the function."""
        if self._pipeline is None:
            return _resolution().default_pipeline(self.flags)
        return self._pipeline

    @property
    def cache(self) -> FunctionCache:
        """Return the state of the function's cache on disk."""
        if self._cache is None:
            self._cache = calls.FunctionCache()
        return self._cache  # pyright: ignore[reportReturnType]

    @property
    def has_stored(self) -> bool:
        """True if its machine code may be on disk, or came with its pickle."""
        return self.flags.cache or self._cache is not None and bool(self._cache.carried)

    @property
    def parameters(self) -> Parameters:
        """Return the function's parameters."""
        if self._parameters is None:
            named = self.flags.forceobj
            self._parameters = _resolution().parameters_of(self.py_func, named)
        return self._parameters  # pyright: ignore[reportReturnType]

    @property
    def compiled_for(self) -> list[tuple[Type, ...]]:
        """Return the argument types that calls have compiled it for, in order of compilation."""
        return list(self.by_types)

    # --- called by the C half -------------------------------------------------------------------

    def resolve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Answer | BaseException:
        """Return the specialization for a call, compiled if need be, and its positional arguments;
        or the exception that the call raises, whose traceback then begins at the call."""
        is_checked = CHECKED in self.flags.parallel
        if (
            self.has_stored
            and self.dispatcher._mode == "open"
            and not (self.installed or is_checked)
        ):
            cached: Answer | None = calls.answer(self, args, kwargs)
            if cached is not None:
                return cached
        if _LOADED:
            return self._resolve(args, kwargs, is_checked)
        with loading.uncollected():  # a first compilation mostly loads modules
            return self._resolve(args, kwargs, is_checked)

    def _resolve(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], is_checked: bool
    ) -> Answer | BaseException:
        self._resolution()
        try:
            bound = resolution.bind(self, args, kwargs)
        except TypeError as error:
            return _at_the_call(error)
        try:
            if is_checked:
                self._racing().require_apart(self, args, kwargs)
            return resolution.resolve(self, bound), bound
        except InternalError:
            raise  # our own stack says where the bug is
        except CutawayError as error:
            return _at_the_call(error)

    def _resolution(self) -> ModuleType:
        """Return the compiler's part of dispatch, with all specializations registered."""
        module = _resolution()
        if self._cache is not None and self._cache.pending:
            module.adopt(self)
        return module

    def _signatures(self) -> ModuleType:
        """Return the module that reads signatures written by users."""
        self._resolution()
        return signatures

    def _introspection(self) -> ModuleType:
        """Return the module that inspects compilations and specializations."""
        self._resolution()
        return introspection

    def _tracing(self) -> ModuleType:
        """Return the module that recompiles for inspection; loads all of inspection."""
        self._resolution()
        return tracing

    def _racing(self) -> ModuleType:
        """Return the module that checks parallel loops for races."""
        self._resolution()
        return racing

    def _reduce(self) -> str | tuple[Any, ...]:
        """Return the result of the dispatcher's `__reduce__`."""
        return pickling.reduce(self.dispatcher)

    def _names(self, plain: list[str]) -> list[str]:
        """Return the names of the dispatcher's `__dir__`; `plain` are its own."""
        return sorted({*plain, *(name for name in dir(self) if not name.startswith("_"))})

    # --- for users ------------------------------------------------------------------------------

    @property
    def signatures(self) -> list[tuple[Type, ...]]:
        """The argument types of each specialization, in order of compilation."""
        if self._cache is not None and self._cache.pending:
            self._resolution()
        return list(self.by_types)

    @property
    def overloads(self) -> dict[tuple[Type, ...], Specialization]:
        """The specializations by the types of their arguments, each with its `signature`."""
        known: dict[tuple[Type, ...], Specialization] = self._introspection().overloads(self)
        return known

    def compile(self, signature: Any) -> None:
        """Compile for a signature now, before any call.

        Raises SignatureError for a signature that cannot be read, CompileError where the
        function cannot be compiled for it.
        """
        self._signatures().compile_signature(self, signature)

    def disable_compile(self, closed: bool = True) -> None:
        """Compile nothing more: calls use the existing specializations, where arguments convert
        without loss (SPEC B6).  With `closed` False the function is open again.

        A function with explicit signatures is closed already, and stays so.
        """
        if not self.written:
            self.dispatcher._set_mode("closed" if closed else "open")

    def explain_dispatch(self, *args: Any, **kwargs: Any) -> DispatchExplanation:
        """Explain how a call with these arguments would be dispatched; nothing is compiled.

        Raises TypeError where they do not fit the parameters, TypingError where one of them cannot
        be passed to compiled code.
        """
        return self._introspection().explain(self, args, kwargs)

    @property
    def specializations(self) -> Specializations:
        """Return each specialization's signature, calls, hits by path, and compile seconds."""
        return self._introspection().specializations(self)

    @property
    def stats(self) -> Stats:
        """Return the totals of calls, hits by path, compilations and their seconds."""
        return self._introspection().stats(self)

    def trace(self, *args: Any, level: str = "pass", memory: bool = False) -> Compilation:
        """Compile afresh for these arguments, recording every pass (level "pass") or every
        rewrite in them too ("rewrite"), and with `memory` the bytes that each one allocates."""
        return self._tracing().trace(self, args, level, memory)

    def step(self, *args: Any) -> Stepper:
        """Return a stepper in front of the first pass of a compilation for these arguments."""
        return self._tracing().step(self, args)

    def check_races(self, *args: Any, seconds: float = 60.0) -> RaceReport:
        """See `cutaway.check_races`."""
        return self._racing().check_races(self, args, seconds)

    @property
    def lifted_loops(self) -> LiftedLoops:
        """Return the loops of a function in object mode: the typed ones, and why others are not.

        Empty before the first call, and for any other function.
        """
        return self._introspection().lifted_loops(self)

    def why_not_lifted(self, line: int | None = None) -> LiftedLoops | LoopRuns:
        """Return why the loop in a line, or each loop, does not run typed, or else its types.

        Raises NotCompiledError before the first call, PipelineError where no loop is there, or the
        function is not compiled in object mode.
        """
        return self._introspection().why_not_lifted(self, line)

    @property
    def nopython_signatures(self) -> list[Signature]:
        """The signature of each specialization, in order of compilation."""
        return self._introspection().nopython_signatures(self)

    def inspect_llvm(self, signature: Any = None) -> Any:
        """Return the LLVM IR before optimization, of one signature or by signature."""
        return self._introspection().inspect(self, signature, lambda unit: unit.llvm)

    def inspect_asm(self, signature: Any = None) -> Any:
        """Return the assembly, of one signature or by signature."""
        return self._introspection().inspect(self, signature, lambda unit: unit.asm)

    def inspect_cfg(self, signature: Any = None, show_wrapper: Any = None, **options: Any) -> Any:
        """Return the control flow graph of the optimized code, of one signature or by signature.

        The graph displays itself in a notebook, and has `.display(filename, format, view)` and
        `.dot`. With `show_wrapper` it is that of the entry point for calls from Python.  Options:
        `strip_ir` leaves the instructions out; `filename`, `render_format` and `view` are as in
        `.display`; `fontsize`, `highlight`, `interleave` and `show_key` are ignored.
        """
        drawn = everyday.drawing(show_wrapper, options)
        return self._introspection().inspect(self, signature, drawn)

    def inspect_disasm_cfg(self, signature: Any = None) -> Any:
        """Return the control flow graph of the machine code, of one signature or by signature."""
        return self._introspection().inspect(self, signature, everyday.of_assembly)

    def inspect_types(
        self,
        file: TextIO | None = None,
        signature: Any = None,
        pretty: bool = False,
        style: str = "default",
        **options: Any,
    ) -> Annotation | None:
        """Print the source interleaved with typed IR, for one specialization or all, to a file or
        the standard output; or, where `pretty`, return an object that displays it in a notebook.
        `style` and other options for colors are ignored.

        Raises NotCompiledError for a signature that is not compiled.
        """
        units = self._introspection().specialized(self, signature)
        annotation: Annotation | None = everyday.inspect_types(units, file, pretty)
        return annotation

    def get_annotation_info(self, signature: Any = None) -> dict[tuple[str, str], dict[str, Any]]:
        """Return the annotated source as plain data, by the function's location and signature."""
        units = self._introspection().specialized(self, signature)
        by_place: dict[tuple[str, str], dict[str, Any]] = everyday.all_annotations(units)
        return by_place

    def parallel_diagnostics(self, signature: Any = None, level: int = 1) -> None:
        """Print for each loop, of one specialization or of all, whether it is parallel, and why; in
        more detail with a `level` up to 4.  `f.trace(...).parallel` returns the same as data.

        Raises NotCompiledError for a signature that is not compiled, OptionError for another level.
        """
        print(self._tracing().parallel_loops(self, signature, level))

    def get_metadata(self, signature: Any = None) -> dict[Any, Any]:
        """Return the metadata of a specialization by name; or those of each by its types.

        Its `parfor_diagnostics` print the decisions on parallel loops: `.dump(level=1)`.  Raises
        NotCompiledError for a signature that is not compiled.
        """
        return self._introspection().metadata(self, signature)

    def get_overload(self, signature: Any) -> Specialization:
        """Return the specialization for arguments of these types.

        Raises NotCompiledError for a signature that is not compiled.
        """
        return self._introspection().overload_of(self, signature)

    get_compile_result = get_overload

    def install(self, edited: EditedFunction) -> None:
        """Let calls whose argument types are those of an edited function run it from now on.

        `f.trace(...).at(level).edit(...).resume()` returns one; it may have another return type.
        Functions that were compiled with calls of this one, or will be, keep the original.  An
        edited function is never written to the cache on disk.  Raises InstallError for anything
        else, and for an edit of another function.
        """
        self._resolution()
        installing.install(self, edited)

    def uninstall(self, signature: Any = None) -> None:
        """Let calls run the original again: those of one signature, or of all.

        Raises InstallError where nothing is installed.
        """
        self._resolution()
        installing.uninstall(self, signature)

    def cache_info(self) -> CacheInfo:
        """Return hits and misses of the cache on disk (`cache=True`), its files, and why something
        was not cached."""
        return self.cache.info()

    def enable_caching(self) -> None:
        """Store machine code on disk from now on, as with option `cache`."""
        calls.process_digest()
        self.flags = replace(self.flags, cache=True)

    @property
    def targetoptions(self) -> dict[str, Any]:
        """The options that differ from their defaults; changes take effect at `recompile`."""
        if self._options is None:
            self._options = options_of(self.flags)
        return self._options

    def recompile(self) -> None:
        """Recompile for all argument types that it was compiled for, after a change of its
        `targetoptions` or of names that it uses.  Its callers keep their code.

        Raises OptionError for unknown options, CompileError where it cannot be compiled.
        """
        known, self.flags = self.signatures, flags_from_options(self.targetoptions)
        self._resolution()
        resolution.forget(self)
        for argtypes in known:
            resolution.compile_for(self, argtypes)

    def forget(self, signature: Any = None) -> None:
        """Free the machine code of one specialization, or of all."""
        argtypes = None if signature is None else self._signatures().wanted_types(self, signature)
        self._resolution().forget(self, argtypes)


def make_dispatcher(
    py_func: FunctionType,
    flags: Flags,
    written: tuple[Any, ...] = (),
    pipeline: Pipeline | None = None,
) -> Dispatcher:
    """Return a compiled function that is compiled at its first call.

    Raises UnsupportedError for a function with `**kwargs`.
    """
    code = py_func.__code__
    check_locals(flags, code)
    if code.co_flags & inspect.CO_VARKEYWORDS and not flags.forceobj:
        _resolution().parameters_of(py_func)  # raises
    half = Half(py_func, flags, written, pipeline)
    if flags.forceobj:
        dispatcher = _for_objects(half, code)
    else:
        dispatcher = dispatcher_of(half, shape_of(code))
    give_defaults(half)
    _take_attributes(dispatcher, py_func)
    compile_written(half)
    return dispatcher


def compile_written(half: Half) -> None:
    """Compile for the explicit signatures, if there are any, and for nothing else later; in object
    mode, where all values are objects, for any.

    Raises SignatureError for one that cannot be read, CompileError where the function cannot be
    compiled for one.
    """
    if not half.written:
        return
    if not half.flags.forceobj:
        half.dispatcher._set_mode("written")
    half._signatures().compile_all(half, half.written)


def compile_closed(half: Half, signatures: tuple[tuple[Type, ...], ...]) -> None:
    """Compile for these argument types, and for nothing else later."""
    _resolution().compile_closed(half, signatures)


# The C half's view of a code object: the names of its parameters, how many of them can be passed by
# position, whether there is `*args`, and how many by position only.
Shape = tuple[tuple[str, ...], int, bool, int]


def shape_of(code: CodeType) -> Shape:
    """Return the shape of a function's parameters."""
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    star = bool(code.co_flags & inspect.CO_VARARGS)
    return names, code.co_argcount, star, code.co_posonlyargcount


def dispatcher_of(half: Half, shape: Shape) -> Dispatcher:
    """Return a C half for a Python half."""
    half.dispatcher = Dispatcher(half, *shape)
    return half.dispatcher


def _for_objects(half: Half, code: CodeType) -> Dispatcher:
    """Return the C half of a function in object mode, which collects arguments itself."""
    names, positional, star, unnamed = shape_of(code)
    half.dispatcher = Dispatcher(half, names, positional, False, unnamed)
    half.dispatcher._set_objects(star, bool(code.co_flags & inspect.CO_VARKEYWORDS))
    return half.dispatcher


def give_defaults(half: Half) -> None:
    """Set the C half's default of each parameter, ABSENT where there is none."""
    names = shape_of(half.py_func.__code__)[0]
    plain = half.py_func.__defaults__ or ()
    first = half.py_func.__code__.co_argcount - len(plain)
    known = {**dict(zip(names[first:], plain)), **(half.py_func.__kwdefaults__ or {})}
    half.dispatcher._set_defaults(tuple(known.get(name, ABSENT) for name in names))


def _take_attributes(dispatcher: Dispatcher, py_func: FunctionType) -> None:
    """Copy the attributes that decorators below `@jit` set, as `functools.wraps` does, except those
    named like an attribute of compiled functions."""
    for name, value in py_func.__dict__.items():
        if name != "__wrapped__" and not hasattr(Half, name):
            dispatcher.__dict__[name] = value
