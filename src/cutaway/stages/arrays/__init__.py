"""Passes that turn operations on whole arrays into loops."""
