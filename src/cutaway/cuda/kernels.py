"""`@cuda.jit`: kernels, and the functions that they call.

The compiler is loaded at the first compilation.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any, overload

from cutaway import config
from cutaway.cuda import compiling
from cutaway.cuda.driver import launching
from cutaway.cuda.measured import Measured
from cutaway.cuda.options import KernelOptions, kernel_options
from cutaway.dispatch.dispatcher import Half, dispatcher_of, give_defaults, shape_of
from cutaway.errors import CudaError, InstallError, OptionError
from cutaway.foundation.dataclass import replace
from cutaway.foundation.options import Flags, check_locals, shown
from cutaway.gpu.words import RUNNING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from cutaway.cuda.code import KernelCode
    from cutaway.cuda.driver.launching import ForAll
    from cutaway.cuda.options import Version
    from cutaway.cuda.simulator.program import Program
    from cutaway.dispatch.dispatcher import Specializer
    from cutaway.driver_c._driver import Launcher
    from cutaway.foundation.option_types import KernelOptions as TypedOptions
    from cutaway.foundation.option_types import Signatures
    from cutaway.inspection.editing.edited import EditedFunction
    from cutaway.inspection.races.report import RaceReport
    from cutaway.inspection.trace import Compilation
    from cutaway.stages.pipeline import Pipeline
    from cutaway.targets.target import Target
    from cutaway.typing.types import Type


_SETTINGS = vars(config)  # assigned settings; those of the environment hold from the start


class KernelHalf(Half):
    """The Python half of a kernel, or of a function that kernels call: it has its own target."""

    has_stored = False  # pyright: ignore[reportAssignmentType]  # `code.py` finds code on disk
    itself = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, py_func: FunctionType, flags: Flags, options: KernelOptions) -> None:
        super().__init__(py_func, flags)
        self.options = options
        self.closed: tuple[tuple[Type, ...], ...] = ()  # from written signatures
        self.launchers: dict[tuple[Type, ...], Launcher] = {}
        self.codes: dict[tuple[tuple[Type, ...], Version], KernelCode] = {}
        self.programs: dict[tuple[tuple[Type, ...], int], Program] = {}  # of the simulator

    @property
    def target(self) -> Target:  # type: ignore[override]
        """The target of the kernel.

        Raises CudaError for a compute capability that there is not.
        """
        found: Target = compiling.target_of(self.options, self.flags)
        return found

    @property
    def pipeline(self) -> Pipeline:
        """The passes that compile the kernel."""
        found: Pipeline = compiling.PIPELINE
        return found

    @property
    def specializer(self) -> Specializer:  # type: ignore[override]
        """The function that makes specializations, which are launched."""
        found: Specializer = launching.specialize
        return found

    @property
    def resolve(self) -> Any:
        """The function that resolves calls. It hides arguments in GPU memory, even from tools that
        show the variables of a frame: reading their elements would end the process."""
        return launching.resolver(self)

    @property
    def compiled_for(self) -> list[tuple[Type, ...]]:
        """The argument types of its compiled specializations."""
        return list(self.units)

    def check_races(self, *args: Any, seconds: float = 60.0) -> RaceReport:
        """Raise CudaError: the simulator finds races of a kernel's threads."""
        name = self.py_func.__name__
        raise CudaError(
            f"{name} runs on a GPU, and has no parallel loops to check",
            hint="cuda.simulate(kernel)[blocks, threads](...) finds races of a kernel's threads",
        )

    def parallel_diagnostics(self, signature: Any = None, level: int = 1) -> None:
        """Raise CudaError: each thread runs the whole loop."""
        raise CudaError(
            f"the loops of {self.py_func.__name__} are not divided: each thread runs them",
            hint="a kernel says by cuda.grid(1) which thread does what",
        )

    def __getattr__(self, name: str) -> Any:
        """Raise CudaError for the dispatcher of a device function."""
        if name != "dispatcher":
            raise AttributeError(f"a kernel has no {name}")
        raise CudaError(
            f"{self.py_func.__name__} is a device function, whose calls are not dispatched",
            hint="its signatures are those that kernels have compiled it for",
        )

    def install(self, edited: EditedFunction) -> None:
        """Raise InstallError: code on a GPU cannot be replaced."""
        raise InstallError(
            f"nothing can be installed in {self.py_func.__name__}, which runs on a GPU",
            hint='the PTX of the edited one is .compilation.at("ptx").text',
        )


