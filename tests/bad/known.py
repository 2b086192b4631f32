"""Programs whose message still breaks a rule, and what it should be."""

KNOWN = {
    "zeros_of_unknown_dtype": "TypingError: 'spam' is no dtype",
}
