"""Levels that are edited, and what an edit must satisfy."""
