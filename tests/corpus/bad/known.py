"""Programs whose message still breaks a rule, and what it should be."""

KNOWN: dict[str, str] = {}
