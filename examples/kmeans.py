"""k-means on the Iris measurements (R. A. Fisher, "The use of multiple measurements in taxonomic
problems", 1936): 150 flowers of three species, four lengths in centimeters each."""

from __future__ import annotations

import numpy as np
from common import Example, in_python, read_table

import cutaway

CLUSTERS = 3


def load() -> tuple[np.ndarray, np.ndarray]:
    """The measurements, and the species as numbers."""
    table = read_table("iris.csv")
    species = sorted({row[4] for row in table})
    points = np.array([[float(x) for x in row[:4]] for row in table])
    return points, np.array([species.index(row[4]) for row in table])


@cutaway.jit
def nearest(points, centers, i):
    """The center that a point is closest to."""
    best = 0
    smallest = 1e300
    for c in range(centers.shape[0]):
        distance = 0.0
        for k in range(points.shape[1]):
            d = points[i, k] - centers[c, k]
            distance += d * d
        if distance < smallest:
            smallest = distance
            best = c
    return best


@cutaway.jit
def cluster(points, centers, labels, rounds):
    """Lloyd's algorithm: assign each point, then move each center to its points' mean."""
    n, dims = points.shape
    count = centers.shape[0]
    for _ in range(rounds):
        sums = np.zeros((count, dims))
        members = np.zeros(count, dtype=np.int64)
        for i in range(n):
            c = nearest(points, centers, i)
            labels[i] = c
            members[c] += 1
            for k in range(dims):
                sums[c, k] += points[i, k]
        for c in range(count):
            if members[c] > 0:
                for k in range(dims):
                    centers[c, k] = sums[c, k] / members[c]
    return labels


def run(python: bool, rounds: int = 300) -> np.ndarray:
    """The cluster of each flower."""
    points, _ = load()
    centers = points[:: len(points) // CLUSTERS][:CLUSTERS].copy()
    labels = np.zeros(len(points), dtype=np.int64)
    return (in_python(cluster) if python else cluster)(points, centers, labels, rounds)


def purity() -> float:
    """The share of flowers that are in a cluster where their species is in the majority."""
    labels, (_, species) = run(python=False), load()
    return sum(np.bincount(species[labels == c]).max() for c in set(labels)) / len(labels)


EXAMPLE = Example(
    "k-means",
    "150 flowers, 3 clusters, 300 rounds",
    run,
    note=lambda: f"{purity():.0%} of the flowers are with their species",
)
