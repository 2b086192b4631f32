"""NumPy's methods of quantiles: where a share of a line is, by the number of its elements.

All of them are places counted from 0, in the dtype of the shares.  Discrete methods take one
element; the others a part of the way from one to the next.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.library.arrays.kit.typers import private

# The two numbers that tell continuous methods apart (Hyndman and Fan, 1996).
_CONTINUOUS = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}
DISCRETE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
ALL = (*_CONTINUOUS, *DISCRETE, "averaged_inverted_cdf", "linear", "midpoint")

# --- one element ------------------------------------------------------------------------------


def index_by(method: str, dtype: np.dtype[Any]) -> Any:
    """The place of the element that a discrete method takes, of `count share`."""
    cast = dtype.type
    observed, steps = method == "closest_observation", method in ("lower", "higher", "nearest")
    behind = cast(1)
    half = cast(0.5)

    @private
    def stepwise(count, share):
        place = cast(cast(cast(count) * share) - behind)
        if observed:
            place = cast(place - half)
        low = np.floor(place)
        exact = place == low and (not observed or low % 2 == 1)
        k = int(low) if exact else int(low) + 1
        return min(max(k, 0), count - 1)

    @private
    def lower(count, share):
        return min(int(np.floor(cast(cast(count - 1) * share))), count - 1)

    @private
    def higher(count, share):
        return min(int(np.ceil(cast(cast(count - 1) * share))), count - 1)

    @private
    def nearest(count, share):
        return min(int(np.rint(cast(cast(count - 1) * share))), count - 1)

    return {"lower": lower, "higher": higher, "nearest": nearest}[method] if steps else stepwise


# --- between two ------------------------------------------------------------------------------


def place_by(method: str, dtype: np.dtype[Any]) -> Any:
    """The places of the two elements that a method takes, and how far behind the first one the
    quantile is: of `count share`."""
    place, part = _place(method, dtype), _part(method)
    cast = dtype.type

    @private
    def places(count, share):
        virtual = float(place(count, share))
        low = int(np.floor(virtual))
        first, second = low, low + 1
        if virtual >= count - 1:
            first, second = -1, -1  # NumPy counts the last element from behind
        if virtual < 0:
            first, second = 0, 0
        gamma = float(cast(part(virtual - first, virtual)))
        return (
            first + count if first < 0 else first,
            second + count if second < 0 else second,
            gamma,
        )

    return places


def _place(method: str, dtype: np.dtype[Any]) -> Any:
    cast = dtype.type
    alpha, beta = _CONTINUOUS.get(method, (0, 0))
    start, slope, one, half = cast(alpha), cast(1 - alpha - beta), cast(1), cast(0.5)

    @private
    def linear(count, share):
        return cast(cast(count - 1) * share)

    @private
    def middle(count, share):
        place = cast(cast(count - 1) * share)
        return cast(half * cast(np.floor(place) + np.ceil(place)))

    @private
    def averaged(count, share):
        return cast(cast(cast(count) * share) - one)

    @private
    def continuous(count, share):
        offset = cast(start + cast(share * slope))
        return cast(cast(cast(cast(count) * share) + offset) - one)

    known = {"linear": linear, "midpoint": middle, "averaged_inverted_cdf": averaged}
    return known.get(method, continuous)


def _part(method: str) -> Any:
    """How far behind the first element, by the distance and the place."""
    if method == "averaged_inverted_cdf":
        return private(lambda gamma, virtual: 0.5 if gamma == 0 else 1.0)
    if method == "midpoint":
        return private(lambda gamma, virtual: 0.0 if virtual % 1 == 0 else 0.5)
    return private(lambda gamma, virtual: gamma)
