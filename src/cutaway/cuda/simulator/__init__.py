"""The simulator: kernels as Python that runs thread by thread, and is checked."""
