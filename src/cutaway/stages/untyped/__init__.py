"""Passes from bytecode to SSA, which know no types; one file per pass."""
