"""Whether LLVM knows a processor, which it is asked in a process of its own: a name that it does
not know ends the process.  That is `python -m` this module, with the name.
"""

from __future__ import annotations

import re
import subprocess
import sys

from cutaway.errors import InternalError, SettingError, did_you_mean
from cutaway.loading import environment_of_child
from cutaway.lowering.engine import Module
from cutaway.lowering.optimization import Cpu, Plan

_LONGEST = 20.0  # seconds
_TEXT = "define double @f(double %x) {\n  %y = fadd double %x, %x\n  ret double %y\n}\n"


def check(name: str, usual: tuple[str, ...]) -> None:
    """Raise SettingError where LLVM can make no code for a processor; `usual` are for the hint."""
    try:
        tried = subprocess.run(
            [sys.executable, "-P", "-m", __name__, name],
            capture_output=True,
            env=environment_of_child(),
            timeout=_LONGEST,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise InternalError(f"the processor {name!r} could not be tried: {error}") from None
    said = tried.stderr.decode(errors="replace")
    if tried.returncode == 0 and "not a recognized processor" not in said:
        return
    hint = f"usual names: {', '.join(usual)}"
    known = [*usual, *_names_in(said)]
    if name in known:
        raise SettingError(f"CUTAWAY_CPU: LLVM makes no 64-bit code for {name}", hint=hint)
    message = f"CUTAWAY_CPU: LLVM knows no processor {name!r} of this kind"
    raise SettingError(message, hint=did_you_mean(name, known, hint))


def _names_in(text: str) -> list[str]:
    """The processors in what LLVM prints when it is asked for help."""
    _, _, listed = text.partition("Available CPUs for this target:")
    listed, _, _ = listed.partition("Available features")
    return re.findall(r"^\s+(\S+)\s+- Select", listed, re.MULTILINE)


def main(name: str) -> None:
    """Generate code for a processor, after asking LLVM for help."""
    for cpu in (Cpu("generic", "+help"), Cpu(name)):
        module = Module(_TEXT)
        module.optimize(Plan(cpu=cpu))
        module.object_code()


if __name__ == "__main__":
    main(sys.argv[1])
