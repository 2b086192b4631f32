"""Variables, functions and calls: what stands outside of a kernel's instructions."""

from __future__ import annotations

from cuda.selection.writing import MODULES, kernel

# Variables by what is odd about them; a kernel has the address of @g.
_VARIABLES = {
    "plain": "@g = internal global i64 5",
    "in global memory": "@g = internal addrspace(1) global i64 5",
    "of the host": "@g = addrspace(1) externally_initialized global i64 0",
    "external": "@g = external global i64",
    "text": '@g = internal constant [4 x i8] c"abc\\00"',
    "struct": "@g = internal global {i64, float, ptr} {i64 1, float 2.0, ptr null}",
    "pointer": "@h = internal global i64 1\n@g = internal global ptr @h",
    "function": "define internal void @h() {\n  ret void\n}\n@g = internal global ptr @h",
    "undef": "@g = internal global [4 x i32] undef",
    "i128": "@g = internal global i128 7",
    "fp128": "@g = internal global fp128 0xL00000000000000003FFF000000000000",
    "x86_fp80": "@g = internal global x86_fp80 0xK3FFF8000000000000000",
    "half": "@g = internal global half 1.0",
    "bfloat": "@g = internal global bfloat 1.0",
    "halves": "@g = internal global [2 x half] [half 1.0, half 2.0]",
    "i1": "@g = internal global i1 1",
    "i24": "@g = internal global i24 1",
    "i33": "@g = internal global i33 1",
    "i65": "@g = internal global i65 1",
    "i256": "@g = internal global i256 1",
    "vector": "@g = internal global <2 x float> <float 1.0, float 2.0>",
    "empty": "@g = internal global [0 x i8] zeroinitializer",
    "of a thread": "@g = internal thread_local global i64 1",
    "common": "@g = common global i64 0",
    "weak": "@g = weak global i64 0",
    "once": "@g = linkonce_odr global i64 0",
    "external and weak": "@g = extern_weak global i64",
    "section": '@g = internal global i64 3, section "foo"',
    "aligned": "@g = internal global i64 3, align 4096",
    "expression": "@h = internal global [4 x i64] zeroinitializer\n"
    "@g = internal global ptr getelementptr (i8, ptr @h, i64 8)",
    "number of an address": "@h = internal global i64 0\n"
    "@g = internal global i32 ptrtoint (ptr @h to i32)",
    "difference": "@h = internal global i64 0\n@k = internal global i64 0\n@g = internal global i64"
    " sub (i64 ptrtoint (ptr @h to i64), i64 ptrtoint (ptr @k to i64))",
    "packed": "@h = internal global i64 1\n@g = internal global <{i8, ptr}> <{i8 1, ptr @h}>",
    "itself": "@g = internal global ptr @g",
    "a circle": "@g = internal global ptr @h\n@h = internal global ptr @g",
    "alias": "@h = internal global i64 1\n@g = alias i64, ptr @h",
    "ifunc": "define internal ptr @r() {\n  ret ptr @k\n}\n"
    "define internal void @k() {\n  ret void\n}\n@g = ifunc void (), ptr @r",
    "used": "@g = internal global i64 3\n@llvm.used = appending global [1 x ptr] [ptr @g],"
    ' section "llvm.metadata"',
}
_SPACED = {
    "a value in space 2": "@g = internal addrspace(2) global i64 7",
    "a value in shared memory": "@g = internal addrspace(3) global i64 7",
    "zero in shared memory": "@g = internal addrspace(3) global i64 zeroinitializer",
    "shared memory": "@g = internal addrspace(3) global [49152 x i8] undef",
    "too much shared memory": "@g = internal addrspace(3) global [49153 x i8] undef",
    "shared memory of the launch": "@g = external addrspace(3) global [0 x i8], align 16",
    "constant memory": "@g = internal addrspace(4) constant [65536 x i8] zeroinitializer",
    "too much constant memory": "@g = internal addrspace(4) constant [65537 x i8] zeroinitializer",
    "memory of a thread": "@g = internal addrspace(5) global i64 undef",
    "a value in space 7": "@g = internal addrspace(7) global i64 7",
}
_NAMES = ("a.b", "a$b", "a-b", "a b", "1a", "WARP_SZ", "%x", "ä", "_", "__", "a@b", "add", "ld.g")


def _variables() -> None:
    for name, text in _VARIABLES.items():
        of_global = "@g = internal addrspace(1)" in text or "@g = addrspace(1)" in text
        place = "addrspacecast (ptr addrspace(1) @g to ptr)" if of_global else "@g"
        kernel(f"variable {name}", f"  store ptr {place}, ptr %q", text)
    for name, text in _SPACED.items():
        space = text.partition("addrspace(")[2].partition(")")[0]
        place = f"addrspacecast (ptr addrspace({space}) @g to ptr)"
        kernel(f"variable {name}", f"  store ptr {place}, ptr %q", text)
    for name in _NAMES:
        quoted = _quoted(name)
        kernel(
            f"variable named {name}",
            f'  store ptr @"{quoted}", ptr %q',
            f'@"{quoted}" = internal global i64 3',
        )


def _quoted(name: str) -> str:
    return "".join(
        letter if letter.isascii() else "".join(f"\\{byte:02X}" for byte in letter.encode())
        for letter in name
    )


