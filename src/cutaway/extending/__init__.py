"""The public extension API: types and functions that compiled code learns (SPEC section D).

All of it is built on `registry`: a function's typing and lowering, registered together.  The names
here are imported at their first use.
"""

from __future__ import annotations

from typing import Any

from cutaway.foundation.loading import load

# Public names and the modules that define them.
_LATER = {
    **dict.fromkeys(
        "overload overload_attribute overload_classmethod overload_method register_jitable".split(),
        "overloads",
    ),
    **dict.fromkeys(["register_type", "is_jitted"], "registry"),
    **dict.fromkeys(["make_attribute_wrapper", "register_model"], "models"),
    **dict.fromkeys(["typeof_impl", "register_fingerprint"], "typeof_values"),
    "Conversion": "registry",
    **dict.fromkeys(["box", "unbox", "NativeValue"], "boxing"),
    **dict.fromkeys(
        "intrinsic lower_builtin lower_cast lower_constant lower_getattr lower_getattr_generic"
        " lower_setattr lower_setattr_generic".split(),
        "lowered",
    ),
    **dict.fromkeys(
        "AbstractTemplate AttributeTemplate CallableTemplate ConcreteTemplate infer infer_getattr"
        " bound_function infer_global signature type_callable".split(),
        "templates",
    ),
    **dict.fromkeys(["as_cutaway_type", "as_numba_type"], "annotations"),
    **dict.fromkeys(
        "RefType call_getiter call_iternext for_iter impl_ret_borrowed impl_ret_new_ref"
        " impl_ret_untracked iternext_impl".split(),
        "results",
    ),
    **dict.fromkeys(
        ["codepoint_to_kind", "empty_string", "get_code_point", "set_code_point"], "texts"
    ),
    "get_cython_function_address": "addresses",
    **dict.fromkeys(
        ["ExternalFunction", "ExternalFunctionPointer", "make_function_type"], "external"
    ),
    "models": None,
    "cgutils": None,
}

__all__ = list(_LATER)


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'cutaway.extending' has no attribute {name!r}")
    home = _LATER[name]
    module = load(f"cutaway.extending.{home or name}")
    value = globals()[name] = module if home is None else getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATER])
