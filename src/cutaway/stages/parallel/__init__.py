"""Passes of stage 5b: what may run on all cores becomes parfors."""
