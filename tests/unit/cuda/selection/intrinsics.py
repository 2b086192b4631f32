"""LLVM's intrinsics, general ones and NVIDIA's, with types of all kinds."""

from __future__ import annotations

from cuda.selection.instructions import FLOATS, INTEGERS
from cuda.selection.writing import element, intrinsic, kernel, of_bits, suffix

_FLOATS = (
    *FLOATS,
    "fp128",
    "<2 x half>",
    "<2 x bfloat>",
    "<2 x float>",
    "<4 x float>",
    "<2 x double>",
)
_INTEGERS = (*INTEGERS, "i33", "i256", "<2 x i16>", "<4 x i8>", "<4 x i32>", "<2 x i64>")

_OF_ONE = (
    "sqrt sin cos tan asin acos atan sinh cosh tanh exp exp2 exp10 log log2 log10 fabs floor ceil"
    " trunc rint nearbyint round roundeven canonicalize"
).split()
_OF_TWO = "pow copysign minnum maxnum minimum maximum minimumnum maximumnum atan2".split()


def _of_floats() -> None:
    for kind in _FLOATS:
        end = suffix(kind)
        for name in _OF_ONE:
            intrinsic(f"llvm.{name}.{end}", kind, [kind])
        for name in _OF_TWO:
            intrinsic(f"llvm.{name}.{end}", kind, [kind, kind])
        for name in ("fma", "fmuladd"):
            intrinsic(f"llvm.{name}.{end}", kind, [kind] * 3)
        if "<" in kind:
            for name in ("fadd", "fmul"):
                intrinsic(f"llvm.vector.reduce.{name}.{end}", element(kind), [element(kind), kind])
            for name in ("fmax", "fmin", "fmaximum", "fminimum"):
                intrinsic(f"llvm.vector.reduce.{name}.{end}", element(kind), [kind])
        else:
            _of_one_float(kind, end)


def _of_one_float(kind: str, end: str) -> None:
    for integer in ("i16", "i32", "i64"):
        intrinsic(f"llvm.powi.{end}.{integer}", kind, [kind, integer])
        intrinsic(f"llvm.ldexp.{end}.{integer}", kind, [kind, integer])
        intrinsic(f"llvm.frexp.{end}.{integer}", f"{{ {kind}, {integer} }}", [kind])
    for name in ("lrint", "llrint", "lround", "llround"):
        for integer in ("i32", "i64"):
            intrinsic(f"llvm.{name}.{integer}.{end}", integer, [kind])
    for name in ("sincos", "sincospi", "modf"):
        intrinsic(f"llvm.{name}.{end}", f"{{ {kind}, {kind} }}", [kind])
    for classes in ("3", "8", "516"):
        intrinsic(f"llvm.is.fpclass.{end}", "i1", [kind, ("i32", classes)])
    for integer in INTEGERS[1:]:
        for name in ("fptosi", "fptoui"):
            intrinsic(f"llvm.{name}.sat.{integer}.{end}", integer, [kind])
    intrinsic(f"llvm.arithmetic.fence.{end}", kind, [kind])


def _of_integers() -> None:
    for kind in _INTEGERS:
        end, many = suffix(kind), suffix(kind).partition("i")[0]
        for flag in ("false", "true"):
            for name in ("abs", "ctlz", "cttz"):
                intrinsic(f"llvm.{name}.{end}", kind, [kind, ("i1", flag)])
        for name in ("ctpop", "bitreverse"):
            intrinsic(f"llvm.{name}.{end}", kind, [kind])
        if kind not in ("i1", "i8", "i33", "<4 x i8>"):
            intrinsic(f"llvm.bswap.{end}", kind, [kind])
        for name in (
            "smin smax umin umax sadd.sat uadd.sat ssub.sat usub.sat sshl.sat ushl.sat"
        ).split():
            intrinsic(f"llvm.{name}.{end}", kind, [kind, kind])
        for name in ("fshl", "fshr"):
            intrinsic(f"llvm.{name}.{end}", kind, [kind] * 3)
        for name in "sadd uadd ssub usub smul umul".split():
            both = f"{{ {kind}, {of_bits(kind)} }}"
            intrinsic(f"llvm.{name}.with.overflow.{end}", both, [kind, kind])
        for name in "smul umul sdiv udiv".split() if kind != "i1" else ():
            intrinsic(f"llvm.{name}.fix.{end}", kind, [kind, kind, ("i32", "1")])
        for name in ("scmp", "ucmp"):
            byte = "i8" if "<" not in kind else kind.replace(element(kind), "i8")
            intrinsic(f"llvm.{name}.{many}i8.{end}", byte, [kind, kind])
        intrinsic(f"llvm.is.constant.{end}", "i1", [kind])
        for name in "add mul and or xor smax smin umax umin".split() if "<" in kind else ():
            intrinsic(f"llvm.vector.reduce.{name}.{end}", element(kind), [kind])


