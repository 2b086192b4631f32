"""What compiled generators can do, and `yield from` as a loop: a part of `infer_types`.

    $1 = delegate(a)                 $2 = getiter(a)
                             ->      x, ok = iternext($2)         while there is one
                                     $3 = suspend(x)

Nothing is sent or thrown into a compiled generator, so that the loop does what `yield from` does.
"""

from __future__ import annotations

from cutaway.errors import UnsupportedError
from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.reaches import depths, has_handlers
from cutaway.ir.traversal import successors, use_table

SPREAD_DELEGATE = Rule(
    "spread_delegate",
    "yield from values => a loop that yields each",
    note="each of these values is yielded in a loop",
)


def prepare(editor: Editor) -> None:
    """Replace each `yield from` by a loop.

    Raises UnsupportedError where its value is used, and for a `yield` within `try`: such a
    generator would have to be notified when it is closed.
    """
    fn = editor.fn
    _check_waits(fn)
    used, waiting = use_table(fn), list(fn.blocks.values())
    while waiting:
        block = waiting.pop()
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Delegate):
                if used.get(op.result):
                    what = "the value of `yield from` is not supported in compiled code"
                    raise UnsupportedError(what, op.loc, "yield the values in a loop")
                waiting.append(_spread(editor, block, position, op))
                break


def _check_waits(fn: Function) -> None:
    handled = depths(fn) if has_handlers(fn) else {}
    for block in fn.blocks.values():
        for op in block.ops:
            inside = block.handler is not None or handled.get(block.label)
            if isinstance(op, nodes.Suspend | nodes.Delegate) and inside:
                raise UnsupportedError(
                    "a `yield` within `try` is not supported in compiled code",
                    op.loc,
                    "put what may raise into a function of its own, or the `try` around the loop",
                )


def _spread(editor: Editor, block: Block, position: int, op: nodes.Delegate) -> Block:
    fn = editor.fn
    first = fn.new_label()
    header, inside, rest = first, first + 1, first + 2
    item, valid, sent = fn.fresh("item"), fn.fresh("valid"), fn.fresh("sent")
    iterator = fn.fresh("iterator")

    def placed(*ops: Op) -> list[Op]:
        return [replace(one, loc=op.loc, id=fn.new_id()) for one in ops]

    after = Block(rest, block.ops[position + 1 :], block.handler)
    begin = placed(nodes.GetIter(iterator, op.iterator), nodes.Jump(header))
    step = placed(nodes.IterNext(item, valid, iterator), nodes.Branch(valid, inside, rest))
    editor.add_block(Block(header, step, block.handler))
    wait = placed(nodes.Suspend(sent, item), nodes.Jump(header))
    editor.add_block(Block(inside, wait, block.handler))
    editor.add_block(after)
    for label in successors(after):  # their phis used values from the block
        follower = fn.blocks[label]
        ops = [_renamed(one, block.label, rest) for one in follower.ops]
        if ops != follower.ops:
            editor.set_ops(follower, ops)
    editor.cut(block, position, *begin)
    editor.commit(SPREAD_DELEGATE, op.loc)
    return after


def _renamed(op: Op, old: int, new: int) -> Op:
    if not isinstance(op, nodes.Phi):
        return op
    return replace(op, labels=tuple(new if label == old else label for label in op.labels))
