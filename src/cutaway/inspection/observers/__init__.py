"""Observers requested by the environment: dumps, timings, reports."""
