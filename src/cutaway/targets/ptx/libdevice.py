"""The functions of libdevice, NVIDIA's math library for GPUs, as LLVM text.

libdevice is one file of bitcode with 352 unoptimized functions, for all GPUs: to test for a kind of
GPU, or whether denormals may be flushed to zero, it calls `__nvvm_reflect`.  Here a function is
*pruned* once per answer: the calls become constants, its callees are inlined, memory is promoted to
registers, and the rest of the file is dropped.  The remainder is a tenth of the text, and is cached
on disk for later processes.

    %1 = call i32 @__nvvm_reflect(ptr @.str)    ->    %1 = add i32 0, 0
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from cutaway import config
from cutaway.caching import files
from cutaway.caching.digests import digest
from cutaway.caching.identity import process_digest
from cutaway.errors import CudaError, InternalError
from cutaway.targets.cpu.engine import LIGHT, Module, text_of_bitcode
from cutaway.targets.cpu.optimization import Cpu
from cutaway.targets.ptx.toolkit import EXTRA, find_libdevice
from cutaway.targets.target import Definition

PREFIX = "__nv_"

# Names with the text that defines or declares each.
Texts = dict[str, str]


class Answers(NamedTuple):
    """The answers of `__nvvm_reflect`: whether float32 denormals are flushed to zero, and the
    compute capability, ten times that of the machine's name, like `__CUDA_ARCH__` in C."""

    flush: bool
    arch: int

    def of(self, question: str) -> int:
        """Return the answer to a question; square roots are always exact."""
        return {"__CUDA_FTZ": int(self.flush), "__CUDA_ARCH": self.arch}.get(question, 1)


# libdevice compares capabilities with these; between them the functions are the same.
_BOUNDS = (200, 350, 370, 500, 600, 730, 821)


def answers(machine: str, flush: bool) -> Answers:
    """Return the answers for `sm_80`: those of the least machine with the same functions."""
    digits = "".join(filter(str.isdigit, machine))
    arch = int(digits or 0) * 10
    return Answers(flush, max((bound for bound in _BOUNDS if bound <= arch), default=0))


def definition(name: str, asked: Answers) -> Definition | None:
    """Return a libdevice function, or one that such a function calls, with its declarations.

    None for any other name, and if libdevice is not installed.
    """
    if not name.startswith("__"):
        return None
    path = find_libdevice()
    return None if path is None else _definition(name, asked, path)


@lru_cache(maxsize=1024)
def _definition(name: str, asked: Answers, path: str) -> Definition | None:
    if name.startswith(PREFIX):
        functions, others = _pruned(name, asked, path)
    else:
        functions, others = _HELPERS.get((name, asked, path), ({}, {}))
    if name not in functions:
        return None
    for other in functions:
        _HELPERS[other, asked, path] = functions, others
    text = functions[name]
    needed = {one: others[one] for one in _names(text) if one in others and one != name}
    for one in _names(text):
        if one in functions and one != name:
            needed[one] = _declaration(functions[one])
    return Definition(text, needed)


# A helper of other libdevice functions comes with the first of these.
_HELPERS: dict[tuple[str, Answers, str], tuple[Texts, Texts]] = {}


def _declaration(text: str) -> str:
    header = text.partition("\n")[0].removesuffix("{")
    return header.replace("define internal", "declare", 1)


# --- pruning ----------------------------------------------------------------------------------


@cache
def _file_digest(path: str, size: int, changed: int) -> str:
    with open(path, "rb") as file:
        return digest(file.read())


def _key(path: str, *words: object) -> str:
    stat = os.stat(path)
    of_file = _file_digest(path, stat.st_size, stat.st_mtime_ns)
    return " ".join(map(str, ("libdevice", of_file, process_digest(), *words)))


def _pruned(name: str, asked: Answers, path: str) -> tuple[Texts, Texts]:
    """Prune a function; returns it with its callees, and the other symbols they need."""
    key = _key(path, name, *asked)
    known = _read(name, key)
    if known is None:
        functions, others = _whole(path)
        if name not in functions:
            return {}, {}
        known = _optimized(_closure(name, functions, others), asked)
        _write(name, key, known)
    return known


def _optimized(module: str, asked: Answers) -> tuple[Texts, Texts]:
    cpu = Cpu("sm_70", "", "nvptx64-nvidia-cuda")  # the passes do not distinguish GPUs
    made = Module(_answered(module, asked), cpu)
    made.optimize(LIGHT.on(cpu))
    functions, others = _split(made.text)
    return {name: _plain(text) for name, text in functions.items()}, others


