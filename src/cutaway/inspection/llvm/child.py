"""The process that runs LLVM with its reports enabled: `python -m` this module.

LLVM's reporting options apply to a whole process, and their output goes to stderr: hence a separate
process. It reads two texts of the module and the plan from stdin, pickled, and marks the start of
each part in the output. The first text is for remarks; its lines may be keys to fuller locations
than LLVM prints. Without changes, all remarks of the optimizer come in one part: the module is
optimized once and not four times.
"""

from __future__ import annotations

import os
import pickle
import sys

from cutaway.targets.cpu.engine import Module, set_option
from cutaway.targets.cpu.optimization import Plan

MARK = "@@ cutaway: "
KINDS = {"passed": "pass-remarks", "missed": "pass-remarks-missed", "note": "pass-remarks-analysis"}
ALL_KINDS, CHANGES, END = "all", "changes", "end"
_ALL, _NONE = ".*", "^$"


def main() -> None:
    """Optimize the module once for each kind of remark, and once with every change printed."""
    keyed, text, plan, with_changes = pickle.load(sys.stdin.buffer)
    if not with_changes:
        _begin(ALL_KINDS)
        for option in KINDS.values():
            set_option(f"--{option}={_ALL}")
        _optimized(keyed, plan)
        _begin(END)
        return
    for kind in KINDS:
        _begin(kind)
        for other, option in KINDS.items():
            set_option(f"--{option}={_ALL if other == kind else _NONE}")
        _generate(_optimized(keyed, plan), plan)
    _begin(CHANGES)
    for option in KINDS.values():
        set_option(f"--{option}={_ALL}")
    set_option("--print-changed")
    set_option("--print-module-scope")
    _optimized(text, plan)
    _begin(END)


def _optimized(text: str, plan: Plan) -> Module:
    module = Module(text, plan.cpu)
    module.optimize(plan)
    return module


def _generate(module: Module, plan: Plan) -> None:
    """Generate code for the remarks of the code generator; PTX has no object code."""
    if plan.cpu.triple:
        _ = module.assembly
    else:
        module.object_code()


def _begin(part: str) -> None:
    os.write(2, f"{MARK}{part}\n".encode())


if __name__ == "__main__":
    main()
