"""Programs whose message still breaks a rule, and what it should be."""

PIPELINE = "OptionError: option pipeline is a Pipeline, not ..."
FASTMATH = "OptionError: option fastmath is a bool or names of flags, not ..."

KNOWN = {
    "zeros_of_unknown_dtype": "TypingError: 'spam' is no dtype",
    "fastmath_number": FASTMATH,
    "fastmath_numbers": FASTMATH,
    "fastmath_none": FASTMATH,
    "pipeline_text": PIPELINE,
    "pipeline_list": PIPELINE,
    "pipeline_number": PIPELINE,
    "pipeline_class": PIPELINE,
    "range_of_floats": "SignatureError: a range has integers",
    "signature_of_undefined": "SignatureError: 'undefined' is not a type",
}
