"""Passes from typed IR to machine code; one file per pass."""
