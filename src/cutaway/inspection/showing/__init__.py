"""Displays of compilations in terminals, pages and notebooks."""
