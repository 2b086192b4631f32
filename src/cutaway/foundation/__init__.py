"""The lowest layer: source locations, module loading, locks, options."""
