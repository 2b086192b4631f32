"""The base class of objects that compiled code calls by an address of their own."""

from __future__ import annotations

from cutaway.typing.types import Signature


class WrapperAddressProtocol:
    """An object with an address and a signature; a class of a program derives from it."""

    def __wrapper_address__(self) -> int:
        """Return the address of a C function."""
        raise NotImplementedError(f"{type(self).__name__} has no __wrapper_address__")

    def signature(self) -> Signature:
        """Return the signature of the function."""
        raise NotImplementedError(f"{type(self).__name__} has no signature")
