"""Objects with displays for terminals and notebooks, and as plain text."""

from __future__ import annotations

from typing import Any

from cutaway.inspection.showing import render
from cutaway.inspection.showing.page import notebook


class Displayed:
    """An object with displays for terminals and notebooks, and as plain text by `str`."""

    def __rich__(self) -> Any:
        return render.drawn(self)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        drawn: str = notebook.shown(self) or render.as_html(self)
        return {"text/plain": str(self), "text/html": drawn}
