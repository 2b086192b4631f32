"""Stencils in compiled code: windows, and the loops around a kernel."""
