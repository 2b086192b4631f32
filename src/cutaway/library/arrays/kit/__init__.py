"""Helpers that several array functions share."""
