"""Explanations of types, calls and dispatch."""
