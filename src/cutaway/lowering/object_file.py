"""What an object file needs from outside, read from its symbol table.

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


def _symbol_table(data: bytes) -> tuple[bytes, int]:
    """The table, and where the names are that it refers to."""
    (start,) = _SECTIONS_AT.unpack_from(data, 40)
    size, count, _ = _SECTIONS.unpack_from(data, 58)
    sections = [_SECTION.unpack_from(data, start + size * i) for i in range(count)]
    for _, kind, _, _, offset, length, names, *_ in sections:
        if kind == _SYMBOL_TABLE:
            return data[offset : offset + length], sections[names][4]
    return b"", 0


def _undefined(data: bytes, table: bytes, names: int) -> list[str]:
    found = []
    for name, _, _, section, _, _ in _SYMBOL.iter_unpack(table):
        if name and section == _UNDEFINED:
            found.append(data[names + name : data.index(b"\0", names + name)].decode())
    return found
