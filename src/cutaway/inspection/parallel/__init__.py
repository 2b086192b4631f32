"""Explains parallel loops, and measures which thread runs what."""
