"""The processors of this machine as a target."""

from __future__ import annotations

from cutaway.extending.registry import CONTEXT
from cutaway.lowering.build.status import ByStatus
from cutaway.lowering.module import entry_text
from cutaway.runtime import symbols
from cutaway.targets.cpu.optimization import HOST
from cutaway.targets.target import Target

CPU = Target("cpu", CONTEXT, HOST, symbols, ByStatus(), entry_text)
