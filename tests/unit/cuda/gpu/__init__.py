"""Tests that need a GPU: `make test-gpu`.  Without one they are skipped."""