def _of_memory() -> None:
    for name in ("memcpy", "memmove"):
        for size in ("1", "16", "128", "129", "100000", "%n"):
            for bits in ("i64", "i32") if size != "%n" else ("i64",):
                for volatile in ("false", "true"):
                    _moved(name, bits, size, volatile)
    _moved("memcpy.inline", "i64", "64", "false")
    for size in ("1", "129", "100000", "%n"):
        kernel(
            f"intrinsic llvm.memset {size}",
            f"  call void @llvm.memset.p0.i64(ptr %q, i8 3, i64 {size}, i1 false)",
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        )
    kernel(
        "intrinsic llvm.memcpy.element",
        "  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %q, ptr align 4"
        " %p, i64 64, i32 4)",
        "declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)",
    )
    for kind, end in (("<4 x float>", "v4f32"), ("<8 x i32>", "v8i32")):
        bits = of_bits(kind)
        kernel(
            f"intrinsic llvm.masked.load.{end}",
            f"  %m = load {bits}, ptr %p\n  %r = call {kind} @llvm.masked.load.{end}.p0(ptr align"
            f" 16 %p, {bits} %m, {kind} zeroinitializer)\n  store {kind} %r, ptr %q",
            f"declare {kind} @llvm.masked.load.{end}.p0(ptr, {bits}, {kind})",
        )


def _moved(name: str, bits: str, size: str, volatile: str) -> None:
    kernel(
        f"intrinsic llvm.{name} {bits} {size} {volatile}",
        f"  call void @llvm.{name}.p0.p0.{bits}(ptr %q, ptr %p, {bits} {size}, i1 {volatile})",
        f"declare void @llvm.{name}.p0.p0.{bits}(ptr, ptr, {bits}, i1)",
    )


# Each with what it gives and takes, where that is a word: constants after a `=`.
_ODD = """\
trap: void                        debugtrap: void
ubsantrap: void i8=1              donothing: void
sideeffect: void                  assume: void i1=true
readcyclecounter: i64             readsteadycounter: i64
stacksave.p0: ptr                 returnaddress: ptr i32=0
frameaddress.p0: ptr i32=0        thread.pointer.p0: ptr
addressofreturnaddress.p0: ptr    sponentry.p0: ptr
get.rounding: i32                 set.rounding: void i32=1
get.fpenv.i64: i64                get.fpmode.i32: i32
reset.fpenv: void                 vscale.i64: i64
eh.sjlj.setup.dispatch: void      eh.unwind.init: void
pcmarker: void i32=1              localaddress: ptr
va_end.p0: void ptr               get.dynamic.area.offset.i64: i64
prefetch.p0: void ptr i32=0 i32=3 i32=1
invariant.start.p0: ptr i64=8 ptr
launder.invariant.group.p0: ptr ptr
ptrmask.p0.i64: ptr ptr i64       ssa.copy.i64: i64 i64
objectsize.i64.p0: i64 ptr i1=false i1=false i1=false
load.relative.i64: ptr ptr i64=8  coro.noop: ptr
coro.resume: void ptr             coro.destroy: void ptr
coro.done: i1 ptr                 clear_cache: void ptr ptr
experimental.get.vector.length.i64: i32 i64 i32=4 i1=false
set.loop.iterations.i64: void i64
loop.decrement.i64: i1 i64=1      xray.customevent: void ptr i64
convert.to.fp16.f32: i16 float    convert.from.fp16.f64: double i16
"""


