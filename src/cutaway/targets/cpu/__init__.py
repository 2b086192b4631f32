"""The machine at hand, through LLVM: code as text, objects, and the processors there are."""
