"""Runs of every level compared with Python: `c.witness`, `c.bisect`, and their parts."""
