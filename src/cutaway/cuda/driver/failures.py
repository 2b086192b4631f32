"""Errors of the driver: messages for its result codes, and hints."""

from __future__ import annotations

from cutaway.errors import CudaDriverError, CudaError, LaunchError

WITHOUT = (
    "cuda.simulate(kernel)[blocks, threads](...) runs a kernel without one,"
    " CUTAWAY_CUDA_SIMULATOR=1 a whole program"
)
_LOST = "the GPU cannot be used any more by this process: correct the kernel and start again"

# By result code: the message, and the hint.
_RESULTS: dict[int, tuple[str, str]] = {
    1: ("an argument is out of range", ""),
    2: (
        "the GPU has no memory left for this",
        "drop arrays that are not needed; cuda.current_context().get_memory_info() tells what is"
        " free",
    ),
    4: ("the process is about to end", ""),
    100: ("no GPU can be seen", "look at CUDA_VISIBLE_DEVICES; " + WITHOUT),
    101: ("there is no such GPU", "cuda.list_devices() tells which there are"),
    200: ("the compiled kernel is not one for this GPU", ""),
    201: ("the context of the GPU is not there any more", ""),
    209: (
        "the compiled kernel is for another kind of GPU",
        "leave the option cc out: then it is compiled for the GPU at hand",
    ),
    218: ("the driver's compiler refuses the PTX", ""),
    221: (
        "the driver comes without a compiler for PTX",
        "pip install 'cutaway[cuda]', which brings ptxas",
    ),
    222: (
        "the driver is too old for this version of PTX",
        "install a newer driver, or ptxas: pip install 'cutaway[cuda]'",
    ),
    400: ("a stream or an event is not there any more, or is another GPU's", ""),
    500: ("a name is not in the compiled module", ""),
    600: ("an event has not come to pass", "wait for it: event.synchronize()"),
    700: (
        "a thread read or wrote outside of all memory",
        "@cuda.jit(debug=True) checks indices, and cuda.simulate(kernel) tells the line",
    ),
    701: (
        "a block needs more than a multiprocessor has",
        "use fewer threads in a block, less shared memory, or @cuda.jit(max_registers=...)",
    ),
    702: (
        "it ran longer than the system permits on a GPU with a display",
        "split the work into several launches",
    ),
    709: ("the context of the GPU was destroyed", ""),
    710: ("an assertion failed in a kernel", ""),
    712: ("this memory is pinned already", ""),
    714: ("the stack of a thread was broken", _LOST),
    715: ("a thread met an instruction that this GPU does not have", _LOST),
    716: ("a thread read or wrote a number at an address that is no multiple of its size", _LOST),
    717: ("a thread used an address of another kind of memory", _LOST),
    718: ("a thread jumped outside of the code", _LOST),
    719: ("a kernel failed", "@cuda.jit(debug=True) checks indices; " + _LOST),
    801: ("this GPU, or its driver, cannot do this", ""),
    802: ("the GPU is not ready", ""),
    803: ("the driver's library and its kernel module do not go together", "restart the machine"),
    804: ("the driver is too old for this library", ""),
    900: ("a stream that is being captured cannot do this", ""),
}
_OF_LAUNCH = "a grid or a block that is too large, or shared memory beyond what a block can have"
_MUCH_SHARED = "it asks for more shared memory than a block of this GPU can have"
_OF_LAUNCHES = ("cuLaunchKernel", "cuFuncSetAttribute")
_FAULTS = frozenset({700, 702, 710, 714, 715, 716, 717, 718, 719})  # noticed after a launch
_NO_GPU = frozenset({100, 802, 803, 804})


def failure(
    function: str, result: int, name: str, text: str, kernel: str | None, last: str | None, log: str
) -> CudaError:
    """Make the exception for a failed driver call.

    `function` is the driver function, `name` and `text` are the driver's words, `kernel` is the
    launched kernel, `last` the one launched before, `log` the output of the driver's compiler.
    """
    words, hint = _RESULTS.get(result, (text or "the driver refuses", ""))
    if function == "cuLaunchKernel" and result == 1:
        words = _OF_LAUNCH
        hint = "cuda.get_current_device() tells what there is: MAX_THREADS_PER_BLOCK, ..."
    shown = f"{name or result} from {function}"
    said = tuple(line for line in log.rstrip("\0").splitlines() if line.strip())
    if function == "cuInit" or result in _NO_GPU:
        return _noted(CudaError(f"no GPU: {words} ({shown})", hint=hint or WITHOUT), said)
    if function == "cuFuncSetAttribute" and result == 1:
        words, hint = _MUCH_SHARED, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN of the device tells how much"
    if function in _OF_LAUNCHES and kernel:
        return LaunchError(
            f"{kernel} cannot be launched: {words} ({shown})", kernel, None, hint, result
        )
    if result in _FAULTS and last:
        message = f"kernel {last} failed, or one launched before it: {words} ({shown})"
        return LaunchError(message, last, None, hint, result)
    about = f" of kernel {kernel}" if kernel else ""
    return _noted(CudaDriverError(f"{words}{about} ({shown})", function, result, name, hint), said)


def _noted(error: CudaError, lines: tuple[str, ...]) -> CudaError:
    error.notes = lines
    return error


def closed(what: str) -> CudaError:
    """Make the exception for the use of a released object."""
    if what == "fork":
        return CudaError(
            "a forked child cannot use the GPU that its parent has used",
            hint="multiprocessing.set_start_method('spawn'), or use it in the child alone",
        )
    if what == "driver":
        return CudaError("the driver is not open", hint="cuda.is_available() opens it")
    return CudaError(f"this {what} was released: cuda.close() was called, or its own close()")
