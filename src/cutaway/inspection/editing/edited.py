"""A compiled edited program: a function that can be called and installed.

It takes arguments of the types that it was compiled for and of no others, as one specialization
of a compiled function does.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from cutaway.inspection.showing.displayed import Displayed
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.dispatch_c._dispatch import Specialization
    from cutaway.inspection.recording.recording import Recording


class EditedFunction(Displayed):
    """A compiled edited program.

    `compilation` is its record, `signature` its argument types, `returns` the type of its result.
    `py_func` is the original Python function, `specialization` its machine code, None for a GPU.
    """

    def __init__(
        self,
        compilation: Recording,
        py_func: FunctionType,
        specialization: Specialization | None,
        call: Callable[[tuple[Any, ...], dict[str, Any]], Any],
    ) -> None:
        unit = compilation.records[-1].unit_after
        assert unit is not None and unit.argtypes is not None
        self.compilation = compilation
        self.py_func = py_func
        self.unit = unit
        self.signature: tuple[Type, ...] = unit.argtypes
        self.returns = unit.return_type
        self.specialization = specialization
        self._call = call

    @property
    def edits(self) -> tuple[str, ...]:
        """Sentences that describe each edit and how it was checked."""
        return self.compilation.edits

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the edited program.

        Raises TypeError for arguments of other types than the signature's.
        """
        return self._call(args, kwargs)

    def __str__(self) -> str:
        head = f"{self.compilation.signature} -> {self.returns}"
        return "\n".join([head, *(f"  {edit}" for edit in self.edits)])

    def __repr__(self) -> str:
        return f"<edited function {self.compilation.signature}>"
