"""Numba's own tests under Cutaway's layer, run where they are installed with Numba.

    make reference-tests [WHICH=test_range,test_tuples]

They are in no way copied: `build/clients` has Numba from PyPI, `reference_plugin.py` has them found
there.  Writes benchmarks/results/reference_tests.md.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clients import PLACE, prepare
from outside_tests import LAYER, NUMBA, Kept, causes, run_both, table

HERE = Path(__file__).resolve().parent
PAGE = HERE / "results" / "reference_tests.md"
KEPT = Kept(PAGE.with_suffix(".json"))
LIMIT = 3600.0

# Files about the language, its types and arrays; those about Numba's own passes are left out.
FILES = """
    test_array_attr test_array_constants test_array_iterators test_array_methods
    test_array_reductions test_auto_constants test_blackscholes test_builtins test_casting
    test_closure test_complex test_comprehension test_conversion test_dataflow test_dispatcher
    test_dyn_array test_enums test_exceptions test_extended_arg test_extending test_fancy_indexing
    test_fastmath test_flow_control test_generators test_globals test_indexing test_inlining
    test_iteration test_mandelbrot test_mathlib test_maxmin test_nan test_nested_calls
    test_npdatetime test_numberctor test_numconv test_operators test_optional test_print test_range
    test_recursion test_slices test_storeslice test_tuples test_typeof test_usecases
""".split()


@dataclass(frozen=True)
class Kind:
    """Failures of one reason: by what their causes say, or by the names of the tests."""

    reason: str
    causes: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    def has(self, test: str, cause: str) -> bool:
        """True if a failure is of this kind."""
        named = ".".join(test.split(".")[-2:])
        return named in self.tests or any(said in cause for said in self.causes)


# Failures that say nothing of programs; the first kind that fits counts.
APART = (
    Kind(
        "a result by Numba's own rules, where it is Python's or NumPy's here",
        tests=(
            # A variable of a closure is read when a signature is compiled, as a global is.
            *("TestClosure.test_jit_closure_variable", "TestClosure.test_rejitting_closure"),
            # int8 and uint64 are a float in NumPy; bits of them have no meaning there.
            *(
                f"{cls}.test_{name}"
                for cls in ("TestMixedInts", "TestMixedIntsOperatorModule")
                for name in "add sub mul floordiv mod pow or xor".split()
            ),
            # None stays None in a slice.
            *("TestSlices.test_slice_constructor", "TestSlices.test_slice_passing"),
            # math.ldexp raises OverflowError, as does a power; a negative power of an int raises.
            "TestFrexpLdexp.test_ldexp_huge_exponent_saturates",
            "TestFrexpLdexp.test_ldexp_overflows_to_inf",
            "TestStaticPower.test_real_values",
            "TestStaticPower.test_int_values",
            # The smallest integer by -1 does not fit.
            "TestBuiltins.test_divmod_ints_npm",
            # int(x) is an int, and Python's limit of recursion holds.
            "TestBuiltins.test_int_preserve_type_usecase",
            "TestMutualRecursion.test_runaway",
            # A float is not cut off silently where a signature asks for an integer.
            "TestDispatcher.test_coerce_input_types",
            "TestDispatcher.test_explicit_signatures",
            "TestDispatcherMethods.test_recompile_signatures",
            # An extension's overload that fits as it is comes before a conversion to numbers.
            *(
                f"TestHighLevelExtending.test_{name}"
                for name in ("add_binop", "add_operator", "iadd_binop", "iadd_operator")
            ),
            # A complex128 counts as Python's complex beside a complex64.
            "TestArrayMethods.test_np_where_3",
            # f.compile(signature) compiles, also where calls do not.
            "TestDispatcher.test_disabled_compilation",
            "TestDispatcher.test_disabled_compilation_through_list",
            # ~ of a bool is Python's.
            *("TestOperators.test_bitwise_not_npm", "TestOperatorModule.test_bitwise_not_npm"),
        ),
    ),
    Kind(
        "Numba's own inside: its passes, its code in LLVM, its attributes",
        (
            *("it is a part of Numba's own compiler", "requests a compiler class"),
            *("'_registries'", "no attribute '_", "could not find array declaration"),
        ),
        (
            *(
                f"TestArrayComprehension.test_{name}"
                for name in (
                    "comp_nest_with_array comp_nest_with_array_3 comp_nest_with_array_conditional"
                    " comp_nest_with_array_noinline comp_with_array_1 comp_with_array_conditional"
                    " comp_with_array_noinline reuse_of_array_var"
                ).split()
            ),
            *(f"TestFastMath.test_{name}" for name in ("jit", "guvectorize", "jit_subset_code")),
            *("TestInlining.test_inner_function", "TestInlining.test_multiple_inner_functions"),
            "TestFrexpLdexp.test_ldexp_declaration_has_signext_exponent",
            *("TestDispatcherMethods.test_inspect_cfg", "TestDispatcherMethods.test_inspect_types"),
            "TestDispatcherMethods.test_inspect_cfg_with_python_wrapper",
            *("TestDispatcher.test_serialization", "TestIntrinsic.test_serialization"),
            *("TestIntrinsic.test_deserialization", "TestConstantArray.test_too_big_to_freeze"),
            *(
                "TestNoRetryFailedSignature.test_direct_call",
                "TestDynArray.test_return_global_array",
            ),
            "TestNoRetryFailedSignature.test_nested_call",
            "TestNoRetryFailedSignature.test_error_count",
            "TestDynArray.test_return_global_array_sliced",
            *(
                f"TestJitOptionsNoNRT.test_overload_{name}no_nrt"
                for name in (*("", "attribute_", "method_"),)
            ),
            *("TestRegisterJitable.test_flags_no_nrt", "TestRaising.test_disable_nrt"),
            "TestHighLevelExtending.test_overload_callable_typeref",
            "TestOverloadMethodCaching.test_caching_overload_method",
            "TestHighLevelExtending.test_no_cpython_wrapper",
            "TestNrtNestedGen.test_nrt_nested_gen_refct",
        ),
    ),
    Kind(
        "an error for what Cutaway compiles",
        (
            "TypingError not raised",
            ">) not raised",
            "UnsupportedError not raised",
            "NotImplementedError'...' not raised",
            "NotImplementedError'>) not raised",
            "UnsupportedBytecodeError not raised",
        ),
    ),
    Kind(
        "the words of an error, which are Cutaway's, NumPy's or Python's here",
        (*("not found in", "Regex didn't match", "does not match", "'...' != '...'"),),
        (
            *("TestOperators.test_bitwise_float", "TestOperatorModule.test_bitwise_float"),
            "TestArrayComprehension.test_array_comp_inferred_dtype_outside_setitem",
            "TestSlices.test_slice_constructor_cases",
            "TestTupleTypeNotIterable.test_namedtuple_types_exception",
            "TestTupleTypeNotIterable.test_tuple_types_exception",
        ),
    ),
)

# The rest, by what is missing.
MISSING = (
    Kind(
        "lists, dicts and sets",
        (
            *("lists is not supported", "dictionaries are not", "type list cannot", "list(int"),
            *(
                "numba.typed.",
                "has no lists",
                "`list` of",
                "`set` of",
                "type set cannot",
                "dict cannot",
            ),
            *("List has no argument", "ListDisplay", "type list(", "List of", "type dict"),
        ),
    ),
    Kind("classes", ("numba.experimental.jitclass",)),
    Kind("functions as values", ("type function", "function_ptr")),
    Kind("text that is computed", ("type text(", "'join'", "str does not accept", "repr does not")),
    Kind(
        "types and names of Numba's that are not here", ("has no attribute", "__init__()", "absent")
    ),
)


def main() -> None:
    """Run the files and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--which", type=lambda text: text.split(","), default=FILES, help="files")
    parser.add_argument("--under", choices=(NUMBA, LAYER), default=LAYER, help="or the layer")
    options = parser.parse_args()
    python = prepare([])
    os.environ["PYTHONPATH"] = os.pathsep.join((str(HERE), str(HERE / "reference_children")))
    folder = next((PLACE / "lib").glob("python*/site-packages/numba/tests"))
    for name in options.which:
        words = ("-p", "reference_plugin", "--tb=native", "--assert=plain")
        files = [(*words, str(folder / f"{name}.py"))]
        both = run_both(python, files, PLACE, PLACE / "results" / name, LIMIT, (options.under,))
        KEPT.add(name, both, (options.under,))
        PAGE.write_text("\n".join(page()) + "\n")


