"""Write a page for every compilation of an unchanged program (`CUTAWAY_REPORT=folder`).

    folder/index.html                             the list of compilations, failures first
    folder/module.function-int64.float64.html     the report of one compilation

If the folder cannot be written, one warning says so, and the program continues.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from string import Template
from types import FunctionType

from cutaway import config
from cutaway.errors import CutawayError, ReportWarning
from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.loading import guard_forks
from cutaway.inspection.explaining.why import Retrace
from cutaway.inspection.recording.recorder import Recorder
from cutaway.inspection.recording.recording import Native, Recording
from cutaway.ir.levels import Level
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.literals import OtherTypesNeeded

_LONGEST = 120  # characters of a file's name
_INDEX = "index.html"
_TEMPLATE = Path(__file__).with_name("report_index.html")

_LOCK = threading.Lock()  # threads compile concurrently
guard_forks(_LOCK.acquire, _LOCK.release)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the index."""

    file: str
    title: str
    function: str
    outcome: str
    failed: bool
    seconds: float


@dataclass(slots=True)
class Folder:
    """The pages that this process has written into a folder.

    `owners` are the functions of each name: if there are several (closures of one `def`, say) they
    get numbers, in the order in which they were compiled.
    """

    path: Path
    pages: dict[str, Page] = field(default_factory=dict)
    owners: dict[str, list[weakref.ref[FunctionType]]] = field(default_factory=dict)
    is_warned: bool = False

    def name_for(self, compilation: Recording) -> str:
        """Return the file name of a compilation, which depends on the function and signature."""
        stem = _stem(compilation)
        owners = self.owners.setdefault(stem, [])
        function = compilation.unit.pyfunc
        known = next((k for k, owner in enumerate(owners) if owner() is function), None)
        if known is None:
            known = len(owners)
            owners.append(weakref.ref(function))
        return f"{stem}-{known + 1}.html" if known else f"{stem}.html"

    def write(self, compilation: Recording) -> None:
        """Write the page of a compilation, and the index."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with _LOCK:
                name = self.name_for(compilation)
            compilation.report(str(self.path / name))
            with _LOCK:
                self.pages[name] = _page(name, compilation)
                self._write_index()
        except Exception as error:  # a failed report must not end the user's program
            self.warn(error)

    def _write_index(self) -> None:
        others = {path.name for path in self.path.glob("*.html")} - self.pages.keys() - {_INDEX}
        text = _index_html(list(self.pages.values()), sorted(others))
        draft = self.path / f".{_INDEX}.{os.getpid()}"
        draft.write_text(text, encoding="utf-8", errors="backslashreplace")
        draft.replace(self.path / _INDEX)  # atomic, since other processes write here too

    def warn(self, error: Exception) -> None:
        """Warn, once, that a report is missing."""
        if not self.is_warned:
            self.is_warned = True
            said = error.message if isinstance(error, CutawayError) else str(error)
            text = f"no report is written to {self.path}: {type(error).__name__}: {said}"
            warnings.warn(text, ReportWarning, stacklevel=2)


_FOLDERS: dict[str, Folder] = {}  # by the path of the setting


class Gathering(Folder):
    """A folder that collects compilations in a list instead of writing pages."""

    def __init__(self, path: Path, otherwise: Folder | None) -> None:
        super().__init__(path)
        self.compilations: list[Recording] = []
        self.otherwise = otherwise

    def write(self, compilation: Recording) -> None:
        """Collect a compilation; write its page too if pages are requested."""
        self.compilations.append(compilation)
        if self.otherwise is not None:
            self.otherwise.write(compilation)


@contextmanager
def gathered() -> Iterator[list[Recording]]:
    """Collect the outermost compilations that end inside the `with` block."""
    wanted = config.value("REPORT")
    otherwise = None
    if wanted:
        path = os.path.abspath(wanted)
        otherwise = _FOLDERS.setdefault(path, Folder(Path(path)))
    name = os.path.abspath(f"gathered-{next(_SERIAL)}")
    gathering = _FOLDERS[name] = Gathering(Path(name), otherwise)
    try:
        with config.using(REPORT=name):
            yield gathering.compilations
    finally:
        del _FOLDERS[name]


_SERIAL = itertools.count(1)


class Reporter(Recorder):
    """Writes a page for each outermost compilation (REPORT)."""

    def __init__(
        self,
        folder: str,
        native: Native | None = None,
        retrace: Retrace | None = None,
        again: Callable[[], Recording] | None = None,
    ) -> None:
        super().__init__(native, retrace)
        self.folder = folder
        self.again = again
        self.is_late = False

    def compilation_started(self, unit: CompileUnit, pipeline: Pipeline) -> None:
        super().compilation_started(unit, pipeline)
        self.is_late = self.is_late or self._by_unit[unit].unit.level is not Level.source

    def close(self) -> None:
        """Write the pages."""
        if not self.folder:
            return
        path = os.path.abspath(self.folder)
        folder = _FOLDERS.setdefault(path, Folder(Path(path)))
        try:
            finished = self._finished()
        except Exception as error:  # as in Folder.write
            folder.warn(error)
            return
        for compilation in finished:
            folder.write(compilation)

    def _finished(self) -> list[Recording]:
        """Return the last compilation of each signature: earlier ones may be restarted attempts. A
        compilation whose first half was done for another function is repeated."""
        if self.is_late and self.again is not None and self.compilations:
            return [self.again()]
        latest = {(c.unit.pyfunc, c.unit.argtypes): c for c in self.compilations}
        return [c for c in latest.values() if _is_of_interest(c)]


def _is_of_interest(compilation: Recording) -> bool:
    error = compilation.error
    return error is None or isinstance(error, Exception) and not isinstance(error, OtherTypesNeeded)


# --- names and the index ------------------------------------------------------------------------


def _stem(compilation: Recording) -> str:
    """Module, function and argument types, in characters that every file system accepts; if that
    loses information or depends on case, a digest follows."""
    unit = compilation.unit
    types = "".join(f"-{ty}" for ty in unit.argtypes or ())
    whole = f"{unit.pyfunc.__module__}.{unit.name}{types}"
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", whole).lstrip(".")[:_LONGEST]
    if plain == whole and plain == plain.lower():
        return plain
    return f"{plain}-{hashlib.sha256(whole.encode(errors='backslashreplace')).hexdigest()[:8]}"


def _page(name: str, compilation: Recording) -> Page:
    unit, error = compilation.unit, compilation.error
    last = next((r.unit_after for r in reversed(compilation.records) if r.unit_after), unit)
    returns = last.return_type if last.has("return_type") else "?"
    said = f"returns {returns}" if error is None else _said(error)
    place = f"{unit.pyfunc.__module__}, {unit.pyfunc.__code__.co_filename}"
    line = unit.pyfunc.__code__.co_firstlineno
    title = compilation.signature
    return Page(name, title, f"{place}:{line}", said, error is not None, compilation.seconds)


def _said(error: BaseException) -> str:
    message = error.message if isinstance(error, CutawayError) else str(error)
    return f"{type(error).__name__}: {message}"


def _index_html(pages: list[Page], others: list[str]) -> str:
    rows = sorted(pages, key=lambda page: not page.failed)  # failures first, else in order
    template = Template(_TEMPLATE.read_text(encoding="utf-8"))
    return template.substitute(
        count=len(rows),
        failed=sum(page.failed for page in rows),
        rows="\n".join(map(_row, rows)),
        others="\n".join(_others(others)),
    )


def _row(page: Page) -> str:
    kind = ' class="failed"' if page.failed else ""
    return (
        f'<tr{kind}><td><a href="{escape(page.file)}">{escape(page.title)}</a></td>'
        f"<td>{escape(page.outcome)}</td><td>{page.seconds * 1e3:.1f}</td>"
        f"<td>{escape(page.function)}</td></tr>"
    )


def _others(names: list[str]) -> Iterator[str]:
    if names:
        yield "<h2>From earlier runs and other processes</h2>\n<ul>"
        for name in names:
            text = escape(name)
            yield f'<li><a href="{text}">{text.removesuffix(".html")}</a></li>'
        yield "</ul>"
