"""Digests of 16 bytes: long enough that two different texts never share one."""

from __future__ import annotations

from _blake2 import blake2b  # the function of `hashlib`, which first loads OpenSSL: 3 ms

BYTES = 16


def raw_digest(data: bytes) -> bytes:
    """Return the digest of bytes."""
    return blake2b(data, digest_size=BYTES).digest()


def digest(text: str | bytes) -> str:
    """Return the digest of a text in hexadecimal."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    return raw_digest(data).hex()
