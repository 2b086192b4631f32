"""Heat spreading in a plate of copper: the heat equation on a grid.

The thermal diffusivity of copper follows from its conductivity, density and heat capacity at
25 degrees Celsius (CRC Handbook of Chemistry and Physics).
"""

from __future__ import annotations

import numpy as np
from common import Example, in_python

import cutaway

CONDUCTIVITY = 401.0  # W/(m K)
DENSITY = 8960.0  # kg/m^3
HEAT_CAPACITY = 385.0  # J/(kg K)
DIFFUSIVITY = CONDUCTIVITY / (DENSITY * HEAT_CAPACITY)  # m^2/s
WIDTH = 0.10  # of the square plate, in m


@cutaway.jit
def diffuse(plate, steps, rate):
    """Explicit steps: each inner point moves toward the mean of its neighbors."""
    rows, columns = plate.shape
    following = np.zeros_like(plate)
    following[:] = plate
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                around = plate[i - 1, j] + plate[i + 1, j] + plate[i, j - 1] + plate[i, j + 1]
                following[i, j] = plate[i, j] + rate * (around - 4.0 * plate[i, j])
        plate, following = following, plate
    return plate


def run(python: bool, cells: int = 80, seconds: float = 1.0) -> np.ndarray:
    """The temperatures in degrees Celsius, one edge at 100 and the others at 20."""
    plate = np.full((cells, cells), 20.0)
    plate[0] = 100.0
    spacing = WIDTH / (cells - 1)
    step = 0.2 * spacing * spacing / DIFFUSIVITY  # stable below 0.25
    solve = in_python(diffuse) if python else diffuse
    return solve(plate, int(seconds / step), 0.2)


EXAMPLE = Example(
    "heat",
    "a copper plate, 80 x 80 points, 1 s",
    run,
    note=lambda: f"1 cm from the hot edge it is {run(python=False)[8, 40]:.1f} degrees",
)
