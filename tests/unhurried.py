"""How tests make up cases with hypothesis: however long it takes on a busy machine."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
