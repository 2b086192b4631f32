"""Passes over typed IR; one file per pass."""
