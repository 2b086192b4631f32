"""Types of Python values, and values as compiled code would hold them."""
