"""The words of facts about loops, which those who make them and those who tell them share."""

# What a loop of the source goes over, and a loop that a pass made of an operation on whole arrays.
PRANGE, RANGE, ITEMS, WHILE, ARRAY = "prange", "range", "items", "while", "array"

# What became of a loop: `inner` ones are run by whoever runs an iteration of a parallel one,
# `fused` ones together with another parallel one.
PARALLEL, INNER, FUSED, SERIAL, REFUSED, OFF = (
    *("parallel", "inner", "fused"),
    *("serial", "refused", "off"),
)

# What became of a try; `alone`: it works, on one thread; `useless`: it changes nothing.
WORKS, WARNED, DIFFERENT, UNKNOWN, ALONE, USELESS = (
    *("works", "warned", "different"),
    *("unknown", "alone", "useless"),
)

FUSION_RULE = "fuse_parfors"  # of decisions about two parallel loops
