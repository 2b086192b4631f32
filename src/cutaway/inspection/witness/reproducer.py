"""Write a script that reproduces a fault: at most 30 lines, with nothing to edit."""

from __future__ import annotations

import ctypes
import inspect
import textwrap
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from cutaway.foundation.options import Flags
from cutaway.inspection.recording.recording import Recording
from cutaway.inspection.witness.copies import bounds
from cutaway.stages.catalog import PASSES
from cutaway.stages.unit import CompileUnit

LONGEST = 30
_LONGEST_SOURCE = 14
_MOST_ITEMS = 200  # of an array that is written in full
_KNOWN = {step.name: step for step in PASSES}


def script(compilation: Recording, args: tuple[Any, ...], pass_name: str, difference: str) -> str:
    """Return the text of the script; it exits with status 1 while the fault persists."""
    unit = compilation.unit
    text = " ".join(difference.split())[:80].replace('"', "'").replace("\\", "/")
    head = [f'"""{unit.name}, pass {pass_name}: {text}"""'] if pass_name else []
    names, body = _function(unit.pyfunc)
    steps = list(_other_passes(unit))
    lines = [*head, "import sys", "", "import numpy as np", "", "import cutaway", *names]
    if steps:
        lines.append("from cutaway.foundation.dataclass import replace")
    lines += ["", *body, "", "pipeline = cutaway.pipelines.nopython"]
    lines += steps
    name = unit.pyfunc.__name__
    options = "".join(f", {word}" for word in _options(unit.flags))
    memory, texts = _arguments(args)
    lines += memory
    written = ", ".join(texts)
    lines += [
        f"f = cutaway.jit(pipeline=pipeline{options})({name})",
        f"args = ({written}{',' if len(args) == 1 else ''})",
        "found = f.trace(*args).bisect(*args)",
        "print(found)",
        "sys.exit(not found.ok)",
    ]
    return "\n".join(lines) + "\n"


def _function(function: FunctionType) -> tuple[list[str], list[str]]:
    """Return the imports of a function and its source, or lines that load it from its file."""
    try:
        source = textwrap.dedent(inspect.getsource(function)).rstrip().splitlines()
    except (OSError, TypeError):
        source = []
    first = next((k for k, line in enumerate(source) if line.startswith("def ")), len(source))
    body, needed = source[first:], _needed(function)
    if body and len(body) <= _LONGEST_SOURCE and needed is not None and _fits(function):
        return needed, ["", *body]
    file, name = function.__code__.co_filename, function.__qualname__
    if "<locals>" in name:
        return ["import runpy"], [f"# {name} is an inner function of {file}", *body]
    load = f"{name} = runpy.run_path({file!r})[{name!r}]"
    tail = f"{name} = getattr({name}, 'py_func', {name})"
    return ["import runpy"], [load, tail]


def _fits(function: FunctionType) -> bool:
    return not function.__closure__ and function.__code__.co_name != "<lambda>"


def _needed(function: FunctionType) -> list[str] | None:
    """Return the source that imports or defines the globals of a function; None if one has no such
    source."""
    result = []
    for name in function.__code__.co_names:
        value = function.__globals__.get(name, _needed)
        if value is _needed or value is np and name == "np":
            continue
        if isinstance(value, ModuleType):
            result.append(f"import {value.__name__} as {name}")
        elif isinstance(value, bool | int | float | complex | str):
            result.append(f"{name} = {value!r}")
        elif value is not function:
            return None
    return result


def _other_passes(unit: CompileUnit) -> Iterator[str]:
    """Yield the source that adds other passes to the pipeline; a comment names those without a
    module."""
    for step in unit.pipeline.passes if unit.pipeline is not None else ():
        if _KNOWN.get(step.name) == step:
            continue
        run = step.function
        module, name = getattr(run, "__module__", ""), getattr(run, "__qualname__", "<locals>")
        if step.name not in _KNOWN or "<" in name or module in ("", "__main__"):
            yield f"# a pass of its own, {step.name}, is not in this script"
            continue
        yield f"import {module}"
        old = f"cutaway.stages.catalog.PASSES[{list(_KNOWN).index(step.name)}]"
        yield "import cutaway.stages.catalog"
        yield f"step = replace({old}, run={module}.{name})"
        yield f"pipeline = pipeline.replace({step.name!r}, step)"


def _options(flags: Flags) -> Iterator[str]:
    plain = Flags()
    for name in ("boundscheck", "overflow", "error_model", "float_to_int"):
        if getattr(flags, name) != getattr(plain, name):
            yield f"{name}={getattr(flags, name)!r}"
    if flags.fastmath:
        yield f"fastmath={sorted(flags.fastmath)!r}"
    if flags.vector_math != ("afn" in flags.fastmath):
        yield f"vector_math={flags.vector_math!r}"


def _arguments(args: tuple[Any, ...]) -> tuple[list[str], list[str]]:
    """A line that allocates memory shared by arrays, if any share, and each argument as text."""
    arrays = [value for value in args if isinstance(value, np.ndarray)]
    shared = [a for a in arrays if any(a is not b and _overlap(a, b) for b in arrays)]
    low = min((bounds(a)[0] for a in shared), default=0)
    size = max((bounds(a)[1] for a in shared), default=0) - low
    is_plain = len({a.dtype for a in shared}) == 1 and all(
        (bounds(a)[0] - low) % a.itemsize == 0 for a in shared
    )
    if not is_plain or size > _MOST_ITEMS * shared[0].itemsize:
        return [], list(map(_written, args))
    held = (ctypes.c_char * size).from_address(low)
    memory = _written_array(np.frombuffer(held, shared[0].dtype))
    texts = [_view(a, low) if any(a is b for b in shared) else _written(a) for a in args]
    return [f"memory = {memory}"], texts


def _overlap(one: Any, other: Any) -> bool:
    return bool(np.may_share_memory(one, other))


def _view(value: Any, low: int) -> str:
    offset = value.__array_interface__["data"][0] - low
    return f"np.ndarray({value.shape}, {str(value.dtype)!r}, memory, {offset}, {value.strides})"


def _written(value: Any) -> str:
    """Write an argument as an expression."""
    if isinstance(value, np.ndarray):
        return _written_array(value)
    if type(value) is tuple:
        return f"({', '.join(map(_written, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and (value != value or value in (np.inf, -np.inf)):
        return f"float('{value}')"
    if isinstance(value, np.generic):
        return f"np.{value.dtype}({value.item()!r})"
    return repr(value)


def _written_array(value: Any) -> str:
    with np.printoptions(threshold=_MOST_ITEMS, precision=17):
        if value.size <= _MOST_ITEMS:
            listed = repr(value.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
        else:
            listed = f"np.arange({value.size}).reshape({value.shape})"
    text = f"np.array({listed}, dtype={str(value.dtype)!r})"
    if value.flags.f_contiguous and not value.flags.c_contiguous:
        return f"np.asfortranarray({text})"
    return text
