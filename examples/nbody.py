"""The outer solar system by Newton's law, from published initial conditions.

Positions (astronomical units), velocities (AU per day) and masses (of the Sun) of the Sun and the
four giant planets on 1 January 1950, as used by the Computer Language Benchmarks Game and taken
from JPL's planetary ephemerides; they are in data/giants.csv.
"""

from __future__ import annotations

import math

import numpy as np
from common import Example, in_python, read_table

import cutaway

DAYS_PER_YEAR = 365.24
GRAVITY = 4 * math.pi * math.pi  # in AU^3 / (solar mass * year^2)


def load() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions in AU, velocities in AU a year, masses in solar masses."""
    table = read_table("giants.csv")
    numbers = np.array([[float(x) for x in row[1:]] for row in table])
    position, velocity, mass = numbers[:, 0:3], numbers[:, 3:6] * DAYS_PER_YEAR, numbers[:, 6]
    momentum = (velocity * mass[:, None]).sum(axis=0)
    velocity[0] -= momentum / mass[0]  # the center of mass rests
    return position.copy(), velocity.copy(), mass.copy()


@cutaway.jit
def energy(position, velocity, mass):
    """The energy of the system, which should stay what it is."""
    total = 0.0
    n = mass.shape[0]
    for i in range(n):
        speed = velocity[i, 0] ** 2 + velocity[i, 1] ** 2 + velocity[i, 2] ** 2
        total += 0.5 * mass[i] * speed
        for j in range(i + 1, n):
            dx = position[i, 0] - position[j, 0]
            dy = position[i, 1] - position[j, 1]
            dz = position[i, 2] - position[j, 2]
            total -= GRAVITY * mass[i] * mass[j] / math.sqrt(dx * dx + dy * dy + dz * dz)
    return total


@cutaway.jit
def advance(position, velocity, mass, step, count):
    """Move all bodies by `count` steps of `step` years."""
    n = mass.shape[0]
    for _ in range(count):
        for i in range(n):
            for j in range(i + 1, n):
                dx = position[i, 0] - position[j, 0]
                dy = position[i, 1] - position[j, 1]
                dz = position[i, 2] - position[j, 2]
                distance = dx * dx + dy * dy + dz * dz
                pull = GRAVITY * step / (distance * math.sqrt(distance))
                velocity[i, 0] -= dx * mass[j] * pull
                velocity[i, 1] -= dy * mass[j] * pull
                velocity[i, 2] -= dz * mass[j] * pull
                velocity[j, 0] += dx * mass[i] * pull
                velocity[j, 1] += dy * mass[i] * pull
                velocity[j, 2] += dz * mass[i] * pull
        for i in range(n):
            for k in range(3):
                position[i, k] += step * velocity[i, k]


def simulate(python: bool, years: float = 100.0) -> np.ndarray:
    """The positions after so many years."""
    position, velocity, mass = load()
    move = in_python(advance) if python else advance
    move(position, velocity, mass, 0.01, int(years / 0.01))
    return position


def drift() -> float:
    """By what share the energy changes in a thousand years."""
    position, velocity, mass = load()
    before = energy(position, velocity, mass)
    advance(position, velocity, mass, 0.01, 100_000)
    return abs(energy(position, velocity, mass) / before - 1)


EXAMPLE = Example(
    "n-body",
    "the giant planets for 100 years",
    simulate,
    tolerance=1e-9,
    note=lambda: f"energy kept to {drift():.1e} over 1000 years",
)
