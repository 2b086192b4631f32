"""The command line: `cutaway` and `python -m cutaway`; `commands/` has the commands that show
compilations.

Each command is one function that returns the exit status, and one row of the parser.  Errors of the
user's program are shown without Cutaway's stack, with status 1; bad usage is status 2.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import cutaway
from cutaway import config
from cutaway.api import jit
from cutaway.commands import inspecting, verifying, viewing
from cutaway.commands.subjects import add_command, add_function, show, traced, types_of
from cutaway.compat import comparing
from cutaway.compat.installing import real_numba
from cutaway.compiling import compiler
from cutaway.compiling.compilable import chosen_target
from cutaway.cuda.driver.devices import is_available
from cutaway.errors import CutawayError
from cutaway.foundation.options import Flags
from cutaway.inspection.views import VIEWS
from cutaway.ir import nodes
from cutaway.ir.levels import Level
from cutaway.ir.parser import ParsedFunction, parse
from cutaway.ir.traversal import walk
from cutaway.stages.catalog import NEEDS, ORDER, PASSES
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.processors import check_runs_here
from cutaway.targets.ptx.toolkit import EXTRA, abilities, find_libdevice, find_ptxas
from cutaway.typing.overloads.notation import parse_type

_USER_ERROR = 1
_BAD_USAGE = 2
_EXAMPLES = """
examples, with a function `total` of program.py:
  cutaway view program.py:total --args "np.arange(10.)"
  cutaway report program.py:total --args "np.arange(10.)" -o total.html
  cutaway inspect program.py:total --types "float64[:]" --level typed
  cutaway explain program.py:total --args "np.arange(10.)" --why s
  cutaway explain program.py:total --args "np.arange(10.)" --fused
  cutaway run --report pages program.py
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    parser = _parser()
    if not (sys.argv[1:] if arguments is None else arguments):
        parser.exit(_BAD_USAGE, parser.format_help())
    options = parser.parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except CutawayError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return _USER_ERROR
    except BrokenPipeError:  # the reader of the output, for instance `head`, has exited
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cutaway",
        description="A just-in-time compiler for numerical Python, opened up.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"cutaway {cutaway.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    inspecting.add_inspect(commands)
    viewing.add_view(commands)
    inspecting.add_report(commands)
    inspecting.add_diff(commands)
    _add_explain(commands)
    verifying.add_verify(commands)
    verifying.add_bisect(commands)
    _add_run(commands)
    _add_opt(commands)
    command = add_command(commands, "passes", "list the passes and the reasons for their order")
    command.set_defaults(command=_passes)
    _add_doctor(commands)
    return parser


Commands = Any  # argparse has no public class for the result of add_subparsers


# --- explain ----------------------------------------------------------------------------------


def _add_explain(commands: Commands) -> None:
    command = add_command(commands, "explain", "explain the types of variables")
    add_function(command)
    command.add_argument("--why", metavar="NAME", help="the variable (default: the result)")
    command.add_argument("--line", type=int, help="only in this line")
    command.add_argument(
        "--not", metavar="TYPE", dest="wanted", help="explain why it is not of this type"
    )
    command.add_argument("--calls", action="store_true", help="show the calls and their overloads")
    command.add_argument(
        "--fused",
        action="store_true",
        help="explain which operations on whole arrays share a loop, and why others do not",
    )
    command.add_argument(
        "--parallel",
        action="store_true",
        help="explain which loops are divided among threads, and why others are not",
    )
    command.add_argument(
        "--iterations",
        action="store_true",
        help="run it, and show which thread runs which iterations of parallel loops",
    )
    command.add_argument("--steps", action="store_true", help="show type inference step by step")
    command.set_defaults(command=_explain)


def _explain(options: argparse.Namespace) -> int:
    compilation = traced(options)
    name = options.why or ""
    if options.steps:
        show(compilation.typing)
    elif options.calls:
        show(compilation.why_call(options.line))
    elif options.fused:
        show(compilation.why_fused(options.line or name))
        show(compilation.why_not_fused(options.line or name))
    elif options.parallel:
        line = options.line
        show(compilation.parallel if line is None else compilation.why_parallel(line))
        show(compilation.why_not_parallel(line))
    elif options.iterations:
        show(compilation.iterations())
    elif options.wanted:
        show(compilation.why_not(name, options.wanted, options.line))
    else:
        show(compilation.why(name, options.line))
    return 0


# --- run --------------------------------------------------------------------------------------


def _add_run(commands: Commands) -> None:
    command = add_command(commands, "run", "run a program and dump the functions that it compiles")
    command.add_argument(
        "--dump", default="", metavar="LEVELS", help="levels to dump: ir,ssa,llvm,..."
    )
    command.add_argument(
        "--dump-dir", default="", metavar="DIR", help="write the dumps into this folder"
    )
    command.add_argument(
        "--filter",
        default="",
        metavar="PATTERN",
        help="only functions whose names match this pattern",
    )
    command.add_argument(
        "--print-after", default="", metavar="PASSES", help="print the program after these passes"
    )
    command.add_argument(
        "--print-changed", action="store_true", help="print the changes of each pass"
    )
    command.add_argument("--time", action="store_true", help="print the time of each pass")
    command.add_argument(
        "--verify",
        choices=["structure", "execute"],
        default="",
        help="check the IR after each pass, or also run it and compare with Python",
    )
    command.add_argument(
        "--report",
        default="",
        metavar="DIR",
        help="write one page per compilation into this folder",
    )
    command.add_argument("script", metavar="SCRIPT", help="the program to run")
    command.add_argument("arguments", nargs=argparse.REMAINDER, help="passed to the program")
    command.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    settings = _settings(options)
    script = Path(options.script)
    if not script.is_file():
        raise CutawayError(f"there is no file {script}")
    sys.argv = [options.script, *options.arguments]
    sys.path[0] = str(script.resolve().parent)
    with config.using(**settings):
        try:
            runpy.run_path(str(script), run_name="__main__")
        except Exception as error:
            _print_user_traceback(error, str(script))
            return _USER_ERROR
        finally:
            _tell(options)
    return 0


def _tell(options: argparse.Namespace) -> None:
    """Report on stderr where the pages are, and Cutaway's options among the program's arguments."""
    index = Path(options.report or ".") / "index.html"
    if options.report and index.is_file():
        print(f"cutaway: {index} lists the compiled functions", file=sys.stderr)
    ours = ("--dump", "--dump-dir", "--filter", "--print-after", "--print-changed", "--report")
    for word in () if _settings(options) else options.arguments:
        if word.partition("=")[0] in ours:
            print(
                f"cutaway: {word} comes after {options.script}, so the script gets it; "
                f"put it before the script to pass it to `cutaway run`",
                file=sys.stderr,
            )


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "FILTER": options.filter,
        "DUMP_DIR": options.dump_dir,
        "PRINT_AFTER": tuple(filter(None, options.print_after.split(","))),
        "PRINT_CHANGED": options.print_changed,
        "TIME_PASSES": options.time,
        "VERIFY": options.verify,
        "REPORT": options.report,
    }
    settings = {name: value for name, value in settings.items() if value}
    dumps = {name.partition("_")[2].lower(): name for name in config.SETTINGS if "_" in name}
    for word in filter(None, options.dump.split(",")):
        name = dumps.get(word.strip().lower(), "")
        if not name.startswith(("DUMP_", "DEBUG_")) or name == "DUMP_DIR":
            known = ", ".join(w for w, n in dumps.items() if n.startswith(("DUMP_", "DEBUG_")))
            raise CutawayError(f"there is no dump {word!r}", hint=f"dumps: {known}")
        settings[name] = True
    return settings


