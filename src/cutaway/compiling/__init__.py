"""Compile one function for one signature, once, with enough stack, and again for inspection."""
