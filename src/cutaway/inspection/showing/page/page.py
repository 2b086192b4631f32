"""The record of a compilation as one HTML file.

The scripts are concatenated, the data is JSON, both compressed.  The file makes no network
requests.  The same record produces the same bytes.
"""

from __future__ import annotations

import base64
import html
import json
import re
import string
import zlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from cutaway.errors import RecordError
from cutaway.foundation.dataclass import replace
from cutaway.inspection.record.encoding import JSON_ESCAPES, to_json
from cutaway.inspection.record.lives import with_lives
from cutaway.inspection.record.model import FunctionRecord, Plain, RecordData

# In the order of their dependencies.
SCRIPTS = ("dom", "data", "diff", "text", "panes", "graph", "panels", "search", "app", "keys")

# Fields with times or memory, which vary between runs.
_MEASURED = {"seconds": 0, "own_seconds": 0, "objects": 0, "bytes": -1, "peak": -1}


def page_text(
    data: RecordData, *, times: bool = True, compact: bool = False, **options: Plain
) -> str:
    """Build the page as text.

    Without `times` it has no measurements, so that two records of the same program have the same
    bytes. `compact` is the form for a notebook's frame: fewer parts around the code, and the app
    compressed like the data. `options` choose the initial view: `view`, `panel`, `at` (a pass),
    `columns`, `a` and `b`, `value`; `bare` is without the steps, `still` without the slider.
    """
    chosen = {name: value for name, value in options.items() if value}
    if compact:
        chosen["compact"] = True
    data = replace(data, functions=tuple(map(with_lives, data.functions)))
    content = _json(_without_times(to_json(data)) if not times else to_json(data))
    main = data.functions[0]
    return string.Template(_part("page.html")).substitute(
        title=html.escape(f"{main.name} – Cutaway"),
        style="" if compact else f"<style>\n{_style()}\n</style>",
        plain=_UNOPENED if compact else _plain(main),
        script=_script(_packed(content), _json(chosen), _style() if compact else ""),
    )


def write(path: str | Path, data: RecordData, *, times: bool = True) -> Path:
    """Write the page of a record and return its path.  Raises RecordError if the file cannot be
    written."""
    file = Path(path)
    try:
        file.write_text(page_text(data, times=times), encoding="utf-8", errors=JSON_ESCAPES)
    except OSError as error:
        raise RecordError(f"{path} cannot be written: {error.strerror}") from None
    return file


def _json(value: Plain) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(errors=JSON_ESCAPES), 9)).decode()


def _without_times(value: Any) -> Any:
    """Remove all measurements from a record's JSON."""
    match value:
        case dict():
            kept = {k: _MEASURED.get(k, _without_times(v)) for k, v in value.items()}
            if "threads" in kept and "states" in kept:
                kept["threads"] = None
            return kept | {"times": []} if "times" in kept else kept
        case list():
            return [_without_times(item) for item in value]
    return value


@cache
def _part(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


@cache
def _app() -> str:
    """Return the scripts, without their comments and indentation."""
    text = "\n".join(_part(f"{name}.js") for name in SCRIPTS)
    return _INDENTATION.sub("", _COMMENTS.sub("", text))


_COMMENTS = re.compile(r"^\s*(//[^\n]*|/\*\*.*?\*/)$", re.MULTILINE | re.DOTALL)
_INDENTATION = re.compile(r"^\s+", re.MULTILINE)


@cache
def _style() -> str:
    """Return the style sheet; the dark colors are repeated for readers who chose no theme."""
    css = _part("page.css")
    dark = css.split("/*dark*/")[1].split("/*end of dark*/")[0]
    asked = dark.replace(':root[data-theme="dark"]', ':root:not([data-theme="light"])')
    return f"{css}\n@media (prefers-color-scheme: dark) {{{asked}}}"


def _script(packed: str, options: str, style: str) -> str:
    """Return the script elements with the data and the app; the app adds the `style`."""
    begin = f"begin(packed, {options}).catch(failed);"
    code = f'"use strict";\n{_app()}\n{_FAILED}\nconst packed = data.textContent;\n'
    if style:
        code += f"document.head.append(el('style', {{}}, {_json(style)}));\n"
    first = _PRISTINE if style else ""
    return (
        f'<script type="application/octet-stream" id="data">{packed}</script>\n'
        f"<script>{first}{_UNPACK.replace('CODE', _packed(code + begin))}</script>"
    )


_FAILED = """\
function failed(error) {
  const text = `This page could not be opened: ${error.message}`;
  byId("plain").prepend(el("p", { class: "bad" }, text));
}"""

# The frame's HTML before anything changes it, which the button "Save page" writes.
_PRISTINE = "globalThis.pristine=document.documentElement.outerHTML;"

# Decompresses the app; minimal, since it is not compressed itself.
_UNPACK = (
    '(async()=>{const b=Uint8Array.from(atob("CODE"),c=>c.charCodeAt(0));'
    "const s=new Blob([b]).stream().pipeThrough(new DecompressionStream('deflate'));"
    "const e=document.createElement('script');e.textContent=await new Response(s).text();"
    "document.body.append(e)})()"
)


_UNOPENED = "<p>This view needs JavaScript. The same content follows as text.</p>"


def _plain(fn: FunctionRecord) -> str:
    """The text shown without scripts: the source, the error, and the purpose of each pass."""
    rows = "\n".join(
        f"<li><b>{html.escape(p.name)}</b>: {html.escape(p.summary)}</li>" for p in fn.passes
    )
    source = html.escape("\n".join(fn.source.lines))
    error = f"<p>{html.escape(fn.error.message)}</p>" if fn.error is not None else ""
    return (
        f"<h1>{html.escape(fn.signature)}</h1>\n{error}\n<pre>{source}</pre>\n"
        f"<noscript><p>The rest of this page needs JavaScript.</p></noscript>\n<ol>\n{rows}\n</ol>"
    )
