"""The passes that make loops of operations on whole arrays."""
