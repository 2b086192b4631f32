"""Every kind of instruction, with types of all kinds."""

from __future__ import annotations

from cuda.selection.writing import MODULES, element, kernel, lanes, of_bits, operation

INTEGERS = ("i1", "i8", "i16", "i32", "i64", "i128")
ODD_INTEGERS = ("i7", "i24", "i33", "i65", "i256")
FLOATS = ("half", "bfloat", "float", "double")
FOREIGN = ("fp128", "x86_fp80", "ppc_fp128")
INTEGER_VECTORS = tuple(
    f"<{kind}>"
    for kind in (
        "2 x i16, 4 x i8, 2 x i32, 4 x i32, 2 x i64, 4 x i64, 8 x i32, 3 x i32, 2 x i1, 16 x i8,"
        " 2 x i128, 1 x i64, 5 x i8"
    ).split(", ")
)
FLOAT_VECTORS = tuple(
    f"<{kind}>"
    for kind in (
        "2 x half, 2 x bfloat, 2 x float, 4 x float, 2 x double, 4 x double, 8 x float, 3 x double,"
        " 4 x half"
    ).split(", ")
)
SCALABLE = ("<vscale x 2 x i32>", "<vscale x 2 x double>")
OTHERS = ("ptr", "{ i64, double }", "[4 x i32]", "[3 x { i8, float }]", "ptr addrspace(3)")

ORDERS = "monotonic acquire release acq_rel seq_cst".split()
SCOPES = (
    "",
    *(
        f'syncscope("{name}") '
        for name in ("device", "block", "cluster", "singlethread", "agent", "workgroup", "warp")
    ),
)


def _arithmetic() -> None:
    for kind in (*INTEGERS, *ODD_INTEGERS, *INTEGER_VECTORS, SCALABLE[0]):
        for opcode in "add sub mul udiv sdiv urem srem shl lshr ashr and or xor".split():
            operation(f"{opcode} {kind}", f"{opcode} {kind} %a, %b", kind)
        for word in ("eq", "ult", "sgt"):
            operation(f"icmp {word} {kind}", f"icmp {word} {kind} %a, %b", kind, of_bits(kind))
    for kind in (*FLOATS, *FOREIGN, *FLOAT_VECTORS, SCALABLE[1]):
        for opcode in "fadd fsub fmul fdiv frem".split():
            operation(f"{opcode} {kind}", f"{opcode} {kind} %a, %b", kind)
        operation(f"fneg {kind}", f"fneg {kind} %a", kind, count=1)
        operation(f"fdiv fast {kind}", f"fdiv fast {kind} %a, %b", kind)
        for word in "oeq olt ord une uno ueq one ult true".split():
            operation(f"fcmp {word} {kind}", f"fcmp {word} {kind} %a, %b", kind, of_bits(kind))


def _conversions() -> None:
    integers = (*INTEGERS, *ODD_INTEGERS)
    for kind in integers:
        for other in integers:
            ways = ("zext", "sext") if int(kind[1:]) < int(other[1:]) else ("trunc",)
            for way in ways if kind != other else ():
                _conversion(way, kind, other)
        for floating in (*FLOATS, *FOREIGN):
            for way in ("uitofp", "sitofp"):
                _conversion(way, kind, floating)
            for way in ("fptoui", "fptosi"):
                _conversion(way, floating, kind)
    widths = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128}
    for kind, width in widths.items():
        for other, wide in widths.items():
            if width != wide:
                _conversion("fpext" if width < wide else "fptrunc", kind, other)
    for way, kind, other in (
        ("uitofp", "<4 x i32>", "<4 x float>"),
        ("sitofp", "<2 x i64>", "<2 x double>"),
        ("fptosi", "<2 x double>", "<2 x i64>"),
        ("fpext", "<2 x float>", "<2 x double>"),
        ("fptrunc", "<2 x double>", "<2 x float>"),
        ("zext", "<4 x i8>", "<4 x i32>"),
        ("trunc", "<4 x i32>", "<4 x i8>"),
        ("bitcast", "i64", "double"),
        ("bitcast", "<2 x i32>", "i64"),
        ("bitcast", "i128", "<2 x i64>"),
        ("bitcast", "i16", "bfloat"),
        ("bitcast", "fp128", "i128"),
        ("bitcast", "i8", "<8 x i1>"),
        ("ptrtoint", "ptr", "i8"),
        ("ptrtoint", "ptr", "i128"),
        ("inttoptr", "i32", "ptr"),
        ("inttoptr", "i128", "ptr"),
        ("ptrtoaddr", "ptr", "i64"),
    ):
        _conversion(way, kind, other)
    for space in (1, 2, 3, 4, 5, 6, 7, 101):
        _conversion("addrspacecast", "ptr", f"ptr addrspace({space})")
        _conversion("addrspacecast", f"ptr addrspace({space})", "ptr")


