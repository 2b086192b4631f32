"""Objects with displays for terminals and notebooks, and as plain text."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


def render() -> ModuleType:
    """The module that draws; loaded at the first drawing, since rich takes its time to load."""
    return importlib.import_module("cutaway.inspection.showing.render")


def page() -> ModuleType:
    """The module that writes pages; loaded when the first is wanted."""
    return importlib.import_module("cutaway.inspection.showing.page")


def notebook() -> ModuleType:
    """The module that shows pages in a notebook's frame."""
    return importlib.import_module("cutaway.inspection.showing.page.notebook")


class Displayed:
    """An object with displays for terminals and notebooks, and as plain text by `str`."""

    def __rich__(self) -> Any:
        return render().drawn(self)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        drawn: str = notebook().shown(self) or render().as_html(self)
        return {"text/plain": str(self), "text/html": drawn}
