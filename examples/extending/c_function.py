"""C functions by ctypes: compiled code calls them by their address, without Python.

Run it: `python examples/extending/c_function.py`
"""

import ctypes
import ctypes.util

import numpy as np

import cutaway
from cutaway import types
from cutaway.extending import intrinsic

# The types of ctypes, as Cutaway's types.
KINDS = {
    None: types.void,
    ctypes.c_double: types.float64,
    ctypes.c_float: types.float32,
    ctypes.c_int: types.int32,
    ctypes.c_uint: types.uint32,
    ctypes.c_long: types.int64,
    ctypes.c_size_t: types.uint64,
    ctypes.c_bool: types.boolean,
}


def wrapped(function):
    """An intrinsic that calls a C function, converting arguments to those it declares.

    The function's `argtypes` and `restype` say what it takes and gives; pointers are taken of the
    data of contiguous arrays.
    """
    address = ctypes.cast(function, ctypes.c_void_p).value
    returns = KINDS[function.restype]
    wanted = tuple(function.argtypes)

    @intrinsic
    def call(typingctx, *given):
        if len(given) != len(wanted):
            raise cutaway.errors.TypingError(
                f"{function.__name__} takes {len(wanted)} arguments, not {len(given)}"
            )
        accepted = tuple(map(accept, given, wanted))
        if None in accepted:
            return None

        def code(context, builder, sig, args):
            from llvmlite import ir

            passed = [
                context.make_array(ty)(context, builder, arg).data
                if isinstance(ty, types.Array)
                else arg
                for ty, arg in zip(sig.args, args)
            ]
            result = context.get_value_type(returns) if function.restype else ir.VoidType()
            kind = ir.FunctionType(result, [arg.type for arg in passed])
            pointer = builder.inttoptr(ir.IntType(64)(address), kind.as_pointer())
            found = builder.call(pointer, passed)
            return found if function.restype else context.get_dummy_value()

        return returns(*accepted), code

    call.__name__ = function.__name__
    return call


def accept(given, wanted):
    """The type in which an argument is passed where C wants another; None where it cannot be."""
    if hasattr(wanted, "contents") or wanted is ctypes.c_void_p:
        return given if isinstance(given, types.Array) and given.layout in "CF" else None
    return KINDS[wanted] if isinstance(given, types.Number | types.Boolean) else None


libm = ctypes.CDLL(ctypes.util.find_library("m"))
libm.lgamma.argtypes, libm.lgamma.restype = [ctypes.c_double], ctypes.c_double
libm.ldexp.argtypes, libm.ldexp.restype = [ctypes.c_double, ctypes.c_int], ctypes.c_double
lgamma, ldexp = wrapped(libm.lgamma), wrapped(libm.ldexp)

libc = ctypes.CDLL(None)
libc.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
libc.memcpy.restype = None
memcpy = wrapped(libc.memcpy)


@cutaway.jit
def log_factorials(n):
    """The logarithms of 0!, 1!, ..., (n-1)!, and a copy of them."""
    found = np.empty(n, np.float64)
    for k in range(n):
        found[k] = lgamma(k + 1)  # an integer: converted to a double, as C would
    copied = np.empty(n, np.float64)
    memcpy(copied, found, found.size * found.itemsize)
    return copied, ldexp(0.75, 4)


if __name__ == "__main__":
    print(*log_factorials(5))
