"""Recordings of compilations while they run."""
