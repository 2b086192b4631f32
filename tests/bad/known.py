"""Programs whose message still breaks a rule, and what it should be."""

KNOWN = {
    "calls_a_partial": "functools.partial(...) without its address, and how to do without it",
    "lambda_in_a_lambda": "2, as in Python",
    "zeros_of_unknown_dtype": "TypingError: 'spam' is no dtype",
    "mutual_even": "True, as in Python",
    "mutual_first": "RecursionError, as in Python",
    "growing_tuple": "TypingError: each recursive call has other argument types",
}
