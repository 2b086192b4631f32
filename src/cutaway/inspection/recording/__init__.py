"""Compilations as they are recorded while they run."""
