"""The instructions that LLVM's NVPTX back end selects, as tables: found by experiment, one module
for each row (`tests/unit/cuda/selection/`).

Anything that is in no table here may end the process inside LLVM, or be silently wrong.
"""

from __future__ import annotations

from cutaway.foundation.patterns import Pattern

# --- instructions -----------------------------------------------------------------------------

# Those that are selected for all types but the foreign ones.
ALWAYS = (
    "add sub mul udiv sdiv urem srem shl lshr ashr and or xor fneg fadd fsub fmul fdiv fcmp icmp"
    " select phi freeze load store getelementptr trunc zext sext fptrunc fpext bitcast ptrtoint"
    " ptrtoaddr inttoptr addrspacecast extractvalue insertvalue extractelement insertelement"
    " shufflevector br ret unreachable switch"
).split()

# Types that no instruction accepts: floats of 80 and 128 bits, scalable vectors.
FOREIGN_WORDS = (
    *("fp128", "x86_fp80", "ppc_fp128", "x86_amx", "vscale", "token", "blockaddress"),
    "target(",
)
FOREIGN = Pattern(rf"\b(?:{'|'.join(FOREIGN_WORDS[:-1])})\b|\btarget\(")

# Instructions that are never supported, with the reason and a hint.
_UNWINDING = ("code for a GPU cannot unwind the stack", "return a status")
REFUSED = {
    "frem": (
        "LLVM's remainder of floats is short of digits on a GPU",
        "call the function fmod instead of the instruction frem",
    ),
    "va_arg": ("a function on a GPU has a constant number of arguments", "pass an array"),
    "indirectbr": ("code for a GPU cannot jump to an address", "use switch"),
    "callbr": ("inline assembly cannot jump on a GPU", "compute a condition there, and branch"),
    **dict.fromkeys(
        "invoke resume landingpad catchswitch catchpad catchret cleanuppad cleanupret".split(),
        _UNWINDING,
    ),
}

WIDEST_CONVERTED = 64  # bits of an integer that is converted to or from a float

# Inline assembly that is known to be supported: of the library, and of libdevice, whose longer
# texts, products of 64 and 128 bits, are here by their checksums.
ASSEMBLY = Pattern(
    r'asm "(?:mov\.u32 \$0, %dynamic_smem_size;", "=r"|bfind\.shiftamt\.u32 \$0, \$1;", "=r,r"'
    r'|rcp\.approx\.ftz\.f32 \$0,\$1;", "=f,f"|rsqrt\.approx\.ftz\.f64 \$0, \$1;", "=d,d"'
    r'|sub\.r[nzmp](?:\.ftz)?\.f32 \$0, \$1, \$2;", "=f,f,f"'
    r'|sub\.r[nzmp]\.f64 \$0, \$1, \$2;", "=d,d,d"'
    r"|\{ \.reg \.pred (?P<p>__\$\$temp\d+);\\0A  setp\.equ\.f64 (?P=p), \$1, \$2;"
    r'\\0A  selp\.f64 \$0, \$3, \$4, (?P=p);\}", "=d,d,d,d,d")\('
)
ASSEMBLY_SUMS = frozenset((1321637114, 2358930121, 71719043, 2149931565, 3405599501))

# --- memory -----------------------------------------------------------------------------------

# Address spaces: generic, global, shared, constant, local.
GENERIC, GLOBAL, SHARED, CONSTANT, LOCAL = 0, 1, 3, 4, 5
SPACES = frozenset((GENERIC, GLOBAL, SHARED, CONSTANT, LOCAL))

ATOMIC_OPERATIONS = frozenset(
    "add sub xchg and nand or xor max min umax umin uinc_wrap udec_wrap usub_cond usub_sat fadd"
    " fsub fmin fmax fminimum fmaximum".split()
)
ATOMIC_TYPES = frozenset("i8 i16 i32 i64 half bfloat float double ptr".split())
ATOMIC_SCOPES = {
    "": 50,
    "device": 50,
    "block": 50,
    "cluster": 90,
}  # from a capability on
# A read-modify-write operation always has the weakest order, whatever is written.
WEAK_ORDERS = frozenset(("monotonic", "unordered"))
ORDERS_SINCE = 70  # the capability from which loads and stores have orders

