"""Passes of stage 5b, which turn operations that can run on all cores into parfors."""
