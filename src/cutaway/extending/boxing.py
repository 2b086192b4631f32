"""Boxing and unboxing of values by extensions (SPEC D7).

`unbox` and `box` register functions that write LLVM IR.  Each type gets two functions in machine
code, compiled when it is first an argument or a result; the dispatcher calls them (descriptor `Z`).
"""

from __future__ import annotations

import struct

from cutaway.extending import boxing_code
from cutaway.extending.boxing_tables import BOX, MADE, UNBOX, Boxing, NativeValue, box, unbox
from cutaway.lowering.layout import BOXED
from cutaway.typing.types import Type

__all__ = ["NativeValue", "box", "unbox"]


def _boxed(ty: Type, result: bool) -> Boxing | None:
    """Return the unboxing or boxing (`result`) of values of a type, if an extension defines it."""
    if (BOX if result else UNBOX).find((ty,)) is None:
        return None
    if ty not in MADE:
        library, unboxer, boxer = boxing_code.compiled(ty)
        MADE[ty] = Boxing(struct.pack("<qqq", ty.typecode, unboxer, boxer), library)
    return MADE[ty]


BOXED.append(_boxed)  # type: ignore[arg-type]
