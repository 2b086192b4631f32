"""Reads object files: the symbols that one needs from outside, its functions and its sections.

The linker only says that something is missing, and takes whatever the process happens to have
under a name.  Reading the table of a 64-bit ELF file is a few lines, and settles both.
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
_UNDEFINED = 0  # the section of a symbol that another file has


def undefined_symbols(object_code: bytes) -> list[str] | None:
    """The names of the functions and data that an object file expects from elsewhere.

    None for a file that is damaged or in another format than ELF.
    """
    if not object_code.startswith(_MAGIC):
        return None
    try:
        return _undefined(object_code, *_symbol_table(object_code))
    except (error, IndexError, ValueError):
        return None


def places_in_code(object_code: bytes) -> dict[str, int]:
    """Where each function of an object file begins, local ones too, in its section of code; nothing
    where the file cannot be read, or its functions are in several sections."""
    if not object_code.startswith(_MAGIC):
        return {}
    try:
        table, names = _symbol_table(object_code)
        found, homes = {}, set()
        for name, info, _, where, value, _ in _SYMBOL.iter_unpack(table):
            if info & 15 == _FUNCTION and where != _UNDEFINED:
                start = names + name
                end = object_code.index(b"\0", start)
                found[object_code[start:end].decode()] = value
                homes.add(where)
    except (error, IndexError, ValueError):
        return {}
    return found if len(homes) == 1 else {}


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
    """The bytes of a section; none where there is no such section, or the format is not ELF."""
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
    """The table of sections, and where their names are."""
    (start,) = _SECTIONS_AT.unpack_from(data, 40)
    size, count, names = _SECTIONS.unpack_from(data, 58)
    sections = [_SECTION.unpack_from(data, start + size * i) for i in range(count)]
    return sections, sections[names][4]


def _symbol_table(data: bytes) -> tuple[bytes, int]:
    """The table, and where the names are that it refers to."""
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
