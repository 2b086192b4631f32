"""The Mandelbrot set, written as a PNG."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
from common import OUTPUT, Example, in_python

import cutaway

VIEW = (-2.2, 0.8, -1.2, 1.2)


@cutaway.jit
def escape(cr, ci, limit):
    """The number of steps after which the point leaves the circle of radius 2."""
    zr, zi = 0.0, 0.0
    for k in range(limit):
        if zr * zr + zi * zi > 4.0:
            return k
        zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
    return limit


@cutaway.jit
def paint(image, left, right, bottom, top, limit):
    """Fill an image with numbers of steps."""
    height, width = image.shape
    for i in range(height):
        for j in range(width):
            x = left + (right - left) * j / width
            y = bottom + (top - bottom) * i / height
            image[i, j] = escape(x, y, limit)
    return image


def run(python: bool, width: int = 150, limit: int = 100) -> np.ndarray:
    """The numbers of steps over the view."""
    image = np.zeros((width * 4 // 5, width), dtype=np.int64)
    return (in_python(paint) if python else paint)(image, *VIEW, limit)


def write_png(path: Path, gray: np.ndarray) -> None:
    """Write an 8-bit image (PNG specification, third edition)."""
    height, width = gray.shape
    rows = b"".join(b"\0" + row.tobytes() for row in gray)

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    png = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + png)


def save() -> str:
    """Paint a larger image into examples/output."""
    steps = run(python=False, width=900, limit=256)
    OUTPUT.mkdir(exist_ok=True)
    path = OUTPUT / "mandelbrot.png"
    write_png(path, (255 * np.sqrt(1 - steps / 256)).astype(np.uint8))
    return f"written to {path.parent.name}/{path.name}"


EXAMPLE = Example("mandelbrot", "150 x 120 points", run, note=save)
