"""NVIDIA GPUs, through LLVM's NVPTX back end."""