MOST_SHARED = 48 * 1024  # bytes of declared arrays
MOST_CONSTANT = 64 * 1024
MOST_PARAMETERS = 4352  # bytes; of 7.0 and later with PTX 8.1, 32764
MOST_LOCAL = 512 * 1024  # bytes of a thread

# Functions of the driver.
OUTSIDE = frozenset(("vprintf", "malloc", "free", "__assertfail"))

# --- intrinsics -------------------------------------------------------------------------------

_FLOATS = r"(?:v\d+)?(?:f16|bf16|f32|f64)"
_INTEGERS = r"(?:v\d+)?i\d+"
_POINTER = r"p(?:0|1|3|4|5|101)"
_ANY_FLOAT = (
    "sqrt fabs floor ceil trunc rint nearbyint round roundeven copysign minnum maxnum minimum"
    " maximum minimumnum maximumnum fma fmuladd"
)
_ANY_INTEGER = (
    "abs ctlz cttz ctpop bitreverse bswap smin smax umin umax sadd.sat uadd.sat ssub.sat usub.sat"
    " sshl.sat ushl.sat fshl fshr sadd.with.overflow uadd.with.overflow ssub.with.overflow"
    " usub.with.overflow smul.with.overflow umul.with.overflow expect is.constant"
)
_REDUCED = "add mul and or xor smax smin umax umin"
_OTHERS = (
    "trap debugtrap donothing assume sideeffect lifetime.start.p0 lifetime.end.p0"
    " lifetime.start.p5 lifetime.end.p5 experimental.noalias.scope.decl readcyclecounter"
    " invariant.start.p0 invariant.end.p0"
)


def _one_of(words: str) -> str:
    return f"(?:{'|'.join(words.replace('.', '[.]').split())})"


# Those that every capability has, without `llvm.` in front.
EVERYWHERE = Pattern(
    "|".join(
        (
            rf"{_one_of(_ANY_FLOAT)}\.{_FLOATS}",
            rf"{_one_of(_ANY_INTEGER)}\.{_INTEGERS}",
            rf"vector\.reduce\.{_one_of(_REDUCED)}\.{_INTEGERS}",
            rf"(?:ucmp|scmp)\.{_INTEGERS}\.{_INTEGERS}",
            rf"vector\.reduce\.f(?:add|mul|min|max|minimum|maximum)\.{_FLOATS}",
            rf"is\.fpclass\.{_FLOATS}",
            r"fpto[su]i\.sat\.i(?:8|16|32|64)\.(?:f16|bf16|f32|f64)",
            rf"mem(?:cpy|move)\.{_POINTER}\.{_POINTER}\.i(?:32|64)",
            r"ldexp\.f(?:32|64)\.i32",
            r"convert\.(?:from|to)\.fp16\.f(?:32|64)",
            rf"arithmetic\.fence\.{_FLOATS}",
            rf"memcpy\.inline\.{_POINTER}\.{_POINTER}\.i(?:32|64)",
            rf"memset\.{_POINTER}\.i(?:32|64)",
            rf"ptrmask\.{_POINTER}\.i64",
            _one_of(_OTHERS),
        )
    )
)

