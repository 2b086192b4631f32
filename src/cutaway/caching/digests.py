"""Digests of 16 bytes: long enough that two different texts never share one."""

from __future__ import annotations

from _blake2 import blake2b  # what `hashlib` has, which loads OpenSSL before: 3 ms

BYTES = 16


def raw_digest(data: bytes) -> bytes:
    """The digest of bytes."""
    return blake2b(data, digest_size=BYTES).digest()


def digest(text: str | bytes) -> str:
    """The digest of a text, as text."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    return raw_digest(data).hex()
