"""GPUs of NVIDIA's, through LLVM's NVPTX back end."""
