"""The driver of GPUs in C: `_driver` calls libcuda, which is opened at run time, and launches."""
