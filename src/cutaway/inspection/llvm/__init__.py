"""Observation of LLVM: its passes one by one, its remarks, its IR."""
