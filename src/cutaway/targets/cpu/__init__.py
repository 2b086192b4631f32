"""The host machine, through LLVM: code as text, objects, and processors."""