def _conversion(way: str, kind: str, other: str) -> None:
    operation(f"{way} {kind} {other}", f"{way} {kind} %a to {other}", kind, other, 1)


_CHOICE = """\
  %c = icmp sgt i64 %n, 3
  %pb = getelementptr i8, ptr %p, i64 512
  %a = load KIND, ptr %p
  %b = load KIND, ptr %pb
  %r = select i1 %c, KIND %a, KIND %b
  store KIND %r, ptr %q"""
_PHI = """\
  %c = icmp sgt i64 %n, 3
  %b = load KIND, ptr %p
  br i1 %c, label %x, label %y
x:
  %pb = getelementptr i8, ptr %p, i64 512
  %a = load KIND, ptr %pb
  br label %y
y:
  %r = phi KIND [ %a, %x ], [ %b, %0 ]
  store KIND %r, ptr %q"""
_COPY = "  %a = load KIND, ptr %p\n  store KIND %a, ptr %q"
_SLOT = """\
  %a = alloca KIND
  %v = load volatile KIND, ptr %p
  store volatile KIND %v, ptr %a
  %w = load volatile KIND, ptr %a
  store KIND %w, ptr %q"""
_CALL = "  %a = load KIND, ptr %p\n  %r = call KIND @g(KIND %a)\n  store KIND %r, ptr %q"
_CALLED = "define internal KIND @g(KIND %a) noinline {\n  ret KIND %a\n}"


def _moves() -> None:
    numbers = (*INTEGERS, *ODD_INTEGERS, *FLOATS, *FOREIGN, *INTEGER_VECTORS, *FLOAT_VECTORS)
    for kind in (*numbers, *OTHERS, *SCALABLE):
        for name, body in (
            ("select", _CHOICE),
            ("phi", _PHI),
            ("load", _COPY),
            ("alloca", _SLOT),
            ("load volatile", _COPY.replace("load", "load volatile")),
            ("load align 1", _COPY.replace("%p", "%p, align 1").replace("%q", "%q, align 1")),
        ):
            kernel(f"{name} {kind}", body.replace("KIND", kind))
        kernel(f"call {kind}", _CALL.replace("KIND", kind), _CALLED.replace("KIND", kind))
        operation(f"freeze {kind}", f"freeze {kind} %a", kind, count=1)
    for kind in (*INTEGER_VECTORS, *FLOAT_VECTORS):
        _elements(kind)


def _elements(kind: str) -> None:
    last, one = lanes(kind) - 1, element(kind)
    operation(
        f"extractelement {last} {kind}", f"extractelement {kind} %a, i32 {last}", kind, one, 1
    )
    operation(f"extractelement n {kind}", f"extractelement {kind} %a, i64 %n", kind, one, 1)
    kernel(
        f"insertelement n {kind}",
        f"  %a = load {kind}, ptr %p\n  %e = extractelement {kind} %a, i32 0\n"
        f"  %r = insertelement {kind} %a, {one} %e, i64 %n\n  store {kind} %r, ptr %q",
    )
    places = ", ".join(f"i32 {2 * last + 1 - k}" for k in range(last + 1))
    operation(
        f"shufflevector {kind}",
        f"shufflevector {kind} %a, {kind} %b, <{last + 1} x i32> <{places}>",
        kind,
    )


def _spaces() -> None:
    for space in (1, 2, 3, 4, 5, 6, 101):
        of = f"ptr addrspace({space})"
        kernel(
            f"load from space {space}",
            f"  %s = addrspacecast ptr %p to {of}\n  %a = load i32, {of} %s\n"
            "  store i32 %a, ptr %q",
        )
        kernel(
            f"store to space {space}",
            f"  %s = addrspacecast ptr %q to {of}\n  %a = load i32, ptr %p\n"
            f"  store i32 %a, {of} %s",
        )


def _atomics() -> None:
    device = SCOPES[1]
    integers = ("i8", "i16", "i32", "i64", "i128")
    floats = (*FLOATS, "fp128", "<2 x half>", "<2 x bfloat>", "<2 x float>")
    for word in (
        "add sub xchg and nand or xor max min umax umin uinc_wrap udec_wrap usub_cond usub_sat"
    ).split():
        for kind in integers:
            for space in (0, 1, 3, 5) if kind in ("i32", "i64") else (0,):
                _change(word, kind, f"{device}monotonic", space)
        for order in ORDERS:
            for scope in SCOPES:
                _change(word, "i32", f"{scope}{order}")
    for word in "fadd fsub fmin fmax fminimum fmaximum".split():
        for kind in floats:
            for space in (0, 3):
                _change(word, kind, f"{device}monotonic", space)
    for kind in (*FLOATS, "ptr"):
        _change("xchg", kind, f"{device}monotonic")
    for kind in (*integers, "ptr"):
        for orders in ("monotonic monotonic", "acquire monotonic", "seq_cst seq_cst"):
            for scope in SCOPES:
                kernel(
                    f"cmpxchg {kind} {scope}{orders}",
                    f"  %a = load {kind}, ptr %p\n"
                    f"  %r = cmpxchg ptr %q, {kind} %a, {kind} %a {scope}{orders}\n"
                    f"  %x = extractvalue {{ {kind}, i1 }} %r, 0\n  store {kind} %x, ptr %p",
                )
    for kind in (*integers, *FLOATS, "ptr", "fp128"):
        for scope in SCOPES:
            for order in ("unordered", "monotonic", "acquire", "seq_cst"):
                _access("load", kind, scope + order)
            for order in ("unordered", "monotonic", "release", "seq_cst"):
                _access("store", kind, scope + order)
    for scope in SCOPES:
        for order in ORDERS[1:]:
            kernel(f"fence {scope}{order}", f"  fence {scope}{order}\n  store i8 1, ptr %q")


