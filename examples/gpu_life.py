"""Conway's Game of Life on a torus, as a kernel: on a GPU, or without one in the simulator.

    python examples/gpu_life.py [steps]

Each block of threads brings its tile of the board, and a border of one cell, into shared memory.
"""

from __future__ import annotations

import sys

import numpy as np

from cutaway import cuda

TILE = 16
EDGE = TILE + 2


@cuda.jit
def step(old, new):
    """One generation: each thread decides about one cell."""
    tile = cuda.shared.array((EDGE, EDGE), "uint8")
    i, k = cuda.threadIdx.y, cuda.threadIdx.x
    top, left = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
    rows, columns = old.shape
    for r in range(i, EDGE, TILE):
        for c in range(k, EDGE, TILE):
            tile[r, c] = old[(top + r - 1) % rows, (left + c - 1) % columns]
    cuda.syncthreads()
    alive = tile[i + 1, k + 1]
    around = 0
    for r in range(3):
        for c in range(3):
            around += tile[i + r, k + c]
    around -= alive
    if top + i < rows and left + k < columns:
        new[top + i, left + k] = around == 3 or (alive == 1 and around == 2)


def in_numpy(board: np.ndarray) -> np.ndarray:
    """The next generation, by NumPy."""
    shifts = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
    around = sum(np.roll(board, shift, axis=(0, 1)) for shift in shifts)
    return ((around == 3) | ((board == 1) & (around == 2))).astype(np.uint8)


def run(board: np.ndarray, steps: int) -> np.ndarray:
    """The board after some generations; it says where they were computed, and what was seen."""
    rows, columns = board.shape
    grid = (-(-columns // TILE), -(-rows // TILE))
    if cuda.is_available():
        print(f"on {cuda.get_current_device().name}")
        old, new = cuda.to_device(board), cuda.device_array_like(board)
        for _ in range(steps):
            step[grid, (TILE, TILE)](old, new)
            old, new = new, old
        return old.copy_to_host()
    old, new = board.copy(), np.empty_like(board)
    simulated = cuda.simulate(step)
    for _ in range(steps):
        simulated[grid, (TILE, TILE)](old, new)
        old, new = new, old
    print("in the simulator:")
    print(simulated.report)
    return old


def main() -> None:
    """Some generations of a random board, compared with NumPy's."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    board = np.random.default_rng(1).integers(0, 2, (40, 60), dtype=np.uint8)
    found, expected = run(board, steps), board
    for _ in range(steps):
        expected = in_numpy(expected)
    assert np.array_equal(found, expected)
    print(f"{found.sum()} of {found.size} cells live after {steps} generations, as in NumPy")
    for figures in step.trace(board, board).figures:  # empty without ptxas
        print(f"{figures.registers} registers for a thread, {figures.shared} bytes for a block")


if __name__ == "__main__":
    main()
