"""Arrays in compiled code: their elements, their memory, and loops over them."""
