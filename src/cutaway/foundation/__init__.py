"""The base of everything: places in source, loading, locks, options."""
