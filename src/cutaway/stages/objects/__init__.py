"""Passes of object mode; one file per pass."""
