"""What code is made for: one folder per target."""
