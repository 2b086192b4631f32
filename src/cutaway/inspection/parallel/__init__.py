"""Explanations of parallel loops, and measurements of the threads that run them."""
