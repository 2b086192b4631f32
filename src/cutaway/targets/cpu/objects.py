"""The target of object mode: the processors of this machine, and Python's C API."""

from __future__ import annotations

from cutaway.foundation.dataclass import replace
from cutaway.lowering.objects.module import entry_text
from cutaway.runtime import object_symbols
from cutaway.targets.cpu.target import CPU

OBJECTS = replace(CPU, name="objects", runtime=object_symbols, entry=entry_text)
