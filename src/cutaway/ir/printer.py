"""The text form of the IR, made from the `TEXT` templates of the ops.

    func add(a, b):
    label 0:
        a = arg(0, name=a)                       ['a']
        $0.1 = a + b                             ['$0.1', 'a', 'b']

Each line ends with the variables that it names.  On demand a definition includes its type, `$0.1 =
a + b  :: int64`, and a line its value id and source location, `#12 @3:4-3:9`.

A region is printed below its op, with its index variables and carried variables:

    total = repeat(n)                            ['n', 'total', 'x', 'zero']
    body(k; s = zero):
    label 1:
        t = s + x                                ['s', 't', 'x']
        yield (t)                                ['t']
    end
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from cutaway.ir.constants import constant_text, object_text
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Codec, FieldSpec, Op, Role
from cutaway.ir.regions import FrozenBlock, Region
from cutaway.ir.traversal import definitions, uses, walk

WIDTH = 40  # column, after the indentation, where the list of variables begins
INDENT = 4

Spell = Callable[[Any], str]


def to_text(
    fn: Function,
    *,
    types: Mapping[str, object] | None = None,
    spans: bool = False,
) -> str:
    """Print a function; with `types` each definition's type, with `spans` ids and locations."""
    objects = {id(value): text for text, value in known_objects(fn).items()}

    def spell(value: Any) -> str:
        return objects.get(id(value)) or constant_text(value)

    header = f"{'generator' if fn.generator else 'func'} {fn.name}({', '.join(fn.params)}):"
    if spans:
        header += f"  @{fn.filename}:{fn.first_line}"
    lines = [header, *_block_lines(fn.blocks.values(), 0, spell, types, spans)]
    return "\n".join(lines) + "\n"


def known_objects(fn: Function) -> dict[str, Any]:
    """Return the constants of a function that are not literals, by their text.

    Two objects with the same text are distinguished by a number.
    """
    objects: dict[str, Any] = {}
    for op in walk(fn):
        for spec in type(op).FIELDS:
            if spec.codec is Codec.CONSTANT:
                for value in _objects_in(getattr(op, spec.name)):
                    _enter(objects, value)
    return objects


def _objects_in(value: Any) -> Iterator[Any]:
    if type(value) is tuple:
        for item in value:
            yield from _objects_in(item)
    elif constant_text(value).startswith("<"):
        yield value


def _enter(objects: dict[str, Any], value: Any) -> None:
    text = base = object_text(value)
    count = 1
    while text in objects and objects[text] is not value:
        count += 1
        text = f"{base[:-1]} #{count}>"
    objects[text] = value


def op_text(op: Op, spell: Spell = constant_text) -> str:
    """Print one op, without the rest of its line."""
    template, specs = _template(type(op))
    return template.format(*[_field_text(spec, getattr(op, spec.name), spell) for spec in specs])


@cache
def _template(cls: type[Op]) -> tuple[str, tuple[FieldSpec, ...]]:
    """Return the template with numbers in place of names, and the fields in their order."""
    by_name = {spec.name: spec for spec in cls.FIELDS}
    specs: list[FieldSpec] = []

    def number(match: re.Match[str]) -> str:
        specs.append(by_name[match[1]])
        return "{}"

    return re.sub(r"\{(\w+)\}", number, cls.TEXT), tuple(specs)


def _field_text(spec: FieldSpec, value: Any, spell: Spell) -> str:
    match spec.role:
        case Role.DEF | Role.USE | Role.LABEL:
            return str(value)
        case Role.OPTIONAL_USE:
            return "None" if value is None else str(value)
        case Role.DEFS | Role.USES | Role.LABELS:
            return ", ".join(map(str, value))
    match spec.codec:
        case Codec.OPERATOR:
            return str(value.symbol)
        case Codec.CONSTANT:
            return _spelled(value, spell)
        case Codec.NAMES:
            return ", ".join(value)
        case Codec.TAGS:
            return f", {spec.name}=({', '.join(value)})" if value else ""
        case Codec.STRING:
            return repr(value)
    return str(value)


def _spelled(value: Any, spell: Spell) -> str:
    if type(value) is tuple:
        items = ", ".join(_spelled(item, spell) for item in value)
        return f"({items},)" if len(value) == 1 else f"({items})"
    return spell(value)


def _block_lines(
    blocks: Iterable[Block | FrozenBlock],
    indent: int,
    spell: Spell,
    types: Mapping[str, object] | None,
    spans: bool,
) -> Iterator[str]:
    for block in blocks:
        reach = "" if block.handler is None else f", except {block.handler}"
        yield f"{' ' * indent}label {block.label}{reach}:"
        for op in block.ops:
            yield _line(op, indent + INDENT, spell, types, spans)
            for name in op.REGIONS:
                region = getattr(op, name)
                yield f"{' ' * (indent + INDENT)}{region_text(name, region, types)}"
                yield from _block_lines(region.blocks, indent + INDENT, spell, types, spans)
                yield f"{' ' * (indent + INDENT)}end"


def region_text(name: str, region: Region, types: Mapping[str, object] | None = None) -> str:
    """Print the line that begins a region: `body(i, j; total = zero):`."""
    pairs = zip(region.carried, region.initial, strict=True)
    carried = ", ".join(f"{name} = {first}" for name, first in pairs)
    text = f"{name}({', '.join(region.indices)}{'; ' if carried else ''}{carried}):"
    return text + _types_text(region.arguments, types)


def _types_text(names: tuple[str, ...], types: Mapping[str, object] | None) -> str:
    if types is None or not names:
        return ""
    return f"  :: {' | '.join(_type_name(types.get(name, '?')) for name in names)}"


def _line(
    op: Op, indent: int, spell: Spell, types: Mapping[str, object] | None, spans: bool
) -> str:
    defined = definitions(op)
    text = op_text(op, spell) + _types_text(defined, types)
    line = f"{' ' * indent}{text:<{WIDTH}} {sorted({*defined, *uses(op)})}"
    return f"{line}  #{op.id} @{op.loc}" if spans else line


def _type_name(ty: Any) -> str:
    return str(getattr(ty, "name", ty))
