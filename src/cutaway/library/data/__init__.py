"""Records, dates, enumerations, buffers."""