_PLAIN = "define internal void @g() noinline {\n  store volatile i8 1, ptr null\n  ret void\n}"
_CALLS = {
    "unknown": ("call void @nobody(i32 1)", "declare void @nobody(i32)"),
    "printf": (
        "%r = call i32 (ptr, ...) @printf(ptr %p, i32 1)",
        "declare i32 @printf(ptr, ...)",
    ),
    "vprintf": ("%r = call i32 @vprintf(ptr %p, ptr %q)", "declare i32 @vprintf(ptr, ptr)"),
    "malloc": ("%r = call ptr @malloc(i64 %n)\n  store ptr %r, ptr %q", "declare ptr @malloc(i64)"),
    "free": ("call void @free(ptr %p)", "declare void @free(ptr)"),
    "address": ("%g = load ptr, ptr %p\n  %r = call double %g(i32 1, double 2.0)", ""),
    "kernel": ("call void @g()", "define ptx_kernel void @g() noinline {\n  ret void\n}"),
    "kernel as one": (
        "call ptx_kernel void @g()",
        "define ptx_kernel void @g() noinline {\n  ret void\n}",
    ),
    "bundle": ('call void @g() [ "foo"(i32 1) ]', _PLAIN),
    "deopt": ('call void @g() [ "deopt"(i32 1) ]', _PLAIN),
    "empty struct": ("%r = call {} @g()", "define internal {} @g() noinline {\n  ret {} undef\n}"),
    "byval": (
        "call void @g(ptr byval({i64, i64}) %p)",
        "define internal void @g(ptr byval({i64, i64}) %a) noinline {\n"
        "  store volatile i64 1, ptr %a\n  ret void\n}",
    ),
    "tail": ("tail call void @g()", _PLAIN),
    "asm": ('%r = call i32 asm "mov.u32 $0, %laneid;", "=r"()', ""),
    "dynamic shared": ('%r = call i32 asm "mov.u32 $0, %dynamic_smem_size;", "=r"()', ""),
    "asm of nothing": ('%r = call i32 asm sideeffect "hello $0;", "=r"()', ""),
    "asm of x86": ('%r = call i32 asm "mov $0, 1", "={eax}"()', ""),
    "asm of 128 bits": ('%r = call i128 asm sideeffect "mov.b128 $0, {1,1};", "=q"()', ""),
    "asm of a wrong operand": ('%r = call i32 asm sideeffect "mov.u32 $0, $3;", "=r"()', ""),
    "assembly of the module": ("store i8 1, ptr %q", 'module asm "hello"'),
}


def _calls() -> None:
    for name, (text, outside) in _CALLS.items():
        kernel(f"call {name}", f"  {text}", outside)
    for convention in "fastcc coldcc ptx_device tailcc".split():
        kernel(
            f"call {convention}",
            f"  call {convention} void @g(ptr %q)",
            f"define internal {convention} void @g(ptr %q) noinline {{\n"
            "  store i8 1, ptr %q\n  ret void\n}",
        )
    for name in _NAMES:
        quoted = _quoted(name)
        kernel(
            f"call of {name}",
            f'  %r = call i32 @"{quoted}"(ptr %q)\n  store i32 %r, ptr %q',
            f'define internal i32 @"{quoted}"(ptr %q) noinline {{\n'
            "  store volatile i8 1, ptr %q\n  ret i32 1\n}",
        )
        MODULES[f"kernel named {name}"] = (
            f'define ptx_kernel void @"{quoted}"(ptr %q) {{\n  ret void\n}}\n'
        )


_RECURSIVE = """\
define internal i32 @g(i32 %a) noinline {
  %b = sub i32 %a, 1
  %c = icmp eq i32 %b, 0
  br i1 %c, label %x, label %y
x:
  ret i32 1
y:
  %r = call i32 @g(i32 %b)
  %s = mul i32 %r, %a
  ret i32 %s
}"""
_ATTRIBUTES = (
    *("naked", "uwtable", "sspstrong", "strictfp", "convergent", "prefix i32 1", "prologue i8 1"),
    *('gc "shadow-stack"', "presplitcoroutine", "align 256", '"nvvm.maxntid"="256"'),
    *('"nvvm.maxntid"="x"', '"nvvm.maxntid"="256" "nvvm.minctasm"="2"', '"nvvm.maxnreg"="64"'),
)


def _functions() -> None:
    kernel("recursion", "  %r = call i32 @g(i32 7)\n  store i32 %r, ptr %q", _RECURSIVE)
    for words in _ATTRIBUTES:
        end = "call void @llvm.trap()\n  unreachable" if words == "naked" else "ret void"
        MODULES[f"attribute {words}"] = (
            "declare void @llvm.trap()\n"
            f"define ptx_kernel void @f(ptr %q) {words} {{\n  {end}\n}}\n"
        )
    for count in (544, 545, 4097):
        names = ", ".join(f"i64 %a{k}" for k in range(count - 1))
        MODULES[f"{count} parameters"] = (
            f"define ptx_kernel void @f(ptr %q, {names}) {{\n"
            f"  store i64 %a{count - 2}, ptr %q\n  ret void\n}}\n"
        )
    for kind in ("i1", "i128", "half", "<4 x float>", "{i64, float}", "fp128"):
        MODULES[f"parameter {kind}"] = (
            f"define ptx_kernel void @f(ptr %q, {kind} %b) {{\n"
            f"  store {kind} %b, ptr %q\n  ret void\n}}\n"
        )
    MODULES["kernel with a result"] = "define ptx_kernel i32 @f(ptr %q) {\n  ret i32 1\n}\n"
    MODULES["alias of a kernel"] = (
        "define ptx_kernel void @f(ptr %q) {\n  ret void\n}\n@g = alias void (ptr), ptr @f\n"
    )
    MODULES["alias of a function"] = (
        "define void @f(ptr %q) {\n  ret void\n}\n@g = alias void (ptr), ptr @f\n"
    )


for _write in (_variables, _calls, _functions):
    _write()
