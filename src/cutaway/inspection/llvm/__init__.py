"""What LLVM does and says: its passes one by one, its remarks, its text."""
