"""The public names, which are loaded at their first use, for type checkers."""

import numpy as _np

from cutaway import config as config
from cutaway import cuda as cuda
from cutaway import errors as errors
from cutaway import extending as extending
from cutaway import ledger as ledger
from cutaway import typed as typed
from cutaway import types as types
from cutaway.api import check_races as check_races
from cutaway.api import jit as jit
from cutaway.api import jit_module as jit_module
from cutaway.api import njit as njit
from cutaway.api import step as step
from cutaway.api import trace as trace
from cutaway.cuda.compiling import compile_ptx as compile_ptx
from cutaway.foundation.loops import prange as prange
from cutaway.foundation.marks import literal_unroll as literal_unroll
from cutaway.foundation.marks import literally as literally
from cutaway.foundation.marks import objmode as objmode
from cutaway.inspection.record.comparison import diff as diff
from cutaway.inspection.record.recorded import load as load
from cutaway.inspection.showing import magic as _magic
from cutaway.library.data.pointers import carray as carray
from cutaway.library.data.pointers import farray as farray
from cutaway.stages import pipelines as pipelines
from cutaway.stages.passes import Pass as Pass
from cutaway.stages.pipeline import Pipeline as Pipeline
from cutaway.stencils.decorator import stencil as stencil
from cutaway.threads import get_num_threads as get_num_threads
from cutaway.threads import get_parallel_chunksize as get_parallel_chunksize
from cutaway.threads import get_thread_id as get_thread_id
from cutaway.threads import parallel_chunksize as parallel_chunksize
from cutaway.threads import set_num_threads as set_num_threads
from cutaway.threads import set_parallel_chunksize as set_parallel_chunksize
from cutaway.threads import threading_layer as threading_layer
from cutaway.types import b1 as b1
from cutaway.types import bool_ as bool_
from cutaway.types import boolean as boolean
from cutaway.types import byte as byte
from cutaway.types import c8 as c8
from cutaway.types import c16 as c16
from cutaway.types import char as char
from cutaway.types import complex64 as complex64
from cutaway.types import complex128 as complex128
from cutaway.types import double as double
from cutaway.types import f2 as f2
from cutaway.types import f4 as f4
from cutaway.types import f8 as f8
from cutaway.types import float16 as float16
from cutaway.types import float32 as float32
from cutaway.types import float64 as float64
from cutaway.types import float_ as float_
from cutaway.types import i1 as i1
from cutaway.types import i2 as i2
from cutaway.types import i4 as i4
from cutaway.types import i8 as i8
from cutaway.types import int8 as int8
from cutaway.types import int16 as int16
from cutaway.types import int32 as int32
from cutaway.types import int64 as int64
from cutaway.types import int_ as int_
from cutaway.types import intc as intc
from cutaway.types import intp as intp
from cutaway.types import long_ as long_
from cutaway.types import longlong as longlong
from cutaway.types import none as none
from cutaway.types import optional as optional
from cutaway.types import short as short
from cutaway.types import size_t as size_t
from cutaway.types import ssize_t as ssize_t
from cutaway.types import u1 as u1
from cutaway.types import u2 as u2
from cutaway.types import u4 as u4
from cutaway.types import u8 as u8
from cutaway.types import uchar as uchar
from cutaway.types import uint as uint
from cutaway.types import uint8 as uint8
from cutaway.types import uint16 as uint16
from cutaway.types import uint32 as uint32
from cutaway.types import uint64 as uint64
from cutaway.types import uintc as uintc
from cutaway.types import uintp as uintp
from cutaway.types import ulong as ulong
from cutaway.types import ulonglong as ulonglong
from cutaway.types import ushort as ushort
from cutaway.types import void as void
from cutaway.typing.values.typeof import from_dtype as from_dtype
from cutaway.typing.values.typeof import typeof as typeof
from cutaway.ufuncs.decorators import guvectorize as guvectorize
from cutaway.ufuncs.decorators import vectorize as vectorize

pndindex = _np.ndindex
load_ipython_extension = _magic.load
__version__: str
version_info: tuple[int, ...]
