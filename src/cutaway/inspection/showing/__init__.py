"""Compilations in terminals, pages and notebooks."""