def page() -> list[str]:
    """The page of results, from all runs that are kept."""
    found = KEPT.outcomes()
    failed = [
        (test, cause)
        for under_numba, under_layer in found.values()
        for test, cause in under_layer.tests.items()
        if test not in under_numba.tests
    ]
    apart, rest = _sorted(failed, APART)
    missing, other = _sorted(rest, MISSING)
    total = sum(one.passed + one.failed for _, one in found.values())
    passed = sum(one.passed for _, one in found.values())
    return [
        "# Numba's own tests, under Cutaway",
        "",
        "Written by `make reference-tests`: files of `numba.tests` of Numba 0.68.1, run where they"
        " are installed. A dash: not run under Numba.",
        "",
        f"**{passed} of {total} pass, {sum(map(len, apart.values()))} say nothing of programs,"
        f" {len(rest)} fail.** An internal error (CA900) is the cause of"
        f" {sum('CA900' in cause or 'InternalError' in cause for _, cause in failed)}, a crash of"
        f" {sum('died of' in cause for _, cause in failed)}.",
        "",
        *table([(name, *both) for name, both in found.items()], "file"),
        "",
        "## Apart: what is asserted is",
        "",
        *_shown(apart, named=True),
        "## The rest, by first causes",
        "",
        *_shown(missing | {"other causes": other}, named=False),
    ]


def _sorted(
    failed: list[tuple[str, str]], kinds: Sequence[Kind]
) -> tuple[dict[str, list[tuple[str, str]]], list[tuple[str, str]]]:
    """Failures by the first kind that fits, and those that none does."""
    by_kind: dict[str, list[tuple[str, str]]] = {kind.reason: [] for kind in kinds}
    rest = []
    for test, cause in failed:
        kind = next((kind for kind in kinds if kind.has(test, cause)), None)
        (rest if kind is None else by_kind[kind.reason]).append((test, cause))
    return by_kind, rest


def _shown(by_kind: dict[str, list[tuple[str, str]]], named: bool) -> Iterator[str]:
    """Lines for each kind: how many failures, and the tests or the causes."""
    for reason, failed in by_kind.items():
        yield f"**{reason}: {len(failed)}**"
        yield ""
        if named:
            yield ", ".join(sorted(".".join(test.split(".")[-2:]) for test, _ in failed))
        else:
            yield from causes(Counter(cause for _, cause in failed), 60)
        yield ""


if __name__ == "__main__":
    main()
