"""Edited levels, and the checks that an edit must pass."""
