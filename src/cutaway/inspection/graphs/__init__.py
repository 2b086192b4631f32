"""Builders of graphs of a program; `drawing/` lays them out and draws them.

`flow`, `dataflow`, `network`, `trees`, `calls`, `llvm` and `assembly` build graphs; `kinds` lists
the graphs of each level.
"""
