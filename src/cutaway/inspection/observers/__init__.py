"""What the environment asks for: dumps, timings, reports."""
