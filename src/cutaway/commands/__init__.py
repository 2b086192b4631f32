"""The commands that show compilations, one file a group; `__main__` puts them together."""