# NVIDIA's own, by the first capability that has them, without `llvm.nvvm.` in front.
_SINCE = {
    50: (
        "activemask bar.warp.sync barrier0 membar.cta membar.gl membar.sys exit d2i.hi d2i.lo"
        " lohi.i2d prmt sad.i mulhi.i mulhi.ui mulhi.ll mulhi.ull saturate.f bitcast.f2i"
        " bitcast.i2f bitcast.d2ll bitcast.ll2d"
    ),
    70: ("match.any.sync.i32 match.any.sync.i64 match.all.sync.i32p match.all.sync.i64p nanosleep"),
    80: (
        "redux.sync.add redux.sync.umin redux.sync.umax redux.sync.min redux.sync.max"
        " redux.sync.and redux.sync.or redux.sync.xor cp.async.wait.all cp.async.commit.group"
    ),
    90: "fence.sc.cluster barrier.cluster.arrive barrier.cluster.wait",
}
NVVM_SINCE = {name: since for since, names in _SINCE.items() for name in names.split()}

_REGISTERS = (
    r"(?:tid|ntid|ctaid|nctaid)\.[xyz]|laneid|warpid|nwarpid|smid|nsmid|gridid|clock|clock64"
    r"|globaltimer|warpsize|lanemask\.(?:eq|le|lt|ge|gt)|dynamic_smem_size|total_smem_size"
)
_ROUNDED = r"(?:rn|rz|rm|rp)(?:\.ftz)?\.[fd]"
# Families of them that every capability has.
NVVM_EVERYWHERE = Pattern(
    "|".join(
        (
            rf"read\.ptx\.sreg\.(?:{_REGISTERS})",
            r"barrier\.cta\.sync\.(?:aligned\.)?(?:all|count)",
            r"barrier\.cta\.red\.(?:and|or|popc)\.aligned\.(?:all|count)",
            r"shfl\.sync\.(?:up|down|bfly|idx)\.(?:i32|f32)p?",
            r"vote\.(?:all|any|uni|ballot)\.sync",
            rf"(?:add|mul|div|fma|sqrt|rcp)\.{_ROUNDED}",
            r"(?:sqrt|rsqrt|rcp|div|sin|cos|lg2|ex2)\.approx(?:\.ftz)?\.f(?:32)?",
            r"(?:rsqrt|rcp)\.approx(?:\.ftz)?\.d|fabs(?:\.ftz)?\.f(?:32|64)",
            r"(?:ceil|floor|trunc|round|fmin|fmax|saturate)(?:\.ftz)?\.[fd]|sad\.ui",
            r"(?:d|f|i|ui|ll|ull)2(?:d|f|i|ui|ll|ull|h)\.(?:rn|rz|rm|rp)(?:\.ftz)?",
            r"isspacep\.(?:shared|global|const|local)",
        )
    )
)
NVVM_CLUSTER = Pattern(
    r"read\.ptx\.sreg\.(?:cluster\.(?:nctaid|ctaid)|clusterid|nclusterid)\.[xyz]"
    r"|read\.ptx\.sreg\.cluster\.(?:ctarank|nctarank)"
)

PAIRS_SINCE = 100  # the capability from which vectors of 32-bit numbers are registers

# LLVM intrinsics of math functions, which a GPU has in libdevice alone.
MATHEMATICS = frozenset(
    "sin cos tan asin acos atan sinh cosh tanh exp exp10 log log2 log10 pow powi atan2 sincos"
    " sincospi modf frexp lrint llrint lround llround".split()
)
# Those that end the process, or have no meaning on a GPU, by prefix.
NEVER = Pattern(
    r"thread\.pointer|addressofreturnaddress|sponentry|returnaddress|frameaddress|eh\.|va_|coro\."
    r"|[gs]et\.(?:rounding|fpenv|fpmode)|reset\.fp|vscale|pcmarker|local(?:address|escape|recover)"
    r"|clear_cache|ssa\.copy|(?:init|adjust)\.trampoline|read_register|write_register|gc|objc\."
    r"|read_volatile_register|experimental\.(?:constrained|gc|stackmap|patchpoint|deoptimize)"
    r"|[su]div\.fix|stack(?:save|restore)|(?:set\.)?loop\.|instrprof|x86\.|aarch64\.|arm\.|amdgcn\."
    r"|mem\w+\.element"
)
