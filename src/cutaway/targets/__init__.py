"""The targets of code: one folder each."""