class Kernel(Measured):
    """A kernel, or with `device=True` a function that kernels call.

    `kernel[blocks, threads](...)` launches it.
    """

    runs_on_gpus = True  # read by caches

    def __init__(self, half: KernelHalf) -> None:
        self.half = half
        self.py_func = self.__wrapped__ = half.py_func
        self.configured: dict[Any, Any] = {}
        for name in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(self, name, getattr(half.py_func, name))

    def __repr__(self) -> str:
        kind = "device function" if self.half.options.device else "kernel"
        return f"<{kind} {self.py_func.__qualname__}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise CudaError: a kernel needs a launch. While Python itself runs a kernel, device
        functions are called."""
        name = self.py_func.__name__
        if RUNNING and self.half.options.device:
            return self.py_func(*args, **kwargs)
        if self.half.options.device:
            raise CudaError(
                f"{name} is a device function, which only kernels call",
                hint=f"call {name}.py_func, or call it in a function with @cuda.jit",
            )
        raise CudaError(
            f"{name} is a kernel: say how many threads run it",
            hint=f"{name}[blocks, threads](...), or cuda.simulate({name})[blocks, threads](...)",
        )

    # --- launches -------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        """Configure a launch: `kernel[blocks, threads, stream, shared_bytes](...)`.

        Raises CudaError if the index is not a grid, or without a GPU.
        """
        try:
            known = self.configured.get(index)
        except TypeError:  # unhashable, a list for instance
            known = None
        if known is None or _SETTINGS.get("CUDA_SIMULATOR"):
            known = launching.configured(self, index)
        return known

    def configure(self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0) -> Any:
        """Configure a launch, like `kernel[griddim, blockdim, stream, sharedmem]`."""
        return self[griddim, blockdim, stream, sharedmem]

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> ForAll:
        """Configure a launch of at least `ntasks` threads, in blocks of `tpb` or of a size that
        suits the GPU."""
        made: ForAll = launching.ForAll(self, ntasks, tpb, stream, sharedmem)
        return made

    def __reduce__(self) -> str:
        """Pickle the kernel by name, like a Python function."""
        return str(self.py_func.__qualname__)

    # --- compiled code --------------------------------------------------------------------------

    def compile(self, signature: Any) -> None:
        """Compile for a signature now.

        Raises SignatureError for one that cannot be read, CompileError if the function does not
        compile for it.
        """
        compiling.compile_signature(self.half, signature)

    @property
    def signatures(self) -> list[tuple[Type, ...]]:
        """The argument types of its compiled specializations."""
        return list({**self.half.units, **self.half.launchers})

    def inspect_asm(self, signature: Any = None) -> Any:
        """Return the PTX of one signature, or of all by their argument types."""
        return compiling.texts(self.half, signature, "ptx")

    inspect_ptx = inspect_asm

    def inspect_llvm(self, signature: Any = None) -> Any:
        """Return the LLVM IR of one signature, or of all by their argument types."""
        return compiling.texts(self.half, signature, "llvm")

    def inspect_sass(self, signature: Any = None) -> Any:
        """Disassemble the machine code of one signature, or of all by their argument types.

        Raises CudaError if `ptxas` or `nvdisasm` is not installed.
        """
        return compiling.machine_code(self.half, signature)

    def trace(self, *args: Any, level: str = "pass", memory: bool = False) -> Compilation:
        """Record a compilation, like `trace` of a compiled function."""
        stand_in = launching.stand_in
        return self.half.trace(*map(stand_in, args), level=level, memory=memory)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "half":
            raise AttributeError(name)
        return getattr(self.half, name)


@overload
def jit(
    signature_or_function: Callable[..., Any],
    device: bool = False,
    **options: Unpack[TypedOptions],
) -> Kernel: ...


@overload
def jit(
    signature_or_function: Signatures | None = None,
    device: bool = False,
    **options: Unpack[TypedOptions],
) -> Callable[[Callable[..., Any]], Kernel]: ...


def jit(signature_or_function: Any = None, device: bool = False, **options: Any) -> Any:
    """Compile a function for GPUs: a kernel, or with `device=True` a function that kernels call.

    Use it bare (`@cuda.jit`), with options, or with a signature or a list of them, which are
    compiled immediately.

    Options: `device`, `debug` (checks of indices and of errors after each launch), `lineinfo`,
    `fastmath`, `fma` (default True: a product and a sum may be one instruction), `max_registers`,
    `launch_bounds`, `opt` (0 to 3), `cc` (a compute capability such as (8, 0)), `cache`, and of
    `cutaway.jit` `inline`, `boundscheck`, `error_model`, `overflow`, `locals`.

    Raises OptionError for an unknown option, SignatureError for a signature that cannot be read,
    CompileError if the function does not compile for one.
    """
    given, flags = kernel_options({"device": device, **options})
    if isinstance(signature_or_function, FunctionType):
        return make_kernel(signature_or_function, given, flags, ())
    written = signature_or_function
    if written is None:
        signatures: tuple[Any, ...] = ()
    else:
        signatures = tuple(written) if isinstance(written, list) else (written,)

    def decorate(function: FunctionType) -> Kernel:
        if not isinstance(function, FunctionType):
            raise OptionError(f"@cuda.jit decorates a Python function, not {shown(function)}")
        return make_kernel(function, given, flags, signatures)

    return decorate


def for_capability(function: Any, cc: Version) -> Kernel:
    """Make a kernel like another for a compute capability, or one from any other function.

    (Any: a Python function, possibly decorated.) Raises CudaError for an unknown compute
    capability.
    """
    if not isinstance(function, Kernel):
        function = jit(getattr(function, "py_func", function))
    half = function.half
    kernel = make_kernel(half.py_func, replace(half.options, cc=cc), half.flags, ())
    _ = kernel.half.target  # raises the error
    return kernel


def make_kernel(
    function: FunctionType, options: KernelOptions, flags: Flags, written: tuple[Any, ...] = ()
) -> Kernel:
    """Make a kernel, or a device function, with these options, compiled for signatures.

    Raises the errors of `jit`.
    """
    check_locals(flags, function.__code__)
    half = KernelHalf(function, flags, options)
    kernel = Kernel(half)
    if not options.device:
        dispatcher_of(half, shape_of(function.__code__))
        give_defaults(half)
    for signature in written:
        argtypes = compiling.compile_signature(half, signature).argtypes
        assert argtypes is not None, "a kernel is compiled for types"
        half.closed += (argtypes,)
    half.written = () if options.device else written
    return kernel