def _whole(path: str) -> tuple[Texts, Texts]:
    """Read all of libdevice from its file."""
    key = _key(path, "whole")
    known = _read("libdevice", key)
    if known is None:
        with open(path, "rb") as file:
            data = file.read()
        try:
            known = _split(_without_type_names(text_of_bitcode(data)))
        except InternalError as error:
            words = f"libdevice cannot be read ({path}): {error.message}"
            raise CudaError(words, hint=EXTRA) from None
        _write("libdevice", key, known)
    return known


def _read(name: str, key: str) -> tuple[Texts, Texts] | None:
    if not config.value("LIBRARY_CACHE"):
        return None
    path = os.path.join(files.library_folder(), files.file_name(name, key))
    found = files.read([path], key)
    return None if found is None else (found[1][0], found[1][1])


def _write(name: str, key: str, content: tuple[Texts, Texts]) -> None:
    if config.value("LIBRARY_CACHE"):
        files.write(
            [files.library_folder()], files.file_name(name, key), files.packed(key, content)
        )


# --- text -------------------------------------------------------------------------------------

_NAME = re.compile(r"@([\w.$]+)")
_TYPE = re.compile(r"^(%struct\.\w+) = type (\{.*\})\n", re.MULTILINE)
_DEFINED = re.compile(r"define [^@]*@([\w.$]+)\(")
_OTHER = re.compile(r"(?:declare [^@]*@([\w.$]+)\(|@([\w.$]+) = )")
_ATTRIBUTES = re.compile(r"attributes (#\d+) = \{(.*)\}")
_ASKED = re.compile(r"^(\s*%\S+ =) call i32 @__nvvm_reflect\(ptr (@[\w.]+)\).*$", re.MULTILINE)
_QUESTION = re.compile(r'(@[\w.]+) = [^\n]*c"(\w+)\\00"')
_MARKS = re.compile(r", ![a-z.]+ !\d+| #\d+(?=$| \{)|\s+; preds = .*$", re.MULTILINE)


def _names(text: str) -> list[str]:
    """Return the functions and globals that a text refers to."""
    return list(dict.fromkeys(_NAME.findall(text)))


def _without_type_names(text: str) -> str:
    """Write out the named types of a module."""
    known = dict(_TYPE.findall(text))
    text = _TYPE.sub("", text)
    return re.sub(r"%struct\.\w+", lambda name: known[name[0]], text)


def _split(text: str) -> tuple[Texts, Texts]:
    """Split a module into its functions by name, and its globals and declarations.

    Only the attribute against inlining is kept; other attributes and metadata are dropped.
    """
    groups = dict(_ATTRIBUTES.findall(text))
    functions: Texts = {}
    others: Texts = {}
    for part in _parts(text):
        header = part.partition("\n")[0]
        if defined := _DEFINED.match(header):
            functions[defined[1]] = _with_attributes(part, groups)
        elif other := _OTHER.match(header):
            others[next(filter(None, other.groups()))] = _MARKS.sub("", header)
    return functions, others


def _parts(text: str) -> Iterator[str]:
    """Yield the lines of a module, those of one function together."""
    inside: list[str] = []
    for line in text.splitlines():
        if line.startswith("define ") or inside:
            inside.append(line)
            if line == "}":
                yield "\n".join(inside) + "\n"
                inside = []
        else:
            yield line


def _with_attributes(function: str, groups: dict[str, str]) -> str:
    header, rest = function.split("\n", 1)
    marked = re.search(r"#\d+", header)
    inline = "noinline" if marked and "noinline" in groups.get(marked[0], "") else "alwaysinline"
    header = re.sub(r"\)[^()]*\{$", f") {inline} nounwind {{", header)
    return f"{header}\n{_MARKS.sub('', rest)}"


def _plain(function: str) -> str:
    """Set a function's linkage to internal."""
    lines = [line for line in function.splitlines() if line.strip()]
    return re.sub(r"^define (?:internal )?", "define internal ", "\n".join(lines)) + "\n"


def _closure(name: str, functions: Texts, others: Texts) -> str:
    """Return a module with a function, which is exported, and its dependences."""
    parts: Texts = {}
    waiting = [name]
    while waiting:
        one = waiting.pop()
        text = functions.get(one) or others.get(one)
        if one in parts or text is None:
            continue
        parts[one] = (
            text if one == name else re.sub("^define (?!internal)", "define internal ", text)
        )
        waiting += _names(text)
    return "\n".join(parts.values()) + "\n"


def _answered(module: str, asked: Answers) -> str:
    questions = dict(_QUESTION.findall(module))
    return _ASKED.sub(lambda one: f"{one[1]} add i32 0, {asked.of(questions[one[2]])}", module)