def _print_user_traceback(error: Exception, script: str) -> None:
    frames = traceback.extract_tb(error.__traceback__)
    first = next((k for k, frame in enumerate(frames) if frame.filename == script), 0)
    package = str(Path(__file__).parent)
    shown = [frame for frame in frames[first:] if not frame.filename.startswith(package)]
    print("Traceback (most recent call last):", file=sys.stderr)
    print("".join(traceback.format_list(shown)), end="", file=sys.stderr)
    print("".join(traceback.format_exception_only(error)), end="", file=sys.stderr)


# --- opt --------------------------------------------------------------------------------------


def _add_opt(commands: Commands) -> None:
    command = add_command(commands, "opt", "run passes on IR text: IR in, IR out")
    command.add_argument("input", metavar="IN.ir", help="a file, or - for standard input")
    command.add_argument("--pipeline", required=True, help='the passes to run: "ssa,simplify"')
    own = (Level.ir, Level.objects, Level.ssa, Level.typed, Level.arrayexpr, Level.parfor)
    levels = [level.value for level in own]
    command.add_argument(
        "--level", choices=levels, help="the level of the input (default: detected)"
    )
    command.add_argument("--types", help="the types of the arguments, if types are inferred")
    command.set_defaults(command=_opt)


def _opt(options: argparse.Namespace) -> int:
    text = sys.stdin.read() if options.input == "-" else _read(options.input)
    sys.path.insert(0, "")  # the text may refer to objects of programs in this folder
    parsed = parse(text, parse_type=parse_type)
    level = Level.named(options.level) if options.level else detected_level(parsed)
    unit = CompileUnit(
        _stand_in(parsed.fn.name),
        types_of(options.types) if options.types else None,
        Flags(),
        compiler.SERVICES,
        parsed.fn.name,
    )
    unit.fn, unit.level = parsed.fn, level
    if parsed.types:
        unit.types = parsed.types
    compiler.compile_unit(unit, Pipeline.parse(options.pipeline, level))
    print(VIEWS[unit.level].text(unit))
    return 0


