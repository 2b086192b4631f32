"""Compile one function for one signature, once, on a stack with room, and again to be looked at."""
