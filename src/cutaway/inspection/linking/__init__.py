"""Where each line of each level comes from, and what each line of the source became."""
