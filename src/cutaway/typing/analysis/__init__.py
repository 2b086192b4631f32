"""Facts about typed functions: who owns memory, how large arrays are."""
