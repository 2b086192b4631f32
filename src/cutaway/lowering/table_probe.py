"""The quick way of a look-up in a dict or a set whose keys are words, as LLVM IR.

Most keys are found, or are missed, in the first group of places: their code is inlined where a
program looks something up.  The runtime's function does the same for all others
(`runtime/tables.c`, which has the layout and the hash).
"""

from __future__ import annotations

from cutaway.lowering.layout import META_BYTES
from cutaway.targets.target import Definition

# Fields of a table, in bytes from the owner.
_ENTRIES, _NUMBERS, _TAGS, _PLACES = META_BYTES, META_BYTES + 40, META_BYTES + 48, META_BYTES + 56
_KEY_BYTES, _VALUE_BYTES = META_BYTES + 72, META_BYTES + 80
_FACTOR, _MIXED = 0x9E3779B97F4A7C15, 0xA0761D6478BD642F
_GROUP = "<16 x i8>"


def definition(name: str) -> Definition | None:
    """Return the code of a runtime function that is inlined; None for any other one."""
    slow = SLOW.get(name)
    if slow is None:
        return None
    may_miss = "find" in name
    declared = {
        slow: f"declare i64 @{slow}(ptr, i64) nounwind cold{' memory(read)' if may_miss else ''}",
        "llvm.cttz.i16": "declare i16 @llvm.cttz.i16(i16, i1)",
    }
    return Definition(_text(name, slow, may_miss), declared)


SLOW = {
    "cutaway_table_find_word": "cutaway_table_find_further",
    "cutaway_table_put_word": "cutaway_table_put_further",
}


def _text(name: str, slow: str, may_miss: bool) -> str:
    def field(result: str, offset: int, kind: str = "i64") -> str:
        return (
            f"  %{result}.at = getelementptr inbounds i8, ptr %owner, i64 {offset}\n"
            f"  %{result} = load {kind}, ptr %{result}.at, align 8\n"
        )

    def matches(result: str, tag: str) -> str:
        return (
            f"  %{result}.one = insertelement {_GROUP} poison, i8 {tag}, i64 0\n"
            f"  %{result}.all = shufflevector {_GROUP} %{result}.one, {_GROUP} poison,"
            " <16 x i32> zeroinitializer\n"
            f"  %{result}.same = icmp eq {_GROUP} %group, %{result}.all\n"
            f"  %{result} = bitcast <16 x i1> %{result}.same to i16\n"
        )

    missed = (
        f"""missed:
{matches("empty", "-128")}  %ends = icmp ne i16 %empty, 0
  br i1 %ends, label %absent, label %further
absent:
  ret i64 -1
"""
        if may_miss
        else ""
    )
    return f"""define internal i64 @{name}(ptr %owner, i64 %key) alwaysinline nounwind {{
  %mixed = xor i64 %key, {_MIXED - (1 << 64)}
  %wide = zext i64 %mixed to i128
  %product = mul i128 %wide, {_FACTOR}
  %low = trunc i128 %product to i64
  %upper = lshr i128 %product, 64
  %high = trunc i128 %upper to i64
  %hash = xor i64 %low, %high
{field("places", _PLACES)}  %mask = add i64 %places, -1
  %above = lshr i64 %hash, 7
  %place = and i64 %above, %mask
{field("tags", _TAGS, "ptr")}  %group.at = getelementptr inbounds i8, ptr %tags, i64 %place
  %group = load {_GROUP}, ptr %group.at, align 1
  %narrow = trunc i64 %hash to i8
  %tag = and i8 %narrow, 127
{matches("bits", "%tag")}  %some = icmp ne i16 %bits, 0
  br i1 %some, label %look, label %{"missed" if may_miss else "further"}
look:
  %first = call i16 @llvm.cttz.i16(i16 %bits, i1 true)
  %distance = zext i16 %first to i64
  %beyond = add i64 %place, %distance
  %there = and i64 %beyond, %mask
{field("numbers", _NUMBERS, "ptr")}\
  %number.at = getelementptr inbounds i32, ptr %numbers, i64 %there
  %number.narrow = load i32, ptr %number.at, align 4
  %number = sext i32 %number.narrow to i64
{field("key.bytes", _KEY_BYTES)}{field("value.bytes", _VALUE_BYTES)}\
  %bytes = add i64 %key.bytes, %value.bytes
  %offset = mul i64 %number, %bytes
{field("entries", _ENTRIES, "ptr")}  %entry = getelementptr inbounds i8, ptr %entries, i64 %offset
  %held = load i64, ptr %entry, align 8
  %equal = icmp eq i64 %held, %key
  br i1 %equal, label %found, label %further
found:
  ret i64 %number
{missed}further:
  %answer = call i64 @{slow}(ptr %owner, i64 %key)
  ret i64 %answer
}}
"""
