"""What everything stands on: places in source, loading, locks, options."""
