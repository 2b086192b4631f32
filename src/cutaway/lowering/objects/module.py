"""The entry point of a function in object mode, and the code that counts references.

    i32 @f.entry(ptr %ret, ptr %args, ptr %exc)    calls @f with its environment

The entry point is like that of all compiled code, so that the dispatcher need not know the mode:
its slots hold addresses of objects.  References are counted inline, as CPython's own macros do in
the running version.
"""

from __future__ import annotations

import sys
from typing import Any

from cutaway.foundation.python_words import FREE_THREADED
from cutaway.lowering.build.builder import symbol
from cutaway.lowering.callee import Callee

# An object begins with its reference count.
_PLAIN = """\
define internal void @object.incref(ptr %object) alwaysinline nounwind {
  %count = load i64, ptr %object, align 8
  %more = add i64 %count, 1
  store i64 %more, ptr %object, align 8
  ret void
}

define internal void @object.decref(ptr %object) alwaysinline nounwind {
  %count = load i64, ptr %object, align 8
  %less = sub i64 %count, 1
  store i64 %less, ptr %object, align 8
  %last = icmp eq i64 %less, 0
  br i1 %last, label %end, label %on, !prof !0
end:
  call void @cutaway_py_end(ptr %object)
  br label %on
on:
  ret void
}
"""
# In 3.12 and 3.13 immortal objects are not counted: their low 32 bits are negative, or all set. All
# 64 bits are written, the upper ones zero: a processor stalls when it loads more bytes than it has
# just stored, as CPython's macros may after these.
_IMMORTAL = """\
define internal void @object.incref(ptr %object) alwaysinline nounwind {
  %count = load i32, ptr %object, align 8
  %more = add i32 %count, 1
  %forever = icmp eq i32 %more, 0
  br i1 %forever, label %on, label %counted
counted:
  %all = zext i32 %more to i64
  store i64 %all, ptr %object, align 8
  br label %on
on:
  ret void
}

define internal void @object.decref(ptr %object) alwaysinline nounwind {
  %count = load i32, ptr %object, align 8
  %forever = icmp slt i32 %count, 0
  br i1 %forever, label %on, label %counted
counted:
  %less = sub i32 %count, 1
  %all = zext i32 %less to i64
  store i64 %all, ptr %object, align 8
  %last = icmp eq i32 %less, 0
  br i1 %last, label %end, label %on, !prof !0
end:
  call void @cutaway_py_end(ptr %object)
  br label %on
on:
  ret void
}
"""
# From 3.14 on the upper 32 bits hold flags, and CPython's own macros read the lower ones alone.
_FLAGGED = """\
define internal void @object.incref(ptr %object) alwaysinline nounwind {
  %count = load i32, ptr %object, align 8
  %forever = icmp slt i32 %count, 0
  br i1 %forever, label %on, label %counted
counted:
  %more = add i32 %count, 1
  store i32 %more, ptr %object, align 8
  br label %on
on:
  ret void
}

define internal void @object.decref(ptr %object) alwaysinline nounwind {
  %count = load i32, ptr %object, align 8
  %forever = icmp slt i32 %count, 0
  br i1 %forever, label %on, label %counted
counted:
  %less = sub i32 %count, 1
  store i32 %less, ptr %object, align 8
  %last = icmp eq i32 %less, 0
  br i1 %last, label %end, label %on, !prof !0
end:
  call void @cutaway_py_end(ptr %object)
  br label %on
on:
  ret void
}
"""
# Without a GIL a thread counts references to its own objects locally, and other threads atomically.
_CALLED = """\
define internal void @object.incref(ptr %object) alwaysinline nounwind {
  call void @Py_IncRef(ptr %object)
  ret void
}

define internal void @object.decref(ptr %object) alwaysinline nounwind {
  call void @Py_DecRef(ptr %object)
  ret void
}
"""
_MAYBE = """\
define internal void @object.xdecref(ptr %object) alwaysinline nounwind {
  %none = icmp eq ptr %object, null
  br i1 %none, label %on, label %there
there:
  call void @object.decref(ptr %object)
  br label %on
on:
  ret void
}
"""
_ENTRY = """\
define i32 {entry}(ptr noalias %ret, ptr noalias readonly %args, ptr noalias %exc) nounwind {{
  %value = call ptr {function}(ptr {environment}, ptr %args)
  store ptr %value, ptr %ret, align 8
  %failed = icmp eq ptr %value, null
  %$status = select i1 %failed, i32 2, i32 0
  ret i32 %$status
}}
"""
COUNTERS = ("Py_IncRef", "Py_DecRef") if FREE_THREADED else ("cutaway_py_end",)  # their callees
_COUNTED = (
    _CALLED
    if FREE_THREADED
    else _FLAGGED
    if sys.version_info >= (3, 14)
    else _IMMORTAL
    if sys.version_info >= (3, 12)
    else _PLAIN
)
COUNTING = f"{_COUNTED}\n{_MAYBE}"


def environment_name(callee: Callee) -> str:
    """Return the symbol of a function's environment."""
    return f"{callee.symbol}.env"


def environment_address(objects: tuple[Any, ...]) -> int:
    """Return the address of the first object of a tuple, which stores them contiguously."""
    return id(objects) + tuple.__basicsize__


def entry_text(callee: Callee) -> str:
    """Return the entry point of a function, and the reference counting functions."""
    entry = _ENTRY.format(
        entry=symbol(f"{callee.symbol}.entry"),
        function=symbol(callee.symbol),
        environment=symbol(environment_name(callee)),
    )
    return f"{COUNTING}\n{entry}"
