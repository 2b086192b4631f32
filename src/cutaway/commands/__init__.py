"""The commands that show compilations, one file per group; `__main__` combines them."""
