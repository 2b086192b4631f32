"""All kernels by their groups, and what each group is compared in."""

from __future__ import annotations

from whole_arrays import elementwise, linear, loops, reductions, science, stencils
from whole_arrays.kernel import Kernel

KERNELS: dict[str, list[Kernel]] = {
    "stencils": stencils.KERNELS,
    "chains": elementwise.CHAINS,
    "updates": elementwise.UPDATES,
    "choices": elementwise.CHOICES,
    "short": elementwise.SHORT,
    "reductions": reductions.REDUCTIONS,
    "layers": reductions.LAYERS,
    "broadcasts": reductions.BROADCASTS,
    "convolutions": science.CONVOLUTIONS,
    "formulas": science.FORMULAS,
    "linear": linear.KERNELS,
}
BY_HAND = {"by_hand": loops.BY_HAND}
FUNCTIONS = {"functions": loops.FUNCTIONS}

ALL = {
    (group, kernel.name): kernel
    for table in (KERNELS, BY_HAND, FUNCTIONS)
    for group, kernels in table.items()
    for kernel in kernels
}
# The ways in which a kernel is run, the one that all are compared with first.
WAYS = {
    **dict.fromkeys(KERNELS, ("numpy", "numba", "jax", "cutaway")),
    "by_hand": ("numpy", "loop", "cutaway"),
    "functions": ("numpy", "cutaway"),
}
# What `--quick` takes of the groups of kernels: some of each kind of code.
QUICK = set(
    "heat_1d jacobi_2d nine_points heat_3d chain_4_1e3 chain_4_1e6 chain_4_float32 add_product"
    " momentum_step two_branches hash_words short_sum_3 short_sum_100 euclidean row_sums"
    " largest_difference gathered_sum softmax_by_rows sigmoid distances repeated_work transposed"
    " convolve_3x3 black_scholes mandelbrot correlations there_and_back lu_by_rows row_scan".split()
)


def chosen(words: list[str]) -> list[tuple[str, str]]:
    """The keys of the kernels whose group or name is among the words; of all without words."""
    return [key for key in ALL if not words or key[0] in words or key[1] in words]