def _change(word: str, kind: str, order: str, space: int = 0) -> None:
    of = "ptr" if space == 0 else f"ptr addrspace({space})"
    place = "getelementptr i8, ptr %q, i64 0" if space == 0 else f"addrspacecast ptr %q to {of}"
    kernel(
        f"atomicrmw {word} {kind} {order} {space}",
        f"  %v = load {kind}, ptr %p\n  %d = {place}\n"
        f"  %r = atomicrmw {word} {of} %d, {kind} %v {order}\n  store {kind} %r, ptr %p",
    )


def _access(word: str, kind: str, order: str) -> None:
    plain = f"  %a = load {kind}, ptr %p\n  store {kind} %a, ptr %q"
    line = plain.splitlines()[0 if word == "load" else 1]
    atomic = line.replace(word, f"{word} atomic") + f" {order}, align 16"
    kernel(f"{word} atomic {kind} {order}", plain.replace(line, atomic))


_SWITCH = """\
  %a = load KIND, ptr %p
  switch KIND %a, label %d [ KIND 1, label %x
    KIND 5, label %y ]
x:
  store i8 1, ptr %q
  ret void
y:
  store i8 2, ptr %q
  ret void
d:"""


def _control() -> None:
    for kind in (*INTEGERS[1:], "i256", "i7"):
        kernel(f"switch {kind}", _SWITCH.replace("KIND", kind))
    rows = " ".join(f"i32 {k}, label %x{k}" for k in range(20))
    blocks = "".join(f"x{k}:\n  store i32 {k * k * 7}, ptr %q\n  br label %d\n" for k in range(20))
    kernel(
        "switch of 20", f"  %a = load i32, ptr %p\n  switch i32 %a, label %d [ {rows} ]\n{blocks}d:"
    )
    kernel(
        "indirectbr",
        "  %a = load ptr, ptr %p\n  indirectbr ptr %a, [label %x, label %y]\nx:\n  ret void\ny:",
    )
    kernel("blockaddress", "  store ptr blockaddress(@f, %x), ptr %q\n  br label %x\nx:")
    kernel(
        "unreachable",
        "  %c = icmp sgt i64 %n, 3\n  br i1 %c, label %x, label %y\nx:\n  unreachable\ny:",
    )
    kernel(
        "callbr",
        '  callbr void asm sideeffect "", "!i"() to label %x [label %y]\ny:\n'
        "  store i8 1, ptr %q\n  ret void\nx:",
    )
    kernel("va_arg", "  %l = alloca ptr\n  %r = va_arg ptr %l, i32\n  store i32 %r, ptr %q")
    for name, pad in (
        ("invoke", "%l = landingpad {ptr, i32} cleanup\n  store i8 1, ptr %q\n  ret void"),
        ("resume", "%l = landingpad {ptr, i32} cleanup\n  resume {ptr, i32} %l"),
    ):
        MODULES[name] = (
            "declare i32 @pers(...)\ndefine internal void @g() noinline {\n  ret void\n}\n"
            "define ptx_kernel void @f(ptr %q) personality ptr @pers {\n"
            f"  invoke void @g() to label %x unwind label %y\ny:\n  {pad}\nx:\n  ret void\n}}\n"
        )


def _allocas() -> None:
    for name, text in (
        ("dynamic", "alloca i8, i64 %n"),
        ("of 24", "alloca i8, i64 24"),
        ("aligned", "alloca i8, align 256"),
        ("inalloca", "alloca inalloca i64"),
        ("large", "alloca [100000 x i64]"),
        ("of most", "alloca [524288 x i8]"),
        ("huge", "alloca [5000000000 x i8]"),
    ):
        kernel(f"alloca {name}", f"  %a = {text}\n  store volatile i8 1, ptr %a")
    for space in (3, 5):
        of = f"addrspace({space})"
        kernel(
            f"alloca in {space}", f"  %a = alloca i64, {of}\n  store volatile i64 1, ptr {of} %a"
        )


for _write in (_arithmetic, _conversions, _moves, _spaces, _atomics, _control, _allocas):
    _write()