def _others() -> None:
    for line in _ODD.splitlines():
        for row in filter(None, (part.strip() for part in line.split("  "))):
            name, _, words = row.partition(": ")
            result, *operands = words.split()
            given = [tuple(one.split("=")) if "=" in one else one for one in operands]
            intrinsic(f"llvm.{name}", result, given)
    kernel(
        "intrinsic llvm.lifetime",
        "  %a = alloca i64\n  call void @llvm.lifetime.start.p0(ptr %a)\n"
        "  store volatile i64 1, ptr %a\n  call void @llvm.lifetime.end.p0(ptr %a)",
        "declare void @llvm.lifetime.start.p0(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)",
    )
    kernel(
        "intrinsic llvm.read_register",
        "  %a = call i64 @llvm.read_register.i64(metadata !0)\n  store i64 %a, ptr %q",
        'declare i64 @llvm.read_register.i64(metadata)\n!0 = !{!"sp"}',
    )


def _of_nvidia() -> None:
    for axis in "xyz":
        for name in (
            "tid ntid ctaid nctaid cluster.ctaid cluster.nctaid clusterid nclusterid"
        ).split():
            _register(f"{name}.{axis}")
    for name in (
        "laneid warpid nwarpid smid nsmid gridid clock lanemask.eq lanemask.le lanemask.lt"
        " lanemask.ge lanemask.gt warpsize pm0 envreg0 dynamic_smem_size total_smem_size"
        " aggr_smem_size cluster.ctarank"
    ).split():
        _register(name)
    for name in ("clock64", "globaltimer"):
        _register(name, "i64")
    for row in _WITH_OPERANDS.splitlines():
        name, _, words = row.partition(": ")
        result, *operands = words.split()
        given = [tuple(one.split("=")) if "=" in one else one for one in operands]
        for mode in _MODES.get(name.partition("*")[0], ("",)):
            kind = "{ i32, i1 }" if result == "pair" else result
            intrinsic(f"llvm.nvvm.{name.replace('*', mode)}", kind, given)


def _register(name: str, kind: str = "i32") -> None:
    intrinsic(f"llvm.nvvm.read.ptx.sreg.{name}", kind, [])


_MODES = {
    "shfl.sync.": ("up", "down", "bfly", "idx"),
    "shfl.": ("up", "down", "bfly", "idx"),
    "vote.": ("all", "any", "uni"),
    "membar.": ("cta", "gl", "sys"),
    "redux.sync.": tuple("add umin umax min max and or xor".split()),
    "barrier.cta.red.": ("and", "or"),
}
_WITH_OPERANDS = """\
barrier0: void
barrier.cta.sync.aligned.all: void i32=0
barrier.cta.sync.aligned.count: void i32=0 i32=64
barrier.cta.red.*.aligned.all: i1 i32=0 i1
barrier.cta.red.popc.aligned.all: i32 i32=0 i1
bar.warp.sync: void i32
nanosleep: void i32
membar.*: void
shfl.sync.*.i32: i32 i32 i32 i32 i32
shfl.sync.*.f32: float i32 float i32 i32
shfl.sync.*.i32p: pair i32 i32 i32 i32
shfl.*.i32: i32 i32 i32 i32
vote.*.sync: i1 i32 i1
vote.ballot.sync: i32 i32 i1
vote.*: i1 i1
match.any.sync.i32: i32 i32 i32
match.any.sync.i64: i32 i32 i64
match.all.sync.i32p: pair i32 i32
match.all.sync.i64p: pair i32 i64
activemask: i32
exit: void
redux.sync.*: i32 i32 i32
rsqrt.approx.f: float float
rsqrt.approx.d: double double
sqrt.rn.f: float float
sin.approx.f: float float
lg2.approx.f: float float
rcp.rn.d: double double
div.rn.f: float float float
div.approx.f: float float float
add.rn.d: double double double
fma.rn.f: float float float float
fma.rn.d: double double double double
d2i.hi: i32 double
lohi.i2d: double i32 i32
d2i.rn: i32 double
ull2d.rn: double i64
d2ll.rz: i64 double
mulhi.ull: i64 i64 i64
prmt: i32 i32 i32 i32
saturate.f: float float
isspacep.shared: i1 ptr
fence.sc.cluster: void
barrier.cluster.arrive: void
barrier.cluster.wait: void
cp.async.wait.all: void
cp.async.commit.group: void"""


for _write in (_of_floats, _of_integers, _of_memory, _others, _of_nvidia):
    _write()