def detected_level(parsed: ParsedFunction) -> Level:
    """Return the level of IR text: types are written from `typed` on, phis from `ssa` on; array
    expressions and counts of references come with `arrayexpr`, parallel loops with `parfor`."""
    if any(isinstance(op, nodes.Parfor) for op in walk(parsed.fn)):
        return Level.parfor
    late = (nodes.ArrayExpr, nodes.ArrayStore, nodes.ArrayReduce, nodes.Incref, nodes.Decref)
    if any(isinstance(op, late) for op in walk(parsed.fn)):
        return Level.arrayexpr
    if parsed.types:
        return Level.typed
    if any(isinstance(op, nodes.Phi) for op in walk(parsed.fn)):
        return Level.ssa
    return Level.ir


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise CutawayError(f"{path} cannot be read: {error.strerror}") from None


def _stand_in(name: str) -> FunctionType:
    def function() -> None:
        """Return a stand-in for the Python function of IR text."""

    function.__name__ = function.__qualname__ = name
    return function  # type: ignore[return-value]


# --- passes and doctor ------------------------------------------------------------------------


def _passes(options: argparse.Namespace) -> int:
    print(f"{'pass':<19}{'stage':<19}{'levels':<20}{'required':<10}what it does")
    for row in PASSES:
        levels = f"{row.reads} -> {row.gives}"
        required = "yes" if row.required else "no"
        print(f"{row.name:<19}{row.stage:<19}{levels:<20}{required:<10}{row.summary}")
    print("\norder, beyond the order of the levels:")
    for order in ORDER:
        print(f"  {order.before} before {order.after}: {order.reason}")
    print("\nrequired passes, beyond those that produce the level that a pass reads:")
    for need in NEEDS:
        print(f"  {need.by} needs {need.needed}: {need.reason}")
    return 0


def _add_doctor(commands: Commands) -> None:
    command = add_command(commands, "doctor", "check the installation, or a script beside Numba")
    command.add_argument(
        "--compare",
        nargs=argparse.REMAINDER,
        metavar="SCRIPT",
        help="run a script, with its arguments, under Numba and under Cutaway: show the first call"
        " of a compiled function whose result differs",
    )
    command.set_defaults(command=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    if options.compare is not None:
        if not options.compare:
            raise CutawayError("which script?", hint="cutaway doctor --compare script.py")
        return comparing.compare(options.compare[0], options.compare[1:])
    rows = [_diagnosis(what, check) for what, check in _CHECKS]
    for good, what, detail in rows:
        print(f"[{'ok' if good else '!!'}] {what:<22}{detail}")
    return 0 if all(good for good, _, _ in rows) else _USER_ERROR


def _diagnosis(what: str, check: Callable[[], str]) -> tuple[bool, str, str]:
    try:
        return True, what, check()
    except Exception as error:
        return False, what, f"{type(error).__name__}: {error}"


def _version_of(module: str) -> Callable[[], str]:
    return lambda: str(importlib.import_module(module).__version__)


def _file_of(module: str) -> Callable[[], str]:
    return lambda: str(importlib.import_module(module).__file__)


def _llvm() -> str:
    binding = importlib.import_module("llvmlite.binding")
    return f"LLVM {'.'.join(map(str, binding.llvm_version_info))}"


def _processor() -> str:
    binding = importlib.import_module("llvmlite.binding")
    return f"{binding.get_host_cpu_name()}, {binding.get_default_triple()}"


def _compiled_for() -> str:
    cpu = chosen_target().machine
    check_runs_here(cpu)
    return str(cpu)


def _compile_something() -> str:
    @jit
    def add(a: int, b: int) -> int:
        return a + b

    assert add(20, 22) == 42
    return "20 + 22 is 42"


def _ptxas() -> str:
    path = find_ptxas()
    return f"not installed: {EXTRA}" if path is None else f"{path}: {abilities(path)}"


def _numba() -> str:
    real = real_numba()
    where = f" (the real one is in {real})" if real else ""
    return f"python -m cutaway.as_numba{' --beside' if real else ''} program.py{where}"


_CHECKS: tuple[tuple[str, Callable[[], str]], ...] = (
    ("cutaway", lambda: cutaway.__version__),
    ("Python", platform.python_version),
    ("system", platform.platform),
    ("processor", _processor),
    ("code is for", _compiled_for),
    ("llvmlite", _version_of("llvmlite")),
    ("LLVM", _llvm),
    ("numpy", _version_of("numpy")),
    ("rich", lambda: importlib.import_module("importlib.metadata").version("rich")),
    ("graphviz", _version_of("graphviz")),
    ("runtime extension", _file_of("cutaway.runtime._runtime")),
    ("dispatch extension", _file_of("cutaway.dispatch_c._dispatch")),
    ("compiling a function", _compile_something),
    ("ptxas", _ptxas),
    ("libdevice", lambda: find_libdevice() or f"not installed: {EXTRA}"),
    ("in Numba's place", _numba),
    ("GPU", lambda: "there is one" if is_available() else "none: kernels can be simulated"),
)


if __name__ == "__main__":
    sys.exit(main())
