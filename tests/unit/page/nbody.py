"""A function that is longer than a screen at every level below the source."""

from __future__ import annotations

import math

import numpy as np

import cutaway


@cutaway.jit
def nbody(pos, vel, mass, dt, soft, steps):
    n = pos.shape[0]
    energy = 0.0
    for _step in range(steps):
        for i in range(n):
            ax = 0.0
            ay = 0.0
            az = 0.0
            for j in range(n):
                if i == j:
                    continue
                dx = pos[j, 0] - pos[i, 0]
                dy = pos[j, 1] - pos[i, 1]
                dz = pos[j, 2] - pos[i, 2]
                distance = dx * dx + dy * dy + dz * dz + soft
                inverse = 1.0 / (distance * math.sqrt(distance))
                ax += mass[j] * dx * inverse
                ay += mass[j] * dy * inverse
                az += mass[j] * dz * inverse
            vel[i, 0] += dt * ax
            vel[i, 1] += dt * ay
            vel[i, 2] += dt * az
        for i in range(n):
            for k in range(3):
                pos[i, k] += dt * vel[i, k]
    for i in range(n):
        speed = 0.0
        for k in range(3):
            speed += vel[i, k] * vel[i, k]
        energy += 0.5 * mass[i] * speed
        for j in range(i):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            energy -= mass[i] * mass[j] / math.sqrt(dx * dx + dy * dy + dz * dz + soft)
    return energy


def compilation():
    """Its compilation for four bodies."""
    draw = np.random.default_rng(1)
    pos, vel = draw.normal(size=(4, 3)), draw.normal(size=(4, 3))
    return nbody.trace(pos, vel, np.ones(4), 0.01, 0.001, 2)
