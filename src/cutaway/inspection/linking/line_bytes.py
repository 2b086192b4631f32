"""The bytes of machine code per line, read from an object's line table (DWARF 4).

The table is a small program: most of its bytes advance the address and the line and emit a row; the
bytes between two rows belong to the first one's line.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import error, unpack_from

from cutaway.targets.cpu.object_file import section

_COPY, _ADVANCE_ADDRESS, _ADVANCE_LINE, _SET_COLUMN = 1, 2, 3, 5
_ADD_CONSTANT, _FIXED_ADDRESS = 8, 9
_END, _SET_ADDRESS = 1, 2  # extended opcodes, after a zero


def bytes_by_line(object_code: bytes) -> dict[int, int]:
    """The bytes of each line; under 0 those of no line. Empty for other versions of the table."""
    result: dict[int, int] = {}
    try:
        last: tuple[int, int] | None = None
        for address, line, is_end in _rows(section(object_code, ".debug_line")):
            if last is not None:
                result[last[1]] = result.get(last[1], 0) + address - last[0]
            last = None if is_end else (address, line)
    except (error, IndexError):
        return {}
    return result


def _rows(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield the rows of the table: an address, a line, and whether the code ends there."""
    if not data:
        return
    length, version, header = unpack_from("<IHI", data)
    if version != 4:
        return
    step, _, _, base, span, first_special = unpack_from("<BBBbBB", data, 10)
    lengths = data[16 : 15 + first_special]
    at = 10 + header
    address, line, column = 0, 1, 0
    while at < 4 + length:
        code = data[at]
        at += 1
        if code >= first_special:
            address += (code - first_special) // span * step
            line += base + (code - first_special) % span
            yield address, line if column == 1 else 0, False
        elif code == 0:
            size, at = _unsigned(data, at)
            if data[at] == _END:
                yield address, 0, True
                address, line, column = 0, 1, 0
            elif data[at] == _SET_ADDRESS:
                (address,) = unpack_from("<Q", data, at + 1)
            at += size
        elif code == _COPY:
            yield address, line if column == 1 else 0, False
        elif code == _ADVANCE_ADDRESS:
            amount, at = _unsigned(data, at)
            address += amount * step
        elif code == _ADVANCE_LINE:
            amount, at = _signed(data, at)
            line += amount
        elif code == _SET_COLUMN:
            column, at = _unsigned(data, at)
        elif code == _ADD_CONSTANT:
            address += (255 - first_special) // span * step
        elif code == _FIXED_ADDRESS:
            (amount,) = unpack_from("<H", data, at)
            address, at = address + amount, at + 2
        else:
            for _ in range(lengths[code - 1]):
                _, at = _unsigned(data, at)


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    """Decode a ULEB128 number; return it and its end."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, end = _unsigned(data, at)
    bits = 7 * (end - at)
    return value - (1 << bits) if value >> (bits - 1) else value, end
