"""The words of GPU kernels, which compiled code and the simulator recognize by identity."""
