"""Reads object files: the undefined symbols, the functions and the sections.

The linker only reports that something is missing, and binds a name to whatever the process has
under it.  Reading the table of a 64-bit ELF file is a few lines, and solves both.
"""

from __future__ import annotations

from struct import Struct, error

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian
_SECTION = Struct("<IIQQQQIIQQ")  # name type flags address offset size link info align entry
_SYMBOL = Struct("<IBBHQQ")  # name info other section value size
_SECTIONS_AT, _SECTIONS = Struct("<Q"), Struct("<HHH")  # in the header: offset; size count names
_SYMBOL_TABLE = 2  # the type of the section
_FUNCTION = 2  # the kind of a symbol
_EXECUTABLE = 4  # a flag of sections
_UNDEFINED = 0  # the section of a symbol that another file defines


def undefined_symbols(object_code: bytes) -> list[str] | None:
    """Return the names of the functions and data that an object file expects from elsewhere.

    None for a file that is damaged or in another format than ELF.
    """
    if not object_code.startswith(_MAGIC):
        return None
    try:
        return _undefined(object_code, *_symbol_table(object_code))
    except (error, IndexError, ValueError):
        return None


def places_in_code(object_code: bytes) -> dict[str, int]:
    """Return the offset of each function of an object file, local ones too, in its section of code;
    empty if the file cannot be read, or its functions are in several sections."""
    if not object_code.startswith(_MAGIC):
        return {}
    try:
        table, names = _symbol_table(object_code)
        offsets, homes = {}, set()
        for name, info, _, where, value, _ in _SYMBOL.iter_unpack(table):
            if info & 15 == _FUNCTION and where != _UNDEFINED:
                start = names + name
                end = object_code.index(b"\0", start)
                offsets[object_code[start:end].decode()] = value
                homes.add(where)
    except (error, IndexError, ValueError):
        return {}
    return offsets if len(homes) == 1 else {}


def has_code(object_code: bytes) -> bool:
    """True if a file has any machine code; True for one that is damaged or of another format."""
    if not object_code.startswith(_MAGIC):
        return True
    try:
        sections, _ = _sections(object_code)
    except (error, IndexError):
        return True
    return any(flags & _EXECUTABLE and size for _, _, flags, _, _, size, *_ in sections)


def section(object_code: bytes, name: str) -> bytes:
    """Return the bytes of a section; empty if it does not exist, or the format is not ELF."""
    if not object_code.startswith(_MAGIC):
        return b""
    try:
        sections, names = _sections(object_code)
        for at, _, _, _, offset, length, *_ in sections:
            start = names + at
            if object_code[start : object_code.index(b"\0", start)] == name.encode():
                return object_code[offset : offset + length]
    except (error, IndexError, ValueError):
        pass
    return b""


def _sections(data: bytes) -> tuple[list[tuple[int, ...]], int]:
    """Return the table of sections, and the offset of their names."""
    (start,) = _SECTIONS_AT.unpack_from(data, 40)
    size, count, names = _SECTIONS.unpack_from(data, 58)
    sections = [_SECTION.unpack_from(data, start + size * i) for i in range(count)]
    return sections, sections[names][4]


def _symbol_table(data: bytes) -> tuple[bytes, int]:
    """Return the symbol table, and the offset of its names."""
    sections, _ = _sections(data)
    for _, kind, _, _, offset, length, names, *_ in sections:
        if kind == _SYMBOL_TABLE:
            return data[offset : offset + length], sections[names][4]
    return b"", 0


def _undefined(data: bytes, table: bytes, names: int) -> list[str]:
    undefined = []
    for name, _, _, where, _, _ in _SYMBOL.iter_unpack(table):
        if name and where == _UNDEFINED:
            undefined.append(data[names + name : data.index(b"\0", names + name)].decode())
    return undefined
