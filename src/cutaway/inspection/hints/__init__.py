"""Proposals for missed optimizations: each is tried before it is shown."""
