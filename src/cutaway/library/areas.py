"""The tables of areas: the modules that register each function, loaded at its first use.

`tests/unit/library/test_areas.py` compares the tables with the registrations of the areas, and
writes `AREAS` with CUTAWAY_BLESS=1.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from cutaway.extending.registry import CONTEXT
from cutaway.foundation import loading, stencil_functions
from cutaway.foundation.element_functions import half_of_method, ufunc_half
from cutaway.foundation.foreign import attribute, is_a, text_attribute
from cutaway.library import rest
from cutaway.library.arrays.creating import sequences
from cutaway.typing.inference.questions import ElementFunction, advance, iterate
from cutaway.typing.types import (
    Array,
    Deque,
    Dict,
    DictView,
    DType,
    List,
    ListLike,
    RandomSource,
    Range,
    SetLike,
    Tuple,
    Type,
)

# The modules for numbers, tuples, ranges and the items of arrays, with the names of the operators
# and other functions in them, and attributes after a dot.  They are asked in this order, as of
# overloads that fit equally well the one that was registered first is taken.
EVERYDAY: dict[str, str] = {
    "math.arithmetic": "add iadd imul isub mul neg pos sub",
    "math.division": "divmod floordiv ifloordiv imod itruediv mod truediv",
    "arrays.attributes": ".T .device .dtype .itemsize .mT .nbytes .ndim .shape .size .strides len",
    "core.conversions": "ceil complex float floor int round trunc",
    "arrays.indexing.basic": "advance getitem iterate setitem",
    "arrays.indexing.choosing": "getitem setitem",
    "arrays.indexing.unpacking": "unpack",
    "arrays.indexing.optional_values": "setitem",
    "math.bitwise": "and_ iand ilshift invert ior irshift ixor lshift or_ rshift xor",
    "core.comparisons": "_contains _not_contains bool eq ge gt is_ is_not le lt ne not_",
    "core.builtins": ".imag .real abs max min",
    "core.hashes": "_ended _mixed _not_an_error _with_lane hash",
    "containers.ranges": ".start .step .stop _contains _not_contains bool eq getitem len ne not_"
    " prange range",
    "containers.iteration": "advance enumerate iter iterate reversed zip",
    "math.number_classes": "bool complex128 complex64 fitting float16 float32 float64 int16 int32"
    " int64 int8 uint16 uint32 uint64 uint8",
    "math.powers": "ipow pow",
    "containers.tuples": ".count .index add eq ge getitem gt iadd imul le len list listed lt mul"
    " ne tuple",
    "containers.lists": ".append .reverse add advance appended bool cut extent fill gap getitem"
    " iterate len list_over new_list not_ numbers_of opened reversed sealed setitem swap unchecked",
    "containers.list_methods": ".clear .copy .count .extend .index .insert .pop .remove _add_all"
    " _check_alike _contains _first_difference _items_of _like _not_contains _size_of_all add"
    " are_alike can_open contains delitem eq ge getitem gt has_items have_same_items iadd imul"
    " is_deque is_list is_sized is_tuple le list lt mul ne setitem tells_value tuple",
    "containers.list_order": ".sort _first_by _first_or_default _has_one_order _merge _merge_sort"
    " _precedes _sort has_floats has_numbers max min sorted",
    "containers.dicts": ".add .clear .copy .get .items .keys .values _contains _not_contains"
    " advance bool dict_over emptied find following frozen getitem iterate key_at last len"
    " new_like not_ plain_copy remove set_over setitem thawed value_at",
    "containers.dict_methods": ".get .pop .popitem .setdefault .update _update delitem dict eq"
    " fromkeys ior is_dict ne or_ reversed",
    "containers.set_methods": ".difference .difference_update .discard .intersection"
    " .intersection_update .isdisjoint .issubset .issuperset .pop .remove .symmetric_difference"
    " .symmetric_difference_update .union .update _as_set _like _replace and_ eq frozenset ge gt"
    " iand ior is_frozen is_set isub ixor le lt ne or_ set sub xor",
    "containers.native": "Dict List Set dict_of_types empty_dict empty_list empty_set list_of_type"
    " natively of_type set_of_type",
    "containers.heaps": "_arrange _first _pop _push _push_pop _replace _rise _sink heapify heappop"
    " heappush heappushpop heapreplace nlargest nsmallest",
    "containers.bisecting": "_place bisect_left bisect_right insort_left insort_right",
    "containers.reducing": "reduce",
    "containers.iterators": "_called _group _pool _read_ahead _shared accumulate chain"
    " combinations combinations_with_replacement compress count cycle dropwhile filter filterfalse"
    " from_iterable groupby is_fixed islice iter map merge merged pairwise permutations product"
    " repeat starmap takewhile tee zip_longest",
    "core.snapshots": "_kept changes has_rows is_of snapshot",
    "containers.deque_methods": ".append .appendleft .copy .extend .extendleft .insert .maxlen"
    " .pop .popleft .remove .rotate _copy add deque deque_over emptied has_most iadd imul most_of"
    " mul names_value put_last",
    "core.getters": "attrgetter itemgetter methodcaller",
}

# The module of each area with its NumPy functions and, after a colon, its array methods. Functions
# of a NumPy submodule are written with its name: `linalg.solve`.
AREAS: dict[str, str] = {
    "arrays.creating.applying": "apply_along_axis apply_over_axes block fromfunction fromiter",
    "arrays.creating.conversions": "array asarray ascontiguousarray asfortranarray ndim shape size"
    " : astype item",
    "arrays.creating.creation": "empty empty_like full full_like ones ones_like zeros zeros_like",
    "arrays.creating.dtypes_of": "can_cast common_type finfo iinfo iscomplexobj isdtype isfortran"
    " isrealobj isscalar issubdtype iterable min_scalar_type promote_types result_type",
    "arrays.creating.spacing": "arange geomspace linspace logspace",
    "arrays.creating.tables": "eye identity meshgrid tri tril triu vander",
    "arrays.creating.windows": "bartlett blackman hamming hanning i0 kaiser sinc",
    "arrays.curves.interpolation": "interp polyval",
    "arrays.curves.polys": "poly polyadd polyder polydiv polyfit polyint polymul polysub roots",
    "arrays.curves.signals": "gradient unwrap",
    "arrays.elementwise.comparisons": "allclose array_equal array_equiv isclose",
    "arrays.elementwise.complex_parts": "angle fix imag iscomplex isneginf isposinf isreal real"
    " real_if_close sort_complex : conj conjugate",
    "arrays.elementwise.conditions": "piecewise select",
    "arrays.elementwise.rounding": "around nan_to_num round : round",
    "arrays.indexing.iterators": "ix_ ndenumerate ndindex",
    "arrays.indexing.putting": "copyto place put put_along_axis putmask : put",
    "arrays.indexing.selecting": "clip repeat where : clip repeat",
    "arrays.indexing.tables": "diag_indices diag_indices_from fill_diagonal indices mask_indices"
    " ravel_multi_index tril_indices tril_indices_from triu_indices triu_indices_from"
    " unravel_index",
    "arrays.indexing.taking": "choose compress extract take take_along_axis : choose take",
    "arrays.indexing.walks": "nditer",
    "arrays.layout.broadcasting": "broadcast_arrays broadcast_shapes broadcast_to",
    "arrays.layout.inserting": "append delete insert",
    "arrays.layout.joining": "column_stack concatenate dstack hstack stack tile vstack",
    "arrays.layout.orders": "asanyarray asarray_chkfinite copy matrix_transpose ravel require"
    " reshape resize rollaxis : copy flatten ravel reshape",
    "arrays.layout.packing": "packbits unpackbits",
    "arrays.layout.padding": "pad",
    "arrays.layout.shaping": "atleast_1d atleast_2d atleast_3d diag diagflat diagonal expand_dims"
    " flip fliplr flipud moveaxis roll rot90 squeeze swapaxes transpose : diagonal squeeze"
    " swapaxes transpose",
    "arrays.layout.sharing": "frombuffer lib.stride_tricks.as_strided"
    " lib.stride_tricks.sliding_window_view may_share_memory shares_memory",
    "arrays.layout.splitting": "array_split dsplit hsplit split trim_zeros unstack vsplit",
    "arrays.layout.views": " : byteswap view",
    "arrays.ordering.searching": "argwhere count_nonzero digitize flatnonzero nonzero searchsorted"
    " : nonzero searchsorted",
    "arrays.ordering.sets": "in1d intersect1d isin setdiff1d setxor1d union1d unique unique_all"
    " unique_counts unique_inverse unique_values",
    "arrays.ordering.sorting": "argpartition argsort lexsort partition sort : argpartition argsort"
    " partition sort",
    "arrays.products.convolution": "convolve correlate",
    "arrays.products.dots": "dot inner matmul matvec vdot vecdot vecmat : dot",
    "arrays.products.einsum": "einsum",
    "arrays.products.outer": "cross kron outer tensordot trace : trace",
    "arrays.statistics.covariances": "corrcoef cov",
    "arrays.statistics.cumulative": "cumprod cumsum cumulative_prod cumulative_sum diff ediff1d"
    " nancumprod nancumsum trapezoid trapz : cumprod cumsum",
    "arrays.statistics.histogram": "histogram histogram_bin_edges",
    "arrays.statistics.histograms": "bincount histogram2d histogramdd",
    "arrays.statistics.moments": "average mean nanmean nanstd nanvar ptp std var : mean std var",
    "arrays.statistics.quantiles": "median nanmedian nanpercentile nanquantile percentile quantile",
    "arrays.statistics.reductions": "all amax amin any argmax argmin max min nanargmax nanargmin"
    " nanmax nanmin nanprod nansum prod sum : all any argmax argmin max min prod sum",
    "fft.several_axes": "fft.fft2 fft.fftn fft.ifft2 fft.ifftn fft.irfft2 fft.irfftn fft.rfft2"
    " fft.rfftn",
    "fft.transforms": "fft.fft fft.fftfreq fft.fftshift fft.hfft fft.ifft fft.ifftshift fft.ihfft"
    " fft.irfft fft.rfft fft.rfftfreq",
    "linalg.eigen": "linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh",
    "linalg.factoring": "linalg.cholesky linalg.qr linalg.svd linalg.svdvals",
    "linalg.norms": "linalg.cond linalg.matrix_norm linalg.matrix_rank linalg.norm"
    " linalg.vector_norm",
    "linalg.products": "linalg.cross linalg.diagonal linalg.matmul linalg.matrix_power"
    " linalg.matrix_transpose linalg.multi_dot linalg.outer linalg.tensordot linalg.trace"
    " linalg.vecdot",
    "linalg.solving": "linalg.det linalg.inv linalg.lstsq linalg.pinv linalg.slogdet linalg.solve"
    " linalg.tensorinv linalg.tensorsolve",
    "polynomial_families.arithmetic": "polynomial.chebyshev.chebadd polynomial.chebyshev.chebdiv"
    " polynomial.chebyshev.chebmul polynomial.chebyshev.chebmulx polynomial.chebyshev.chebpow"
    " polynomial.chebyshev.chebsub polynomial.hermite.hermadd polynomial.hermite.hermdiv"
    " polynomial.hermite.hermmul polynomial.hermite.hermmulx polynomial.hermite.hermpow"
    " polynomial.hermite.hermsub polynomial.hermite_e.hermeadd polynomial.hermite_e.hermediv"
    " polynomial.hermite_e.hermemul polynomial.hermite_e.hermemulx polynomial.hermite_e.hermepow"
    " polynomial.hermite_e.hermesub polynomial.laguerre.lagadd polynomial.laguerre.lagdiv"
    " polynomial.laguerre.lagmul polynomial.laguerre.lagmulx polynomial.laguerre.lagpow"
    " polynomial.laguerre.lagsub polynomial.legendre.legadd polynomial.legendre.legdiv"
    " polynomial.legendre.legmul polynomial.legendre.legmulx polynomial.legendre.legpow"
    " polynomial.legendre.legsub polynomial.polynomial.polyadd polynomial.polynomial.polydiv"
    " polynomial.polynomial.polymul polynomial.polynomial.polymulx polynomial.polynomial.polypow"
    " polynomial.polynomial.polysub",
    "polynomial_families.calculus": "polynomial.chebyshev.chebder polynomial.chebyshev.chebint"
    " polynomial.hermite.hermder polynomial.hermite.hermint polynomial.hermite_e.hermeder"
    " polynomial.hermite_e.hermeint polynomial.laguerre.lagder polynomial.laguerre.lagint"
    " polynomial.legendre.legder polynomial.legendre.legint polynomial.polynomial.polyder"
    " polynomial.polynomial.polyint",
    "polynomial_families.fitting": "polynomial.chebyshev.chebfit polynomial.chebyshev.chebvander"
    " polynomial.hermite.hermfit polynomial.hermite.hermvander polynomial.hermite_e.hermefit"
    " polynomial.hermite_e.hermevander polynomial.laguerre.lagfit polynomial.laguerre.lagvander"
    " polynomial.legendre.legfit polynomial.legendre.legvander polynomial.polynomial.polyfit"
    " polynomial.polynomial.polyvander",
    "polynomial_families.points": "polynomial.chebyshev.chebgauss polynomial.chebyshev.chebpts1"
    " polynomial.chebyshev.chebpts2 polynomial.chebyshev.chebweight polynomial.laguerre.laggauss"
    " polynomial.legendre.leggauss polynomial.polynomial.polycompanion"
    " polynomial.polynomial.polyroots polynomial.polyutils.trimcoef polynomial.polyutils.trimseq",
    "polynomial_families.values": "polynomial.chebyshev.chebgrid2d polynomial.chebyshev.chebgrid3d"
    " polynomial.chebyshev.chebval polynomial.chebyshev.chebval2d polynomial.chebyshev.chebval3d"
    " polynomial.hermite.hermgrid2d polynomial.hermite.hermgrid3d polynomial.hermite.hermval"
    " polynomial.hermite.hermval2d polynomial.hermite.hermval3d polynomial.hermite_e.hermegrid2d"
    " polynomial.hermite_e.hermegrid3d polynomial.hermite_e.hermeval"
    " polynomial.hermite_e.hermeval2d polynomial.hermite_e.hermeval3d"
    " polynomial.laguerre.laggrid2d polynomial.laguerre.laggrid3d polynomial.laguerre.lagval"
    " polynomial.laguerre.lagval2d polynomial.laguerre.lagval3d polynomial.legendre.leggrid2d"
    " polynomial.legendre.leggrid3d polynomial.legendre.legval polynomial.legendre.legval2d"
    " polynomial.legendre.legval3d polynomial.polynomial.polygrid2d"
    " polynomial.polynomial.polygrid3d polynomial.polynomial.polyval"
    " polynomial.polynomial.polyval2d polynomial.polynomial.polyval3d",
    "random.functions": "random.RandomState random.default_rng random.ranf random.sample"
    " random.seed",
}

_AREA_OF = {
    name: area
    for area, names in AREAS.items()
    for functions, _, methods in [names.partition(":")]
    for name in (*functions.split(), *(f".{method}" for method in methods.split()))
}

_EVERYDAY_OF: dict[str, list[str]] = {}
for _area, _names in EVERYDAY.items():
    for _name in _names.split():
        _EVERYDAY_OF.setdefault(_name, []).append(_area)

# The module that registers each method of ufuncs.
_UFUNC_METHODS = {
    "reduce": "arrays.elementwise.ufunc_reductions",
    "accumulate": "arrays.elementwise.ufunc_methods",
    "reduceat": "arrays.elementwise.ufunc_methods",
    "outer": "arrays.elementwise.ufunc_methods",
    "at": "arrays.elementwise.ufunc_updates",
}
# The areas of the standard library's modules.
_OF_PYTHON = {"math": "math.mathematics", "cmath": "math.complex_math"}
# The NumPy module that each prefix of a name stands for.
PLACES = {
    "": "numpy",
    "linalg.": "numpy.linalg",
    "fft.": "numpy.fft",
    "random.": "numpy.random",
    "lib.stride_tricks.": "numpy.lib.stride_tricks",
    "polynomial.polyutils.": "numpy.polynomial.polyutils",
    "polynomial.polynomial.": "numpy.polynomial.polynomial",
    "polynomial.chebyshev.": "numpy.polynomial.chebyshev",
    "polynomial.legendre.": "numpy.polynomial.legendre",
    "polynomial.hermite.": "numpy.polynomial.hermite",
    "polynomial.hermite_e.": "numpy.polynomial.hermite_e",
    "polynomial.laguerre.": "numpy.polynomial.laguerre",
}


def load(function: Any, argtypes: tuple[Type, ...] | None = None) -> bool:
    """Load the next area that has a function, method or attribute; False if no other has."""
    if is_a(function, ElementFunction):
        return bool(_module("arrays.elementwise.ufuncs").register_element(function.name))
    if is_a(function, stencil_functions.StencilFunction):
        return bool(_module("stencils.calls").register_user(function))
    if is_a(function, _GETTERS):
        return bool(_module("core.getters").register(function))
    half = ufunc_half(function)
    if half is not None:
        return bool(_module(half.area).register_user(half))
    if half_of_method(function) is not None:
        return _load_method(function)
    for area in _areas_of(function):
        if area is not None and area not in _LOADED and _has_operator(area, function, argtypes):
            _module(area)
            _LOADED.add(area)
            return True
    return False


# The only types whose operators and items an area has.
_OPERANDS = {
    "arrays.indexing.basic": Array,
    "arrays.indexing.choosing": Array,
    "arrays.indexing.optional_values": Array,
    "containers.ranges": Range,
    "containers.tuples": Tuple,
    "containers.lists": (ListLike, Tuple),
    "containers.list_methods": (ListLike, Tuple),
    "containers.list_order": ListLike,
    "containers.list_arrays": List,
    "containers.deque_methods": Deque,
    "containers.dicts": (Dict, DictView, SetLike),
    "containers.dict_methods": Dict,
    "containers.set_methods": (SetLike, DictView),
}


_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
_OF_LISTS = ("containers.list_arrays",)  # what has all that it has for these types alone


def _has_operator(area: str, function: Any, argtypes: tuple[Type, ...] | None) -> bool:
    """True unless a function is an operator that an area has for other types alone."""
    cls = _OPERANDS.get(area)
    is_operator = _is_operator(function) or function is iterate or function is advance
    if cls is None or argtypes is None or not (is_operator or area in _OF_LISTS):
        return True
    return any(isinstance(getattr(ty, "source", ty), cls) for ty in argtypes)


def _load_rest() -> None:
    for area in EVERYDAY:
        _module(area)
    loading.run(rest)


def _load_method(function: Any) -> bool:
    """Register a method of a `vectorize` function; False for registered ones and other objects."""
    half, name = half_of_method(function), function.__name__
    if name not in _UFUNC_METHODS or half.layout_text is not None:
        return False
    _module(half.area).register_user(half)
    if CONTEXT.knows(function):
        return False
    _module(_UFUNC_METHODS[name]).METHODS[name](half.public)
    return True


def _module(area: str) -> Any:
    return loading.load(f"cutaway.library.{area}")


def _areas_of(function: Any) -> Iterator[str | None]:
    is_method = type(function) is tuple
    name = f".{function[1]}" if is_method else text_attribute(function, "__name__")
    yield from _EVERYDAY_OF.get(name, ())
    yield _area_of(function)


def _area_of(function: Any) -> str | None:
    if is_a(function, np.ufunc) or _is_operator(function):
        is_element_by_element = attribute(function, "signature", None) is None
        return "arrays.elementwise.ufuncs" if is_element_by_element else "arrays.products.dots"
    if type(function) is tuple and issubclass(function[0], RandomSource):
        return "random"
    if function is isinstance or type(function) is tuple and function[0] is DType:
        return "core.classes"
    if is_a(attribute(function, "__self__", None), np.ufunc):
        return _UFUNC_METHODS.get(function.__name__)
    module = text_attribute(function, "__module__")
    if module in _OF_PYTHON:
        return _OF_PYTHON[module]
    return _AREA_OF.get(_name_of(function))


def _is_operator(function: Any) -> bool:
    """True if a function of numbers takes arrays as operands too."""
    if function is operator.matmul:
        return False
    of_module = text_attribute(function, "__module__") == "_operator"
    return function is abs or function is divmod or of_module


_LOADED: set[str] = set()


def has(function: Any) -> bool:
    """True if a function or method belongs to an area."""
    return _name_of(function) in _AREA_OF


def names() -> list[str]:
    """The functions of all areas, and the methods with a dot in front."""
    return list(_AREA_OF)


def methods() -> list[tuple[type[Type], str]]:
    """The methods of all areas, by owner and name."""
    return [(Array, name[1:]) for name in _AREA_OF if name[0] == "."]


def _name_of(function: Any) -> str:
    if type(function) is tuple:
        return f".{function[1]}"
    if function is operator.matmul:
        return "matmul"
    return name_in_numpy(function) if name_in_numpy(function) in _AREA_OF else ""


def name_in_numpy(function: Any) -> str:
    """A NumPy function's name as users write it, without `np.`; empty for other functions."""
    name = text_attribute(function, "__name__")
    for prefix, module in PLACES.items():
        # A module that is not loaded cannot own the function.
        if name and module in sys.modules and vars(sys.modules[module]).get(name) is function:
            return prefix + name
    return ""


def _load_everyday(function: Any) -> None:
    for area in _EVERYDAY_OF.get(text_attribute(function, "__name__"), ()):
        _module(area)


_RANKS = {f"cutaway.library.{area}": rank for rank, area in enumerate(EVERYDAY)}

_GENERATORS = frozenset(EVERYDAY["containers.iterators"].split())


def _may_generate(function: Any) -> bool:
    """True for a function of the name of one that the area with generators has."""
    if text_attribute(function, "__name__") not in _GENERATORS:
        return False
    return text_attribute(type(function), "__module__") == "builtins"


_RANKS = {f"cutaway.library.{area}": rank for rank, area in enumerate(EVERYDAY)}

CONTEXT.area = load
CONTEXT.everyday = _load_everyday
CONTEXT.may_generate = _may_generate
CONTEXT.load_generators = lambda: _module("containers.iterators")
CONTEXT.rank = lambda: _RANKS.get(loading.running())
CONTEXT.rest = _load_rest
CONTEXT.with_arrays = lambda function, call: sequences.resolution_of(function, call)
CONTEXT.area_methods = methods
