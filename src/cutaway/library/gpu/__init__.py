"""What code for a GPU can call besides: the words of `cutaway.cuda`."""

from cutaway.library.gpu import atomics, grid, memory, numbers, printing, waiting, warps

assert all((atomics, grid, memory, numbers, printing, waiting, warps))  # for what they register
