"""Programs that every level of the compiler is tried on."""
