"""The words of facts about loops, which the code that makes facts and the code that shows them
share."""

# The kind of a loop by its iterable; `array`: made from an operation on whole arrays.
PRANGE, RANGE, ITEMS, WHILE, ARRAY = "prange", "range", "items", "while", "array"

# The verdict on a loop: `inner` ones run inside a parallel one, `fused` ones are a part of another
# parallel one.
PARALLEL, INNER, FUSED, SERIAL, REFUSED, OFF = (
    *("parallel", "inner", "fused"),
    *("serial", "refused", "off"),
)

# The outcome of a try; `alone`: it works, on one thread; `useless`: it changes nothing.
WORKS, WARNED, DIFFERENT, UNKNOWN, ALONE, USELESS = (
    *("works", "warned", "different"),
    *("unknown", "alone", "useless"),
)

FUSION_RULE = "fuse_parfors"  # of decisions about two parallel loops
