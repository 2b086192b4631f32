"""The way into SSA form, a phi or a version at a time: loaded where somebody listens.

    s = 0                   s = 0                            s = 0
    label 4:           ->   label 4: s = phi(0, 9: s, s) ->  label 4: s.1 = phi(0, 9: s, s)  -> ...

The pass itself renames everything in one walk; from what that leaves the steps are told apart.
"""

from __future__ import annotations

from typing import Any

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op, Role, replace
from cutaway.ir.traversal import definitions, rename_uses, uses
from cutaway.stages.rewriting import Rewriting


class _Versions:
    """A function on its way to its SSA form: of what is renamed, the versions in `done` are."""

    def __init__(self, before: Function, fn: Function, phis: dict[int, list[str]]) -> None:
        self.fn = fn
        self.final = {label: tuple(block.ops) for label, block in fn.blocks.items()}
        self.plain: dict[int, tuple[Op, ...]] = {
            label: (*map(_unversioned, self.final[label], phis[label]), *block.ops)
            for label, block in before.blocks.items()
        }
        self.done: set[str] = set()
        for label, block in before.blocks.items():
            fn.blocks[label].ops[:] = block.ops

    def place(self, block: Block, position: int) -> nodes.Phi:
        """Put a phi of variables that have no versions yet."""
        phi = self.plain[block.label][position]
        assert isinstance(phi, nodes.Phi)
        block.ops.insert(position, phi)
        return phi

    def rename(self, version: str, places: list[tuple[int, int]]) -> None:
        """Use a version where it is defined and used."""
        self.done.add(version)
        for label, position in places:
            ops = self.fn.blocks[label].ops
            final = self.final[label][position]
            now = _between(self.plain[label][position], final, self.done)
            ops[position] = final if now == final else now


def _unversioned(phi: Op, name: str) -> nodes.Phi:
    assert isinstance(phi, nodes.Phi)
    return replace(phi, result=name, values=(name,) * len(phi.values))


def _between(plain: Op, final: Op, done: set[str]) -> Op:
    """The op with those of its variables renamed whose versions are done."""
    if plain.REGIONS:
        pairs = [*zip(uses(plain), uses(final), strict=True)]
        known = {old: new for old, new in pairs if new in done}
        plain = rename_uses(plain, lambda name: known.get(name, name))
    changes: dict[str, Any] = {}  # Any: fields of an op
    for spec in type(plain).FIELDS:
        old, new = getattr(plain, spec.name), getattr(final, spec.name)
        if old is new or old == new or spec.role is Role.REGION:
            continue
        if isinstance(new, tuple):
            changes[spec.name] = tuple(n if n in done else o for o, n in zip(old, new, strict=True))
        elif new in done:
            changes[spec.name] = new
    return replace(plain, **changes) if changes else plain


def report(before: Function, fn: Function, phis: dict[int, list[str]], told: Rewriting) -> None:
    """Report what made the SSA form of `before`: first a phi for each merge (the variables, by
    block, are `phis`), then version by version."""
    state = _Versions(before, fn, phis)
    told.unsettled = True
    for label, block in state.fn.blocks.items():
        for position, op in enumerate(state.final[label]):
            if not isinstance(op, nodes.Phi):
                break
            phi = state.place(block, position)
            note = f"several values of {told.named(phi.result)} meet here"
            told.step("place_phi", note, phi.loc, (label,))
    for version, places in _places(state).items():
        state.rename(version, places)
        label, position = places[0]
        loc = state.final[label][position].loc
        note = f"this value of {told.named(version)} gets a name of its own"
        told.step("rename_version", note, loc, sorted({label for label, _ in places}))
    told.settle()


def report_regions(fn: Function, told: Rewriting) -> None:
    """Report what made the SSA form of the regions, all of them at once."""
    note = "each value in a region gets a name of its own"
    told.step("rename_version", note, fn.entry.ops[0].loc)


def _places(state: _Versions) -> dict[str, list[tuple[int, int]]]:
    """Where each version is that has another name than before: its definition first."""
    found: dict[str, list[tuple[int, int]]] = {}
    rest: list[tuple[str, tuple[int, int]]] = []
    for label, ops in state.final.items():
        for position, (plain, final) in enumerate(zip(state.plain[label], ops, strict=True)):
            if plain is final:
                continue
            place = (label, position)
            for old, new in zip(definitions(plain), definitions(final), strict=True):
                if old != new:
                    found.setdefault(new, []).append(place)
            pairs = zip(uses(plain), uses(final), strict=True)
            rest += [(new, place) for new in dict.fromkeys(n for o, n in pairs if o != n)]
    for version, place in rest:
        places = found.setdefault(version, [])
        if place not in places:
            places.append(place)
    return found
